"""README.md: its first test passes in an empty folder, and its examples print what it shows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from repl import firmware

TEXT = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS: dict[str, list[str]] = {}
for language, block in re.findall(r"^```(\w*)\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE):
    BLOCKS.setdefault(language, []).append(block)


@pytest.mark.long
def test_first_test_in_the_readme_passes(tmp_path: Path) -> None:
    program, test = BLOCKS["py"]
    (tmp_path / "main.py").write_text(program)
    (tmp_path / "test_main.py").write_text(test)
    command = [sys.executable, "-m", "pytest", str(tmp_path)]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 passed" in ran.stdout, ran.stdout


def test_examples_print_as_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hex_file = tmp_path / "firmware.hex"
    hex_file.write_text(firmware("V2 2.1.2"))
    names = {"hex_file": hex_file}
    for code, printed in zip(BLOCKS["python"], BLOCKS[""], strict=True):
        exec(code, names)
        assert capsys.readouterr().out == printed
