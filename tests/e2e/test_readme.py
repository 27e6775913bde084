"""Commands in the README and the documents run exactly as written."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from needed import long
from sample_games import filled, stages

REPOSITORY = Path(__file__).resolve().parents[2]
OPEN_ENDED = ("play", "web", "watch", "vs", "flash", "put")
"""Commands that wait for a person or a board; other tests run them."""
# Tests of these commands cover what they do.
SLOW = ["prove", "train menace -o menace.json", 'play --keys "A A A B 500 B 1000"']


def shown():
    """The indented commands, except those that are `OPEN_ENDED`."""
    documents = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
    text = "\n".join(document.read_text("utf-8") for document in documents)
    commands = re.findall("^    noughts (.*)$", text, re.MULTILINE)
    return [
        command
        for command in commands
        if "--keys" in command or command.split()[0] not in OPEN_ENDED
    ]


def test_every_command_is_found():
    assert len(shown()) == 17


@pytest.mark.parametrize(
    "command", [long(command) if command in SLOW else command for command in dict.fromkeys(shown())]
)
def test_every_command_runs(command, folder, noughts):
    """Commands read the user's own games: here, those of a pupil who has played one."""
    (folder / "noughts").mkdir()
    filled(folder / "noughts" / "games.db", stages([4, 0, 2, 6, 3, 5, 1, 7, 8]))
    words = shlex.split(command)
    status, out, err = noughts(*words)
    assert out and status == (command == "doctor" and "✗" in out), err  # for example, no board
    if "-o" in words:
        assert Path(words[words.index("-o") + 1]).stat().st_size


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_class_guide_tries_a_table_without_a_board(folder, noughts):
    guide = (REPOSITORY / "docs" / "class.md").read_text("utf-8")
    build, start, put = (
        re.search(f"^    {command}.*$", guide, re.MULTILINE)[0].split(maxsplit=1)[1]
        for command in ("noughts hex", "microbit-emulator run", "noughts put --table")
    )
    shutil.copy(REPOSITORY / "device" / "table.py", folder / "table.py")
    assert noughts(*shlex.split(build))[0] == 0
    emulator = [sys.executable, "-um", "microbit_emulator", *shlex.split(start)]
    with subprocess.Popen(emulator, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = re.search(r"/dev/[^;]+", process.stdout.readline())[0]
            status, out, err = noughts(*shlex.split(put.replace("/dev/pts/3", port)))
        finally:
            process.kill()
    assert status == 0, err
    assert "Done: the game is running" in out
