"""The Textual program behind `noughts watch`: a tile for each micro:bit, and the games.

A game that has ended can be selected in the list, and is replayed while the watch goes on.
"""

from typing import ClassVar

from rich import box
from rich.columns import Columns
from rich.console import Group
from rich.panel import Panel
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from noughts.errors import StoreError, printable
from noughts.protocol.describe import counted, opponents, result
from noughts.recording.events import Event
from noughts.recording.session import BoardState, EndedGame
from noughts.recording.watch import Watch
from noughts.store.timestamps import When
from noughts.terminal.help import HelpScreen
from noughts.terminal.layout import columns, cut_start
from noughts.terminal.marks import PLAYERS, mark_rows
from noughts.terminal.replay import Program, ReplayScreen
from noughts.views.situation import summary
from noughts.views.words import name_key, score

_REDRAW_S = 0.1
_MAX_NAME = 24
_MIN_WIDTH = 26
"""Room for `person against medium` between the borders."""
_TILE_LINES = 6
_KEYS = "q quit  ? help  tab boards or games  enter replay"
_HELP = (
    (
        "There is a tile for each micro:bit. It says who plays as A and who as B, and shows the "
        "game. The last move is marked. Below the board are the games that each player has won "
        "since noughts watch started, and the draws."
    ),
    "Below the tiles are the games that have ended, the newest first.",
    {
        "tab": "to the tiles, or to the games",
        "up down": "scroll the tiles, or choose a game",
        "enter": "step through the chosen game, with a verdict on each move; there, q goes back",
        "q": "quit",
    },
)


class WatchApp(Program):
    """Shows a watch until Ctrl-C or `q`, or until the watch ends."""

    TITLE = "noughts watch"
    CSS = """
    #notes { height: auto; max-height: 6; padding: 0 1; }
    #boards { height: auto; max-height: 65%; scrollbar-size: 1 1; }
    #boards:focus { scrollbar-color: $accent; }
    #games, #games:focus {
        height: 1fr; min-height: 4; border: none; padding: 0; background: $background;
        scrollbar-size: 1 1; text-wrap: nowrap; text-overflow: ellipsis;
    }
    #status { dock: bottom; height: 2; background: $panel; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("q", "quit"),
        ("question_mark", "help"),
        ("enter", "replay"),  # while the tiles have the focus; the list has its own
        Binding("ctrl+c", "quit", priority=True),
    ]

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self._watch = watch
        self._session = watch.session
        watch.subscribe(self._note_change)
        self._changed = True
        self._ended: list[EndedGame] | None = None
        """In the order of the list."""
        self._notes = Static(id="notes")
        self._boards = Static(id="board-list")
        self._games = OptionList(id="games", markup=False)
        self._status = Static(id="status")

    def compose(self) -> ComposeResult:
        yield self._notes
        with VerticalScroll(id="boards"):
            yield self._boards
        yield self._games
        yield self._status

    def on_mount(self) -> None:
        self._games.focus()
        self.set_interval(_REDRAW_S, self._redraw)

    def on_resize(self, event: events.Resize) -> None:
        self._changed = True
        self.call_after_refresh(self._redraw)

    def on_unmount(self) -> None:
        self._watch.stop.set()

    def action_help(self) -> None:
        self.push_screen(HelpScreen(_HELP))

    def action_replay(self) -> None:
        self._games.action_select()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        assert self._ended
        try:
            game = self._watch.game(self._ended[event.option_index].number)
        except StoreError as error:
            self.notify(printable(str(error)), severity="error", markup=False)
            return
        self.push_screen(ReplayScreen(game))

    def _note_change(self, events: list[Event]) -> None:
        """In the watch's thread."""
        self._changed = True

    def _redraw(self) -> None:
        if self._watch.stop.is_set():
            self.exit()
            return
        with self._watch.lock:
            if not self._changed:
                return
            self._changed = False
            session = self._session
            boards = [(session.display_name(board.name), board) for board in session.playing]
            boards.sort(key=lambda named: name_key(named[0]))
            room = self.size.width - 1  # for the scroll bar
            width = room // max(1, min(room // _MIN_WIDTH, len(boards)))
            self._boards.update(
                Columns([_tile(name, board, width) for name, board in boards], padding=0)
            )
            remarks = (Text(printable(line), how) for line, how in self._remarks())
            self._notes.update(Group(*remarks))
            self._list(list(session.ended))
            counts = (
                f"{counted(session.sentences, 'sentence')} · {counted(session.games, 'game')} ended"
                + f", {session.recovered:,} recovered" * bool(session.recovered)
            )
        counts += " · stored in "
        path = printable(str(self._watch.store_path))
        shown_path = cut_start(path, self.size.width - 2 - len(counts))
        self._status.update(Text(f"{_KEYS}\n{counts}{shown_path}", no_wrap=True))

    def _remarks(self) -> list[tuple[str, str]]:
        """The number of boards, problems with the store, and the ports that wait."""
        session = self._session
        boards, gateways = session.playing, session.gateways
        gone = sum(not board.connected for board in boards)
        how_many = counted(len(boards), "board") + (f", {gone} unplugged" if gone else "")
        how_many += f" · {counted(len(gateways), 'gateway')}" if gateways else ""
        about = f"{how_many} · scores are games won since the start"
        lines = [(about if boards else "No board yet: plug one in.", "dim")]
        if self._watch.refused:
            refused = counted(self._watch.refused, "sentence")
            lines.append((f"{refused} by radio refused, from unknown boards", "dim"))
        if session.warning:
            lines.append((session.warning, "bold"))
        if session.offline:
            rooms = ", ".join(sorted(session.offline, key=name_key))
            lines.append((f"offline: {rooms}", "bold"))
        for board, what in session.data_logs.items():
            lines.append((f"{session.display_name(board)}: {what}", "bold"))
        waiting = session.waiting.items()
        return lines + [(f"waiting for {port}: {why}", "dim") for port, why in waiting]

    def _list(self, ended: list[EndedGame]) -> None:
        """List the games, the newest first; the selected one stays selected."""
        if ended == self._ended:
            return
        at = self._games.highlighted
        # The newest counts as not selected: then the next one will be.
        selected = self._ended[at] if at and self._ended else None
        rows = [
            (
                f"game {entry.number}",
                cut_start(printable(self._session.display_name(entry.board)), _MAX_NAME),
                opponents(entry.game.seats),
                result(entry.game),
                counted(len(entry.game.moves), "move"),
                f"{entry.game.ms / 1000:.0f} s",
                "" if entry.played_before is None else str(When(None, entry.played_before)),
            )
            for entry in ended
        ]
        self._games.clear_options()
        self._games.add_options(columns(rows, right=(5,)))
        if ended:
            self._games.highlighted = ended.index(selected) if selected in ended else 0
        else:
            self._games.add_option(Option("no game has ended yet", disabled=True))
        self._ended = ended


def _tile(name: str, board: BoardState, width: int) -> Panel:
    game = board.game
    marks, last = (game.marks, game.moves[-1:]) if game else ({}, ())
    who, turn = summary(board)
    number = f"game {board.number}" if game and board.connected else ""
    facts = (number, turn, f"noise {board.noise}" if board.noise else "")
    players = Text(who)
    players.highlight_regex(".+(?= against )", PLAYERS["A"])
    players.highlight_regex("(?<= against ).+", PLAYERS["B"])
    rows = [
        Text.assemble(row, f"  {fact}")
        for row, fact in zip(mark_rows(marks, last), facts, strict=True)
    ]
    text = Text("\n", no_wrap=True, overflow="ellipsis").join([players, *rows])
    board_model = board.boot.hardware if board.boot else ""
    title = f"{cut_start(printable(name), width - 7 - len(board_model))} {board_model}".strip()
    return Panel(
        text,
        box.ROUNDED,
        title=Text(title),
        subtitle=Text(score(board.score)) if board.score.total() else None,
        width=width,
        height=_TILE_LINES,
        style="" if board.connected else "dim",
        padding=(0, 1),
    )
