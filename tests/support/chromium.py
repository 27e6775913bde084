"""The browser of tests, which waits patiently."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from playwright.sync_api import Browser, expect

from browser import open_chromium
from needed import missing
from programs import MissingProgramError
from waiting import LIMIT_S


@contextmanager
def chromium_or_skip(*preferred: str) -> Iterator[Browser]:
    """A real Chromium; these programs come first.

    Without any, the current test is skipped, or fails in CI.
    """
    with ExitStack() as stack:
        try:
            browser = stack.enter_context(open_chromium(*preferred))
        except MissingProgramError as error:
            missing(str(error))
        expect.set_options(timeout=LIMIT_S * 1000)
        yield browser
