"""`noughts play --keys`: the whole program, without a terminal, on both boards."""

import signal
import subprocess
import sys

import micropython_microbit_fs
import pytest

from boards import LETTERS
from needed import POSIX, long
from noughts.protocol.sentences import Boot, Game, parse


def command(board, keys):
    return [sys.executable, "-m", "noughts", "play", "--board", board, "--keys", keys]


@pytest.mark.parametrize("board", ["v1", long("v2")])
def test_the_same_keys_give_the_same_pictures_and_sentences_to_the_byte(board, noughts):
    """Against the chip at easy, which plays at random."""
    keys = "A 100 B 200 B 900 B 900"
    done = subprocess.run(command(board, keys), capture_output=True, text=True, timeout=300)
    assert (0, done.stdout, "") == noughts("play", "--board", board, "--keys", keys)
    told = [block.split() for block in done.stdout.split(" ms  ")[1:]]
    pictures = [" ".join(words[1:6]) for words in told if words[0] == "LEDs"]
    # The menu's 2, then E at the press of A, then, after the press of B, the cursor of A.
    assert pictures[0] == LETTERS["2"]
    assert pictures.index(LETTERS["E"]) < pictures.index("..... ..... ..9.. ..... .....")
    boot, begun, *games = [parse(words[0]).sentence for words in told if words[0].startswith("$")]
    assert isinstance(boot, Boot) and boot.board == board.upper()
    assert (begun.seats, begun.moves) == ("PE", ())
    assert len(games) > 3 and all(isinstance(game, Game) for game in games)


def test_a_game_that_does_not_start(tmp_path, noughts):
    path = tmp_path / "bare.hex"
    path.write_text(micropython_microbit_fs.get_bundled_hex(1).content)
    status, out, err = noughts("play", "--board", "v1", "--keys", "A", "--hex", path)
    assert status == 1
    assert "MicroPython v1.9.2" in out
    assert err == "noughts: the board does not start the game; check its files\n"


@POSIX
@pytest.mark.parametrize("number", [signal.SIGINT, long(signal.SIGTERM)])
def test_a_signal_ends_it(number):
    words = command("v1", "A 3600000")
    program = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert "$NB" in program.stdout.readline()
        program.send_signal(number)
        assert program.wait(120) == -number
        assert program.stderr.read() == ""
    finally:
        program.kill()
        program.communicate()


def test_without_unicorn(tmp_path, terminal):
    """It cannot be loaded, as where there is no wheel of it."""
    (tmp_path / "unicorn.py").write_text("raise ImportError('no library for this computer')\n")
    program = terminal("play", PYTHONPATH=str(tmp_path))
    assert program.end() == 1
    assert program.text.replace("\r\n", "\n") == (
        "noughts: the emulator needs Unicorn, which cannot be loaded here (no library for this "
        "computer); install the version that works: pip install unicorn==2.1.4\n"
    )
