"""`noughts web`: what the command says, its port, and its end."""

import signal

import pytest

from noughts.cli import main
from noughts.commands import web
from noughts.web.server import listening
from noughts.web.site import Site


def test_a_signal_ends_it(command):
    status, said = command("--boards", "0").end(signal.SIGTERM)
    assert status == -signal.SIGTERM and said.count("\n") == 1


def test_a_taken_port_is_replaced_by_the_next():
    with listening(0, lan=False) as taken:
        port = taken.getsockname()[1]
        with listening(port, lan=False) as next_one:
            assert next_one.getsockname()[1] > port


def test_the_command_says_where_the_page_is_and_warns_of_others(tmp_path, capsys):
    site = Site(tmp_path / "games.db", 8017, (*Site.hosts, "192.0.2.2"), lan=True)
    web._ready(site, browse=False)
    here, warning = capsys.readouterr().err.splitlines()
    assert here == "noughts is at http://127.0.0.1:8017/ (Ctrl-C ends)"
    assert warning == (
        "other computers can look on at http://192.0.2.2:8017/: whoever is in your network "
        "sees the boards' names and all games, and can change nothing"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "70000"], "argument --port: 70000 is not from 0 to 65535"),
        (["--boards", "9"], "argument --boards: 9 is not from 0 to 8"),
    ],
)
def test_numbers_out_of_range_are_refused(words, said, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["web", *words])
    assert capsys.readouterr().err.endswith(f"error: {said}\n")
