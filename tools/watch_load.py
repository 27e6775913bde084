"""`noughts watch` under load, through pseudo-terminals: many boards, and a million sentences.

The command runs as it is, on one core; this process is the boards. What a full pseudo-terminal
does not take is lost, as on a real line, where nothing waits for a reader.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
import tty
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import BinaryIO, cast

import psutil

from noughts.protocol.sentences import write
from noughts.store.store import Store
from random_games import lines, random_game

BYTES_A_SECOND = 115_200 // 10
_STEP_S = 0.01
_SETTLE_S = 1.0


@dataclass(frozen=True)
class Load:
    """What came of so many boards at full speed."""

    boards: int
    sent: int
    """Sentences."""
    lost: int
    """Sentences that the store does not have."""
    cpu: float
    """Share of one core that the watcher took."""


class _Watcher:
    """The command, and the far ends of the ports that it watches."""

    def __init__(self, boards: int, stack: contextlib.ExitStack) -> None:
        self.store = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "games.db"
        self.ends: list[int] = []
        ports = []
        for _ in range(boards):
            end, port = os.openpty()
            tty.setraw(port)
            stack.callback(os.close, end)
            stack.callback(os.close, port)
            self.ends.append(end)
            ports.append(os.ttyname(port))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "noughts", "watch", "--plain", "--db", self.store, *ports],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(self._process.wait)
        stack.callback(self._process.kill)
        self.cost = psutil.Process(self._process.pid)
        if hasattr(self.cost, "cpu_affinity"):  # not on macOS
            self.cost.cpu_affinity(self.cost.cpu_affinity()[:1])
        told = cast(BinaryIO, self._process.stdout)
        connected = 0
        while connected < boards:
            connected += b": connected" in told.readline()
        # Somebody has to read what it prints; not us, who are busy being boards.
        drain = subprocess.Popen(["cat"], stdin=told, stdout=subprocess.DEVNULL)
        stack.callback(drain.wait)
        stack.callback(drain.kill)

    def cpu_s(self) -> float:
        """Seconds of processor time so far."""
        times = self.cost.cpu_times()
        return float(times.user + times.system)

    def end(self) -> None:
        """As Ctrl-C does."""
        self._process.terminate()
        self._process.wait(20)


def full_speed(boards: int, seconds: float) -> Load:
    """So many boards, each sending all the time as fast as 115200 baud carry."""
    with contextlib.ExitStack() as stack:
        watcher = _Watcher(boards, stack)
        size = int(BYTES_A_SECOND * seconds)
        data = [lines(f"{board:08X}", Random(board), size) for board in range(boards)]
        before_s = watcher.cpu_s()
        send(watcher.ends, data, seconds)
        cpu = (watcher.cpu_s() - before_s) / seconds
        time.sleep(_SETTLE_S)
        watcher.end()
        sent = sum(each.count(b"\n") for each in data)
        return Load(boards, sent, sent - _kept(watcher.store), cpu)


def send(ends: list[int], data: list[bytes], seconds: float) -> None:
    """Send to each board's port what is its own, at the pace of a serial line."""
    for end in ends:
        os.set_blocking(end, False)
    start_s = time.perf_counter()
    done = [0] * len(ends)
    while (passed_s := time.perf_counter() - start_s) < seconds + _STEP_S:
        due = int(passed_s * BYTES_A_SECOND)
        for index, end in enumerate(ends):
            piece = data[index][done[index] : due]
            if piece:
                with contextlib.suppress(BlockingIOError):
                    os.write(end, piece)
                done[index] += len(piece)
        time.sleep(max(0.0, start_s + passed_s + _STEP_S - time.perf_counter()))


def _kept(path: Path) -> int:
    """Sentences that the store has: each game's start, and each move whose time was heard."""
    with Store(path) as store:
        return sum(
            1 + len([ms for ms in str(times).split(",") if ms])
            for (times,) in store.read("SELECT times FROM games")
        )


def memory(counts: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Resident bytes of the command after so many sentences of one board, all different."""
    with contextlib.ExitStack() as stack:
        watcher = _Watcher(1, stack)
        dice = Random(1)
        sent = number = 0
        for count in counts:
            while sent < count:
                number += 1
                boot, of_boot = f"{number // 1000:08X}", number % 1000 + 1
                told = random_game(boot, of_boot, dice)
                sent += len(told)
                os.write(watcher.ends[0], b"".join(write(g).encode() + b"\r\n" for g in told))
            time.sleep(_SETTLE_S)
            yield count, watcher.cost.memory_info().rss
        watcher.end()
        lost = sent - _kept(watcher.store)
        if lost:
            raise RuntimeError(f"{lost} sentences were lost: the measurement says nothing")
