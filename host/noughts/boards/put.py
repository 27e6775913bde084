"""Updating the files of a running board, so that an interruption does no harm.

`table.py` is removed first and sent last. While it is missing, the LEDs show that files are
incomplete, and the board does not play with files of two versions. `fault.py` and `main.py`, which
show this, are sent before the others, and are missing only while the board writes them. The other
files are removed before any is sent, so that there is always enough room.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from typing import Any

from micropython_microbit_fs.filesystem import calculate_file_size

from microbit_emulator.firmware import V1, V2
from noughts import brain
from noughts.boards.files import BoardFile, BoardFiles
from noughts.boards.packing import files_for_boards
from noughts.boards.ports import open_port
from noughts.boards.radio import OFF, V1_WITHOUT_RADIO, Radio, files_with, radio_of
from noughts.boards.wait_for_start import Start, confirm_start
from noughts.errors import BoardError

FIRST, LAST = ("fault.py", "main.py"), "table.py"
_CHOICE = re.compile(rb"[A-Z][bt][sq]?")
_STORED_GAME = re.compile(rb"1\d{5}\$NG,")
"""The beginning of a V1's stored game (`device/games_v1.py`), in a file whose name is a number."""
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
    table_id = brain.table_in(files).id
    with closing(open_port(port_name)) as port:
        with BoardFiles(port) as board:
            board_model, *_ = board.describe()
            present_files = board.survey()
            our_files = {name: file.start for name, file in present_files.items() if file.ours}
            new_radio = radio or radio_of(our_files)
            check_radio(new_radio, board_model, files)
            new_files = files_with(new_radio, board_model, files)
            names_to_remove, names_to_send = plan(present_files, new_files, replace)
            require_room(board_model, present_files, new_files)
            files_to_send = f"{len(names_to_send)} of {len(new_files)} files to send"
            say(f"micro:bit {board_model} on {port_name}: {files_to_send}")
            if radio is None and new_radio != OFF:
                say(f"radio unchanged: {new_radio}; `noughts put --radio off` turns it off")
            update(
                board, names_to_remove, {name: new_files[name] for name in names_to_send}, progress
            )
            if forget:
                forget_games(board_model, board, present_files)
                say("removed the board's stored games and the menu's choice")
        return confirm_start(port, table_id if new_radio.gateway is None else None, new_radio)


def check_radio(new_radio: Radio, board_model: str, files: Mapping[str, bytes]) -> None:
    """Raise `BoardError` if a board of this model, with these files, cannot have this radio."""
    if new_radio.sends is not None and board_model == V1:
        raise BoardError(f"{V1_WITHOUT_RADIO}; use a V2, or leave out --radio")
    has_own_table = files["table.py"] != files_for_boards()["table.py"]
    if new_radio.gateway is not None and has_own_table:
        raise BoardError(
            "the board is a gateway, which has no table; choose another board with --port, "
            "or put the game back on it with `noughts put --radio off`"
        )


def update(
    board: BoardFiles,
    names_to_remove: Sequence[str],
    files_to_send: Mapping[str, bytes],
    progress: Progress,
) -> None:
    """Remove files from a board, then send files, each in the order of `plan`."""
    with progress(sum(map(len, files_to_send.values()))) as steps:
        if names_to_remove:
            board.remove(names_to_remove)
        for name in names_to_remove:
            if name not in files_to_send:
                steps.say(f"removed {name}")
        for name, content in files_to_send.items():
            steps.describe(name)
            board.send(name, content)
            steps.advance(len(content))
            steps.say(f"sent {name} ({len(content):,} bytes)")


def forget_games(
    board_model: str, board: BoardFiles, present_files: Mapping[str, BoardFile]
) -> None:
    """Remove a board's stored games, and the menu's choice. Raises `BoardError`."""
    names = [
        name
        for name, file in present_files.items()
        if (name.isdigit() and _STORED_GAME.match(file.start))
        or (name == "settings" and _CHOICE.fullmatch(file.start))
    ]
    if names:
        board.remove(names)
    if board_model == V2:
        board.forget_log()


def plan(
    present_files: Mapping[str, BoardFile], new_files: Mapping[str, bytes], replace: bool
) -> tuple[list[str], list[str]]:
    """The names of files to remove from a board and then to send, each list in its order.

    present_files: those on the board. Other programs' files stay; if one has the name of a new
    file, it is replaced only with `replace`. Raises `BoardError` for such a file.
    """
    # An empty file may be left over from an interrupted update, and has nothing to lose.
    foreign = {name for name, file in present_files.items() if not file.ours and file.start}
    foreign_names = [name for name in new_files if name in foreign]
    if foreign_names and not replace:
        names = " and ".join(foreign_names)
        raise BoardError(
            f"the board has another program's {names}; save a copy if you need it, "
            "then run `noughts put --replace`"
        )
    retired = {name for name, file in present_files.items() if file.ours and name not in new_files}
    changed = {
        name
        for name, content in new_files.items()
        if name not in present_files or not present_files[name].holds(content)
    }
    if not retired and changed <= {LAST}:
        return [], list(changed)  # opening the table to write it removes the old one
    changed |= new_files.keys() & {LAST}
    old = retired | (changed & present_files.keys()) - {*FIRST}
    return (
        sorted(old, key=lambda name: (name != LAST, name)),
        sorted(changed, key=lambda name: (name == LAST, name not in FIRST, name)),
    )


def require_room(
    board_model: str, present_files: Mapping[str, BoardFile], new_files: Mapping[str, bytes]
) -> None:
    """Raise `BoardError` if other programs' files leave too little room on a board."""
    others = {
        name: file.size
        for name, file in present_files.items()
        if name not in new_files and not file.ours
    }
    sizes = others | {name: len(content) for name, content in new_files.items()}
    used = sum(calculate_file_size(name, bytes(size)) for name, size in sizes.items())
    if (excess := used - _ROOM[board_model]) > 0:
        names = ", ".join(f"{name!a} ({size:,} bytes)" for name, size in others.items())
        raise BoardError(
            f"the board is {excess:,} bytes short of space; remove some of its other files: {names}"
        )
