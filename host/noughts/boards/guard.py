"""Runs a command that must not outlive its owner.

Run as a script: `python -I -S guard.py COMMAND...`. It starts the command, writes its process id
and a line end, and kills it when standard input ends, which it does however the owner dies. It
exits with the command's status.
"""

from __future__ import annotations

import subprocess
import sys
import threading


def main() -> int:
    """Start the command that the arguments name, and watch over it."""
    child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    sys.stdout.write(f"{child.pid}\n")
    sys.stdout.flush()

    def kill_at_end() -> None:
        sys.stdin.read()
        child.kill()

    threading.Thread(target=kill_at_end, daemon=True).start()
    return child.wait()


if __name__ == "__main__":
    sys.exit(main())
