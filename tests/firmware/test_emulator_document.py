"""The example in docs/emulator.md runs, and prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from repl import firmware


def test_example(repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (repository / "docs" / "emulator.md").read_text(encoding="utf-8")
    code, printed = re.findall(r"```(?:python)?\n(.*?)```", text, re.DOTALL)
    hex_file = tmp_path / "firmware.hex"
    hex_file.write_text(firmware("V2 2.1.2"))
    exec(code, {"hex_file": hex_file})
    assert capsys.readouterr().out == printed
