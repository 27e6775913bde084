"""The lessons match the program: their commands, the output shown, and the pictures."""

import re
import runpy
import shutil

import pytest

import noughts
from lesson_commands import LESSONS, RULES, examples
from needed import long
from own_engines import outcomes

NUMBERED = sorted(LESSONS.glob("[1-9]-*.md"))
PROVE_RULES = LESSONS / "5-prove-your-rules.md"
SLOW = [PROVE_RULES, LESSONS / "6-paper.md"]
SHEET = RULES / "sheet.py"


@pytest.mark.parametrize(
    "lesson",
    [long(path, id=path.stem) if path in SLOW else path for path in NUMBERED],
    ids=lambda lesson: lesson.stem,
)
def test_commands_reproduce_the_lessons_output_and_pictures(lesson, tmp_path):
    shutil.copytree(RULES, tmp_path / "docs" / "lessons" / "rules")
    commands = list(examples(lesson))
    text = lesson.read_text("utf-8")
    assert len(commands) == text.count("$ noughts") >= 1
    for example in commands:
        printed = example.run(tmp_path)
        shown = re.escape(example.shown).replace(re.escape("...\n"), r"(?:.*\n)*")
        assert re.fullmatch(shown, printed), printed
    made = {path.name: path.read_text("utf-8") for path in tmp_path.glob("*.svg")}
    assert sorted(made) == sorted(re.findall(r"!\[[^]]+\]\(([\w.-]+)\)", text))
    for name, picture in made.items():
        assert picture == (LESSONS / name).read_text("utf-8"), "run `make pictures`"


def test_index_lists_every_lesson_and_every_picture_is_used():
    index = (LESSONS / "README.md").read_text("utf-8")
    assert re.findall(r"\]\(([^)]+)\)", index) == [lesson.name for lesson in NUMBERED]
    text = "".join(lesson.read_text("utf-8") for lesson in NUMBERED)
    shown = set(re.findall(r"\]\(([\w-]+\.svg)\)", text))
    assert shown == {path.name for path in LESSONS.glob("*.svg")}


def test_rules_in_the_lesson_match_the_rule_files():
    shown = re.findall(
        r"^```python\n(.*?)^```$", PROVE_RULES.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    files = [path.read_text("utf-8") for path in RULES.glob("*.py") if path != SHEET]
    assert len(shown) == len(files) == 4
    for text in files:
        assert text[text.index("def ") :] in shown


def can_lose(rules):
    """Whether a file of rules loses any game, moving first or second."""
    choose = runpy.run_path(str(rules))["choose"]
    return any(
        end.winner == "XO"[first] for first in (True, False) for end in outcomes(choose, first)
    )


@pytest.mark.parametrize("left_out", [*range(1, 7), None])
def test_paper_never_loses_and_needs_its_first_six_rules(tmp_path, left_out):
    changed = tmp_path / "changed.py"
    kept = [line for line in SHEET.read_text("utf-8").splitlines() if f"# {left_out}." not in line]
    changed.write_text("\n".join(kept))
    assert can_lose(changed) == (left_out is not None)


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("board.completing(board.turn) + ", ""),
        (" + board.completing(board.other):", ":"),
        ("(4, 0, 2,", "(0, 4, 2,"),
        ("", ""),
    ],
)
def test_each_repaired_rule_is_needed(tmp_path, part, other):
    rules = (RULES / "no_forks.py").read_text("utf-8")
    assert part in rules
    changed = tmp_path / "changed.py"
    changed.write_text(rules.replace(part, other))
    choose = runpy.run_path(str(changed))["choose"]
    lost = [
        end
        for first in (True, False)
        for end in outcomes(lambda board: [choose(board)], first)
        if end.winner == "XO"[first]
    ]
    assert bool(lost) == bool(part)


def test_rules_begin_in_the_centre_and_hard_in_a_corner():
    for start, cells in ((str(RULES / "no_forks.py"), {4}), ("hard", {0, 2, 6, 8})):
        assert set(noughts.engine(start).reply(noughts.Board()).cells) == cells
    board_after = noughts.Board("XO.......")
    assert {cell for cell in board_after.legal_moves if board_after.play(cell).value() == -1} == {
        3,
        4,
        6,
    }
