"""Pictures of the LEDs: as text, PNG and GIF."""

from __future__ import annotations


def leds_as_text(leds: bytes) -> str:
    """25 levels as five lines; a dark LED is a dot."""
    rows = [leds[start : start + 5] for start in range(0, 25, 5)]
    return "\n".join("".join(str(level or ".") for level in row) for row in rows)
