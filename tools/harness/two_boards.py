"""Boards that play by radio, two and two, in one ether, in device time."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from boards import A, B, Driver
from microbit_emulator import Button, Ether
from noughts.boards.packing import files_for_boards
from noughts.protocol.sentences import Game
from official import stepped

ARROWS = {"A": "<", "B": ">"}


@dataclass
class Board:
    """One of the boards, with what it has sent."""

    driver: Driver

    @property
    def games(self) -> list[Game]:
        """What it has sent of games by radio, each sentence once, in this order."""
        self.driver.listen()
        return list(dict.fromkeys(self.driver.games))

    @property
    def choice(self) -> str:
        """What its menu has shown last."""
        self.driver.listen()
        return self.driver.choices[-1]

    @property
    def menus(self) -> int:
        """How often its menu has begun, or has shown another choice."""
        self.driver.listen()
        return len(self.driver.choices)


class TwoBoards:
    """Two boards, or more, in one ether: the first two are `a` and `b`."""

    def __init__(
        self,
        firmwares: Sequence[str],
        *,
        loss: float = 0.0,
        seed: int = 1,
        files: Mapping[str, bytes] | None = None,
        seeds: Sequence[int] = (),
        controls: str = "b",
    ) -> None:
        """files: by default the game. seeds: of the boards, by default all different.

        controls: a letter for each board, `b` for buttons or `t` for tilt; the last one is also
        that of all boards that follow.
        """
        files = files or files_for_boards()
        seeds = seeds or [seed * 100 + number for number in range(len(firmwares))]
        names = "abcdefghijklmnopqrstuvwxyz"[: len(firmwares)]
        controls = controls.ljust(len(names), controls[-1])
        self._choices = {name: f"R{letter}s" for name, letter in zip(names, controls, strict=True)}
        microbits = {}
        for name, firmware, board_seed in zip(names, firmwares, seeds, strict=True):
            program = {**files, "settings": self._choices[name].encode()}
            microbits[name] = stepped(firmware)(program, board_seed)
        self.ether = Ether(microbits, seed=seed, loss=loss)
        self.boards = {name: Board(Driver(microbit)) for name, microbit in microbits.items()}

    @property
    def all(self) -> list[Board]:
        return list(self.boards.values())

    def snapshot(self) -> Callable[[], None]:
        """Note the present state. What is returned goes back to it, as often as it is called."""
        of_ether = self.ether.snapshot()
        drivers = [board.driver for board in self.all]
        received = [(copy.deepcopy(driver.stream), [*driver.items]) for driver in drivers]

        def restore() -> None:
            of_ether.restore()
            for driver, (stream, items) in zip(drivers, received, strict=True):
                driver.stream, driver.items = copy.deepcopy(stream), [*items]

        return restore

    def rest(self, ms: float) -> None:
        self.ether.run_for(ms * 1000)

    def tap(self, name: str, *buttons: Button, down_ms: float = 60, up_ms: float = 160) -> None:
        self.tap_together([name], *buttons, down_ms=down_ms, up_ms=up_ms)

    def tap_together(
        self, names: Iterable[str], *buttons: Button, down_ms: float = 60, up_ms: float = 160
    ) -> None:
        microbits = [self.boards[name].driver.board for name in names]
        for microbit, button in product(microbits, buttons):
            microbit.press(button)
        self.rest(down_ms)
        for microbit, button in product(microbits, buttons):
            microbit.release(button)
        self.rest(up_ms)

    def wait(self, condition: Callable[[], bool], what: str, seconds: float = 12) -> None:
        if not self.ether.run_until(condition, timeout_us=seconds * 1e6, step_us=10_000):
            leds = {name: board.driver.leds() for name, board in self.boards.items()}
            last_items = {name: board.driver.items[-8:] for name, board in self.boards.items()}
            raise AssertionError(f"waited for {what}: {leds} {last_items}")

    def choose_channels(self, channels: Mapping[str, int] | None = None) -> None:
        """From the menus to the channels; channels: by board, by default 0."""
        self.wait(lambda: all(board.menus for board in self.all), "the menus")
        self.rest(100)
        for name in self.boards:
            self.tap(name, B)
        self.wait(lambda: all(board.choice[3:] == "0" for board in self.all), "the channels")
        self.rest(100)
        channel_of = {name: (channels or {}).get(name, 0) for name in self.boards}
        for channel in range(max(channel_of.values())):
            self.tap_together([name for name in self.boards if channel_of[name] > channel], A)
        for name, board in self.boards.items():
            assert board.choice == f"{self._choices[name]}{channel_of[name]}"

    def enter(self, channels: Mapping[str, int] | None = None) -> None:
        """From the menus to the search for a partner; channels: by board, by default 0."""
        self.choose_channels(channels)
        for name in self.boards:
            self.tap(name, B, up_ms=0)

    def begin(self, channels: Mapping[str, int] | None = None) -> None:
        """From the menus to the first game."""
        self.enter(channels)
        self.wait(lambda: all(board.games for board in self.all), "a game")

    def player(self, name: str) -> str:
        """`A` or `B`. The first game has the boot of player A's board."""
        board = self.boards[name]
        return "A" if board.games[0].boot in {boot.boot for boot in board.driver.boots} else "B"

    def placing(self, name: str) -> Button:
        """The button that places a board's mark."""
        with_tilt = self._choices[name][1] == "t"
        return A if with_tilt and self.player(name) == "A" else B

    def mover(self) -> str:
        """The name of the board of `a` and `b` whose turn it is."""
        game = self.boards["a"].games[-1]
        player = game.player(len(game.moves))
        return next(name for name in "ab" if self.player(name) == player)

    def move(self) -> None:
        """The next move, on the board whose turn it is, until both have sent it."""
        count = [len(self.boards[name].games) for name in "ab"]
        mover = self.mover()
        self.tap(mover, self.placing(mover))
        self.wait(
            lambda: all(
                len(self.boards[name].games) > number
                for name, number in zip("ab", count, strict=True)
            ),
            "a move on both",
        )
