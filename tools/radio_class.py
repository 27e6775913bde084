"""A class plays by radio: emulated boards that send, and one gateway, in one ether.

    PYTHONPATH=tools/harness python tools/radio_class.py --boards 30 --minutes 3 --loss 0.3

Random presses play each board. The gateway's output goes into a store as `noughts watch` would
store it, and is compared with what each board sent on its own serial line. Everything is in device
time, and the same in each run. No real radio is involved: the emulator's README describes its model
of the ether. The exit status is 1 if the store has a game that nobody played.
"""

import argparse
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from microbit_emulator import Button, Ether, Microbit
from microbit_emulator.radio import Packet
from noughts.boards.packing import files_for_boards
from noughts.boards.radio import Radio, files_with
from noughts.protocol.parser import ParsedSentence, Stream
from noughts.protocol.sentences import Game
from noughts.recording.recorder import Recorder
from noughts.store import queries
from noughts.store.game_filter import GameFilter
from noughts.store.store import Store
from official import NEWEST, stepped
from sample_games import receive

GROUP = 7
LONGEST_S = 94
"""The longest time for which a board repeats its last sentences."""
_STEP_US = 50_000
_DOWN_US = 60_000
_PAUSES_US = 300_000, 1_500_000
_STARTS_US = 3_000_000
"""Boards are switched on within this time; their first frames come later."""
_AT = 1_750_000_000_000


def collided(packets: Iterable[Packet]) -> int:
    """How many packets overlapped another."""
    count, last_end, last_met = 0, 0, True  # of the earlier packets, the one that ends last
    for begin, end in sorted((packet.start, packet.end) for packet in packets):
        meets = begin < last_end
        count += meets + (meets and not last_met)
        last_end, last_met = max((last_end, last_met or meets), (end, meets))
    return count


class _Pupil:
    """Presses a board's buttons at random, until it stops."""

    def __init__(self, board: Microbit, seed: int, pauses_us: tuple[int, int]) -> None:
        self.board, self._pauses_us, self._random = board, pauses_us, Random(seed)
        self._at_us = board.clock_us + 1_000_000 + self._random.randrange(pauses_us[1])
        self._opponent = self._random.randrange(4)

    def play_to(self, us: int) -> None:
        while self._at_us < us:
            button: Button = "A" if self._random.random() < 0.5 else "B"
            if self._opponent:
                button, self._opponent = "A", self._opponent - 1
            self._tap(button)
            if self._random.random() < 0.01:  # now and then, leave a game
                self._tap("B" if button == "A" else "A")
            self._at_us += self._random.randrange(*self._pauses_us)

    def _tap(self, button: Button) -> None:
        self.board.at(self._at_us, lambda: self.board.press(button))
        self.board.at(self._at_us + _DOWN_US, lambda: self.board.release(button))


@dataclass
class Result:
    """What was played, and how much of it arrived."""

    seconds: float
    frames: int
    collided: int
    sentences: int
    arrived: int
    played: list[Game]
    """The last sentence of each game that was played."""
    ends: Counter[str] = field(default_factory=Counter)
    """How many games are `complete`, `incomplete` or `missing` in the store, or `going on`."""
    wrong: list[str] = field(default_factory=list)

    @property
    def games(self) -> int:
        return self.ends.total() - self.ends["going on"]

    def table(self) -> str:
        lost = self.frames - self.collided - self.arrived
        rows = {
            "device time": f"{self.seconds:.0f} s",
            "sentences sent by the boards": f"{self.sentences:,}",
            "frames sent, repetitions included": f"{self.frames:,}",
            "frames that collided": f"{self.collided:,} ({self.collided / self.frames:.1%})",
            "frames lost by chance": f"{lost:,} ({lost / self.frames:.1%})",
            "frames that the gateway printed": f"{self.arrived:,}",
            "games that ended": f"{self.games:,}",
            "complete in the store": f"{self.ends['complete']:,}",
            "incomplete in the store, and marked so": f"{self.ends['incomplete']:,}",
            "missing": f"{self.ends['missing']:,}",
            "games still in progress at the end": f"{self.ends['going on']:,}",
            "games in the store that nobody played": f"{len(self.wrong):,}",
        }
        return "\n".join(["| | |", "| --- | ---: |", *(f"| {a} | {b} |" for a, b in rows.items())])


def play(
    boards: int,
    seconds: float,
    loss: float,
    seed: int,
    *,
    rest_s: float = LONGEST_S,
    pauses_us: tuple[int, int] = _PAUSES_US,
) -> Result:
    """Let a class play for some device seconds, then rest; returns what arrived.

    pauses_us: between two presses, at least and at most.
    """
    files = files_with(Radio(sends=GROUP), "V2", files_for_boards())
    random, pupils = Random(seed), []
    for number in range(boards):
        board = stepped(NEWEST[1])(files, seed * 1000 + number + 1)
        board.run_for(random.randrange(_STARTS_US))
        pupils.append(_Pupil(board, seed * 1000 + number, pauses_us))
    gateway = stepped(NEWEST[0])(files_with(Radio(gateway=GROUP), "V1", {}), seed * 1000)
    gateway.run_for(500_000)
    named = {f"{number:02}": pupil.board for number, pupil in enumerate(pupils)}
    ether = Ether({"gateway": gateway, **named}, seed=seed, loss=loss)
    ether.history = deque()  # of the whole lesson
    while ether.clock_us < (seconds + rest_s) * 1e6:
        if ether.clock_us < seconds * 1e6:
            for pupil in pupils:
                pupil.play_to(pupil.board.clock_us + 2 * _STEP_US)
        ether.run_for(_STEP_US)
    sent = [bytes(pupil.board.uart.received) for pupil in pupils]
    items = [item for data in sent for item in Stream().feed(data)]
    sentences = [item.sentence for item in items if isinstance(item, ParsedSentence)]
    result = Result(
        seconds + rest_s,
        len(ether.history),
        collided(ether.history),
        sum(data.count(b"$N") for data in sent),
        gateway.uart.received.count(b"$NR,"),
        list({(g.boot, g.number): g for g in sentences if isinstance(g, Game)}.values()),
    )
    _compare(result, bytes(gateway.uart.received))
    return result


def _compare(result: Result, printed: bytes) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder) / "games.db", create=True) as store,
    ):
        receive(Recorder(store), "usb-gateway", printed, _AT)
        stored = {(one.boot, one.number): one for one in queries.games(store, GameFilter())}
    for game in result.played:
        copy = stored.pop((game.boot, game.number), None)
        moves = "".join(map(str, game.moves))
        whole = copy is not None and (copy.end, copy.moves) == (game.end, moves)
        if copy and not (whole or (copy.end == "-" and moves.startswith(copy.moves))):
            result.wrong.append(f"{game} is stored as {copy}")
        elif game.end == "-":
            result.ends["going on"] += 1
        else:
            result.ends["complete" if whole else "incomplete" if copy else "missing"] += 1
    result.wrong += [f"{key}: never played" for key in stored]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--boards", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=3, help="of play, in device time")
    parser.add_argument("--loss", type=float, default=0.3, help="share of frames that is lost")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--rest", type=float, default=LONGEST_S, help="seconds until all boards are switched off"
    )
    args = parser.parse_args()
    outcome = play(args.boards, args.minutes * 60, args.loss, args.seed, rest_s=args.rest)
    print(outcome.table(), *outcome.wrong, sep="\n")
    sys.exit(bool(outcome.wrong))
