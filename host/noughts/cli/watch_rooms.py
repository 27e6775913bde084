"""What `noughts watch` has to do with rooms: its options, and the brokers that they name."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from types import SimpleNamespace

import click

from noughts.cli import options
from noughts.errors import NoughtsError
from noughts.rooms.address import (
    BrokerAddress,
    Credentials,
    credentials,
    is_broker,
    parse,
    room_name,
)
from noughts.terminal.lines import say
from noughts.watch.recorder import Recorder


def room_options(run: options.Run) -> options.Run:
    """The options about rooms."""
    option = partial(
        click.option, cls=options.Option, heading="Rooms (an MQTT broker; see docs/rooms.md)"
    )
    publish = option(
        "--publish",
        metavar="URL",
        help="send what the boards say to a broker, mqtt[s]://[user@]host[:port][/prefix]; "
        "as PORT, such a URL collects what rooms send",
    )
    room = option(
        "--room", metavar="NAME", help="with --publish: what this room is called (this host's name)"
    )
    password_file = option(
        "--password-file",
        type=options.FILE,
        help="the user's password at the broker, its first line "
        "(else from the environment, NOUGHTS_MQTT_PASSWORD)",
    )
    ca = option(
        "--ca",
        type=options.FILE,
        help="with mqtts: the certificate of the CA that the broker's is signed by, in PEM "
        "(those that the system trusts)",
    )
    return publish(room(password_file(ca(run))))


class Rooms:
    """The brokers that the command names, their words checked. Raises `NoughtsError`."""

    def __init__(self, args: SimpleNamespace) -> None:
        self.ports = [port for port in args.port if not is_broker(port)]
        """The ports that are named, without brokers."""
        self.collects = [parse(port) for port in args.port if is_broker(port)]
        self._publishes = None if args.publish is None else parse(args.publish)
        brokers = [*self.collects, *([self._publishes] if self._publishes else [])]
        if not brokers and (args.password_file or args.ca):
            raise click.UsageError(
                "--password-file and --ca are for a broker; name it, or leave them out"
            )
        if args.room is not None and self._publishes is None:
            raise click.UsageError("--room needs --publish")
        for address in self.collects:
            if self._publishes and _are_same(address, self._publishes):
                raise NoughtsError(
                    f"{address} would get back what comes from it; publish to another broker, or "
                    "under another prefix"
                )
        self._logins: dict[BrokerAddress, Credentials] = {}
        for address in brokers:
            self._logins[address] = credentials(address, args.password_file, args.ca)
        self._room = room_name(args.room)

    def start(self, recorder: Recorder, stack: ExitStack) -> None:
        """Connect to the brokers, until the stack's end: sources, and who publishes the store."""
        # These take 7 MB of memory, which few watches need.
        for address in dict.fromkeys(self.collects):
            from noughts.rooms.collector import Collector

            collector = Collector(address, self._login(address))
            stack.callback(collector.close)
            recorder.sources.append(collector)
        if (broker := self._publishes) is not None:
            from noughts.rooms.publisher import Publisher

            if broker.user is None and not broker.is_here:
                say(
                    f"no user is named for {broker}; if it needs none, anybody who can reach it "
                    "can confirm games that no collector has stored (see docs/rooms.md)"
                )
            publisher = Publisher(broker, self._login(broker), self._room, lambda: recorder.store)
            stack.callback(publisher.close)
            recorder.sources.append(publisher)

    def _login(self, address: BrokerAddress) -> Credentials:
        login = self._logins[address]
        if login.password is not None and login.context is None and not address.is_here:
            say(f"the password for {address} is sent unencrypted; use mqtts:// if the broker can")
        return login


def _are_same(one: BrokerAddress, other: BrokerAddress) -> bool:
    return (one.host, one.port, one.prefix) == (other.host, other.port, other.prefix)
