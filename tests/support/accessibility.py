"""What axe-core finds on a page."""

from collections.abc import Sequence

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

# Only the violations leave the page: all results are as costly to send as to find.
_FIND = "async (options) => (await axe.run(document, options)).violations"


def violations(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """The violations of these rules, or of all, each with the elements that are at fault."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    return [
        f"{rule['id']}: {rule['help']}: " + ", ".join(node["html"] for node in rule["nodes"])
        for rule in page.evaluate(_FIND, options)
    ]
