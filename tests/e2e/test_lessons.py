"""The lessons say what the program does: their commands, what these print, and the pictures."""

import re

import pytest

from lessons import LESSONS, examples

NUMBERED = sorted(LESSONS.glob("[1-9]-*.md"))


def matches(printed, shown):
    pattern = re.escape(shown).replace(re.escape("...\n"), r"(?:.*\n)*")
    return re.fullmatch(pattern, printed)


@pytest.mark.parametrize("lesson", NUMBERED, ids=lambda lesson: lesson.stem)
def test_commands_print_what_the_lesson_shows_and_make_its_pictures(lesson, tmp_path):
    found = list(examples(lesson))
    text = lesson.read_text("utf-8")
    assert len(found) == text.count("$ .venv/bin/noughts") >= 3
    for example in found:
        printed = example.run(tmp_path)
        assert matches(printed, example.shown), printed
    made = {path.name: path.read_text("utf-8") for path in tmp_path.glob("*.svg")}
    assert sorted(made) == sorted(re.findall(r"!\[[^]]+\]\(([\w.-]+)\)", text))
    for name, picture in made.items():
        assert picture == (LESSONS / name).read_text("utf-8"), "run `make pictures`"


def test_the_index_names_every_lesson_and_no_picture_is_left_over():
    index = (LESSONS / "README.md").read_text("utf-8")
    assert re.findall(r"\]\(([^)]+)\)", index) == [lesson.name for lesson in NUMBERED]
    pictures = {path.name for path in LESSONS.glob("*.svg")}
    shown = {
        name
        for lesson in NUMBERED
        for name in re.findall(r"\]\(([\w-]+\.svg)\)", lesson.read_text("utf-8"))
    }
    assert pictures == shown
