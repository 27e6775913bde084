"""The order in which a board's files are replaced, and what is left alone."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.errors import BoardError
from noughts.hardware.file_commands import checksum
from noughts.hardware.file_transfer import BoardFile
from noughts.hardware.update import forget_games, plan
from noughts.packing import MARK

WANTED = {name: b"# noughts: " + name.encode() for name in ("ai.py", "main.py", "table.py")}


def on_board(files):
    return {name: BoardFile(len(c), checksum(c), c[: len(MARK)]) for name, c in files.items()}


def planned(files, **named):
    update = plan("V1", on_board(files), WANTED, named.get("replace", False))
    return update.remove, update.send


def test_nothing_to_do():
    assert planned(WANTED) == ((), ())
    assert not plan("V1", on_board(WANTED), WANTED, False)


def test_the_first_time_main_comes_first_and_the_table_last():
    assert planned({}) == ((), ("main.py", "ai.py", "table.py"))


def test_the_table_alone():
    assert planned({**WANTED, "table.py": b"# noughts: "}) == ((), ("table.py",))


def test_with_other_files_the_table_is_gone_meanwhile():
    older = {**WANTED, "ai.py": b"# noughts: ", "main.py": b"# noughts: "}
    assert planned(older) == (("table.py", "ai.py"), ("main.py", "ai.py", "table.py"))
    assert planned({"main.py": WANTED["main.py"]}) == ((), ("ai.py", "table.py"))


def test_the_files_that_tell_of_missing_ones_stay_until_they_are_written_anew():
    wanted = {**WANTED, "fault.py": b"# noughts: fault.py"}
    older = dict.fromkeys(wanted, b"# noughts: ")
    update = plan("V1", on_board(older), wanted, False)
    assert update.remove == ("table.py", "ai.py")
    assert update.send == ("fault.py", "main.py", "ai.py", "table.py")


def test_only_stored_games_and_the_choice_are_forgotten():
    stored = {"0": b"100024$NG,", "23": b"100023$NG,", "settings": b"Hb"}
    others = {"1": b"one", "07": b"100007 cats", "a": b"100001$NG,", "ai.py": b"# noughts:"}
    removed, emptied = [], []
    board = SimpleNamespace(remove=removed.extend, forget_log=lambda: emptied.append(True))
    forget_games("V1", board, on_board({**stored, **others}), str)
    assert set(removed) == set(stored) and not emptied
    forget_games("V2", board, on_board({"settings": b"volume = 11"}), str)
    assert set(removed) == set(stored) and emptied == [True]


def test_retired_files_go_and_others_stay():
    files = {
        **WANTED,
        "old.py": b"# noughts: once",
        "mine.py": b"# noughts and crosses, by me",
        "settings": b"Hb",
    }
    assert planned(files) == (("table.py", "old.py"), ("table.py",))
    # microfs does not quote names, so none is passed on that would need it.
    assert planned({**WANTED, "a'b.py": b"# noughts: ", "x y.py": b"# noughts: "}) == ((), ())


def test_a_file_of_somebody_elses_is_replaced_only_if_asked():
    files = {**WANTED, "main.py": b"print('mine')"}
    with pytest.raises(BoardError, match=r"the board has another program's main\.py; .* --replace"):
        planned(files)
    assert planned(files, replace=True) == (("table.py",), ("main.py", "table.py"))
    assert planned({**WANTED, "main.py": b""}) == (("table.py",), ("main.py", "table.py"))


def test_room_is_counted_in_chunks():
    # V1 has 216 chunks; ours take three.
    fits = {"big": bytes(126 * 212)}
    assert planned(fits)[1]
    with pytest.raises(BoardError, match=r"128 bytes short of room; .*'big' \(26,838 bytes\)"):
        planned({"big": bytes(126 * 213)})
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


@given(st.binary(max_size=400), st.binary(max_size=400))
def test_checksums_tell_contents_apart(one, other):
    same = (len(one), checksum(one)) == (len(other), checksum(other))
    assert same == (one == other)


def test_checksums_notice_exchanged_blocks():
    one, other = bytes(range(64)), bytes(range(64, 128))
    assert checksum(one + other) != checksum(other + one)


@pytest.mark.parametrize("at", [0, 61, 63, 64, 127, 200])
def test_checksums_notice_exchanged_bytes(at):
    content = bytearray(range(256)) * 2
    content[at], content[at + 61] = content[at + 61], content[at]
    assert checksum(bytes(content)) != checksum(bytes(range(256)) * 2)
