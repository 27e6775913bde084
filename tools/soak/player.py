"""A button presser that knows what each press must do, and raises an error when it does not."""

from __future__ import annotations

import re

from microbit_emulator import Button
from noughts.errors import SentenceError
from noughts.protocol import sentences
from soak.machine import Machine
from soak.result import ViolationError

A: Button = "A"
B: Button = "B"
BOOT_MS = 3_000
_BOOT_LINE = re.compile(rb"\$NB,1,(\w+)[^*\n]*\*[0-9A-F]{2}\r\n")
DOWN_MS = 80
UP_MS = 200
SAVING_MS = 5_000
"""The choice is saved before a game starts, and pages may be moved and erased for that."""
_READY_MS = 60  # a button that is down in the first turn of the loop is no press


class Player:
    """Presses buttons and reads what the board says.

    Every method raises `ViolationError` when the board does not do what it should.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.games: list[sentences.Game] = []
        """Sentences since the boot, of its own games."""
        self.kept: list[sentences.Game] = []
        """Games of earlier boots, told since this one."""
        self.boot = ""
        self._line = b""

    def boots(self) -> None:
        """Wait for the boot sentence; what the board said before it is forgotten."""
        self._line = b""
        self.games.clear()
        self.kept.clear()
        self.machine.heard()
        for button in (A, B):
            self.machine.contact(button, False)
        heard = b""
        for _ in range(BOOT_MS // 100):
            self.machine.rest(100)
            heard += self.machine.heard()
            if found := _BOOT_LINE.search(heard):
                self.boot = found[1].decode()
                self._line = heard[found.end() :]
                self.machine.rest(_READY_MS)
                return
        raise ViolationError(
            f"the board does not start within {BOOT_MS} ms; it says {heard[-300:]!r}"
        )

    def tap(self, *buttons: Button) -> list[sentences.Game]:
        """Press these buttons together, and release them; returns what the board says meanwhile."""
        before = len(self.games)
        for closed in (True, False):
            for button in buttons:
                self.machine.contact(button, closed)
            self.machine.rest(DOWN_MS if closed else UP_MS)
            self.listen()
        return self.games[before:]

    def listen(self) -> list[sentences.Sentence]:
        """The sentences that came; nothing else may come."""
        *lines, self._line = (self._line + self.machine.heard()).split(b"\n")
        found = []
        for line in lines:
            try:
                found.append(sentences.read(line.decode("latin-1").strip("\r\0")))
            except SentenceError as error:
                raise ViolationError(f"{line[:120]!r} on the serial line: {error}") from error
        for each in found:
            if isinstance(each, sentences.Game):
                (self.kept if self.boot and each.boot != self.boot else self.games).append(each)
        return found

    def choice(self) -> str:
        """Start a game from the menu, make a move, leave again; the choice, such as `Hb`.

        It is what the game plays by: the opponent's seat, and `b` for buttons or `t` for tilt.
        """
        self.start()
        game = self.games[-1]
        for button, controls in ((A, "t"), (B, "b")):
            if any(len(each.moves) == 1 for each in self.tap(button)):
                self.leave()
                return game.seats[1] + controls
        raise ViolationError(f"neither button places a mark in {game}")

    def start(self) -> None:
        """Press B in the menu, which starts a game."""
        before = len(self.games)
        self.tap(B)
        for _ in range(SAVING_MS // 100):
            if len(self.games) > before:
                break
            self.machine.rest(100)
            self.listen()
        said = self.games[before:]
        if not said or said[0].moves or said[0].end != "-":
            raise ViolationError(f"B in the menu does not start a game; the board says {said}")

    def leave(self) -> None:
        """Press both in a game, which leads to the menu."""
        said = self.tap(A, B)
        if not said or said[-1].end != "x":
            raise ViolationError(
                f"both buttons together do not leave the game; the board says {said}"
            )
