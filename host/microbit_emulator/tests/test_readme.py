"""The examples in README.md run, and print what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from repl import firmware


def test_examples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(?:python)?\n(.*?)```", text, re.DOTALL)
    hex_file = tmp_path / "firmware.hex"
    hex_file.write_text(firmware("V2 2.1.2"))
    names = {"hex_file": hex_file}
    for code, printed in zip(blocks[::2], blocks[1::2], strict=True):
        exec(code, names)
        assert capsys.readouterr().out == printed
