"""Other processes of ours: the engines of users, and virtual boards."""

import os
import subprocess
import sys
from collections.abc import Sequence


def python_command(module: str, function: str, *words: str) -> list[str]:
    """The command that calls one of our functions in another process."""
    run = (  # with this process's import path; Ctrl-C is for this process only
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        f"sys.path[:] = {[*map(os.path.abspath, sys.path)]!r}; "
        f"from {module} import {function}; {function}(*sys.argv[1:])"
    )
    return [sys.executable, "-I", "-c", run, *words]


def start_process(words: Sequence[str], stderr: int | None = None) -> subprocess.Popen[bytes]:
    """Start a process with pipes to it; stderr: by default ours, or `subprocess.PIPE`."""
    return subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        start_new_session=True,  # it should not get the terminal's signals
    )
