"""The serial ports of real micro:bits: finding and opening them, and explaining failures."""

import contextlib
import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import serial
from serial.tools import list_ports

from noughts.boards.permissions import port_refused
from noughts.errors import BoardError, BoardGoneError

ERRORS: tuple[type[Exception], ...] = (OSError, serial.SerialException)
"""All errors that a port can raise."""
with contextlib.suppress(ImportError):  # on Windows
    import termios

    ERRORS += (termios.error,)

VENDOR, PRODUCT = 0x0D28, 0x0204
"""The USB ids of every micro:bit's interface chip (DAPLink)."""

_MIN_ID_LENGTH = 16
"""Characters of a USB serial number: those of interface chips have 48."""

BAUD = 115200


class Port(NamedTuple):
    """A serial port of a micro:bit."""

    name: str
    """For `serial.serial_for_url`, such as `/dev/ttyACM0` or `COM3`."""
    usb_id: str | None
    """The USB serial number in lower case, if it is known; DETAILS.TXT has it as `Unique ID`."""


def find_ports() -> list[Port]:
    """The ports of all micro:bits that are plugged in."""
    return sorted(
        Port(port.device, known_id(port.serial_number))
        for port in list_ports.comports()
        if (port.vid, port.pid) == (VENDOR, PRODUCT)
    )


def known_id(usb_id: str | None) -> str | None:
    """A USB serial number in lower case; None for what is not one, such as Windows' `8`."""
    text = (usb_id or "").strip().lower()
    return text if len(text) >= _MIN_ID_LENGTH else None


def choose_port(name: str | None) -> str:
    """The port with this name; without a name, the port of the only micro:bit.

    Raises `BoardError` if there is no micro:bit, or more than one.
    """
    if name is not None:
        return name
    ports = find_ports()
    if not ports:
        raise BoardError(
            "no micro:bit was found on a serial port; plug it in with a cable that has data lines, "
            "or name its port with --port"
        )
    if len(ports) > 1:
        names = ", ".join(port.name for port in ports)
        raise BoardError(f"{len(ports)} micro:bits are plugged in ({names}); name one with --port")
    return ports[0].name


def open_port(name: str) -> serial.SerialBase:
    """Open a port, exclusively where the system can do that. Reading from it does not wait.

    name: a device, or any URL that pyserial knows. Raises `BoardError` in one line.
    """
    try:
        port: serial.SerialBase = serial.serial_for_url(name, BAUD, timeout=0, exclusive=True)
    except Exception as error:  # URL handlers can raise anything
        raise BoardError(why_not(name, error)) from error
    # Programs that take no lock would steal the board's answers. A virtual board's own process has
    # the port open too, but that is not a tty device.
    users = users_of(name) if Path(name).name.startswith("tty") else []
    if users:
        port.close()
        raise BoardError(_in_use(name, users))
    return port


def gone(port: serial.SerialBase) -> BoardGoneError:
    """The error for a port that has disappeared during its use."""
    return BoardGoneError(
        f"the board on {port.port} went away; plug it in and run the same command again"
    )


def may_be_port(name: str) -> bool:
    """Whether it is a serial device, a URL, or not there yet; on Windows, always."""
    if os.name != "posix" or not Path(name).exists():
        return True
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:  # `open_port` reports why
        return True
    try:
        return os.isatty(handle)
    finally:
        os.close(handle)


def read_port(port: serial.SerialBase, size: int) -> bytes:
    """Read up to this many bytes from a port, without waiting."""
    data: bytes = port.read(size)
    if str(port.port).startswith("rfc2217:"):  # it gives only one byte at a time
        while len(data) < size and (more := port.read(size - len(data))):
            data += more
    return data


def why_not(name: str, error: Exception) -> str:
    """Why a port cannot be opened, and what to do, in one line."""
    number = getattr(error, "errno", None)
    text = str(error)
    if number == errno.ENOENT or "FileNotFoundError" in text:
        names = " and ".join(port.name for port in find_ports())
        present = f"there is a micro:bit on {names}"
        none = "no micro:bit is plugged in: try another cable; some have no data lines"
        return f"there is no port {name}; {present if names else none}"
    if os.name == "nt" and "PermissionError" in text:  # Windows reports a busy port like this
        number = errno.EBUSY
    if number == errno.EACCES:
        return port_refused(name)
    if number in (errno.EBUSY, errno.EWOULDBLOCK):
        return _in_use(name, users_of(name))
    if not may_be_port(name):
        return f"{name} is not a serial device; name one such as /dev/ttyACM0"
    reason = " ".join(text.split())
    return f"cannot open the port {name} ({reason}); check its name and the cable"


def _in_use(name: str, users: Sequence[str]) -> str:
    who = " and ".join(users) or "another program"
    return f"{name} is in use by {who}; close it there and try again"


def users_of(name: str) -> list[str]:
    """The other programs that have a port open, if the system tells us (Linux)."""
    device = Path(name).resolve()
    users = []
    for process in Path("/proc").glob("[0-9]*"):
        if process.name == str(os.getpid()):
            continue
        with contextlib.suppress(OSError):  # it has ended, or belongs to another user
            if any(link.readlink() == device for link in (process / "fd").iterdir()):
                program = (process / "comm").read_bytes().strip().decode(errors="replace")
                users.append(f"{program} (process {process.name})")
    return users
