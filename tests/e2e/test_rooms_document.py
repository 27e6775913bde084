"""What docs/rooms.md shows works as it is written: the broker's files, and the commands."""

import re
import signal
import subprocess
import sys

import pytest
import trustme

from mosquitto import installed, is_slow
from noughts.cli import main


@pytest.fixture
def document(repository):
    return (repository / "docs" / "rooms.md").read_text("utf-8")


def blocks(document):
    """The broker's configuration, and its access list."""
    configuration, access = re.findall(r"^```\n(.*?)^```", document, re.MULTILINE | re.DOTALL)
    return configuration, access


def commands(document):
    return re.findall(r"^    \.venv/bin/noughts (watch .*)$", document, re.MULTILINE)


def test_the_broker_the_rooms_and_the_collector(document, mosquitto, tmp_path, monkeypatch):
    shown = commands(document)
    assert len(shown) == 4
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    own = authority.issue_cert("localhost")
    own.private_key_pem.write_to_path(tmp_path / "broker.key")
    own.cert_chain_pems[0].write_to_path(tmp_path / "broker.pem")
    (tmp_path / "password").write_text("a password\n")
    configuration, access = blocks(document)
    (tmp_path / "noughts.access").write_text(access)
    for user, create in (("office", ["-c"]), ("3b", [])):
        command = [
            installed("mosquitto_passwd"),
            *create,
            "-b",
            "noughts.users",
            user,
            "a password",
        ]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    for folder in ("/var/lib/mosquitto", "/etc/mosquitto/certs", "/etc/mosquitto"):
        configuration = configuration.replace(f"{folder}/", f"{tmp_path}/")
    guarded = mosquitto(whole=configuration.replace("listener 8883", "listener {port} 127.0.0.1"))
    open_to_all = mosquitto()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    for words in shown:
        words = words.replace("broker.school.example", f"localhost:{guarded.port}")
        words = words.replace("mqtt://localhost", open_to_all.url)
        check(words.split(), tmp_path)


def check(words, folder):
    """It reaches its broker, and Ctrl-C ends it."""
    with subprocess.Popen(
        [sys.executable, "-m", "noughts", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            of_broker = (each for each in process.stdout if "mqtt" in each and not is_slow(each))
            assert re.fullmatch(r"mqtts?://\S+: connected\n", next(of_broker, ""))
            process.send_signal(signal.SIGINT)
            assert process.wait(120) == 0
        finally:
            process.kill()


def test_what_the_document_names_is_there(document, capsys):
    with pytest.raises(SystemExit):
        main(["watch", "--help"])
    told = capsys.readouterr().out
    for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", document)):
        if option not in ("--board", "--kills", "--seconds"):  # of other commands
            assert option in told, option
    assert "NOUGHTS_MQTT_PASSWORD" in told
