"""The command line: help, usage errors, failures in one line."""

import itertools
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from serial import SerialException

from needed import POSIX
from noughts import brain, cli
from noughts.device_files import device_files
from noughts.errors import NoughtsError
from noughts.hardware.boot import Start
from noughts.hardware.drive import Drive
from noughts.hardware.probe import ProbedBoard
from noughts.protocol.sentences import Boot
from noughts.virtual.keys import (
    DOWN_MS,
    UP_MS,
    KeyPlayer,
    KeyTokenError,
    Press,
    Tilt,
    Wait,
    read_keys,
)


def noughts(*words, **named):
    command = [sys.executable, "-m", "noughts", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **named)


def test_help_names_every_command():
    done = noughts("--help")
    assert done.returncode == 0
    for command in cli.COMMANDS:
        assert command.name in done.stdout


@POSIX
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("noughts ", {command.name for command in cli.COMMANDS}),
        ("noughts pr", {"prove "}),
        ("noughts games --si", {"--since "}),
        ("noughts vs mini", {"minimax "}),
        ("noughts vs min", {"minimax", "mine.py"}),
        ("noughts vs ./mi", {"./mine.py "}),
        ("noughts vs own/", {"own/other.py "}),
        ("noughts export --format ", {"csv", "jsonl", "parquet"}),
    ],
)
def test_a_shell_is_told_what_could_come_next(line, offered, tmp_path):
    """As bash calls the program, but for the file in place of its descriptor 8."""
    (tmp_path / "own").mkdir()
    for name in ("mine.py", "own/other.py"):
        (tmp_path / name).touch()
    environment = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "offered"),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "IFS": "\n",
        "_ARGCOMPLETE_IFS": "\n",
    }
    assert noughts(env=environment, cwd=tmp_path).returncode == 0
    assert offered <= set((tmp_path / "offered").read_text().split("\n"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_is_printed_for_each_shell(shell):
    done = noughts("--completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert "_ARGCOMPLETE" in done.stdout and "noughts" in done.stdout


def test_completion_without_its_library_is_one_line(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "argcomplete", None)
    assert cli.main(["--completion", "bash"]) == 1
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert "-m pip install argcomplete" in told.err
    monkeypatch.setenv("_ARGCOMPLETE", "1")
    with pytest.raises(SystemExit, match="2"):
        cli.main([])


@pytest.mark.parametrize("command", [command.name for command in cli.COMMANDS])
def test_each_command_has_help_with_an_example(command, capsys):
    with pytest.raises(SystemExit, match="0"):
        cli.main([command, "--help"])
    assert f"Example:\n  noughts {command}" in capsys.readouterr().out


def test_the_list_of_commands_is_grouped_and_fits_the_smallest_terminal():
    done = noughts()
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert len(lines) < 24 and max(map(len, lines)) <= 80
    tasks, task = {}, None
    for line in lines[1:]:
        heading, _, command = line.partition("noughts ")
        task = heading.strip() or task
        tasks.setdefault(task, []).append(command.split()[0])
    assert list(tasks) == ["play", "board", "class", "engines"]
    assert all(tasks.values())
    listed = [name for names in tasks.values() for name in names]
    assert listed == [command.name for command in cli.COMMANDS]
    assert done.stderr.rstrip() in noughts("--help").stdout


def test_examples_in_the_list_are_accepted_by_their_commands():
    for command in cli.COMMANDS:
        program, *words = command.example.splitlines()[0].split()
        assert program == "noughts"
        assert cli._parser(words[0]).parse_args(words).command == command.name


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("gmaes", "did you mean 'games'?"),
        ("PLAY", "did you mean 'play'?"),
        ("replays", "did you mean 'replay'?"),
        ("xyzzy", "`noughts --help` lists them"),
    ],
)
def test_an_unknown_command_is_one_line_with_the_nearest(word, hint, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main([word, "--json"])
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == f"noughts: error: {word!r} is not a command; {hint}\n"


def test_an_unknown_command_does_not_act_on_the_terminal(capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(["\x1b[2J\n\udcff"])
    assert "' [2J  ' is not a command" in capsys.readouterr().err


def test_help_imports_no_command():
    code = """
import sys
from noughts import cli
try:
    cli.main(["--help"])
except SystemExit:
    pass
heavy = ("textual", "rich", "serial", "psutil", "intelhex", "noughts.game.positions")
print([name for name in heavy if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "words",
    [
        ("--unknown",),
        ("unknown",),
        ("play", "--unknown"),
        ("play", "--board", "wooden"),
        ("play", "--keys", "A Q"),
        ("play", "--keys", "AB -5"),
        ("play", "--board", "simulated"),
        ("play", "--keys", "tilt:400"),
        ("play", "--firmware", "x.hex", "--hex", "x.hex"),
        ("prove", "perfect"),
        ("vs",),
        ("vs", "perfect"),
        ("vs", "hard", "--first", "him"),
        ("vs", "hard", "easy", "medium"),
        ("duel",),
        ("duel", "hard"),
        ("duel", "hard", "hart"),
        ("duel", "hard", "easy", "medium"),
        ("duel", "hard", "easy", "--all"),
        ("duel", "hard", "easy", "-n", "3"),
        ("duel", "hard", "easy", "-n", "0"),
        ("solve",),
        ("solve", ".........", "--tree", "0"),
        ("solve", ".........", "--tree", "x"),
        ("solve", ".........", "--svg", "x.svg"),
        ("table", "--unknown"),
        ("hex", "--extract", "folder"),
        ("flash", "--all", "/media/MICROBIT"),
        ("flash", "--all", "--port", "COM3"),
        ("flash", "/media/ONE", "/media/TWO"),
        ("put", "file.py"),
        ("put", "--table"),
        ("doctor", "--port"),
        ("hex", "--list", "x.hex", "--extract", "folder", "x.hex"),
        ("hex", "--list", "x.hex", "-o", "y.hex"),
        ("hex", "-o", "-"),
        ("table", "-o", "-"),
    ],
)
def test_wrong_usage_exits_2(words, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(words)
    assert "error: " in capsys.readouterr().err


@POSIX
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("play",), "no terminal to play in"),
        (("play", "--firmware", "missing.hex", "--keys", "A"), "cannot read missing.hex"),
        (("play", "--firmware", __file__, "--keys", "A"), "not a hex file"),
        (("play", "--hex", "missing.hex", "--keys", "A"), "cannot read missing.hex"),
        (("hex", "--list", "missing.hex"), "cannot read missing.hex"),
        (("hex", "--list", __file__), "not a hex file"),
        (("hex", "--list", "/"), "cannot read /"),
        (("hex", "--list", "/dev/zero"), "not a hex file"),
        (("put", "--table", "/dev/zero"), "/dev/zero is not a table"),
        (("hex", "-o", "/nowhere/x.hex"), "cannot write /nowhere/x.hex"),
        (("hex", "-o", "/"), "cannot write / (it is a folder); name a file"),
        (("flash", "/nowhere"), "/nowhere is not a micro:bit's drive"),
        (("flash",), "no micro:bit drive was found; check that the cable has data lines"),
        (("put",), "no micro:bit was found on a serial port; plug it in"),
        (("put", "--port", "/dev/ttyNONE"), "there is no port /dev/ttyNONE"),
        (("put", "--table", "missing.py"), "cannot read missing.py"),
        (("hex", "--firmware", "missing.hex"), "cannot read missing.hex"),
        (("table", "-o", "/nowhere/table.py"), "cannot write /nowhere/table.py"),
        (("table", "--check", "-o", "/nowhere/table.py"), "cannot read /nowhere/table.py"),
    ],
)
def test_failures_are_one_line_and_exit_1(words, why, capsys):
    assert cli.main(words) == 1
    told = capsys.readouterr().err
    assert told.startswith("noughts: ") and told.count("\n") == 1
    assert why in told and ";" in told


def test_messages_have_no_traceback(monkeypatch, capsys):
    def fail(args):
        raise NoughtsError("it is wrong; do this")

    monkeypatch.setattr("noughts.commands.table.run", fail)
    assert cli.main(["table"]) == 1
    assert capsys.readouterr().err == "noughts: it is wrong; do this\n"


def test_messages_do_not_act_on_the_terminal(monkeypatch, capsys):
    def fail(args):
        raise NoughtsError("it said \x1b[2J\r\n\x07; do this")

    monkeypatch.setattr("noughts.commands.table.run", fail)
    assert cli.main(["table"]) == 1
    assert capsys.readouterr().err == "noughts: it said  [2J   ; do this\n"


def test_wrong_words_do_not_act_on_the_terminal():
    done = noughts("play", "\x1b[2J\x07")
    assert done.returncode == 2
    assert "unrecognized arguments:  [2J " in done.stderr and "\x1b" not in done.stderr


def test_a_terminal_without_our_characters():
    """Such as that of Windows, with its code page 437."""
    for encoding in ("ascii", "cp437"):
        env = {**os.environ, "PYTHONIOENCODING": encoding}
        done = noughts("solve", "X...O....", "--tree", "2", env=env, encoding=encoding)
        assert (done.returncode, done.stderr) == (0, "")


def test_what_the_system_says_without_a_number(monkeypatch, capsys):
    def fail(args):
        raise SerialException("write failed:\n[Errno 5] Input/output error")

    monkeypatch.setattr("noughts.commands.table.run", fail)
    assert cli.main(["table"]) == 1
    told = capsys.readouterr().err
    assert "(write failed: [Errno 5] Input/output error); check it and try again\n" in told


@pytest.mark.parametrize(
    "words",
    [("put",), ("flash",), ("hex", "-o", "FILE"), ("solve", "........."), ("prove", "hard")],
)
def test_a_missing_table(words, tmp_path, monkeypatch, capsys):
    files = {name: text for name, text in device_files().items() if name != "table.py"}
    monkeypatch.setattr("noughts.device_files.device_files", lambda: files)
    monkeypatch.setattr("noughts.hardware.drive.find_drives", lambda: [Drive(tmp_path, {})])
    path = tmp_path / "noughts.hex"
    assert cli.main([str(path) if word == "FILE" else word for word in words]) == 1
    assert not path.exists()
    told = capsys.readouterr().err
    assert "device/table.py is missing; make " in told and told.count("\n") == 1


LOSING = brain.Table((1,) * 10, ())
FLAW = f"noughts: the table {LOSING.id} can play 5 in X.O......, which gives away a win; "


@pytest.mark.parametrize("words", [("put",), ("flash", "--no-verify"), ("hex", "-o", "FILE")])
def test_a_table_that_can_lose_goes_onto_no_board(words, tmp_path, monkeypatch, capsys):
    files = device_files() | {"table.py": brain.source(LOSING).encode()}
    monkeypatch.setattr("noughts.device_files.device_files", lambda: files)
    monkeypatch.setattr("noughts.hardware.drive.find_drives", lambda: [Drive(tmp_path, {})])
    monkeypatch.setattr("noughts.commands.flash.flash", lambda *_, **named: print("sent"))
    monkeypatch.setattr("noughts.commands.put.choose_port", str)
    monkeypatch.setattr("noughts.commands.put.bring_up_to_date", lambda *_, **named: "sent")
    command = [str(tmp_path / "noughts.hex") if word == "FILE" else word for word in words]
    assert cli.main(command) == 1
    told = capsys.readouterr()
    assert told.err.startswith(FLAW) and told.err.endswith("--unproved\n") and not told.out
    assert told.err.count("\n") == 1 and not any(tmp_path.iterdir())
    assert cli.main([*command, "--unproved"]) == 0
    told = capsys.readouterr()
    assert told.err == f"{FLAW}accepted, because of --unproved\n" and told.out
    # A gateway has no table.
    assert cli.main([*command, "--gateway", "7"]) == 0
    assert not capsys.readouterr().err


def test_a_table_of_a_right_id_that_can_lose_is_not_sent(tmp_path, capsys):
    path = tmp_path / "table.py"
    path.write_text(brain.source(LOSING))
    command = ["put", "--port", "/dev/ttyNONE", "--table", str(path)]
    assert cli.main(command) == 1
    assert capsys.readouterr().err.startswith(FLAW)
    assert cli.main([*command, "--unproved"]) == 1
    assert "there is no port /dev/ttyNONE" in capsys.readouterr().err


def test_doctor_tells_of_a_missing_table(monkeypatch, capsys):
    monkeypatch.setattr("noughts.findings.device_files", dict)
    monkeypatch.setattr("noughts.commands.doctor.inspect", lambda *_: [])
    assert cli.main(["doctor"]) == 1
    assert "noughts    device/table.py is missing; make it with" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("board", "release", "told"),
    [
        (
            "V2",
            "2.0.0-beta.5",
            "✗ firmware   MicroPython 1.13 (firmware 2.0.0-beta.5): it may stop",
        ),
        ("V2", "2.1.2", "✓ firmware   MicroPython 1.13 (firmware 2.1.2)\n"),
        (
            "V2",
            "2.1.1",
            "✓ firmware   MicroPython 1.13 (firmware 2.1.1); `noughts flash` brings 2.1.2",
        ),
        ("V2", "2.1.10", "✓ firmware   MicroPython 1.13 (firmware 2.1.10)\n"),
        (
            "V1",
            "1.0.1",
            "✓ firmware   MicroPython 1.13 (firmware 1.0.1); `noughts flash` brings 1.1.1",
        ),
    ],
)
def test_doctor_says_which_firmware_is_to_be_replaced(monkeypatch, capsys, board, release, told):
    found = ProbedBoard(board=board, firmware=release, micropython="1.13")
    monkeypatch.setattr("noughts.commands.doctor.inspect", lambda *_: [found])
    assert cli.main(["doctor"]) == 1  # it has no game
    page = capsys.readouterr().out
    assert told in page
    assert ("run `noughts flash`" in page) == ("✗ firmware" in told)


GAME = Boot("0A83", "V2", "1.0.0", "2798")


def test_doctor_finds_all_well(monkeypatch, capsys):
    found = ProbedBoard(
        board="V2",
        firmware="2.1.2",
        micropython="1.18",
        start=Start(Boot("0A83", "V2", "1.0.0", "2798"), "V2", "1.0.0"),
    )
    monkeypatch.setattr("noughts.commands.doctor.inspect", lambda *_: [found])
    assert cli.main(["doctor"]) == 0
    assert "✗" not in capsys.readouterr().out


def test_keys():
    steps = read_keys("B 500 A AB tilt:400,-2000 flat")
    assert [type(step) for step in steps] == [Press, Wait, Press, Press, Tilt, Tilt]
    assert steps[-2:] == [Tilt(400, -2000), Tilt(0, 0)]
    assert read_keys("") == []
    for bad in (
        "a", "C", "BA", "-1", "1.5", "99999999", "A:", "A:x", ":40", "40:A", "A:99999999",
        "tilt", "tilt:", "tilt:1", "tilt:1,", "tilt:1,2,3", "tilt:x,0", "tilt:2001,0", "flat:1",
    ):  # fmt: skip
        with pytest.raises(KeyTokenError, match=f"'{bad}' is not a valid key; use A, B, AB"):
            read_keys(f"A {bad}")


INTERRUPTED = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)
left = int(sys.argv.pop(1))

class Interrupting:
    # Ctrl-C at the so-and-so-many-th import: no moment depends on how busy the computer is.
    def find_spec(self, name, path=None, target=None):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
from noughts.__main__ import main
status = main()
if left > 0:
    print("too late")
sys.exit(status)
"""


@POSIX
@pytest.mark.parametrize("words", [("games", "--json"), ("watch", "--from", os.devnull)])
def test_ctrl_c_while_it_starts_is_silent(words, tmp_path):
    """At each moment the same: ended by the signal, or with its exit status."""
    moment = 3  # the first import of the entry point, which is the second itself
    while True:
        done = subprocess.run(
            [sys.executable, "-c", INTERRUPTED, str(moment), *words, "--db", str(tmp_path / "db")],
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        if "too late" in done.stdout:
            break
        assert (done.returncode, done.stderr) in ((-signal.SIGINT, ""), (130, "")), moment
        moment += 1 + moment // 3
    assert moment > 20


def test_ctrl_c_that_is_ignored_stays_so():
    """As for what a shell runs in the background."""
    code = """if True:
        import signal
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        from noughts import __main__
        __main__._hear_ctrl_c()
        print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "True\n"


class RecordingBoard:
    """A board in the menu that records the buttons, and how it is held."""

    def __init__(self):
        self.clock_us = 0
        self.done = []
        self.uart = SimpleNamespace(receive=lambda: b"$NB,1,0A83,V1,0.1.0,2798*39\r\n")

    def run_for(self, us):
        self.clock_us += us

    def leds(self):
        return bytes([9] * 25)

    def press(self, button):
        self.done.append((self.clock_us / 1000, button, True))

    def release(self, button):
        self.done.append((self.clock_us / 1000, button, False))

    def tilt(self, x_mg, y_mg):
        self.done.append((self.clock_us / 1000, x_mg, y_mg))


def test_keys_are_held_as_long_as_asked_for():
    board = RecordingBoard()
    list(KeyPlayer(board).play(read_keys("A:40 20 AB:100 B tilt:400,-1000 5 flat A")))
    assert [what for _, *what in board.done] == [
        ["A", True], ["A", False], ["A", True], ["B", True], ["A", False], ["B", False],
        ["B", True], ["B", False], [400, -1000], [0, 0], ["A", True], ["A", False],
    ]  # fmt: skip
    times = [ms for ms, *_ in board.done]
    waits = [after - before for before, after in itertools.pairwise(times)]
    assert waits == [40, 20, 0, 100, 0, 0, DOWN_MS, UP_MS, 5, 0, DOWN_MS]
