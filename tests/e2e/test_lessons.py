"""The lessons say what the program does: their commands, what these print, and the pictures."""

import re
import shutil

import pytest

import noughts
from lessons import LESSONS, RULES, examples

NUMBERED = sorted(LESSONS.glob("[1-9]-*.md"))
PROVE_RULES = LESSONS / "5-prove-your-rules.md"


def matches(printed, shown):
    pattern = re.escape(shown).replace(re.escape("...\n"), r"(?:.*\n)*")
    return re.fullmatch(pattern, printed)


@pytest.mark.parametrize("lesson", NUMBERED, ids=lambda lesson: lesson.stem)
def test_commands_print_what_the_lesson_shows_and_make_its_pictures(lesson, tmp_path):
    found = list(examples(lesson))
    text = lesson.read_text("utf-8")
    assert len(found) == text.count("$ .venv/bin/noughts") >= 3
    shutil.copytree(RULES, tmp_path / "docs" / "lessons" / "rules")
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


def test_the_rules_in_the_lesson_are_those_of_its_files():
    shown = re.findall(
        r"^```python\n(.*?)^```$", PROVE_RULES.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    files = [path.read_text("utf-8") for path in RULES.glob("*.py")]
    assert len(shown) == len(files) == 4
    for text in files:
        assert text[text.index("def ") :] in shown


def test_the_answers_of_the_lesson_are_true(tmp_path):
    """None of the repaired rules can be left out, and where they begin matters."""
    rules = (RULES / "no_forks.py").read_text("utf-8")
    for part, other in (
        (" + board.completing(board.other):", ":"),
        ("board.completing(board.turn) + ", ""),
        ("(4, 0, 2,", "(0, 4, 2,"),
    ):
        assert part in rules
        changed = tmp_path / "changed.py"
        changed.write_text(rules.replace(part, other))
        assert not noughts.prove(str(changed)).never_loses
    for start, cells in ((str(RULES / "no_forks.py"), {4}), ("hard", {0, 2, 6, 8})):
        assert set(noughts.engine(start).reply(noughts.Board()).cells) == cells
    after = noughts.Board("XO.......")
    assert {cell for cell in after.legal_moves if after.play(cell).value() == -1} == {3, 4, 6}
