"""The browser of tests."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from playwright.sync_api import Browser

from browser import open_chromium
from needed import missing
from programs import MissingProgramError


@contextmanager
def chromium_or_skip() -> Iterator[Browser]:
    """A real Chromium. Without one, the current test is skipped, or fails in CI."""
    with ExitStack() as stack:
        try:
            browser = stack.enter_context(open_chromium())
        except MissingProgramError as error:
            missing(str(error))
        yield browser
