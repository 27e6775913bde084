"""A phone whose sensor tilts the micro:bit on the screen."""

import pytest
from playwright.sync_api import expect

from chromium import chromium_or_skip
from screen_boards import ON_ITS_SIDE, PHONE, UPRIGHT, situation, switch_on


@pytest.fixture(scope="module")
def chromium():
    """The whole Chromium: its headless shell has no sensor that a test can tilt."""
    with chromium_or_skip() as browser:
        yield browser


@pytest.mark.long
def test_phone_tilts_the_board(open_page, screen_file):
    """The cursor stays at the edge that it reaches, in one step or two."""
    page = open_page(screen_file, "screen_board", viewport=UPRIGHT, **PHONE)
    switch_on(page)
    devtools = page.context.new_cdp_session(page)
    page.get_by_role("button", name="Tilt it with this device").tap()
    page.get_by_role("button", name="Buttons A and B together").tap()
    expect(situation(page)).to_have_text("In the menu: a second person, by tilting")
    page.get_by_role("button", name="Button B").tap()
    expect(situation(page)).to_have_text("Player A (✕) to move")

    def cursor_is_in(cell):
        leds = page.get_by_role("img", name=f"fast blinking (cursor) {cell}")
        expect(leds).to_be_visible()

    cursor_is_in(5)  # the menu's last picture blinks, too
    for viewport, tilt, cell in (
        (UPRIGHT, {"beta": 0, "gamma": 30}, 6),  # its right edge is lower
        (UPRIGHT, {"beta": 30, "gamma": 0}, 9),  # its bottom edge is
        (ON_ITS_SIDE, {"beta": -30, "gamma": 0}, 7),  # its left edge
        (ON_ITS_SIDE, {"beta": 0, "gamma": 30}, 1),  # its top edge
    ):
        page.set_viewport_size(viewport)
        devtools.send("DeviceOrientation.setDeviceOrientationOverride", {"alpha": 0, **tilt})
        cursor_is_in(cell)
