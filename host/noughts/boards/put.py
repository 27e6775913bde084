"""Updating the files of a running board, so that an interruption does no harm.

`table.py` is removed first and sent last. While it is missing, the LEDs show that files are
incomplete, and the board does not play with files of two versions. `fault.py` and `main.py`, which
show this, are sent before the others, and are missing only while the board writes them. The other
files are removed before any is sent, so that there is always enough room.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing
from typing import Any

from micropython_microbit_fs.filesystem import calculate_file_size

from microbit_emulator.firmware import V1, V2
from noughts import brain
from noughts.boards.files import BoardFile, BoardFiles
from noughts.boards.packing import files_for_boards
from noughts.boards.ports import open_port
from noughts.boards.radio import OFF, V1_WITHOUT_RADIO, Radio, files_with, radio_of
from noughts.boards.start import Start, confirm_start
from noughts.errors import BoardError

FIRST, LAST = ("fault.py", "main.py"), "table.py"
_CHOICE = re.compile(rb"[PEMH][bt]")
_STORED_GAME = re.compile(rb"1\d{5}\$NG,")
"""The beginning of a V1's stored game (`device/kept.py`), in a file whose name is a number."""
_OF_1_0_0 = re.compile(rb"1\d{5}[PEMH][bt](\$N|\xff|$)")
"""The same for release 1.0.0, whose files also had the menu's choice."""
_ROOM = {V1: 27_648, V2: 20_480}
"""Bytes of the smallest file system among the official firmwares."""

Progress = Callable[[int], AbstractContextManager[Any]]
"""Begins the progress of a task of so many bytes: gives `noughts.terminal.output.Steps`."""


def bring_up_to_date(
    port_name: str,
    files: Mapping[str, bytes],
    replace: bool,
    say: Callable[[str], object],
    progress: Progress,
    radio: Radio | None = None,
    forget: bool = False,
) -> Start:
    """Compare, send what differs, restart and confirm; returns the board's start.

    files: the game's. radio: the board's radio, by default unchanged. forget: remove the board's
    games and the menu's choice. Raises `BoardError`.
    """
    table_id = brain.of(files).id
    with closing(open_port(port_name)) as port:
        with BoardFiles(port) as board:
            kind, *_ = board.describe()
            present = board.survey()
            if any(each.isdigit() and _OF_1_0_0.match(f.start) for each, f in present.items()):
                raise BoardError(
                    "release 1.0.0 has stored games on the board; to receive them, run "
                    "`noughts watch` and press reset; then update the board with `noughts flash`"
                )
            ours = {name: file.start for name, file in present.items() if file.ours}
            wanted = radio or radio_of(ours)
            if wanted.sends is not None and kind == V1:
                raise BoardError(f"{V1_WITHOUT_RADIO}; use a V2, or leave out --radio")
            if wanted.gateway is not None and files["table.py"] != files_for_boards()["table.py"]:
                raise BoardError(
                    "the board is a gateway, which has no table; choose another board with --port, "
                    "or put the game back on it with `noughts put --radio off`"
                )
            chosen = files_with(wanted, kind, files)
            remove, send = plan(present, chosen, replace)
            require_room(kind, present, chosen)
            say(f"micro:bit {kind} on {port_name}: {len(send)} of {len(chosen)} files to send")
            if radio is None and wanted != OFF:
                say(f"radio unchanged: {wanted}; `noughts put --radio off` turns it off")
            with progress(sum(len(chosen[name]) for name in send)) as steps:
                if remove:
                    board.remove(remove)
                for name in remove:
                    if name not in send:
                        steps.say(f"removed {name}")
                for name in send:
                    steps.doing(name)
                    board.send(name, chosen[name])
                    steps.advance(len(chosen[name]))
                    steps.say(f"sent {name} ({len(chosen[name]):,} bytes)")
            if forget:
                forget_games(kind, board, present)
                say("removed the board's stored games and the menu's choice")
        return confirm_start(port, table_id if wanted.gateway is None else None, wanted)


def forget_games(kind: str, board: BoardFiles, present: Mapping[str, BoardFile]) -> None:
    """Remove a board's stored games, and the menu's choice. Raises `BoardError`."""
    stored = [
        name
        for name, file in present.items()
        if (name.isdigit() and _STORED_GAME.match(file.start))
        or (name == "settings" and _CHOICE.fullmatch(file.start))
    ]
    if stored:
        board.remove(stored)
    if kind == V2:
        board.forget_log()


def plan(
    present: Mapping[str, BoardFile], wanted: Mapping[str, bytes], replace: bool
) -> tuple[list[str], list[str]]:
    """The files to remove from a board and then to send, each in order; present: its files now.

    Other programs' files stay; if one has the name of a wanted file, it is replaced only with
    `replace`. Raises `BoardError` for such a file.
    """
    # An empty file may be left over from an interrupted update, and has nothing to lose.
    foreign = {name for name, file in present.items() if not file.ours and file.start}
    taken = [name for name in wanted if name in foreign]
    if taken and not replace:
        raise BoardError(
            f"the board has another program's {' and '.join(taken)}; save a copy if you need it, "
            "then run `noughts put --replace`"
        )
    retired = {name for name, file in present.items() if file.ours and name not in wanted}
    changed = {
        name
        for name, content in wanted.items()
        if name not in present or not present[name].holds(content)
    }
    if not retired and changed <= {LAST}:
        return [], list(changed)  # opening the table to write it removes the old one
    changed |= wanted.keys() & {LAST}
    old = retired | (changed & present.keys()) - {*FIRST}
    return (
        sorted(old, key=lambda name: (name != LAST, name)),
        sorted(changed, key=lambda name: (name == LAST, name not in FIRST, name)),
    )


def require_room(board: str, present: Mapping[str, BoardFile], wanted: Mapping[str, bytes]) -> None:
    """Raise `BoardError` if other programs' files leave too little room on a board."""
    others = {n: file.size for n, file in present.items() if n not in wanted and not file.ours}
    sizes = others | {name: len(content) for name, content in wanted.items()}
    used = sum(calculate_file_size(name, bytes(size)) for name, size in sizes.items())
    if (over := used - _ROOM[board]) > 0:
        names = ", ".join(f"{name!a} ({size:,} bytes)" for name, size in others.items())
        raise BoardError(
            f"the board is {over:,} bytes short of space; remove some of its other files: {names}"
        )
