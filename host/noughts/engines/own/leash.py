"""What stands between us and a program of somebody else's, so that it ends when we do.

It hands on the lines that it gets, and ends the program, and whatever that has started, when there
are no more: then its owner has closed them, has ended, or was killed. What the program says goes to
the owner straight away. The leash itself says `started` first, and after `MARK` why it cannot start
the program, or the status with which that has ended.

On Linux the leash also adopts processes whose parents have ended (it is a "child subreaper"), so it
ends daemons too. Other systems have nothing like it: there a process outlives the leash if its
parent has ended and, except on Windows, it has left the leash's process group.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from typing import IO

MARK = "\x00"
"""Begins a line of the leash's own; no program that says cells begins one with it."""
_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def main(*words: str) -> None:
    """Run a program for the process that started this one."""
    _say("started")
    if sys.platform == "linux":
        import ctypes  # only here: those who import `end_all` do not need it

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        program = subprocess.Popen(words, stdin=subprocess.PIPE)
    except OSError as error:
        _say(f"{MARK}cannot {error.strerror}")
        return
    assert program.stdin is not None
    threading.Thread(target=_hand_on, args=(program.stdin,)).start()
    status = _wait(program)
    _say(f"{MARK}ended {status}")
    end_all(os.getpid())


def _wait(program: subprocess.Popen[bytes]) -> int:
    """Its exit status; adopted processes that end first do not stay as zombies."""
    if sys.platform == "win32":
        return program.wait()
    ended = status = 0
    while ended != program.pid:
        ended, status = os.wait()
    return os.waitstatus_to_exitcode(status)


def end_all(leash: int) -> None:
    """End a leash, by its process id, its program, and what the program has started."""
    import psutil

    with contextlib.suppress(psutil.Error):
        for child in psutil.Process(leash).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.kill()
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            os.kill(leash, signal.SIGTERM)
        else:
            os.killpg(leash, signal.SIGKILL)  # it leads a group, for whose parents have ended


def _hand_on(program: IO[bytes]) -> None:
    listening = True
    for line in sys.stdin.buffer:
        try:
            if listening:
                program.write(line)
                program.flush()
        except OSError:
            listening = False  # its owner waits no longer than the limit
    end_all(os.getpid())


def _say(line: str) -> None:
    with contextlib.suppress(OSError):
        sys.stdout.buffer.write(line.encode(errors="replace") + b"\n")
        sys.stdout.buffer.flush()
