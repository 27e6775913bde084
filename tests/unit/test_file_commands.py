"""The commands for a board's files, carried out by CPython; on their way, bytes may be lost."""

import builtins
import contextlib
import io
from types import SimpleNamespace

import pytest

from noughts.device_files import device_files
from noughts.hardware.file_commands import removing, writing

MAIN = device_files()["main.py"]


class Board:
    """Files, and a Python prompt that knows them."""

    def __init__(self, **files):
        self.files = files
        self.printed = []

    def run(self, commands):
        os = SimpleNamespace(listdir=lambda: list(self.files), remove=self.remove)
        names = {"open": self.open, "print": self.print, "__import__": lambda *_: os}
        scope = {"__builtins__": vars(builtins) | names}
        for command in commands:
            exec(command, scope)

    def remove(self, name):
        if name not in self.files:
            raise OSError
        del self.files[name]

    def says(self, command, printed):
        """Whether the host will take what the board prints for success."""
        with contextlib.suppress(Exception):
            self.run([command])
            return " ".join(self.printed) == printed
        return False

    def print(self, value):
        self.printed.append(str(value))

    def open(self, name, mode):
        files = self.files
        files[name] = b""

        class Written(io.BytesIO):
            def close(self):
                files[name] = self.getvalue()

        if mode != "wb":
            raise ValueError
        return Written()


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 2000])
def test_a_file_is_written(size):
    content = bytes(range(256)) * 8
    commands, printed = writing("ai.py", content[:size])
    board = Board()
    board.run(commands)
    assert board.files == {"ai.py": content[:size]}
    assert " ".join(board.printed) == printed


def test_main_is_open_no_longer_than_one_command():
    """Else the board would be dark after an interruption."""
    assert len(writing("main.py", MAIN)[0]) == 1


@pytest.mark.filterwarnings("ignore")  # of what is left of a line
@pytest.mark.parametrize("lost", [1, 2, 5, 20, 100])
def test_bytes_that_are_lost_are_noticed(lost):
    (command,), printed = writing("main.py", MAIN)
    opens = command.index("f = open")
    for at in range(len(command)):
        board = Board(**{"main.py": b"old"})
        if board.says(command[:at] + command[at + lost :], printed):
            assert board.files == {"main.py": MAIN}
        elif at + lost < opens:
            assert board.files in ({"main.py": b"old"}, {"main.py": MAIN})


def test_files_are_removed_that_are_there():
    commands, printed = removing(["table.py", "ai.py", "chip.py"])
    board = Board(**{"main.py": b"", "ai.py": b"", "table.py": b""})
    board.run(commands)
    assert board.files == {"main.py": b""} and board.printed == [printed]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("lost", [1, 2, 5, 20, 50])
def test_the_wrong_files_are_not_removed(lost):
    (command,), printed = removing(["table.py", "ai.py"])
    for at in range(len(command)):
        board = Board(**{"main.py": b"", "i.py": b"", "table.py": b"", "ai.py": b""})
        if board.says(command[:at] + command[at + lost :], printed):
            assert set(board.files) == {"main.py", "i.py"}
        assert {"main.py", "i.py"} <= set(board.files)
