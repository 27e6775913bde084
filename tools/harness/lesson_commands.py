"""The commands in docs/lessons, run as they are written."""

import io
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from noughts.cli import main

LESSONS = Path(__file__).resolve().parents[2] / "docs" / "lessons"
RULES = LESSONS / "rules"
"""Engines that a lesson proves."""
_BLOCK = re.compile(r"^```\n(\$ .*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ noughts (.*)\n", re.MULTILINE)


class Example(NamedTuple):
    """A command of a lesson."""

    words: list[str]
    shown: str
    """The output that the lesson shows; a line `...` stands for any number of lines."""

    def run(self, folder: Path) -> str:
        """Run it in a folder, to which it writes its pictures; returns what it prints."""
        previous_folder = Path.cwd()
        os.chdir(folder)
        out, err = io.StringIO(), io.StringIO()
        try:  # lessons show what is drawn in ASCII
            with patch.dict(os.environ, LC_ALL="C"), redirect_stdout(out), redirect_stderr(err):
                status = main(self.words)
        finally:
            os.chdir(previous_folder)
        if status:
            raise RuntimeError(f"noughts {shlex.join(self.words)} fails: {err.getvalue()}")
        return out.getvalue()


def examples(lesson: Path) -> Iterator[Example]:
    for block in _BLOCK.findall(lesson.read_text("utf-8")):
        _, *parts = _COMMAND.split(block)
        for command, shown in zip(parts[::2], parts[1::2], strict=True):
            yield Example(shlex.split(command), shown)
