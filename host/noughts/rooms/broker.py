"""A connection to a broker that is made again whenever it is lost: paho's, with our words."""

from __future__ import annotations

import socket
import ssl
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from noughts.rooms.address import BrokerAddress, Credentials
from noughts.rooms.messages import MAX_MESSAGE, OFFLINE

_RECONNECT_DELAY_S = 1
"""Between two attempts to connect."""
_KEEP_ALIVE_S = 20
"""After one and a half of these without a word, a broker takes a room for lost."""
_SHUTDOWN_TIMEOUT_S = 0.5
"""For a broker to take the last messages."""
QOS = 1
_REFUSED = {
    132: "it does not know MQTT 5; use a newer broker",
    134: "it refuses this user or password; check both, and --password-file",
    135: "it refuses this user or password; check both, and --password-file",
}
"""By the reason code of MQTT 5."""


class Broker(paho.Client):
    """Maintains a connection to a broker, with these subscriptions. `close()` it.

    Messages published during an outage are sent when the broker is back; any thread may publish.

    connected: called when there is a new connection. received: gets each message, which is to be
    acknowledged. failed: gets the reason for a failure, once until there is a connection again.
    All are called in paho's thread, and must not wait. status: a topic that the broker sets to
    offline when the connection ends without a word.
    """

    def __init__(
        self,
        address: BrokerAddress,
        login: Credentials,
        connected: Callable[[], None],
        received: Callable[[paho.MQTTMessage], None],
        failed: Callable[[str], None],
        subscriptions: Sequence[str],
        status: str | None = None,
    ) -> None:
        super().__init__(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5, manual_ack=True)
        self.reconnect_delay_set(_RECONNECT_DELAY_S, _RECONNECT_DELAY_S)
        self.address, self.subscriptions = address, subscriptions
        self.connected, self.failed = connected, failed
        self.why = ""
        """The last reported error."""
        self.answered = self.let_in = self.closing = False
        if address.user is not None:
            self.username_pw_set(address.user, login.password)
        if login.context is not None:
            self.tls_set_context(login.context)
        if status is not None:
            self.will_set(status, OFFLINE, QOS, retain=True)
        self.on_message = lambda _client, _data, message: received(message)
        self.on_connect = self.note_answer
        self.on_connect_fail = lambda *_: self.note_error(sys.exc_info()[1])
        self.on_disconnect = self.note_end
        self.on_subscribe = self.note_subscribed
        self.on_publish = self.note_published

    def close(self, last: Sequence[paho.MQTTMessageInfo] = ()) -> None:
        """Hang up, once these messages are with the broker or that takes too long."""
        end_s = time.monotonic() + _SHUTDOWN_TIMEOUT_S
        while time.monotonic() < end_s and self.is_connected():
            if all(message.is_published() for message in last):
                break
            time.sleep(0.005)
        self.closing = True
        self.disconnect()
        while time.monotonic() < end_s and self.is_connected():
            time.sleep(0.005)

    def loop_forever(self, timeout: float = 1.0, retry_first_connection: bool = False) -> Any:
        """What paho's thread runs: connect, and whenever that is lost once more."""
        asked = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        asked.MaximumPacketSize = 2 * MAX_MESSAGE
        while not self.closing:
            try:
                self.connect_async(
                    self.address.host, self.address.port, _KEEP_ALIVE_S,
                    clean_start=True, properties=asked,
                )  # fmt: skip
                super().loop_forever(timeout, retry_first_connection)
            except Exception as error:  # a broker may send what paho never expected
                self.note_error(error)
            time.sleep(0 if self.closing else _RECONNECT_DELAY_S)

    def note_answer(self, _: Any, __: Any, ___: Any, code: ReasonCode, ____: Any = None) -> None:
        """The broker lets us in, or does not."""
        self.answered = True
        if code.is_failure:
            self.fail(
                _REFUSED.get(code.value, f"it refuses to connect ({code}); look into its log")
            )
            return
        self.let_in, self.why = True, ""
        if self.subscriptions:
            self.subscribe([(topic, QOS) for topic in self.subscriptions])
        self.connected()

    def note_end(self, _: Any, __: Any, ___: Any, code: ReasonCode, ____: Any = None) -> None:
        """The connection has ended."""
        if self.let_in:
            self.fail("the connection was lost; it is made again when the broker is back")
        elif not self.answered and "Keep alive" in str(code):
            why = "it does not answer as an MQTT broker; check the address and its port"
            self.fail(why, again=True)
        elif not self.answered:
            kind = "one without" if self.address.tls else "one with"
            why = f"it hung up before it answered; check the port, which may be {kind} TLS"
            self.fail(why, again=True)
        self.answered = self.let_in = False

    def note_subscribed(
        self, _: Any, __: Any, ___: int, codes: list[ReasonCode], ____: Any = None
    ) -> None:
        """The broker has taken the subscriptions, or not."""
        if any(code.is_failure for code in codes):
            self.fail("it does not let this user read what rooms say; check its access list")

    def note_published(self, _: Any, __: Any, ___: int, code: ReasonCode, ____: Any = None) -> None:
        """The broker has taken a message, or not."""
        if code.is_failure:
            self.fail("it does not let this user publish there; check its access list")

    def note_error(self, error: BaseException | None) -> None:
        """No connection could be made."""
        self.fail(self.reason(error), again=not isinstance(error, ssl.SSLError))

    def fail(self, why: str, again: bool = False) -> None:
        """Report why something does not work; again: the same failure was already reported."""
        if self.closing or why == self.why or (again and self.why):
            return
        self.why = why
        self.failed(why)

    def reason(self, error: BaseException | None) -> str:
        """Why no connection could be made."""
        where = f"{self.address.host} port {self.address.port}"
        if isinstance(error, ssl.SSLCertVerificationError):
            return (
                f"its certificate is not trusted ({error.verify_message.rstrip('.')}); check the "
                "host's name, and name the certificate of its CA with --ca"
            )
        hung_up = isinstance(error, (ConnectionResetError, ConnectionAbortedError))
        if isinstance(error, ssl.SSLError) or (hung_up and self.address.tls):
            return f"there is no TLS at {where}; write mqtt://, or name the port that has TLS"
        if isinstance(error, socket.gaierror):
            return f"there is no host {self.address.host}; check its name and the network"
        if isinstance(error, OSError):
            why = error.strerror or str(error) or type(error).__name__
            return f"nothing answers at {where} ({why}); check that the broker runs"
        return f"what answers at {where} is not an MQTT broker; check the address"
