"""A Python of our own in another process, for what must not hold up or endanger this one."""

from __future__ import annotations

import subprocess
import sys

from noughts.errors import NoughtsError

# It imports what this process would, and leaves Ctrl-C to it.
_RUN = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "count = int(sys.argv[1]); words = sys.argv[2 + count:]; sys.path[:] = sys.argv[2:2 + count]; "
    "from {module} import main; main(*words)"
)


def command(module: str, *words: str) -> list[str]:
    """The command that calls `main(*words)` of a module of ours."""
    run = _RUN.format(module=module)
    return [sys.executable, "-I", "-c", run, str(len(sys.path)), *map(str, sys.path), *words]


def start(
    words: list[str],
    purpose: str,
    failing: type[NoughtsError] = NoughtsError,
    stderr: int | None = None,
) -> subprocess.Popen[bytes]:
    """Start a `command`, which is spoken to by pipes. Raises `failing` where that cannot be.

    stderr: ours, or `subprocess.PIPE`.
    """
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,  # no signal of the terminal is meant for it
        )
    except OSError as error:
        raise failing(
            f"cannot start Python for {purpose} ({error.strerror}); close some programs"
        ) from error
