"""The browser of tests, which waits patiently."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

from playwright.sync_api import Browser, expect

from needed import missing
from programs import MissingProgramError
from waiting import LIMIT_S


@contextmanager
def or_skip(opening: AbstractContextManager[Browser]) -> Iterator[Browser]:
    """A browser of `tools/harness/browser.py`.

    Without it, the current test is skipped, or fails in CI.
    """
    with ExitStack() as stack:
        try:
            browser = stack.enter_context(opening)
        except MissingProgramError as error:
            missing(str(error))
        expect.set_options(timeout=LIMIT_S * 1000)
        yield browser
