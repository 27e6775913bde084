"""The LEDs of virtual boards, sampled while a browser shows them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from noughts.errors import BoardGoneError
from noughts.virtual.kept_flash import choice_in

if TYPE_CHECKING:
    from noughts.web.hub import Hub

_EVERY_S = 0.016
_CLOCK_MS = 200
"""How often the device clock is sent, if nothing else is."""
_DIGITS = bytes(range(48, 58)).ljust(256, b"?")


async def stream_leds(hub: Hub) -> None:
    """Send LEDs that have changed to the hub's channel `leds`, without end."""
    sent: dict[str, tuple[bytes, int]] = {}
    flashes: dict[str, bytes] = {}
    now_s = asyncio.get_running_loop().time
    while True:
        await hub.led_clients.any_connected.wait()
        begin_s = now_s()
        for name, board in list(hub.virtual.running.items()):
            try:
                leds, ms = board.leds(), board.clock_us() // 1000
            except BoardGoneError as error:
                hub.note_end(name, board, str(error))
                continue
            hub.see(name, leds)
            before = sent.get(name, (b"", 0))
            if leds != before[0] or abs(ms - before[1]) >= _CLOCK_MS:
                sent[name] = leds, ms
                hub.leds.set(f"leds/{name}", [leds.translate(_DIGITS).decode(), ms])
            flash = board.memory()
            if flashes.get(name) is not flash:
                flashes[name] = flash
                hub.note_controls(name, choice_in(flash)[1])
        await asyncio.sleep(max(_EVERY_S / 4, _EVERY_S - (now_s() - begin_s)))
