"""`noughts web`: the command, its port, and its end."""

import signal
import subprocess
import sys

import pytest


def test_a_page_is_there_and_ctrl_c_ends_it(serve, page):
    server = serve("--boards", "0")
    page.goto(server.url)
    assert page.title() == "Play tic-tac-toe against a friend or an engine · noughts"
    page.get_by_text("Your turn: you are X.").wait_for()
    assert server.end() == (0, f"noughts is at {server.url}/ (Ctrl-C ends)\n")


def test_a_taken_port_is_replaced_by_the_next(serve):
    first = serve("--boards", "0")
    assert serve("--boards", "0", port=first.port).port > first.port


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "70000"], "argument --port: 70000 is not from 0 to 65535"),
        (["--boards", "9"], "argument --boards: 9 is not from 0 to 8"),
    ],
)
def test_wrong_words(words, said):
    command = [sys.executable, "-m", "noughts", "web", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.endswith(f"error: {said}\n")


def test_a_signal_ends_it(serve):
    status, said = serve("--boards", "0").end(signal.SIGTERM)
    assert status == -signal.SIGTERM and said.count("\n") == 1
