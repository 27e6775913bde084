"""What a Textual app shows."""

from __future__ import annotations

from textual.app import App


def screen_lines(app: App[object]) -> list[str]:
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]
