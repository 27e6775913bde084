"""Files for a board: packed code, radio files, and firmware with its file system."""

import ast
import contextlib
import io
import itertools
import re
import tokenize
from collections import Counter
from types import SimpleNamespace

import intelhex
import pytest
import uflash
from hypothesis import given, settings
from hypothesis import strategies as st
from micropython_microbit_fs.filesystem import CHUNK_DATA_SIZE, CHUNK_SIZE
from micropython_microbit_fs.uicr import UicrAddress

from noughts import brain
from noughts.boards.files import BoardFile, checksum
from noughts.boards.firmware import (
    firmware_for,
    firmware_for_boards,
    load_firmware,
    read_firmware,
    universal_hex,
)
from noughts.boards.packing import (
    MARK,
    NAMES,
    VARIABLES,
    files_for_boards,
    pack,
    packed,
    rows_on_boards,
)
from noughts.boards.put import forget_games, plan, require_room
from noughts.boards.radio import OFF, Radio, files_with, radio_of
from noughts.brain.device import device_files, device_sources
from noughts.errors import BoardError, NoughtsError
from slim import V2_TABLE, slim

SOURCE = b'''\
# noughts: code that is hard to pack.
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
    """The type of each syntax node, and where statements begin."""
    nodes = ast.walk(ast.parse(source))
    return [(type(node), node.lineno if isinstance(node, ast.stmt) else 0) for node in nodes]


@pytest.mark.parametrize("name", device_files())
def test_packed_file_is_the_same_program(name):
    source, packed = device_files()[name], files_for_boards()[name]
    rows = [[], *rows_on_boards(source)]  # lines count from 1
    for (kind, line), (kind_in_source, row) in zip(shape(packed), shape(source), strict=True):
        assert kind is kind_in_source and (line == row == 0 or row in rows[line])
    statements = Counter(line for _, line in shape(packed))
    assert all(len(rows[line]) <= 3 or statements[line] == 1 for line in range(1, len(rows)))
    assert packed.startswith(MARK) and packed.count(b"#") == 1
    lines = packed.splitlines()
    assert len(lines) == len(rows) - 1 and all(line and line == line.rstrip() for line in lines)
    depths = {len(line) - len(line.lstrip()) for line in lines}
    assert depths == set(range(max(depths) + 1))
    assert name != "table.py" or brain.table_in({name: packed}) == brain.table_in({name: source})


def test_packing_preserves_strings_and_line_continuations():
    assert (
        pack(SOURCE)
        == b'''\
# noughts:
import a
TEXT="""one \x20
    # two
\tthree  """
def f(x):
 if(x and x>1):return"# eight  "
 n=x+1;return n
'''
    )


@pytest.mark.parametrize(
    ("source", "packed"),
    [
        ("x = 1\n\ny = 2\nz = 3\nw = 4\n", "x=1;y=2;z=3\nw=4\n"),
        ("if x:\n    y()\nelif z:\n    y(); y()\n", "if x:y()\nelif z:y();y()\n"),
        ("if x:\n    y()\n    y()\n    y()\n", "if x:\n y();y();y()\n"),
        ("if x: y()\nelse: z()\nz()\n", "if x:y()\nelse:z()\nz()\n"),
        ("x = 1;\ny = 2\n", "x=1;y=2\n"),
        (
            "for x in y:\n    if x:\n        y()\nelse:\n    pass\n",
            "for x in y:\n if x:y()\nelse:pass\n",
        ),
        ("x = (\n  1,\n)\ny = 2\n", "x=(1,)\ny=2\n"),
        ("try:\n    x()\nexcept Y:\n    pass\nz()\n", "try:x()\nexcept Y:pass\nz()\n"),
        (r"x = b'\x00\x1a\x017\x01\\x01'", r"x=b'\0\32\x017\1\\x01'" + "\n"),
    ],
)
def test_packing_puts_short_statements_on_one_line(source, packed):
    assert pack(source.encode()).decode() == packed


@pytest.mark.parametrize(
    ("source", "packed"),
    [
        # The most frequent first.
        ("def f(own, all):\n    all = own + all\n    return all\n", "def f(a,n):n=a+n;return n\n"),
        ("def f(own=own):\n    return own\n", "def f(n=own):return n\n"),
        ("def f():\n    own.own = own\n", "def f():own.own=own\n"),  # not its variable
        ("def f():\n    global own\n    own = 2\n", "def f():global own;own=2\n"),
        ("def f(own):\n    n(own)\n", "def f(a):n(a)\n"),
        ("def f(a, own):\n    a(own)\n", "def f(a,n):a(n)\n"),
        ("def f(n, own):\n    own(n)\n", "def f(n,a):a(n)\n"),
        ("def f(own):\n    eval('own + 1')\n", "def f(own):eval('own + 1')\n"),
        ("def f(own):\n    f(own=own)\n", "def f(own):f(own=own)\n"),
        ("def f(own):\n    return f'{own}'\n", "def f(own):return f'{own}'\n"),
        ("def f(own):\n    return lambda: own\n", "def f(n):return lambda:n\n"),
        ("def f(own):\n    def g(own):\n        return own\n", "def f(n):\n def g(n):return n\n"),
        ("def f():\n    return [own for own in g]\n", "def f():return[own for own in g]\n"),
        ("class C:\n    def f(self):\n        self.own()\n", "class C:\n def f(n):n.own()\n"),
        ("def f():\n    try:\n        g()\n    except E as own:\n        g(own)\n",
         "def f():\n try:g()\n except E as own:g(own)\n"),
        ("def f():\n    import own\n    own(own)\n", "def f():import own;own(own)\n"),
        ("def f():\n    import three\n    three(three)\n", "def f():import three as n;n(n)\n"),
        ("def f():\n    from three import three\n    three(three)\n",
         "def f():from three import three as n;n(n)\n"),
        ("def f(own):\n    import three\n    three(three, own)\n",
         "def f(n):import three as a;a(a,n)\n"),
        ("def f():\n    import three\n    three(three, f'{three}')\n",
         "def f():import three;three(three,f'{three}')\n"),
        ("def f():\n    import three\n    three = three(three)\n",
         "def f():import three;three=three(three)\n"),
        ("def f():\n    import three, three.four\n    three(three)\n",
         "def f():import three,three.four;three(three)\n"),
        ("def f():\n    three(three)\n    def g():\n        import three\n",
         "def f():\n three(three)\n def g():import three\n"),
        ("def f(own):\n    own('é', own)\n", "def f(n):n('é',n)\n"),
    ],
)  # fmt: skip
def test_packing_shortens_the_variables_and_imports_of_functions(source, packed):
    mark = "# noughts:"
    assert pack(f"{mark}\n{source}".encode()).decode() == f"{mark}\n{packed}"


def test_packing_leaves_variables_for_which_there_is_no_short_name():
    names = [f"name_{letter}" for letter in "abcdefghijklmnopqrstu"]
    source = f"# noughts:\ndef f({', '.join(names)}):\n    pass\n"
    packed = pack(source.encode()).decode()
    stay = names[len(VARIABLES) :]
    assert packed == f"# noughts:\ndef f({','.join([*VARIABLES, *stay])}):pass\n"


def test_packing_shortens_names_but_not_in_strings_or_other_programs():
    word = "pending"
    source = f"{word} = '1 {word}'  # of us: all of it\n"
    ours = "# noughts: ours\n" + source
    assert pack(ours.encode()) == f"# noughts:\n{NAMES[word]}='1 {word}'\n".encode()
    assert pack(source.encode()) == f"{word}='1 {word}'\n".encode()


@pytest.mark.parametrize(
    "source",
    [
        SOURCE + b"\tx = 9\n", b"if True:\nx()  # y\n", b"x = (  # y\n", b"x = 'y  # z\n",
        b"\xff  \n", b"x\0  ",
    ],
)  # fmt: skip
def test_invalid_python_is_not_packed(source):
    """The board then reports the error in it."""
    assert pack(source) == source


def test_packing_accepts_windows_line_endings():
    assert pack(SOURCE.replace(b"\n", b"\r\n")) == pack(SOURCE) != SOURCE


def test_field_in_the_format_of_an_f_string_is_packed():
    """From Python 3.12 on, it ends in an empty token."""
    assert pack(b"print(f'{x:{y}}')  # z\n") == b"print(f'{x:{y}}')\n"


@pytest.mark.parametrize("other", ["x = 1\n\ny = 2\n", "x = 1\n", "x = 1\ny = 2\nz = 3\n"])
def test_source_is_unchanged_if_packing_would_alter_the_program(monkeypatch, other):
    """As if this Python's tokenizer had read another program."""
    source = f"x = 1  # not {other!r}\ny = 2\n".encode()
    read = tokenize.generate_tokens
    monkeypatch.setattr("tokenize.generate_tokens", lambda _: read(io.StringIO(other).readline))
    assert pack(source) == source


def names_in(source):
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


def test_name_in_any_file_does_not_replace_another():
    """The maker's program uses pin0, which stands for `until` on boards."""
    (name,) = (name for name, short in NAMES.items() if short == "pin0")
    ours = f"# noughts: a\n{name} = pending = 1\n".encode()
    theirs = b"# noughts: b\nfrom microbit import pin0\n"
    files = packed({"ours.py": ours, "theirs.py": theirs})
    assert b"import pin0" in files["theirs.py"]
    assert names_in(files["ours.py"]) == {name, NAMES["pending"]}


@pytest.mark.parametrize(
    "other",
    [
        {"mine.py": b"from rules import pending\n"},  # another program's file, which is not renamed
        {"mine.py": b"# noughts:\nf(pending\n"},  # nor is one that cannot be packed
        {"pending.py": b"# noughts:\n"},  # a module
    ],
)
def test_name_that_another_file_keeps_stays(other):
    ours = {"rules.py": b"# noughts:\npending = began = 1\n"}
    files = packed(ours | other)
    assert names_in(files["rules.py"]) == {"pending", NAMES["began"]}
    assert files.items() >= other.items()


@pytest.mark.parametrize(
    "use",
    [
        "log.add(pending=1)", "globals()['pending']", "getattr(rules, 'pending')",
        "'{pending}'.format(**globals())", "'{0.pending:2}'", "'a%(pending)s' % vars(rules)",
        "f'{pending}'", "f'{rules.pending}'",
    ],
)  # fmt: skip
def test_name_that_a_keyword_or_text_looks_up_stays(use):
    ours = b"# noughts: a\npending = began = 1\n"
    files = packed({"rules.py": ours, "mine.py": f"# noughts: b\n{use}\n".encode()})
    assert names_in(files["rules.py"]) == {"pending", NAMES["began"]}
    assert shape(files["mine.py"]) == shape(f"# noughts: b\n{use}\n".encode())


def test_radio_file_is_renamed_like_the_game(monkeypatch, tmp_path):
    """Even where the maker's change of the game needs another name to stay."""
    for name, content in device_sources().items():
        (tmp_path / name).write_bytes(content)
    with (tmp_path / "ending.py").open("a") as ending:
        ending.write(f"import {NAMES['chosen']}\n")
    monkeypatch.setattr("noughts.brain.device.device_dir", lambda: tmp_path)
    files = files_with(Radio(sends=7), "V2", files_for_boards())
    words = {name: set(re.findall(rb"\w+", content)) for name, content in files.items()}
    assert b"chosen" in words["air.py"] and b"chosen" in words["loop.py"]
    assert NAMES["chosen"].encode() not in words["air.py"] | words["loop.py"]


GAME = files_for_boards()
RADIOS = (OFF, *(Radio(sends=group) for group in (0, 7, 255)), Radio(gateway=0), Radio(gateway=255))


def on_board(files):
    return {
        name: BoardFile(len(c), checksum(c), c if len(c) < 64 else c[:10])
        for name, c in files.items()
    }


@pytest.mark.parametrize("radio", RADIOS, ids=str)
def test_radio_settings_are_read_back_from_the_files(radio):
    files = files_with(radio, "V2", GAME)
    assert radio_of(files) == radio
    assert radio.sends is None or files_with(radio, "V1", GAME) == files_with(OFF, "V1", GAME)
    assert all(content.startswith(MARK) for content in files.values())
    if radio.gateway is not None:
        assert set(files) == {"main.py", "gateway.py"}
    else:
        assert set(files) - set(GAME) == ({"air.py", "group.py"} if radio != OFF else set())


def test_board_gets_no_files_that_only_the_other_kind_uses():
    of_v1, of_v2 = (set(files_with(OFF, kind, GAME)) for kind in ("V1", "V2"))
    assert of_v1 ^ of_v2 == {"games_v1.py", "games_v2.py", "sound.py", "v2.py"}
    assert of_v1 | of_v2 == set(GAME) and "games_v1.py" not in of_v2


@pytest.mark.parametrize("old_radio", RADIOS, ids=str)
@pytest.mark.parametrize("new_radio", RADIOS, ids=str)
def test_plan_changes_a_board_from_any_radio_setting_to_any_other(old_radio, new_radio):
    old, new = files_with(old_radio, "V2", GAME), files_with(new_radio, "V2", GAME)
    remove, send = plan(on_board(old), new, False)
    left = {name: content for name, content in old.items() if name not in remove}
    assert {**left, **{name: new[name] for name in send}} == new
    assert bool(remove or send) == (old_radio != new_radio)
    # The table goes first and comes last: until then, the game says that it is incomplete.
    if old_radio != new_radio and "table.py" in old:
        assert remove[0] == "table.py"
    if old_radio != new_radio and "table.py" in new:
        assert send[-1] == "table.py"


OLD = b"# noughts: "
# Files that show on the LEDs that others are missing come first; the table, without which no game
# starts, comes last.
IN_ORDER = ("fault.py", "main.py", "ai.py", "table.py")
WANTED = {name: OLD + name.encode() for name in IN_ORDER}
RETIRED = {**WANTED, "an 'old'.py": b"# noughts: once", "mine.py": b"# noughts and crosses"}


def planned(files, replace=False):
    return tuple(map(tuple, plan(on_board(files), WANTED, replace)))


@pytest.mark.parametrize(
    ("there", "removed", "sent"),
    [
        (WANTED, (), ()),
        ({}, (), IN_ORDER),
        ({**WANTED, "table.py": OLD}, (), ("table.py",)),
        # Changed files are removed before any is sent, so that space is tightest at the end.
        (dict.fromkeys(WANTED, OLD), ("table.py", "ai.py"), IN_ORDER),
        ({"main.py": WANTED["main.py"]}, (), ("fault.py", "ai.py", "table.py")),
        # Our retired files are removed; other programs' files stay.
        (RETIRED, ("table.py", "an 'old'.py"), ("table.py",)),
        # An interrupted update leaves an empty file.
        ({**WANTED, "main.py": b""}, ("table.py",), ("main.py", "table.py")),
    ],
)
def test_plan_orders_the_files_to_remove_and_send(there, removed, sent):
    assert planned({**there, "settings": b"Hb"}) == (removed, sent)


def test_forget_games_removes_only_stored_games_and_settings():
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


def test_free_space_is_counted_in_chunks():
    require_room("V1", on_board({"big": bytes(126 * 211)}), WANTED)  # of 216; our files take four
    with pytest.raises(BoardError, match=r"128 bytes short of space; .*'big' \(26,712 bytes\)"):
        require_room("V1", on_board({"big": bytes(126 * 212)}), WANTED)
    require_room("V1", on_board({"old.py": MARK + bytes(126 * 212)}), WANTED)  # our own is replaced


UNIVERSAL = uflash._RUNTIME.strip() + "\n"
"""Firmware of 2018 for V1, and of 2021 for V2."""
FILE_NAMES = st.text("abcdefghijklmnopqrstuvwxyz_.", min_size=1, max_size=20)


def changed(board, bytes_at):
    """A board's firmware with these bytes changed, as a plain hex with correct checksums."""
    memory, text = intelhex.IntelHex(slim(board).memory), io.StringIO()
    for address, content in bytes_at.items():
        memory.puts(address, content)
    memory.write_hex_file(text)
    return text.getvalue()


@settings(max_examples=30)
@given(st.dictionaries(FILE_NAMES, st.binary(min_size=1, max_size=600), max_size=8))
def test_files_survive_the_round_trip(files):
    for board in ("V1", "V2"):
        firmware = slim(board)
        assert firmware.with_files(files).files() == files


@settings(max_examples=30)
@given(st.lists(st.binary(min_size=CHUNK_SIZE, max_size=CHUNK_SIZE), max_size=6), st.data())
def test_damaged_file_system_raises_only_noughts_errors(chunks, data):
    firmware = slim("V1").with_files({})
    for number, chunk in enumerate(chunks):
        tail = data.draw(st.sampled_from([0, 1, number + 2, 200, 255]))
        start = firmware.layout.start + number * CHUNK_SIZE
        firmware.memory.puts(start, b"\xfe" + chunk[1:-1] + bytes([tail]))
    with contextlib.suppress(NoughtsError):
        firmware.files()


def test_common_and_bundled_firmware_is_recognized():
    layouts = [
        (firmware.board_model, firmware.release, firmware.micropython, firmware.layout)
        for firmware in (*read_firmware(UNIVERSAL, "it").values(), *firmware_for_boards().values())
    ]
    # uflash packs V2's files where it finds room for them.
    of_uflash = range(uflash._FS_START_ADDR_V2, uflash._FS_END_ADDR_V2)
    assert layouts == [
        ("V1", "1.0.1", "1.9.2", range(0x38C00, 0x3F800)),
        ("V2", "2.0.0-beta.5", "1.13", of_uflash),
        ("V1", "1.1.1", "1.9.2", range(0x38800, 0x3F800)),
        ("V2", "2.1.2", "1.18", range(0x6D000, 0x72000)),
    ]


def test_written_files_fill_whole_chunks():
    files = files_for_boards()
    for firmware in firmware_for_boards().values():
        packed = firmware.with_files(files)
        assert packed.memory[firmware.layout.stop] == 0xFD  # as the firmware would write it
    used = [slim("V1").used({"main.py": bytes(size)}) for size in (1, 116, 117)]
    assert used == [128, 128, 256]


@pytest.mark.parametrize(
    ("board", "bytes_at", "layout"),
    [
        *((board, {}, None) for board in ("V1", "V2")),  # a plain hex
        ("V1", {UicrAddress["PAGES_USED"]: b"\xa0\0"}, range(0x38000, 0x3F800)),
        ("V2", {V2_TABLE + 0x22: b"\x6e"}, range(0x6E000, 0x73000)),
    ],
)
def test_file_system_layout_is_read_from_the_firmware(board, bytes_at, layout):
    (firmware,) = read_firmware(changed(board, bytes_at), "it").values()
    assert (firmware.board_model, firmware.layout) == (board, layout or slim(board).layout)
    assert bytes_at or firmware.memory.todict() == slim(board).memory.todict()


@pytest.mark.parametrize(
    ("board", "bytes_at"),
    [
        ("V1", {UicrAddress["MAGIC"]: bytes(4)}),
        ("V1", {UicrAddress["PAGE_SIZE"]: b"\xff\xff\xff\xff"}),
        ("V1", {UicrAddress["PAGES_USED"]: b"\xff\xff"}),
        ("V1", {UicrAddress["VERSION_LOC"]: b"\xff\xff\xff\xff"}),
        ("V2", {V2_TABLE + 0x30: bytes(4)}),
        ("V2", {V2_TABLE + 0x38: b"\xff\xff"}),  # more rows than fit before the table
        ("V2", {V2_TABLE + 0x3A: b"\x20\0"}),  # pages of 4 GB
        ("V2", {V2_TABLE + 0x24: b"\xff\xff\xff\xff"}),  # the file system's length
    ],
)
def test_firmware_with_impossible_values_is_refused(board, bytes_at):
    with pytest.raises(NoughtsError, match=r"it holds no MicroPython.*; use an official"):
        read_firmware(changed(board, bytes_at), "it")


def record(kind, address=0, data=b""):
    """A line of a hex file."""
    body = bytes((len(data), address >> 8, address & 0xFF, kind)) + data
    return ":" + (body + bytes((-sum(body) & 0xFF,))).hex().upper() + "\n"


END = ":00000001FF\n"
IN_RAM = record(4, 0, b"\x20\0") + record(0, 0, bytes.fromhex("41140E2FB82FA2BB98005E0200000000"))
"""Where MakeCode's hexes have the source of a program."""
AFTER_END = [IN_RAM, "\n" + IN_RAM, record(0x0E, 0, b"source"), "\0" * 16, "\x1a"]


@pytest.mark.parametrize("rest", AFTER_END, ids=ascii)
@pytest.mark.parametrize("end", [END, END.strip()], ids=["LF", "no LF"])
def test_what_follows_the_end_of_a_hex_is_ignored(rest, end):
    if end == END or not rest.startswith(":"):
        plain = changed("V1", {})[: -len(END)]
        (firmware,) = read_firmware(plain + end + rest, "it").values()
        assert firmware.memory.todict() == slim("V1").memory.todict()
    makecode = record(0, 0, bytes(16)) + END + IN_RAM
    with pytest.raises(NoughtsError, match="it holds no MicroPython; use an official"):
        read_firmware(makecode, "it")


def test_data_in_ram_and_a_byte_order_mark_are_ignored(tmp_path):
    path = tmp_path / "it.hex"
    path.write_text("\ufeff" + IN_RAM + changed("V1", {}), "utf-8")
    (firmware,) = load_firmware(path).values()
    assert firmware.memory.todict() == slim("V1").memory.todict()


def test_firmware_without_its_uicr_is_named():
    memory = intelhex.IntelHex(slim("V1").memory)
    del memory[0x1000_1000:0x1000_2000]
    text = io.StringIO()
    memory.write_hex_file(text)
    with pytest.raises(NoughtsError, match=r"it has MicroPython for V1 without its UICR, .*; use"):
        read_firmware(text.getvalue(), "it")


@pytest.mark.parametrize("size", [0, 40, 6_000, 6_140])
@pytest.mark.parametrize("others", [{}, {"a.py": b"a"}, {"main.py": b"newer"}], ids=",".join)
def test_program_that_older_editors_append_is_main(size, others):
    text = (b"display.show('A')\n" * 400)[:size]
    firmware = slim("V1").with_files(others)
    firmware.memory.frombytes(b"MP" + size.to_bytes(2, "little") + text, 0x3E000)
    is_there = 0 < size <= 0x3F800 - 0x3E004
    assert firmware.files() == ({"main.py": text} if is_there else {}) | others
    if others:
        assert firmware.with_files(others).files() == others


def test_official_universal_hex_is_written_back_unchanged():
    assert universal_hex(read_firmware(UNIVERSAL, "it")) == UNIVERSAL


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"a": b""}, r"micro:bit V2: .* content"),
        ({"a" * 121: b"a"}, r"micro:bit V2: .* too long"),
        ({"a": bytes(160 * CHUNK_DATA_SIZE)}, r"V2: Not enough space for file 'a'"),
    ],
)
def test_files_that_cannot_be_stored_are_refused(files, why):
    with pytest.raises(NoughtsError, match=why):
        slim("V2").with_files(files)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("print('hello')\n", "not a hex file"),
        (UNIVERSAL.replace(":10", ":11", 1), "damaged in line 3"),
        (UNIVERSAL.replace("C0DEBB", "C0DEBC", 1), "damaged in line 2"),
        (UNIVERSAL[:100_000].rsplit("\n", 1)[0] + "\n", "cut short"),
        (":0400000000000000FC\n:00000001FF\n", "no MicroPython"),
        (":0400000000000000FC\n:0400030000000000F9\n:00000001FF\n", "its data overlap"),
        (":03000004000000F9\n:0400000000000000FC\n:00000001FF\n", "a wrong address"),
    ],
    ids=itertools.count(1),
)
def test_bad_firmware_files_are_refused_in_one_line(tmp_path, content, why):
    path = tmp_path / "firmware.hex"
    path.write_text(content, "latin-1")
    with pytest.raises(NoughtsError, match=why) as caught:
        load_firmware(path)
    assert "\n" not in str(caught.value) and ";" in str(caught.value)


def test_firmware_for_the_other_board_is_refused(tmp_path):
    path = tmp_path / "v2.hex"
    path.write_text(":020000040000FA\n" + UNIVERSAL[UNIVERSAL.index(":0400000A9903") :])
    with pytest.raises(NoughtsError, match="is for the micro:bit V2 only; choose that with"):
        firmware_for("V1", path)
    with pytest.raises(NoughtsError, match="it holds no MicroPython; use an official"):
        read_firmware(universal_hex({"V1": slim("V2")}), "it")
