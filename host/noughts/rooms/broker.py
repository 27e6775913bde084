"""A connection to a broker, which reconnects: paho's, with our error messages."""

import queue
import ssl
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
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
        """The last failure since the last connection."""
        self.let_in = self.closing = False
        self.username_pw_set(address.user, address.password)
        if address.context is not None:
            self.tls_set_context(address.context)
        if status is not None:
            self.will_set(status, OFFLINE, QOS, retain=True)
        self.on_message = lambda _client, _data, message: self.arrived.put(message)
        self.on_connect = lambda *given: self.note_answer(given[3])
        self.on_connect_fail = lambda *_: self.note_error(sys.exc_info()[1])
        self.on_disconnect = lambda *given: self.note_end(given[3])
        self.on_subscribe = lambda *given: self.check(given[3], "subscribe to its topics")
        self.on_publish = lambda *given: self.check([given[3]], "publish to its topics")
        self.loop_start()

    def close(self, last: Sequence[paho.MQTTMessageInfo] = ()) -> None:
        """Disconnect, once the broker has these messages or that takes too long."""
        end_s = time.monotonic() + _SHUTDOWN_TIMEOUT_S
        for message in last:
            with suppress(RuntimeError):  # it was published while there was no connection
                message.wait_for_publish(end_s - time.monotonic())
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
            self.fail(f"it refuses the connection ({code}); check the user and --password-file")
        else:
            self.why = ""
            self.subscribe([(topic, QOS) for topic in self.subscriptions])
            self.arrived.put(BrokerAnswered(str(self.address), "connected"))

    def note_end(self, code: ReasonCode) -> None:
        if self.let_in:
            self.fail("the connection was lost; noughts reconnects when the broker is back")
        elif not self.why:
            self.fail(f"it does not answer as an MQTT broker ({code}); {self.advice}")
        self.let_in = False

    def check(self, codes: Iterable[ReasonCode], what: str) -> None:
        """Report it if the broker's access list forbids this."""
        if any(code.is_failure for code in codes):
            self.fail(f"it does not let this user {what}; check its access list")

    def note_error(self, error: BaseException | None) -> None:
        reason = getattr(error, "strerror", None) or error
        if isinstance(error, ssl.SSLCertVerificationError):
            self.fail(
                f"its certificate is not trusted ({error.verify_message.rstrip('.')}); check the "
                "host's name, and name the certificate of its CA with --ca"
            )
        elif not self.why:
            self.fail(f"no connection to it ({reason}); {self.advice}")

    @property
    def advice(self) -> str:
        tls = "with" if self.address.tls else "without"
        return f"check that a broker {tls} TLS runs at {self.address.host} port {self.address.port}"

    def fail(self, why: str) -> None:
        if why != self.why:
            self.why = why
            self.arrived.put(PortUnavailable(str(self.address), why))
