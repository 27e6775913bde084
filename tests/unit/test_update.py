"""A board's files over the serial line: what is replaced in which order, and lost bytes."""

from types import SimpleNamespace

import pytest

from noughts.boards.files import BoardFile, BoardFiles, checksum
from noughts.boards.packing import MARK, files_for_boards
from noughts.boards.ports import open_port
from noughts.boards.put import forget_games, plan
from noughts.errors import BoardError
from stepped_ports import Talker

OLD = b"# noughts: "
WANTED = {name: OLD + name.encode() for name in ("ai.py", "fault.py", "main.py", "table.py")}


def on_board(files):
    return {name: BoardFile(len(c), checksum(c), c[: len(MARK)]) for name, c in files.items()}


def planned(files, replace=False):
    update = plan("V1", on_board(files), WANTED, replace)
    return update.remove, update.send


@pytest.mark.parametrize(
    ("there", "removed", "sent"),
    [
        (WANTED, (), ()),
        # What says that files are missing comes first; the table last: without it nothing plays.
        ({}, (), ("fault.py", "main.py", "ai.py", "table.py")),
        ({**WANTED, "table.py": OLD}, (), ("table.py",)),
        (
            dict.fromkeys(WANTED, OLD),
            ("table.py", "ai.py"),
            ("fault.py", "main.py", "ai.py", "table.py"),
        ),
        ({"main.py": WANTED["main.py"]}, (), ("fault.py", "ai.py", "table.py")),
        # Retired files of ours go, and others stay.
        (
            {**WANTED, "an 'old'.py": b"# noughts: once", "mine.py": b"# noughts and crosses"},
            ("table.py", "an 'old'.py"),
            ("table.py",),
        ),
        # An empty file is what an interruption has left.
        ({**WANTED, "main.py": b""}, ("table.py",), ("main.py", "table.py")),
    ],
)
def test_what_is_removed_and_sent_in_this_order(there, removed, sent):
    assert planned({**there, "settings": b"Hb"}) == (removed, sent)


def test_only_stored_games_and_the_choice_are_forgotten():
    stored = {"0": b"100024$NG,", "23": b"100023$NG,", "settings": b"Hb"}
    others = {"1": b"one", "07": b"100007 cats", "a": b"100001$NG,", "ai.py": b"# noughts:"}
    removed, emptied = [], []
    board = SimpleNamespace(remove=removed.extend, forget_log=lambda: emptied.append(True))
    forget_games("V1", board, on_board({**stored, **others}))
    assert set(removed) == set(stored) and not emptied
    forget_games("V2", board, on_board({"settings": b"volume = 11"}))
    assert set(removed) == set(stored) and emptied == [True]


def test_foreign_file_is_replaced_only_with_replace():
    files = {**WANTED, "main.py": b"print('mine')"}
    with pytest.raises(BoardError, match=r"the board has another program's main\.py; .* --replace"):
        planned(files)
    assert planned(files, replace=True) == (("table.py",), ("main.py", "table.py"))


def test_room_is_counted_in_chunks():
    # V1 has 216 chunks; ours take four.
    fits = {"big": bytes(126 * 211)}
    assert planned(fits)[1]
    with pytest.raises(BoardError, match=r"128 bytes short of room; .*'big' \(26,712 bytes\)"):
        planned({"big": bytes(126 * 212)})
    with pytest.raises(BoardError, match=r"bytes short of room; make ours smaller$"):
        plan("V2", {}, {"main.py": bytes(20_480)}, False)


def test_there_is_never_less_room_than_in_the_end():
    """ai.py has grown by what rules.py has shrunk."""
    small, big = b"# noughts: ", b"# noughts: " * 900
    present = {**WANTED, "ai.py": small, "rules.py": big}
    wanted = {**WANTED, "ai.py": big, "rules.py": small}
    update = plan("V1", on_board(present), wanted, False)
    now = dict(present)
    for name in update.remove:
        del now[name]
    for name in update.send:
        now[name] = wanted[name]
        assert sum(map(len, now.values())) <= sum(map(len, wanted.values()))
    assert now == wanted


@pytest.mark.parametrize("at", [0, 63, 64, 200])
@pytest.mark.parametrize("size", [1, 64])
def test_checksums_notice_exchanged_blocks(at, size):
    content = bytes(range(256)) * 2
    one, other = content[at : at + size], content[at + size : at + 2 * size]
    assert checksum(content[:at] + other + one + content[at + 2 * size :]) != checksum(content)


@pytest.fixture
def talker(clock):
    """A port whose far end answers what it hears by a function of bytes."""
    return lambda answer: open_port(Talker(clock, answer).port)


class RawRepl:
    """It gives these answers, one after another."""

    def __init__(self, *answers):
        self.answers, self.sessions = list(answers), 0

    def __call__(self, heard):
        said = b""
        for byte in heard:
            if byte == 1:
                self.sessions += 1
                said += b"raw REPL; CTRL-B to exit\r\n>"
                self.answers.insert(0, b"soft reboot\r\nraw REPL; CTRL-B to exit\r\n>")
            elif byte == 4:
                said += self.answers.pop(0)
        return said


ANSWER = b"OK'micro:bit with nRF51822'\r\n('main.py', 5, 77, b'# nou')\r\n\x04\x04>"
BROKEN = b"OK\x04Traceback (most recent call last):\r\nSyntaxError: invalid syntax\r\n\x04>"
NONSENSE = [b"'micro", b"\xff", b"5\r\n", b"(lambda: 1)", b"'V1'\r\n'\\\x1b[2J'", b"(" * 300, b""]


@pytest.mark.parametrize(
    "lost", [b"OK", BROKEN, *(b"OK" + each + b"\x04\x04>" for each in NONSENSE)]
)
def test_it_is_asked_again_but_not_for_ever(talker, lost, recwarn):
    repl = RawRepl(ANSWER, lost, lost, ANSWER)
    files = BoardFiles(talker(repl))
    for _ in range(2):
        assert files.survey() == ("V1", {"main.py": BoardFile(5, 77, b"# nou")})
    assert not repl.answers and repl.sessions == 3  # a failure ends one
    repl.answers += [lost] * 3 + [ANSWER]
    why = "SyntaxError: invalid syntax" if lost is BROKEN else "it gave no sensible answer"
    with pytest.raises(BoardError, match=rf"could not list its files \({why}\); reset it"):
        files.survey()
    assert repl.answers == [ANSWER]
    assert not recwarn.list  # a warning would quote it as it is


def test_main_is_written_by_one_command(talker):
    """Else the board would be dark after an interruption."""
    main = files_for_boards()["main.py"]
    repl = RawRepl(b"OK%d\r\nNone\r\n\x04\x04>" % len(main))
    BoardFiles(talker(repl)).send("main.py", main)
    assert not repl.answers and repl.sessions == 1


def test_a_file_is_sent_again_until_all_of_it_has_arrived(talker):
    answers = (b"OK%s\x04\x04>" % each for each in (b"", b"3\r\nNone\r\n", b"4\r\nNone\r\n"))
    repl = RawRepl(*answers)
    BoardFiles(talker(repl)).send("x.txt", b"four")
    assert not repl.answers


def test_a_damaged_files_size_is_no_more_than_can_be(talker):
    answer = b"OK'micro:bit with nRF51822'\r\n('big.bin', 99999999999999, 1, b'x')\r\n\x04\x04>"
    _, files = BoardFiles(talker(RawRepl(answer))).survey()
    assert files["big.bin"].size == 1 << 20


@pytest.mark.parametrize("said", [b"", b"\x1b[2J garbage \xff\n"])
def test_what_is_no_micropython(talker, said):
    with pytest.raises(BoardError, match="does not answer like MicroPython; press its reset"):
        BoardFiles(talker(lambda heard: said)).survey()


@pytest.mark.usefixtures("clock")
def test_ctrl_c_leaves_no_board_stopped():
    written = []
    with pytest.raises(KeyboardInterrupt), BoardFiles(SimpleNamespace(write=written.append)):
        raise KeyboardInterrupt
    assert b"".join(written) == b"\x03\x02\x04"
