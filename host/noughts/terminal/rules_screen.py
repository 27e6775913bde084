"""The rules and the keys of `noughts play`, over its screen."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from noughts.terminal.play_text import RULES


class RulesScreen(ModalScreen[None]):
    """The rules and the keys, until any key is pressed."""

    CSS = """
    RulesScreen { align: center middle; }
    #page { width: 100%; max-width: 76; height: auto; max-height: 100%; padding: 0 1;
            background: $panel; scrollbar-size: 1 1; }
    """

    def compose(self) -> ComposeResult:
        """One page, which scrolls where it does not fit."""
        with VerticalScroll(id="page"):
            yield Static(f"{RULES}\n\nAny key goes back.", markup=False)

    def on_key(self, event: events.Key) -> None:
        """Go back, except to scroll."""
        if event.key not in ("up", "down", "pageup", "pagedown"):
            event.stop()
            self.dismiss()
