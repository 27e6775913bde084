"""A connection to a broker, which reconnects: paho's, with our error messages."""

import queue
import socket
import ssl
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from noughts.recording.events import BrokerAnswered, Event, PortUnavailable
from noughts.rooms.address import BrokerAddress
from noughts.rooms.messages import MAX_MESSAGE, OFFLINE

_RECONNECT_DELAY_S = 1
_KEEP_ALIVE_S = 20
"""A broker counts a room as lost after one and a half of these without a packet."""
_SHUTDOWN_TIMEOUT_S = 0.5
"""For sending the last messages."""
QOS = 1


class Broker(paho.Client):
    """Maintains a connection to a broker, with these subscriptions, until `close()`.

    Messages published during an outage are sent when the broker is back. Any thread may publish.
    status: a topic that the broker sets to offline when the connection is lost.
    """

    def __init__(
        self, address: BrokerAddress, subscriptions: Sequence[str], status: str | None = None
    ) -> None:
        super().__init__(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5, manual_ack=True)
        self.reconnect_delay_set(_RECONNECT_DELAY_S, _RECONNECT_DELAY_S)
        self.address, self.subscriptions = address, subscriptions
        self.arrived: queue.SimpleQueue[paho.MQTTMessage | Event] = queue.SimpleQueue()
        """Messages, which must be acknowledged, new connections, and failures, each once."""
        self.why = ""
        """The last failure that was reported since the last connection."""
        self.let_in = self.closing = False
        if address.user is not None:
            self.username_pw_set(address.user, address.password)
        if address.context is not None:
            self.tls_set_context(address.context)
        if status is not None:
            self.will_set(status, OFFLINE, QOS, retain=True)
        self.on_message = lambda _client, _data, message: self.arrived.put(message)
        self.on_connect = lambda *given: self.note_answer(given[3])
        self.on_connect_fail = lambda *_: self.note_error(sys.exc_info()[1])
        self.on_disconnect = lambda *given: self.note_end(given[3])
        self.on_subscribe = lambda *given: self.check(given[3], "read what rooms say")
        self.on_publish = lambda *given: self.check([given[3]], "publish there")
        self.loop_start()

    def close(self, last: Sequence[paho.MQTTMessageInfo] = ()) -> None:
        """Disconnect, once the broker has these messages or that takes too long."""
        end_s = time.monotonic() + _SHUTDOWN_TIMEOUT_S
        while self.is_connected() and time.monotonic() < end_s:
            if all(message.is_published() for message in last):
                break
            time.sleep(0.005)
        self.closing = True
        self.disconnect()

    def loop_forever(self, timeout: float = 1.0, retry_first_connection: bool = False) -> Any:
        """Connect, and reconnect whenever the connection is lost, in paho's thread."""
        asked = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        asked.MaximumPacketSize = 2 * MAX_MESSAGE
        while not self.closing:
            try:
                self.connect_async(
                    self.address.host, self.address.port, _KEEP_ALIVE_S,
                    clean_start=True, properties=asked,
                )  # fmt: skip
                super().loop_forever(timeout, retry_first_connection)
            except Exception as error:  # a server that is not a broker may send anything
                self.note_error(error)
            time.sleep(0 if self.closing else _RECONNECT_DELAY_S)

    def note_answer(self, code: ReasonCode) -> None:
        self.let_in = not code.is_failure
        if code.is_failure:
            wrong = "this user or password; check both, and --password-file"
            known = code.value in (134, 135)  # in MQTT 5
            self.fail(f"it refuses {wrong if known else f'to connect ({code}); look into its log'}")
        else:
            self.why = ""
            self.subscribe([(topic, QOS) for topic in self.subscriptions])
            self.arrived.put(BrokerAnswered(str(self.address), "connected"))

    def note_end(self, code: ReasonCode) -> None:
        if self.let_in:
            self.fail("the connection was lost; noughts reconnects when the broker is back")
        elif not self.why:
            other = "one without" if self.address.tls else "one with"
            self.fail(
                "it does not answer as an MQTT broker; check the address and its port"
                if "Keep alive" in str(code)
                else f"it hung up before it answered; check the port, which may be {other} TLS"
            )
        self.let_in = False

    def check(self, codes: Iterable[ReasonCode], what: str) -> None:
        """Report it if the broker's access list forbids this."""
        if any(code.is_failure for code in codes):
            self.fail(f"it does not let this user {what}; check its access list")

    def note_error(self, error: BaseException | None) -> None:
        if not self.why or isinstance(error, ssl.SSLError):
            self.fail(self.reason(error))

    def fail(self, why: str) -> None:
        if why != self.why:
            self.why = why
            self.arrived.put(PortUnavailable(str(self.address), why))

    def reason(self, error: BaseException | None) -> str:
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
