"""Files as they go onto a board: packed, with those for radio, and which are sent in what order."""

import ast
from types import SimpleNamespace

import pytest

from noughts import brain
from noughts.boards.files import BoardFile, checksum
from noughts.boards.packing import MARK, NAMES, files_for_boards, pack
from noughts.boards.put import forget_games, plan
from noughts.boards.radio import OFF, Radio, files_with, radio_of
from noughts.device_files import device_files
from noughts.errors import BoardError

SOURCE = b'''\
# noughts: what a pack must bear.
#
import a

TEXT = """one \x20
    # two
\tthree  """  # four


def f(x):  # five
    # six
    if (x and
            # seven
            x > 1):
        return "# eight  "  \x20
    y = x + \\
      1
    return y
'''


def shape(source):
    """What is on which line, but for names."""
    return [(type(node), getattr(node, "lineno", 0)) for node in ast.walk(ast.parse(source))]


@pytest.mark.parametrize("name", device_files())
def test_each_file_is_the_same_program_on_the_same_lines(name):
    source, packed = device_files()[name], files_for_boards()[name]
    assert shape(packed) == shape(source)
    assert packed.startswith(MARK) and packed.count(b"#") == 1
    lines = packed.splitlines()
    assert all(line == line.rstrip() for line in lines)
    depths = {len(line) - len(line.lstrip()) for line in lines}
    assert depths == set(range(max(depths) + 1))
    assert name != "table.py" or brain.of({name: packed}) == brain.of({name: source})


def test_strings_and_continued_lines_are_left_whole():
    assert (
        pack(SOURCE)
        == b'''\
# noughts:

import a

TEXT="""one \x20
    # two
\tthree  """


def f(x):

 if(x and

x>1):
  return"# eight  "
 y=x+\\
1
 return y
'''
    )


def test_texts_keep_their_words_and_other_programs_their_names():
    word = "pending"
    source = f"{word} = '{word}'  # of us: all of it\n"
    ours = "# noughts: ours\n" + source
    assert pack(ours.encode()) == f"# noughts:\n{NAMES[word]}='{word}'\n".encode()
    assert pack(source.encode()) == f"{word}='{word}'\n".encode()


@pytest.mark.parametrize(
    "source",
    [
        SOURCE + b"\tx = 9\n", b"if True:\nx()  # y\n", b"x = (  # y\n", b"x = 'y  # z\n",
        b"\xff  \n", b"x\0  ",
    ],
)  # fmt: skip
def test_what_is_not_python_stays_as_it_is(source):
    """The board then says what is wrong with it."""
    assert pack(source) == source


def test_lines_may_end_as_windows_ends_them():
    assert pack(SOURCE.replace(b"\n", b"\r\n")) == pack(SOURCE) != SOURCE


@pytest.mark.parametrize("other", ["x = 1\n\ny = 2\n", "x = 1\n", "x = 1\ny = 2\nz = 3\n"])
def test_source_is_unchanged_where_packing_would_alter_it(monkeypatch, other):
    monkeypatch.setattr("noughts.boards.packing._pack", lambda text, names: other)
    pack.cache_clear()
    source = b"x = 1  # a comment\ny = 2\n"
    assert pack(source) == source


GAME = files_for_boards()
PARTS = (OFF, *(Radio(sends=group) for group in (0, 7, 255)), Radio(gateway=0), Radio(gateway=255))


def on_board(files):
    return {name: BoardFile(len(c), checksum(c), c[: len(MARK)]) for name, c in files.items()}


@pytest.mark.parametrize("radio", PARTS, ids=str)
def test_files_tell_what_they_were_made_for(radio):
    files = files_with(radio, "V2", GAME)
    assert radio_of(files) == radio
    assert radio.sends is None or files_with(radio, "V1", GAME) == GAME
    assert all(content.startswith(MARK) for content in files.values())
    if radio.gateway is not None:
        assert set(files) == {"main.py", "gateway.py"}
    else:
        assert set(files) - set(GAME) == ({"air.py", "group.py"} if radio != OFF else set())


def test_a_group_that_was_edited_is_said():
    files = {**files_with(Radio(sends=7), "V2", GAME), "group.py": b"# noughts:\nGROUP = 300\n"}
    with pytest.raises(BoardError, match=r"group\.py is not as it was made; name its group"):
        radio_of(files)


@pytest.mark.parametrize("before", PARTS, ids=str)
@pytest.mark.parametrize("after", PARTS, ids=str)
def test_a_board_is_brought_from_each_part_to_each_other(before, after):
    old, new = files_with(before, "V2", GAME), files_with(after, "V2", GAME)
    update = plan("V2", on_board(old), new, False)
    left = {name: content for name, content in old.items() if name not in update.remove}
    assert {**left, **{name: new[name] for name in update.send}} == new
    assert any(update) == (before != after)
    # A game is without its table until all else is there, and says that it is incomplete.
    if before != after and "table.py" in old:
        assert update.remove[0] == "table.py"
    if before != after and "table.py" in new:
        assert update.send[-1] == "table.py"


OLD = b"# noughts: "
# Files that say on the LEDs that others are missing come first; the table, without which nothing
# plays, comes last.
IN_ORDER = ("fault.py", "main.py", "ai.py", "table.py")
WANTED = {name: OLD + name.encode() for name in IN_ORDER}
RETIRED = {**WANTED, "an 'old'.py": b"# noughts: once", "mine.py": b"# noughts and crosses"}


def planned(files, replace=False):
    update = plan("V1", on_board(files), WANTED, replace)
    return update.remove, update.send


@pytest.mark.parametrize(
    ("there", "removed", "sent"),
    [
        (WANTED, (), ()),
        ({}, (), IN_ORDER),
        ({**WANTED, "table.py": OLD}, (), ("table.py",)),
        # Changed files go before any is sent, so that there is never less room than in the end.
        (dict.fromkeys(WANTED, OLD), ("table.py", "ai.py"), IN_ORDER),
        ({"main.py": WANTED["main.py"]}, (), ("fault.py", "ai.py", "table.py")),
        # Retired files of ours go, and others stay.
        (RETIRED, ("table.py", "an 'old'.py"), ("table.py",)),
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
    with pytest.raises(BoardError, match=r"128 bytes short of space; .*'big' \(26,712 bytes\)"):
        planned({"big": bytes(126 * 212)})
    with pytest.raises(BoardError, match=r"bytes short of space; make ours smaller$"):
        plan("V2", {}, {"main.py": bytes(20_480)}, False)
