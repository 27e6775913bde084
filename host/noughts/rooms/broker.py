"""A connection to a broker that is made again whenever it is lost, in a thread of its own."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from noughts.rooms.address import BrokerAddress
from noughts.rooms.credentials import Credentials
from noughts.rooms.messages import MAX_MESSAGE

_RECONNECT_DELAY_S = 1.0
"""Between two attempts to connect."""
_ANSWER_S = 10.0
"""For a broker to say that it lets us in."""
_KEEP_ALIVE_S = 20
"""After one and a half of these without a word, a broker takes a room for lost."""
_SHUTDOWN_TIMEOUT_S = 0.5
"""For a broker to take the last messages."""
_LOOP_S = 0.5
QOS = 1
_BAD_PASSWORD, _NOT_ALLOWED, _OTHER_VERSION = 134, 135, 132
"""Reason codes of MQTT 5."""


@dataclass(frozen=True)
class Will:
    """What the broker publishes, and retains, when a connection ends without a word."""

    topic: str
    payload: bytes


class Handler(Protocol):
    """What wants a connection. These are called in the broker's thread, and must not wait.

    A client has one connection; its methods may be called in any thread, also when that has ended.
    """

    def connected(self, client: paho.Client) -> None:
        """There is a new connection, and its subscriptions are asked for."""

    def received(self, client: paho.Client, message: paho.MQTTMessage) -> None:
        """A message has come; it is to be acknowledged."""

    def failed(self, why: str) -> None:
        """Something does not work; said once until there is a connection again."""


class Broker:
    """Keeps a connection to a broker, with these subscriptions. `close()` it."""

    def __init__(
        self,
        address: BrokerAddress,
        login: Credentials,
        handler: Handler,
        subscriptions: Sequence[str],
        will: Will | None = None,
    ) -> None:
        self._address, self._login, self._handler = address, login, handler
        self._subscriptions, self._will = subscriptions, will
        self._why = ""
        self._client: paho.Client | None = None
        self._answered = self._let_in = False
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"reach {address}", daemon=True)

    def start(self) -> None:
        """Begin to connect."""
        self._thread.start()

    def close(self, last: Sequence[paho.MQTTMessageInfo] = ()) -> None:
        """Hang up, once these messages are with the broker or that takes too long."""
        end_s = time.monotonic() + _SHUTDOWN_TIMEOUT_S
        while time.monotonic() < end_s and not all(map(_is_with_broker, last)):
            time.sleep(0.005)
        self._closing.set()
        if self._client is not None:
            self._client.disconnect()
        self._thread.join(_SHUTDOWN_TIMEOUT_S)

    def _run(self) -> None:
        while not self._closing.is_set():
            self._client = client = self._new()
            try:
                self._keep(client)
            except Exception as error:  # a broker may send what paho never expected
                self._fail(self._reason(error), again=not isinstance(error, ssl.SSLError))
            finally:
                with suppress(Exception):
                    client.disconnect()
            self._closing.wait(_RECONNECT_DELAY_S)

    def _new(self) -> paho.Client:
        client = paho.Client(
            CallbackAPIVersion.VERSION2,
            protocol=paho.MQTTv5,
            reconnect_on_failure=False,
            manual_ack=True,
        )
        # With this, paho leaves all writing to the thread that runs its loop, below.
        client.on_socket_register_write = lambda *_: None
        if self._address.user is not None:
            client.username_pw_set(self._address.user, self._login.password)
        if self._login.context is not None:
            client.tls_set_context(self._login.context)
        if self._will is not None:
            client.will_set(self._will.topic, self._will.payload, QOS, retain=True)
        # None of these holds the client: it closes its sockets when nobody does any more.
        client.on_message = self._on_message
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_publish = self._on_publish
        return client

    def _keep(self, client: paho.Client) -> None:
        """Keep one connection until it ends."""
        self._answered = self._let_in = False
        asked = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        asked.MaximumPacketSize = 2 * MAX_MESSAGE
        address = self._address
        client.connect(
            address.host, address.port, _KEEP_ALIVE_S, clean_start=True, properties=asked
        )
        if self._closing.is_set():
            client.disconnect()
        end_s = time.monotonic() + _ANSWER_S
        while client.loop(_LOOP_S) == paho.MQTT_ERR_SUCCESS:
            if not self._answered and time.monotonic() > end_s:
                why = "it does not answer as an MQTT broker; check the address and its port"
                self._fail(why, again=True)
                return
        if self._let_in:
            self._fail("the connection was lost; it is made again when the broker is back")
        elif not self._answered:
            kind = "one without" if self._address.tls else "one with"
            why = f"it hung up before it answered; check the port, which may be {kind} TLS"
            self._fail(why, again=True)

    def _on_connect(
        self, client: paho.Client, _: Any, __: Any, code: ReasonCode, ___: Any = None
    ) -> None:
        self._answered = True
        if code.is_failure:
            if code.value in (_BAD_PASSWORD, _NOT_ALLOWED):
                why = "it refuses this user or password; check both, and --password-file"
            elif code.value == _OTHER_VERSION:
                why = "it does not know MQTT 5; use a newer broker"
            else:
                why = f"it refuses to connect ({code}); look into its log"
            self._fail(why)
            return
        self._let_in, self._why = True, ""
        if self._subscriptions:
            client.subscribe([(topic, QOS) for topic in self._subscriptions])
        self._handler.connected(client)

    def _on_message(self, client: paho.Client, _: Any, message: paho.MQTTMessage) -> None:
        self._handler.received(client, message)

    def _on_subscribe(
        self, _: paho.Client, __: Any, ___: int, codes: list[ReasonCode], ____: Any = None
    ) -> None:
        if any(code.is_failure for code in codes):
            self._fail("it does not let this user read what rooms say; check its access list")

    def _on_publish(
        self, _: paho.Client, __: Any, ___: int, code: ReasonCode, ____: Any = None
    ) -> None:
        if code.is_failure:
            self._fail("it does not let this user publish there; check its access list")

    def _fail(self, why: str, again: bool = False) -> None:
        """Tell why something does not work; again: it is no news that it still does not."""
        if self._closing.is_set() or why == self._why or (again and self._why):
            return
        self._why = why
        self._handler.failed(why)

    def _reason(self, error: Exception) -> str:
        where = f"{self._address.host} port {self._address.port}"
        if isinstance(error, ssl.SSLCertVerificationError):
            return (
                f"its certificate is not trusted ({error.verify_message.rstrip('.')}); check the "
                "host's name, and name the certificate of its CA with --ca"
            )
        hung_up = isinstance(error, (ConnectionResetError, ConnectionAbortedError))
        if isinstance(error, ssl.SSLError) or (hung_up and self._address.tls):
            return f"there is no TLS at {where}; write mqtt://, or name the port that has TLS"
        if isinstance(error, socket.gaierror):
            return f"there is no host {self._address.host}; check its name and the network"
        if isinstance(error, OSError):
            why = error.strerror or str(error) or type(error).__name__
            return f"nothing answers at {where} ({why}); check that the broker runs"
        return f"what answers at {where} is not an MQTT broker; check the address"


def _is_with_broker(message: paho.MQTTMessageInfo) -> bool:
    try:
        return message.is_published()
    except (ValueError, RuntimeError):  # there was no connection for it
        return True
