"""What tests do with a micro:bit on the screen."""

from playwright.sync_api import Locator, Page, expect

PHONE = {"is_mobile": True, "has_touch": True}
UPRIGHT, ON_ITS_SIDE = {"width": 390, "height": 844}, {"width": 844, "height": 390}


def switch_on(page: Page) -> None:
    """Switch the board on, and wait for its menu."""
    page.get_by_role("button", name="Switch it on").click()
    expect(page.get_by_text("micro:bit V1")).to_be_visible()


def situation(page: Page) -> Locator:
    """What is said about the board."""
    return page.locator(".screen-board .who")
