"""Tracebacks from a board's serial line, and the lines of `device/` that they name."""

import pytest

from noughts.boards.tracebacks import TracebackReader
from noughts.device_files import device_files
from noughts.protocol.parser import Noise, Stream

HEADER = "Traceback (most recent call last):"


def found(*lines):
    """The tracebacks in lines as they come from a board."""
    reader, stream = TracebackReader(), Stream()
    items = stream.feed("".join(f"{line}\r\n" for line in lines).encode("latin-1"))
    fed = [reader.feed(item.text) for item in items if isinstance(item, Noise)]
    return [traceback for traceback in fed if traceback]


def at(name, line, error="NameError: name 'x' is not defined"):
    (traceback,) = found("\0" + HEADER, f'  File "{name}", line {line}, in <module>', error)
    return traceback


def test_the_innermost_call_is_where_it_happened():
    lines = device_files()["loop.py"].decode().splitlines()
    number = lines.index("        try:") + 1
    calls = [f'  File "{name}", line 3, in start' for name in ("__main__", "game.py")]
    innermost = f'  File "loop.py", line {number}, in start'
    (traceback,) = found("noise", HEADER, *calls, innermost, "TypeError: can't", "noise")
    assert traceback.report() == [
        HEADER, *calls, innermost, "TypeError: can't", f"device/loop.py, line {number}: try:"
    ]  # fmt: skip
    advice = f"stops with TypeError: can't; correct device/loop.py, line {number} and run "
    assert str(traceback) == advice + "`noughts put`"
    for name in ("__main__", "main.py"):  # what runs first
        assert at(name, 5).where == "device/main.py, line 5"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("../../etc/passwd", 1), ("/etc/passwd", 1), ("other.py", 1), ("no/ai.py", 1), ("x*", 1),
        ("ai.py", 0), ("ai.py", 9999),
    ],
)  # fmt: skip
def test_only_lines_of_our_files_are_shown(name, line):
    assert len(at(name, line).report()) == 3


def test_a_syntax_error_may_be_in_the_line_before():
    traceback = at("rules.py", 2, "SyntaxError: invalid syntax")
    first, second = device_files()["rules.py"].decode().splitlines()[:2]
    shown = [f"device/rules.py, line 1: {first}", f"device/rules.py, line 2: {second}"]
    assert traceback.report()[3:] == shown
    assert "; correct device/rules.py, line 1 or 2 and run" in str(traceback)


@pytest.mark.parametrize(
    ("error", "name", "incomplete"),
    [
        ("ImportError: no module named 'gateway'", "main.py", True),
        ("ImportError: no module named 'tilt'", "loop.py", True),
        ("ImportError: no module named 'timer'", "loop.py", False),  # no file of ours
        ("AttributeError: 'module' object has no attribute 'ID'", "loop.py", True),
        ("AttributeError: 'module' object has no attribute 'ID'", "ai.py", False),  # another's
        ("AttributeError: 'module' object has no attribute 'best'", "game.py", False),
        ("SyntaxError: invalid syntax", "table.py", True),
    ],
)
def test_incomplete_files_are_told_from_mistakes(error, name, incomplete):
    lines = device_files()[name].splitlines()
    line = next((number for number, text in enumerate(lines, 1) if b"table.ID" in text), 1)
    text = str(at(name, line, error))
    assert text.startswith("is incomplete (" if incomplete else "stops with ")
    assert ("correct device/" in text) is not incomplete
