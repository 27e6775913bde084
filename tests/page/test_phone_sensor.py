"""A phone whose sensor tilts the micro:bit on the screen."""

import pytest

from browser import launched
from chromium import or_skip
from screen_boards import PHONE, UPRIGHT, cursor_follows_tilts, switch_on


@pytest.fixture(scope="module")
def chromium(chromium):
    """The whole Chromium: its headless shell has no sensor that a test can tilt."""
    with or_skip(launched(chromium.browser_type)) as browser:
        yield browser


@pytest.mark.long
def test_phone_tilts_the_board(open_page, screen_file):
    page = open_page(screen_file, "screen_board", viewport=UPRIGHT, **PHONE)
    switch_on(page)
    devtools = page.context.new_cdp_session(page)

    def tilt(angles):
        devtools.send("DeviceOrientation.setDeviceOrientationOverride", {"alpha": 0, **angles})

    cursor_follows_tilts(page, tilt)
