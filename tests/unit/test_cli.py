"""The command line: help, usage errors, one-line failures, and the commands in messages."""

import itertools
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from serial import SerialException

from needed import POSIX
from noughts import brain, cli
from noughts.__main__ import main
from noughts.boards.doctor import ProbedBoard
from noughts.boards.drive import Drive
from noughts.brain.device import device_files
from noughts.cli import COMMANDS
from noughts.cli.play import DOWN_MS, UP_MS, KeyPlayer, read_keys
from noughts.errors import NoughtsError
from noughts.invocation import as_typed
from slim import slim


def python(*words, **named):
    command = [sys.executable, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **named)


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("noughts ", {*COMMANDS}),
        ("noughts games --si", {"--since"}),
        ("noughts vs min", {"minimax", "mine.py"}),
        ("noughts vs own/", {"own/other.py"}),
        ("noughts export --format ", {"csv", "jsonl", "parquet"}),
    ],
)
def test_shell_completion_offers_possible_next_words(line, offered, folder, monkeypatch, capsys):
    """With the variables that bash sets."""
    (folder / "own").mkdir()
    for name in ("mine.py", "own/other.py"):
        (folder / name).touch()
    monkeypatch.setenv("_NOUGHTS_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    with pytest.raises(SystemExit):
        cli.main()
    out = capsys.readouterr().out
    assert offered == {text_line.removeprefix("plain,") for text_line in out.splitlines()}


def test_command_list_is_grouped_and_fits_a_small_terminal(noughts, printed):
    status, out, err = noughts()
    assert (status, out) == (2, "")
    lines = err.splitlines()
    assert len(lines) < 24 and max(map(len, lines)) <= 80
    headings, commands = zip(*(line.split("noughts ") for line in lines[1:]), strict=True)
    assert " ".join(headings).split() == ["play", "board", "class", "engines"]
    assert [command.split()[0] for command in commands] == [*COMMANDS]
    assert printed("--help") == err


@pytest.mark.parametrize("line", cli.overview().splitlines()[1:])
def test_command_help_repeats_its_summary_and_a_valid_example(line, printed):
    example, summary = re.split(" {2,}", line.partition("noughts ")[2])
    name, *words = example.split()
    command = cli.load(name)
    assert command.help.partition(".\n")[0].removesuffix(".").lower() == summary.lower()
    text = printed(name, "--help")
    assert re.search(rf"Examples?:\n    noughts {re.escape(example)}\n", text)
    assert "[default" not in text and "<=" not in text
    command.make_context(name, words)


@pytest.mark.parametrize("name", [*COMMANDS, "boards name", "train menace", "train values"])
def test_help_fits_80_columns(name, printed):
    assert max(map(len, printed(*name.split(), "--help").splitlines())) <= 80


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("gmaes", "No such command 'gmaes'. Did you mean 'games'?"),
        ("xyzzy", "No such command 'xyzzy'; see `noughts --help`"),
        ("\x1b[2J\udcff", "No such command '\\x1b[2J\\udcff'; see `noughts --help`"),
    ],
)
def test_unknown_command_fails_in_one_line_with_a_suggestion(word, message, noughts):
    assert noughts(word, "--json") == (2, "", f"noughts: error: {message}\n")


def test_help_imports_no_heavy_modules():
    code = """
import sys
from noughts import cli
cli.main(["--help"])
heavy = ("textual", "rich", "serial", "psutil", "intelhex", "noughts.game.positions")
print([name for name in heavy if name in sys.modules])
"""
    assert python("-c", code).stdout.splitlines()[-1] == "[]"


WRONG_USAGE = [
    "--unknown", "play --board simulated", "play --keys Q", "play --firmware x.hex --hex x.hex",
    "vs hard --first him", "duel hard hart", "duel hard easy --all", "duel hard easy -n 3",
    "solve X........ --tree 2 --search hard", "table -o -", "hex -o -", "hex --radio 256",
    "put --radio 1 --gateway 2", "put --gateway 1 --table table.py",
    "hex --list noughts.hex --radio 1", "flash --hex a.hex --radio 1", "watch --room 3b",
    "watch --password-file x", "watch --ca x", "watch --publish mqtt://broker --from x",
    "hex --extract folder", "hex --list x.hex --extract folder x.hex", "hex --list x.hex -o y.hex",
    "flash --all /media/MICROBIT", "flash --all --port COM3", "flash /media/ONE /media/TWO",
    "train hard", "vs hard --limit nan", "train menace --games 0", "train menace --against hart",
    "train menace --against ", "train menace --against hard --stored",
    "train menace --stored --plot menace.svg", "train menace --stored --json",
    "train menace --stored --games 500", "train menace --json --show .........",
    "train menace --seats PH", "train menace -o menace.txt",
    "train menace -o games.json --db games.json",
]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "says"),
    [
        *((line, "") for line in WRONG_USAGE),
        ("play \x1b[2J\x07", "Got unexpected extra argument ( [2J )"),
        ("vs mine.py --limit 0", "0.0 is not in the range above 0 to 3600"),
        ("web --port 70000", "'--port': 70000 is not in the range 0 to 65535"),
        ("web --boards 9", "'--boards': 9 is not in the range 0 to 8"),
        ("solve X........ --chip --tree 2", "leave out one"),
        ("solve X........ --search minimax", "add --tree"),
        ("vs hard hard --first it", "the first of two engines moves first"),
        ("watch --emulated 1 /dev/nowhere --db x", "--emulated is a demonstration"),
        ("watch --from x /dev/y", "leave out ports"),
        ("play --keys A --db games.db", "--keys stores no games; leave out --db"),
        ("watch --name x", "--name needs --from"),
        ("play --keys", "noughts play: error: Option '--keys' requires an argument"),
        ("boards name --db", "noughts boards name: error: Option '--db' requires an"),
        ("play --keys A:99999999999999", "'A:99999999999999' has too large a number; use at most"),
        ("play --keys 99999999", "'99999999' has too large a number"),
        ("play --keys tilt:99999999,0", "'tilt:99999999,0' has too large a number"),
        ("games -n 0", "0 is not in the range 1 to 1000000000"),
        ("games --result c", "'c' is not a result; choose from A, B, draw, abandoned, unfinished"),
        ("games --seats p", "'p' is not the letters of two players, such as PH; see "),
        ("games --since mon", "'mon' is not a usable date; write today, yesterday, a weekday"),
        ("games --since 0001-01-01", "is not a usable date"),
        ("games --until 9999-12-31", "is not a usable date"),
        ("replay one", "'one' is not a game"),
        ("stats --plot x.gif", "does not end in .png or .svg"),
        ("solve X........ --svg x.png", "does not end in .svg"),
        ("hex -o x.txt", "does not end in .hex"),
        ("report --seats X1", "the letters of two players, such as PH"),
        ("report -o x.pdf", "a report is HTML; end the name in .html, or add --csv"),
        ("export -o games.json", "add --format"),
    ],
)
def test_wrong_usage_exits_2_and_says_what_is_accepted(line, says, misused):
    assert says in misused(*line.split(" "))


OUTPUTS = [
    ("hex -o", ".hex"), ("solve X........ --svg", ".svg"), ("stats --plot", ".png"),
    ("report -o", ".html"), ("table -o", ".py"), ("learn -o", ".py"), ("export -o", ".csv"),
    ("train menace -o", ".json"), ("train menace --plot", ".png"),
]  # fmt: skip
"""Commands that write a file, which say at once that they cannot."""


@POSIX
@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("play", "no terminal to play in, or it has no full screen; use --keys"),
        ("play --two", "no terminal to play in, or it has no full screen; use a terminal"),
        ("play --firmware missing.hex --keys A", "cannot use missing.hex (No such file or"),
        ("hex --list /dev/zero", "not a hex file"),
        *((f"{words} nowhere/x{ending}", "cannot write nowhere/x") for words, ending in OUTPUTS),
        ("hex --firmware missing.hex", "cannot use missing.hex (No such file or"),
        ("flash /nowhere", "/nowhere is not a micro:bit's drive"),
        ("put", "no micro:bit was found on a serial port; plug it in"),
        ("put --table missing.py", "cannot use missing.py (No such file or directory)"),
    ],
)
def test_failures_print_one_line_and_exit_1(line, why, refused):
    assert why in refused(*line.split())


@pytest.mark.parametrize(
    "line",
    [
        "put --table large.py",
        "table --check -o large.py",
        "watch --known large.txt /dev/nowhere",
        "watch mqtt://office@localhost --password-file large.txt",
        "vs ./large.json",
    ],
)
def test_file_without_end_is_not_read_to_its_end(line, folder, refused):
    """A device such as /dev/zero would take all memory."""
    name = line.split("large")[1].split()[0]
    start = b"# noughts learn\n" if name == ".py" else b""
    (folder / f"large{name}").write_bytes(start.ljust(1_000_001, b"#"))
    assert f"large{name} has more than 1 MB; " in refused(*line.split())


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (NoughtsError("it said \x1b[2J\r\n\x07; do this"), "it said  [2J   ; do this"),
        (
            SerialException("write failed:\nno device"),
            "cannot use the output or a device (write failed: no device); check it and try again",
        ),
    ],
)
def test_error_is_one_line_without_control_characters(error, message, monkeypatch, refused):
    def fail(**named):
        raise error

    monkeypatch.setattr("noughts.cli.table.run_table.callback", fail)
    assert refused("table") == f"noughts: {message}\n"


def test_output_works_on_an_ascii_terminal():
    words = ("-m", "noughts", "solve", "X...O....", "--tree", "2")
    done = python(*words, env={**os.environ, "PYTHONIOENCODING": "ascii"}, encoding="ascii")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "line", ["put", "flash", "hex -o noughts.hex", "solve .........", "prove hard"]
)
def test_missing_table_is_reported_and_no_hex_file_is_written(line, folder, monkeypatch, refused):
    files = {name: text for name, text in device_files().items() if name != "table.py"}
    for module in ("cli.solve", "boards.packing", "engines.levels"):
        monkeypatch.setattr(f"noughts.{module}.device_files", lambda: files)
    monkeypatch.setattr("noughts.boards.drive.find_drives", lambda: [Drive(folder)])
    assert "device/table.py is missing; make " in refused(*line.split())
    assert not (folder / "noughts.hex").exists()


LOSING = brain.Table((1,) * 10, ())
FLAW = f"noughts: the table {LOSING.id} gives away value by playing 5 in X.O......; "


@pytest.mark.parametrize(
    "line", ["put", "put --table table.py", "flash --no-verify", "hex -o noughts.hex"]
)
def test_table_that_can_lose_needs_unproved(line, folder, monkeypatch, noughts, refused):
    given = "--table" in line
    if given:
        (folder / "table.py").write_text(brain.source(LOSING))
    else:
        files = device_files() | {"table.py": brain.source(LOSING).encode()}
        monkeypatch.setattr("noughts.boards.packing.device_files", lambda: files)
    firmwares = {board: slim(board) for board in ("V1", "V2")}
    monkeypatch.setattr("noughts.boards.firmware.bundled_for", firmwares.get)
    monkeypatch.setattr("noughts.boards.drive.find_drives", lambda: [Drive(folder)])
    monkeypatch.setattr("noughts.cli.board.flash", lambda *_, **named: print("sent"))
    monkeypatch.setattr("noughts.cli.board.choose_port", str)
    monkeypatch.setattr(
        "noughts.cli.board.bring_up_to_date", lambda *_: SimpleNamespace(message="sent")
    )
    words = line.split()
    error = refused(*words)
    assert error.startswith(FLAW) and error.endswith("--unproved\n")
    assert {*folder.iterdir()} == ({folder / "table.py"} if given else set())
    status, out, err = noughts(*words, "--unproved")
    assert (status, err) == (0, f"{FLAW}accepted, because of --unproved\n") and out
    if not given:
        status, _, err = noughts(*words, "--gateway", "7")  # a gateway has no table
        assert (status, err) == (0, "")


def test_read_keys_parses_valid_keys_and_refuses_others():
    steps = read_keys("B 500 A AB tilt:400,-2000 flat")
    assert [step.buttons for step in steps] == [("B",), (), ("A",), ("A", "B"), (), ()]
    assert [step.rest_ms for step in steps] == [UP_MS, 500, UP_MS, UP_MS, 0, 0]
    assert [step.tilt for step in steps] == [None] * 4 + [(400, -2000), (0, 0)]
    assert read_keys("") == []
    for bad in (
        "a", "C", "BA", "-1", "1.5", "A:", "A:x", ":40", "40:A",
        "tilt", "tilt:", "tilt:1", "tilt:1,", "tilt:1,2,3", "tilt:x,0", "flat:1",
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"'{bad}' is not a valid key; use A, B, AB"):
            read_keys(f"A {bad}")


def test_ctrl_c_during_startup_exits_quietly(monkeypatch):
    """A second one, while Python exits, is left to the system."""
    monkeypatch.delattr("noughts.cli")
    monkeypatch.delitem(sys.modules, "noughts.cli")
    monkeypatch.setattr(sys, "meta_path", [Mock(find_spec=Mock(side_effect=KeyboardInterrupt))])
    try:
        assert main() == 130
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def test_key_player_follows_the_requested_timing():
    board = Mock(clock_us=0)  # in the menu
    board.uart.receive.return_value = b"$NB,1,00000A83,V1,0.1.0,2798*39\r\n"
    board.leds.return_value = bytes([9] * 25)
    board.run_for.side_effect = lambda us: setattr(board, "clock_us", board.clock_us + us)
    done = [(0,)]

    def record(name):
        return lambda *values: done.append((board.clock_us / 1000, name, *values))

    board.press, board.release, board.tilt = map(record, ("press", "release", "tilt"))
    list(KeyPlayer(board).play(read_keys("A:40 20 AB:100 B tilt:400,-1000 5 flat A")))
    waits = [(later[0] - sooner[0], *later[1:]) for sooner, later in itertools.pairwise(done)]
    assert waits[0][1:] == ("press", "A") and waits[1:] == [
        (40, "release", "A"), (20, "press", "A"), (0, "press", "B"), (100, "release", "A"),
        (0, "release", "B"), (0, "press", "B"), (DOWN_MS, "release", "B"),
        (UP_MS, "tilt", 400, -1000), (5, "tilt", 0, 0), (0, "press", "A"),
        (DOWN_MS, "release", "A"),
    ]  # fmt: skip


PROGRAM = Path(".venv", "bin", "noughts")


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A clone whose `.venv/bin/noughts` runs, but is not on the PATH."""
    program = tmp_path / "clone" / PROGRAM
    program.parent.mkdir(parents=True)
    program.touch(0o755)
    monkeypatch.chdir(tmp_path / "clone")
    monkeypatch.setattr(sys, "argv", [str(PROGRAM), "put"])
    monkeypatch.setenv("PATH", str(tmp_path))
    return program


@POSIX
@pytest.mark.parametrize(
    ("path_folder", "started", "name"),
    [
        ("empty", str(PROGRAM), str(PROGRAM)),
        ("another", str(PROGRAM), str(PROGRAM)),
        ("linked", str(PROGRAM), "noughts"),  # as uv and pipx install it
        *(("linked", place, "noughts") for place in ("noughts/__main__.py", "notebook", "")),
        ("empty", "my games/noughts", '"my games/noughts"'),
    ],
)
def test_advice_names_the_program_as_users_can_type_it(
    clone, tmp_path, monkeypatch, path_folder, started, name
):
    if path_folder == "another":
        (tmp_path / "noughts").touch(0o755)
    elif path_folder == "linked":
        (tmp_path / "noughts").symlink_to(clone)
    monkeypatch.setattr(sys, "argv", [started, "put"])
    assert as_typed("run `noughts put`, `noughts web`") == f"run `{name} put`, `{name} web`"


def test_errors_and_doctor_name_the_program_as_typed(clone, monkeypatch, noughts, refused):
    none = clone / "none.db"
    assert f"`{PROGRAM} watch --db {none}` stores them" in refused("games", db=none)
    probed_boards = [ProbedBoard(board_model="V2", firmware="2.0.0", micropython="1.13")]
    monkeypatch.setattr("noughts.cli.board.find_boards", lambda ports: probed_boards)
    monkeypatch.setattr("noughts.cli.board.probe", lambda board, restart: None)
    assert f"freeze when tilted; run `{PROGRAM} flash`" in noughts("doctor")[1]


def test_help_says_ranges_and_defaults_in_words(printed):
    words = " ".join(printed("web", "--help").split())
    assert (
        "listen on this port, or the next free one; 0: on any (0 to 65,535; default: 8017)" in words
    )
    words = " ".join(printed("vs", "--help").split())
    assert "may take to answer (above 0 to 3,600; default: 20)" in words
