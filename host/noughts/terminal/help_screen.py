"""What a screen shows and its keys do, over that screen."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static


class HelpScreen(ModalScreen[None]):
    """A text, until any key is pressed."""

    CSS = """
    HelpScreen { align: center middle; }
    #page { width: 100%; max-width: 76; height: auto; max-height: 100%; padding: 0 1;
            background: $panel; scrollbar-size: 1 1; }
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """One page, which scrolls where it does not fit."""
        with VerticalScroll(id="page"):
            yield Static(f"{self._text}\n\nAny key goes back.", markup=False)

    def on_key(self, event: events.Key) -> None:
        """Go back, except to scroll."""
        if event.key not in ("up", "down", "pageup", "pagedown"):
            event.stop()
            self.dismiss()
