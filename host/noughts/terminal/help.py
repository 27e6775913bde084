"""Help in a terminal: paragraphs, and lists of keys whose texts stay beside them."""

from collections.abc import Collection, Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

Help = tuple[str | Mapping[str, str], ...]
"""Paragraphs, and lists: a key or a sign, and what it does or means."""


def rendered(help: Help) -> Group:
    """A help text, with an empty line between its parts."""
    keys = [key for part in help if not isinstance(part, str) for key in part]
    parts: list[RenderableType] = []
    for part in help:
        parts += [Text(part) if isinstance(part, str) else listed(part, keys), Text()]
    return Group(*parts[:-1])


def listed(meanings: Mapping[str, str], keys: Collection[str]) -> Table:
    """Each key with its meaning, whose lines begin below each other.

    keys: those of all lists that are to have the same columns.
    """
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, width=max(map(len, keys)))
    table.add_column()
    for key, meaning in meanings.items():
        table.add_row(Text(key, "bold"), Text(meaning))
    return table


class HelpScreen(ModalScreen[None]):
    """Shows a help text until any key is pressed."""

    CSS = """
    /* Opaque: on both sides of the page, bits of the screen below would be read as part of it. */
    HelpScreen { align: center middle; background: $background; }
    #page { width: 100%; max-width: 76; height: auto; max-height: 100%; padding: 0 1;
            background: $panel; scrollbar-size: 1 1; }
    """

    def __init__(self, help: Help) -> None:
        super().__init__()
        self._help = help

    def compose(self) -> ComposeResult:
        """The help text, which scrolls on a small screen."""
        with VerticalScroll(id="page"):
            yield Static(rendered((*self._help, "Any key goes back.")))

    def on_key(self, event: events.Key) -> None:
        """Go back, unless the key scrolls."""
        if event.key not in ("up", "down", "pageup", "pagedown"):
            event.stop()
            self.dismiss()
