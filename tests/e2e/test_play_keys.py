"""`noughts play --keys`: the whole program, without a terminal, on both boards."""

import signal

import micropython_microbit_fs
import pytest

from boards import LETTERS
from needed import POSIX, long
from noughts.protocol.sentences import Boot, Game, parse


@pytest.mark.parametrize("board", ["v1", long("v2")])
def test_the_same_keys_give_the_same_pictures_and_sentences_to_the_byte(board, started, noughts):
    """Against the chip at easy, which plays at random."""
    words = "play", "--board", board, "--keys", "A 100 B 200 B 900 B 900"
    program = started(*words, text=True)
    out, err = program.communicate(timeout=300)
    assert (program.returncode, out, err) == noughts(*words) and not program.returncode
    told = [block.split() for block in out.split(" ms  ")[1:]]
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
def test_a_signal_ends_it(started, number):
    program = started("play", "--board", "v1", "--keys", "A 3600000", text=True)
    assert "$NB" in program.stdout.readline()
    program.send_signal(number)
    assert program.wait(120) == -number
    assert program.stderr.read() == ""


def test_without_unicorn(tmp_path, terminal):
    """It cannot be loaded, as where there is no wheel of it."""
    (tmp_path / "unicorn.py").write_text("raise ImportError('no library for this computer')\n")
    program = terminal("play", PYTHONPATH=str(tmp_path))
    assert program.end() == 1
    assert program.text.replace("\r\n", "\n") == (
        "noughts: the emulator needs Unicorn, which cannot be loaded here (no library for this "
        "computer); install the version that works: pip install unicorn==2.1.4\n"
    )
