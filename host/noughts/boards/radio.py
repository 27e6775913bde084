"""What a board needs next to the game, or instead of it, to send by radio or to be a gateway.

The group is in a file that is made here: `group.py` for a board that sends, `main.py` for a
gateway. It stays the same from release to release, so it shows the group of any board.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from microbit_emulator.firmware import V2
from noughts.boards.packing import packed
from noughts.device_files import device_dir
from noughts.errors import BoardError

GROUPS = range(256)
SENDER, GATEWAY = "air.py", "gateway.py"
_GROUP, _MAIN = "group.py", "main.py"
RADIO_FILES = (SENDER, GATEWAY, _GROUP)
V1_WITHOUT_RADIO = "a micro:bit V1 has too little memory for radio; the game plays without it"


@dataclass(frozen=True)
class Radio:
    """What a board does by radio: it sends in a group, or is a group's gateway, or neither."""

    sends: int | None = None
    gateway: int | None = None

    def __str__(self) -> str:
        if self.gateway is not None:
            return f"gateway of group {self.gateway}"
        return "off" if self.sends is None else f"sends in group {self.sends}"


OFF = Radio()


def files_with(radio: Radio, board: str, game: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """All files for a board, `V1` or `V2`, that has this game; on a V1 it plays without radio."""
    if radio.gateway is not None:
        return {**_device(GATEWAY), _MAIN: _gateway_main(radio.gateway)}
    if radio.sends is not None and board == V2:
        return {**game, **_device(SENDER), _GROUP: _group(radio.sends)}
    return game


def radio_of(files: Mapping[str, bytes]) -> Radio:
    """What a board with these files does by radio."""
    return radio_by(files, lambda name, content: files[name] == content)


def radio_by(names: Mapping[str, object], holds: Callable[[str, bytes], bool]) -> Radio:
    """The same of files that can only be compared; holds: whether a file has this content.

    Raises `BoardError` where there is a group that cannot be read.
    """
    for group in GROUPS if GATEWAY in names and _MAIN in names else ():
        if holds(_MAIN, _gateway_main(group)):
            return Radio(gateway=group)
    if _GROUP not in names:
        return OFF
    for group in GROUPS:
        if holds(_GROUP, _group(group)):
            return Radio(sends=group)
    raise BoardError(
        f"the board's {_GROUP} is not as it was made; name its group with --radio, or "
        "`noughts put --radio off`"
    )


def _device(name: str) -> dict[str, bytes]:
    return packed({name: (device_dir() / name).read_bytes()})


def _group(group: int) -> bytes:
    return b"# noughts:\nGROUP = %d\n" % group


def _gateway_main(group: int) -> bytes:
    return b"# noughts:\nimport gateway\ngateway.start(%d)\n" % group
