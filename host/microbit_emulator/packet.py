"""What is on the air: packets, as Nordic's radios assemble them.

    preamble | address (base, prefix) | S0 | LENGTH | S1 | payload | CRC

S0, LENGTH, S1 and payload come from RAM; S0 and S1 are mostly left out. Times are in ticks of
1/64 microsecond, in which the clocks of both chips and the bits of all modes are whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

TICK_HZ = 64_000_000
TICKS_PER_US = TICK_HZ // 1_000_000

_BIT_TICKS = {0: 64, 1: 32, 2: 256, 3: 64, 4: 32}
"""Of MODE: 1 and 2 Mbit/s, 250 kbit/s, and Bluetooth's 1 and 2 Mbit/s."""
SENSITIVITY_DBM = {0: -93, 1: -89, 2: -96, 3: -96, 4: -92}
"""The weakest signal that is heard, by MODE, about: the chips differ by some decibels."""


class Layout(NamedTuple):
    """How MODE, PCNF0, PCNF1 and CRCCNF lay a packet out, on the air and in RAM."""

    mode: int
    pcnf0: int
    pcnf1: int
    crccnf: int

    @property
    def is_modelled(self) -> bool:
        return self.mode in _BIT_TICKS

    @property
    def address_size(self) -> int:
        return self.pcnf1 >> 16 & 7

    @property
    def has_length(self) -> bool:
        return bool(self.pcnf0 & 15)

    @property
    def header_size(self) -> int:
        s0, s1 = self.pcnf0 >> 8 & 1, bool(self.pcnf0 >> 16 & 0x1F)
        return s0 + self.has_length + s1

    def payload_size(self, header: bytes) -> int:
        """Bytes of the payload, from the header in RAM: no more than MAXLEN."""
        length = 0
        if self.has_length:
            length = header[self.pcnf0 >> 8 & 1] & (1 << (self.pcnf0 & 15)) - 1
        return min(length + (self.pcnf1 >> 8 & 0xFF), self.pcnf1 & 0xFF)

    def ticks(self, payload_size: int) -> tuple[int, int, int]:
        """The times that preamble and address, what comes up to the CRC, and the CRC take."""
        pcnf0 = self.pcnf0
        preamble = 16 if pcnf0 >> 24 & 3 else 8
        address = preamble + 8 * (self.address_size + 1)
        header = (pcnf0 & 15) + 8 * (pcnf0 >> 8 & 1) + (pcnf0 >> 16 & 15)
        bit = _BIT_TICKS[self.mode]
        return address * bit, (header + 8 * payload_size) * bit, 8 * (self.crccnf & 3) * bit

    def codes_like(self, other: Layout) -> bool:
        """Whether a radio of this layout finds the fields of the other's packets."""
        length_field, all_but_maximum = 0xFF_FFFF, ~0xFF
        return (
            self.mode == other.mode
            and not (self.pcnf0 ^ other.pcnf0) & length_field
            and not (self.pcnf1 ^ other.pcnf1) & all_but_maximum
            and self.crccnf == other.crccnf
        )


@dataclass
class Packet:
    """A packet on the air, from `start` to `end`."""

    sender: str
    start: int
    address_end: int
    end: int
    frequency: int
    dbm: int
    address: bytes
    layout: Layout
    code: tuple[int, ...]
    """How CRC and whitening are worked out."""
    header: bytes
    payload: bytes
    is_cut: bool = False
    """The sender fell silent before its end."""

    def overlaps(self, start: int, end: int) -> bool:
        return self.start < end and start < self.end
