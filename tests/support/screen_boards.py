"""What tests do with a micro:bit on the screen."""

from collections.abc import Callable

from playwright.sync_api import Locator, Page, ViewportSize, expect

PHONE = {"is_mobile": True, "has_touch": True}
UPRIGHT: ViewportSize = {"width": 390, "height": 844}
ON_ITS_SIDE: ViewportSize = {"width": 844, "height": 390}


def switch_on(page: Page) -> None:
    """Switch the board on, and wait for its menu."""
    page.get_by_role("button", name="Switch it on").click()
    expect(page.get_by_text("micro:bit V1")).to_be_visible()


def situation(page: Page) -> Locator:
    """What is said about the board."""
    return page.locator(".screen-board .who")


def cursor_follows_tilts(page: Page, tilt: Callable[[dict[str, int]], object]) -> None:
    """Check that on a phone the cursor stays at the edge that it reaches, in one step or two.

    tilt: tilts the phone to these angles, `beta` and `gamma`.
    """
    page.get_by_role("button", name="Tilt it with this device").tap()
    page.get_by_role("button", name="Buttons A and B together").tap()
    expect(situation(page)).to_have_text("In the menu: a second person, by tilting")
    page.get_by_role("button", name="Button B").tap()
    expect(situation(page)).to_have_text("Player A (✕) to move")

    def cursor_is_in(cell: int) -> None:
        leds = page.get_by_role("img", name=f"fast blinking (cursor) {cell}")
        expect(leds).to_be_visible()

    cursor_is_in(5)  # the menu's last picture blinks, too
    for viewport, angles, cell in (
        (UPRIGHT, {"beta": 0, "gamma": 30}, 6),  # its right edge is lower
        (UPRIGHT, {"beta": 30, "gamma": 0}, 9),  # its bottom edge is
        (ON_ITS_SIDE, {"beta": -30, "gamma": 0}, 7),  # its left edge
        (ON_ITS_SIDE, {"beta": 0, "gamma": 30}, 1),  # its top edge
        (UPRIGHT, {"beta": 150, "gamma": 35}, 3),  # its screen down: its right edge is lower
    ):
        page.set_viewport_size(viewport)
        tilt(angles)
        cursor_is_in(cell)
