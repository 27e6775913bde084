"""The time by which programs wait for boards: tests put a stepped board's own in its place."""

from time import monotonic, sleep

__all__ = ["monotonic", "sleep"]
