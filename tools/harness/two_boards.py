"""Boards that play by radio, two and two, in one ether, in device time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from boards import A, B, Driver
from microbit_emulator import Button, Ether
from noughts.boards.packing import files_for_boards
from noughts.protocol.parser import ParsedSentence
from noughts.protocol.sentences import Game, Menu, Sentence
from official import stepped

ARROWS = {"A": "<", "B": ">"}


@dataclass
class Board:
    """One of the boards, with what it has sent."""

    driver: Driver

    @property
    def _sentences(self) -> list[Sentence]:
        self.driver.listen()
        items = self.driver.items
        return [item.sentence for item in items if isinstance(item, ParsedSentence)]

    @property
    def _menus(self) -> list[Menu]:
        return [sentence for sentence in self._sentences if isinstance(sentence, Menu)]

    @property
    def games(self) -> list[Game]:
        """What it has sent of games by radio, each sentence once, in this order."""
        return list(dict.fromkeys(each for each in self._sentences if isinstance(each, Game)))

    @property
    def choice(self) -> str:
        """What its menu has shown last."""
        return self._menus[-1].choice

    @property
    def menus(self) -> int:
        """How often its menu has begun, or has shown another choice."""
        return len(self._menus)


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
    ) -> None:
        """files: by default the game. seeds: of the boards, by default all different."""
        program = {**(files or files_for_boards()), "settings": b"Rbs"}
        names = "abcdefghijklmnopqrstuvwxyz"
        seeds = seeds or [seed * 100 + number for number in range(len(firmwares))]
        microbits = {
            names[number]: stepped(firmware)(program, seeds[number])
            for number, firmware in enumerate(firmwares)
        }
        self.ether = Ether(microbits, seed=seed, loss=loss)
        self.boards = {name: Board(Driver(microbit)) for name, microbit in microbits.items()}

    @property
    def all(self) -> list[Board]:
        return list(self.boards.values())

    def rest(self, ms: float) -> None:
        self.ether.run_for(ms * 1000)

    def tap(self, name: str, *buttons: Button, down_ms: float = 60, up_ms: float = 160) -> None:
        microbit = self.boards[name].driver.board
        for button in buttons:
            microbit.press(button)
        self.rest(down_ms)
        for button in buttons:
            microbit.release(button)
        self.rest(up_ms)

    def wait(self, condition: Callable[[], bool], what: str, seconds: float = 12) -> None:
        if not self.ether.run_until(condition, timeout_us=seconds * 1e6, step_us=10_000):
            leds = {name: board.driver.leds() for name, board in self.boards.items()}
            said = {name: board.driver.items[-8:] for name, board in self.boards.items()}
            raise AssertionError(f"waited for {what}: {leds} {said}")

    def enter(self, channels: Mapping[str, int] | None = None) -> None:
        """From the menus to the search for a partner; channels: by board, by default 0."""
        self.wait(lambda: all(board.menus for board in self.all), "the menus")
        self.rest(100)
        for name in self.boards:
            self.tap(name, B)
        self.wait(lambda: all(board.choice == "Rbs0" for board in self.all), "the channels")
        self.rest(100)
        for name in self.boards:
            for _ in range((channels or {}).get(name, 0)):
                self.tap(name, A)
        for name in self.boards:
            assert self.boards[name].choice == f"Rbs{(channels or {}).get(name, 0)}"
            self.tap(name, B, up_ms=0)

    def begin(self, channels: Mapping[str, int] | None = None) -> None:
        """From the menus to the first game."""
        self.enter(channels)
        self.wait(lambda: all(board.games for board in self.all), "a game")

    def player(self, name: str) -> str:
        """`A` or `B`. The first game has the boot of player A's board."""
        board = self.boards[name]
        return "A" if board.games[0].boot in {boot.boot for boot in board.driver.boots} else "B"

    def mover(self) -> str:
        """The name of the board of `a` and `b` whose turn it is."""
        game = self.boards["a"].games[-1]
        player = game.player(len(game.moves))
        return next(name for name in "ab" if self.player(name) == player)

    def move(self) -> None:
        """The next move, on the board whose turn it is, until both have sent it."""
        count = [len(self.boards[name].games) for name in "ab"]
        self.tap(self.mover(), B)
        self.wait(
            lambda: all(
                len(self.boards[name].games) > number
                for name, number in zip("ab", count, strict=True)
            ),
            "a move on both",
        )
