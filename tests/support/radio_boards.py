"""Boards that send by radio, and a gateway that hears them, in one ether."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from boards import Driver
from microbit_emulator import Ether, Microbit
from microbit_emulator.packet import Packet
from noughts.device_files import files_for_boards
from noughts.protocol.parser import Noise, ParsedSentence
from noughts.protocol.sentences import checksum
from noughts.radio_files import Radio, files_with
from official import stepped

GROUP = 7
V2 = "V2 2.1.2"


def sender_files() -> dict[str, bytes]:
    """What is on a V2 that sends."""
    return dict(files_with(Radio(sends=GROUP), "V2", files_for_boards()))


def sender(firmware: str = V2, files: Mapping[str, bytes] | None = None) -> Microbit:
    """A board that sends by radio."""
    return stepped(firmware)(files or sender_files(), 1)


def gateway(firmware: str = V2) -> Microbit:
    """A gateway."""
    return stepped(firmware)(files_with(Radio(gateway=GROUP), firmware[:2], {}), 99)


class Recording(Ether):
    """An ether that keeps what was sent."""

    def __init__(self, boards: Mapping[str, Microbit], **named: Any) -> None:
        super().__init__(boards, **named)
        self.packets: list[Packet] = []

    def begin(self, packet: Packet) -> None:
        """A packet is on the air."""
        self.packets.append(packet)
        super().begin(packet)

    def sent(self) -> list[str]:
        """The texts of all packets."""
        return [packet.payload.decode() for packet in self.packets]


class Sender(Driver):
    """A board that sends by radio, in an ether of its own or with others."""

    def __init__(self, board: Microbit, *others: Microbit) -> None:
        self.ether = Recording({"sender": board, **{f"{n}": o for n, o in enumerate(others)}})
        super().__init__(board)

    def said(self) -> list[str]:
        """The bodies of all sentences that it has said by cable."""
        self.listen()
        return [item.line[1:-3] for item in self.items if isinstance(item, ParsedSentence)]

    @property
    def id(self) -> str:
        """What it is called by radio."""
        lines = "\n".join(map(line_of, self.noise))
        found = re.search(rf"radio ([0-9A-F]{{8}}) {GROUP}$", lines, re.MULTILINE)
        assert found
        return found[1]

    def frame(self, body: str) -> str:
        """Its frame for a sentence."""
        inner = f"NR,{self.id},{body}"
        return f"${inner}*{checksum(inner)}"


def lines(gateway: Driver) -> list[str]:
    """The lines that a gateway has printed, but its first."""
    gateway.listen()
    told = [line_of(item) for item in gateway.items]
    return [line for line in told if not re.match(r"(\\x00)*gateway ", line)]


def line_of(item: Any) -> str:
    """What stood on a line."""
    text: str = item.text if isinstance(item, Noise) else item.line
    return text
