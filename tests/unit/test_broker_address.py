"""Addresses of brokers, passwords, and the options of `noughts watch` for them."""

import ssl

import pytest

from fake_broker import BROKER
from noughts.rooms.address import VARIABLE, is_broker, parse


@pytest.mark.parametrize(
    ("url", "host", "port", "tls", "user", "prefix"),
    [
        ("mqtt://LOCALHOST", "localhost", 1883, False, None, "noughts"),
        ("mqtt://127.0.0.1", "127.0.0.1", 1883, False, None, "noughts"),
        ("mqtts://broker", "broker", 8883, True, None, "noughts"),
        ("MQTT://class@10.0.0.7:1999/school/7b/", "10.0.0.7", 1999, False, "class", "school/7b"),
        ("mqtts://a%40b@[::1]:8884/x%20y", "::1", 8884, True, "a@b", "x y"),
    ],
)
def test_broker_addresses_are_parsed(url, host, port, tls, user, prefix):
    address = parse(url)
    assert (address.host, address.port, address.tls) == (host, port, tls)
    assert (address.user, address.prefix) == (user, prefix)
    assert is_broker(url) and not is_broker("/dev/ttyACM0") and not is_broker("socket://x:1")
    assert parse(str(address)).port == port
    assert address.is_here == (host in ("localhost", "127.0.0.1", "::1"))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("mqtt://",), "is not the address of a broker"),
        (("mqtt://[::1",), "is not the address of a broker"),
        (("mqtt://user@",), "is not the address of a broker"),
        (("mqtt://broker:0",), "is not the address of a broker"),
        (("mqtt://broker/%1B",), "is not the address of a broker"),
        (("mqtt://broker/$SYS",), "with no +, # or $ in the prefix"),
        (("mqtt://u:Secret7@broker",), "password"),
        (("mqtt://u:Secret7@broker:x",), "is not the address of a broker"),
        (("mqtt://:Secret7@b",), "password"),
        (("--publish", BROKER, BROKER), "would get its own messages back"),
        (("--publish", "http://broker"), "is not the address of a broker"),
        (("--publish", "mqtss://broker:8883"), "is not the address of a broker"),
        *(
            (("--publish", BROKER, "--room", room), "is not a valid room name")
            for room in ("a/b", "a\\b", "a:b", "3b ", "_3b", "x" * 61)
        ),
        (("--publish", BROKER, "--ca", "ca.pem"), "with TLS; write mqtts://"),
        (("--publish", BROKER, "--password-file", "empty"), "--password-file needs a user"),
        (("--publish", "mqtt://u@b", "--password-file", "missing"), "cannot use missing (No such"),
        (("--publish", "mqtt://u@b", "--password-file", "empty"), "does not begin with a password"),
        (("mqtts://b", "--ca", "missing"), "cannot read the certificate"),
        (("mqtts://b", "--ca", "empty"), "cannot read the certificate in empty ("),
    ],
)
def test_unusable_broker_options_are_refused(words, why, refused, folder):
    (folder / "empty").write_text("\n")
    error = refused("watch", *words, db="games.db")
    assert why in error and "ecret7" not in error
    assert not (folder / "games.db").exists()


def test_password_comes_from_a_file_or_the_environment(folder, monkeypatch):
    address = "mqtt://class@broker"
    for secret in ("", "from the environment"):
        monkeypatch.setenv(VARIABLE, secret)
        assert parse(address).password == (secret or None)
    for begin in (b"", b"\xef\xbb\xbf"):  # as Windows editors may write it
        (folder / "password").write_bytes(begin + "für dich \r\nanother line\n".encode())
        broker = parse(address, folder / "password")
        assert broker.password == "für dich " and "für dich" not in f"{broker!r}{broker}"
    assert parse(BROKER).password is None
    context = parse("mqtts://broker").context
    assert context.verify_mode is ssl.CERT_REQUIRED and context.check_hostname
