"""The entry point, also as `python -m noughts`: Ctrl-C is no traceback, from start to end."""

import gc
import signal
import sys


def main() -> int:
    """Run the command of the command line; gives its exit status."""
    # Sentences and games come and go by the thousand, without cycles for the collector to find.
    gc.set_threshold(200_000)
    try:
        from noughts import cli  # which takes most of the time of a short command

        return cli.main()
    except KeyboardInterrupt:
        return 130
    finally:  # while Python ends, too; unless a shell runs it in the background
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
