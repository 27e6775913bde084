"""A connection to a broker, which reconnects: paho's, with our error messages."""

import queue
import ssl
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from noughts.errors import ThreadFaults
from noughts.recording.events import BrokerAnswered, BrokerUnavailable, Event
from noughts.rooms.address import BrokerAddress
from noughts.rooms.messages import MAX_MESSAGE, OFFLINE

_RECONNECT_DELAY_S = 1.0
_REFUSED_DELAY_S = 60.0
"""After the broker has hung up because of a message, which will be sent again."""
_KEEP_ALIVE_S = 20
"""A broker counts a room as lost after one and a half of these without a packet."""
_SHUTDOWN_TIMEOUT_S = 0.5
"""For sending the last messages."""
_MESSAGE_REFUSED = (130, 149)
"""Reason codes: a protocol error, as paho calls an answer of mosquitto; and a packet too large."""
_LIMITS = f"raise its limits (max_packet_size, message_size_limit) to {MAX_MESSAGE:,} bytes or more"
QOS = 1


class Broker:
    """Maintains a connection to a broker, with these subscriptions, until `close()`.

    Messages published during an outage are sent when the broker is back. Any thread may publish.
    status: a topic that the broker sets to offline when the connection is lost.
    """

    def __init__(
        self, address: BrokerAddress, subscriptions: Sequence[str], status: str | None = None
    ) -> None:
        self.arrived: queue.SimpleQueue[paho.MQTTMessage | Event] = queue.SimpleQueue()
        """Messages, which must be acknowledged, new connections, and failures, each once."""
        self.faults = ThreadFaults()
        """Of the thread; whoever takes the messages raises them."""
        self._address, self._subscriptions = address, subscriptions
        self._why = ""
        """The last failure since the last connection."""
        self._is_accepted = False
        """Whether the broker has accepted the present connection."""
        self._delay_s = _RECONNECT_DELAY_S
        self._closing = threading.Event()
        self._client = client = paho.Client(
            CallbackAPIVersion.VERSION2,
            protocol=paho.MQTTv5,
            manual_ack=True,
            reconnect_on_failure=False,
        )
        client.username_pw_set(address.user, address.password)
        if address.context is not None:
            client.tls_set_context(address.context)
        if status is not None:
            client.will_set(status, OFFLINE, QOS, retain=True)
        # paho calls these; a fault in one must not look like an answer of the server.
        ours = self.faults.keep
        client.on_message = lambda _client, _data, message: self.arrived.put(message)
        # Of the arguments of each callback, the fourth is a reason code, or several.
        client.on_connect = lambda *args: ours(self._note_answer, args[3], args[4])
        client.on_disconnect = lambda *args: ours(self._note_end, args[3])
        client.on_subscribe = lambda *args: ours(self._check, args[3], "subscribe to its topics")
        client.on_publish = lambda *args: ours(self._check, [args[3]], "publish to its topics")
        # paho's own thread would end at an answer that is not MQTT, and it is only its own thread
        # that keeps `publish` from writing to the socket in the thread of its caller. With a
        # callback for writing, as other event loops have, `publish` leaves that to our thread.
        client.on_socket_register_write = lambda *_: None
        threading.Thread(
            target=ours, args=[self._stay_connected], name="broker", daemon=True
        ).start()

    def is_connected(self) -> bool:
        """Whether the broker has accepted a connection, which is not lost yet."""
        return self._is_accepted

    def publish(
        self, topic: str, payload: bytes | str, retain: bool = False
    ) -> paho.MQTTMessageInfo:
        """Send a message, now or when there is a connection, until the broker has it."""
        return self._client.publish(topic, payload, QOS, retain)

    def acknowledge(self, message: paho.MQTTMessage) -> None:
        """Tell the broker that a message need not be sent again."""
        self._client.ack(message.mid, message.qos)

    def close(self, last: Sequence[paho.MQTTMessageInfo] = ()) -> None:
        """Disconnect, once the broker has these messages or that takes too long."""
        end_s = time.monotonic() + _SHUTDOWN_TIMEOUT_S
        for message in last:
            with suppress(RuntimeError):  # it was published while there was no connection
                message.wait_for_publish(end_s - time.monotonic())
        self._closing.set()
        self._client.disconnect()

    def _stay_connected(self) -> None:
        """Connect, and reconnect whenever the connection is lost, in a thread."""
        connect_properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        connect_properties.MaximumPacketSize = 2 * MAX_MESSAGE
        place = self._address.host, self._address.port
        while not self._closing.is_set():
            self._delay_s = _RECONNECT_DELAY_S
            try:
                self._client.connect(
                    *place, _KEEP_ALIVE_S, clean_start=True, properties=connect_properties
                )
                if self._closing.is_set():  # there was nothing to disconnect before
                    self._client.disconnect()
                while self._client.loop() == MQTTErrorCode.MQTT_ERR_SUCCESS:
                    pass
            except Exception as error:  # a server that is not a broker may send anything
                self._note_error(error)
            self._is_accepted = False
            self._closing.wait(self._delay_s)

    def _note_answer(self, code: ReasonCode, properties: Properties | None) -> None:
        largest = getattr(properties, "MaximumPacketSize", MAX_MESSAGE)
        if code.is_failure:
            self._fail(f"it refuses the connection ({code}); check the user and --password-file")
        elif largest < MAX_MESSAGE:
            self._fail(f"it takes packets of {largest:,} bytes at most; {_LIMITS}")
            self._client.disconnect()
        else:
            self._is_accepted, self._why = True, ""
            self._client.subscribe([(topic, QOS) for topic in self._subscriptions])
            self.arrived.put(BrokerAnswered(str(self._address), "connected"))

    def _note_end(self, code: ReasonCode) -> None:
        if self._is_accepted and code.value in _MESSAGE_REFUSED:
            self._delay_s = _REFUSED_DELAY_S
            self._fail(f"it hangs up because of a message ({code}); {_LIMITS}")
        elif self._is_accepted:
            self._fail("the connection was lost; noughts reconnects when the broker is back")
        elif not self._why:
            self._fail(f"it does not answer as an MQTT broker ({code}); {self._advice}")
        self._is_accepted = False

    def _check(self, codes: Iterable[ReasonCode], what: str) -> None:
        """Report it if the broker's access list forbids this."""
        if any(code.is_failure for code in codes):
            self._fail(f"it does not let this user {what}; check its access list")

    def _note_error(self, error: Exception) -> None:
        reason = getattr(error, "strerror", None) or error
        if isinstance(error, ssl.SSLCertVerificationError):
            self._fail(
                f"its certificate is not trusted ({error.verify_message.rstrip('.')}); check the "
                "host's name, and name the certificate of its CA with --ca"
            )
        elif not self._why:
            self._fail(f"no connection to it ({reason}); {self._advice}")

    @property
    def _advice(self) -> str:
        tls = "with" if self._address.tls else "without"
        place = f"{self._address.host} port {self._address.port}"
        return f"check that a broker {tls} TLS runs at {place}"

    def _fail(self, why: str) -> None:
        if why != self._why:
            self._why = why
            self.arrived.put(BrokerUnavailable(str(self._address), why))
