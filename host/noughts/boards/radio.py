"""The files that a board needs: those of its kind, and to send by radio, or to be a gateway.

The group is in a file that is made here: `group.py` for a sender, `main.py` for a gateway. These
files do not change between releases, so they show the group of any board.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from microbit_emulator.firmware import V1, V2
from noughts.boards.packing import packed
from noughts.brain.device import GATEWAY, SENDER, device_sources

GROUPS = range(256)
_GROUP, _MAIN = "group.py", "main.py"
_GROUP_FILE = b"# noughts:\nGROUP = %d\n"
_GATEWAY_MAIN = b"# noughts:\nimport gateway\ngateway.start(%d)\n"
RADIO_FILES = (SENDER, GATEWAY, _GROUP)
_OF_ONE_KIND = {"games_v1.py": V1, "games_v2.py": V2, "sound.py": V2, "v2.py": V2}
"""The game's files that only one kind of board uses, so only that one gets them. With more than 128
chunks of files, a V2 often moves all of them, for a second in which a power cut can damage some."""
V1_WITHOUT_RADIO = "a micro:bit V1 has too little memory for radio; the game plays without it"


@dataclass(frozen=True)
class Radio:
    """The group in which a board sends by radio, or whose gateway it is; or neither."""

    sends: int | None = None
    gateway: int | None = None

    def __str__(self) -> str:
        if self.gateway is not None:
            return f"gateway of group {self.gateway}"
        return "off" if self.sends is None else f"sends in group {self.sends}"


OFF = Radio()


def files_with(radio: Radio, board_model: str, game: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """All files for a board, `V1` or `V2`, with this game. A V1's game has no radio."""
    if radio.gateway is not None:
        return {**_device(GATEWAY), _MAIN: _GATEWAY_MAIN % radio.gateway}
    game = {
        name: content
        for name, content in game.items()
        if _OF_ONE_KIND.get(name, board_model) == board_model
    }
    if radio.sends is not None and board_model == V2:
        return {**game, **_device(SENDER), _GROUP: _GROUP_FILE % radio.sends}
    return game


def radio_of(files: Mapping[str, bytes]) -> Radio:
    """The radio of a board with these files; of long files, only the beginning is needed."""
    for group in GROUPS:
        if files.get(_MAIN) == _GATEWAY_MAIN % group:
            return Radio(gateway=group)
        if files.get(_GROUP) == _GROUP_FILE % group:
            return Radio(sends=group)
    return OFF


def _device(name: str) -> dict[str, bytes]:
    return packed({name: device_sources()[name]})
