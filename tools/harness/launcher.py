"""Commands that prepare a process, and then replace it by the program under test.

The other way, `preexec_fn` or `pty.fork`, runs Python in a fork of a process with several threads,
which may hang; from Python 3.12, it warns.
"""

import sys

_RUN = "os.execv(sys.argv[1], sys.argv[1:])"


def with_file_limit(size: int) -> list[str]:
    """The process cannot make a file larger than this many bytes."""
    limit = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))"
    return [sys.executable, "-I", "-S", "-c", f"import os, resource, sys; {limit}; {_RUN}"]


def in_its_terminal() -> list[str]:
    """The process's standard input is its controlling terminal; start it in a new session."""
    take = "fcntl.ioctl(0, termios.TIOCSCTTY, 0)"
    return [sys.executable, "-I", "-S", "-c", f"import fcntl, os, sys, termios; {take}; {_RUN}"]
