"""The entry point, also as `python -m noughts`: from its first line on, Ctrl-C is no traceback.

Until the program is ready to say so itself, Ctrl-C ends it as it ends most programs, by the signal.
"""

import signal
import sys

_before = signal.getsignal(signal.SIGINT)  # ignored, for what a shell runs in the background
if _before is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from noughts import cli  # noqa: E402


def main() -> int:
    """Run the command of the command line; gives its exit status."""
    try:
        return cli.main(ready=_hear_ctrl_c)
    except KeyboardInterrupt:
        return 130
    finally:
        if _before is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # nor is it one while Python ends


def _hear_ctrl_c() -> None:
    signal.signal(signal.SIGINT, _before)


if __name__ == "__main__":
    sys.exit(main())
