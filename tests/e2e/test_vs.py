"""`noughts vs` in a terminal."""

import pytest


@pytest.mark.parametrize(("keys", "status"), [("5\rq\r", 0), ("\x04", 0), ("\x03", 130)])
def test_leaving_in_a_terminal(terminal, keys, status):
    """The words are the same for q, Ctrl-D and Ctrl-C; the last has the status that shells know."""
    game = terminal("vs", "hard")
    game.wait_for("your cell: ")
    game.wait_for_rest()
    game.type(keys)
    assert game.end() == status
    game.read(0.1)
    assert game.text.endswith("\r\nstopped before the game was over\r\n")
    assert "Traceback" not in game.text
