"""The pictures in docs/lessons, drawn by the commands that the lessons show.

To change one, change its command in the lesson, or `host/noughts/views/tree_drawing.py`. Only
sheet.svg is edited by hand.
"""

from pathlib import Path

from lesson_commands import LESSONS, examples


def make_pictures(folder: Path) -> None:
    """Draw all of them into a folder."""
    for lesson in sorted(LESSONS.glob("*.md")):
        for example in examples(lesson):
            if "--svg" in example.words:
                example.run(folder)
