"""`noughts web`: what the command says, its port, and its end."""

import signal

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
