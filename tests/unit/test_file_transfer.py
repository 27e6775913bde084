"""Asking a board about its files when bytes are lost; what microfs gets is a stand-in here."""

import microfs
import pytest
import serial

from noughts.errors import BoardError
from noughts.hardware.file_transfer import BoardFile, BoardFiles

ANSWER = b"'micro:bit with nRF51822'\r\n('main.py', 5, 77, b'# nou')\r\n"
BROKEN = b"Traceback (most recent call last):\r\nSyntaxError: invalid syntax\r\n"


@pytest.fixture
def asked(monkeypatch):
    """Answers in this order, and counts."""
    answers = []
    monkeypatch.setattr(microfs, "raw_on", lambda line: None)
    monkeypatch.setattr(microfs, "execute", lambda commands, line: answers.pop(0))
    return answers


@pytest.fixture
def files():
    with serial.serial_for_url("loop://") as port:
        yield BoardFiles(port)


@pytest.mark.parametrize("lost", [(b"", BROKEN), (b"'micro", b""), (b"\xff", b""), (b"5\r\n", b"")])
def test_it_is_asked_again(asked, files, lost):
    asked += [lost, lost, (ANSWER, b"")]
    assert files.survey() == ("V1", {"main.py": BoardFile(5, 77, b"# nou")})
    assert not asked


def test_but_not_for_ever(asked, files):
    asked += [(b"", BROKEN)] * 3 + [(ANSWER, b"")]
    with pytest.raises(BoardError, match=r"could not list its files \(.*SyntaxError"):
        files.survey()
    asked[:] = [(b"?", b"")] * 3
    with pytest.raises(BoardError, match="gave no sensible answer"):
        files.survey()
    assert not asked


def test_a_command_whose_answer_is_wrong_is_given_again(asked, files):
    asked += [(b"", b""), (b"0\r\nNone\r\n", b""), (b"3\r\nNone\r\n", b"")]
    with pytest.raises(BoardError):
        files.send("x.txt", b"four")
    assert not asked
