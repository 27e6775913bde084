"""What `import noughts` offers besides `Board`: engines, matches, proofs, reviews, and games.

docs/python-api.md has the examples that are not here.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import BinaryIO, NamedTuple

from noughts.engines.built_in import engines
from noughts.engines.by_name import engine_named
from noughts.errors import ResignedError, StoreError
from noughts.game import engine as playing
from noughts.game import proof
from noughts.game import review as reviewing
from noughts.game.board import Board
from noughts.game.engine import Engine as PositionEngine
from noughts.game.engine import Reply, Tally
from noughts.game.positions import parse_unfinished
from noughts.game.proof import Proof
from noughts.game.review import Reviewed
from noughts.markup import table_html
from noughts.protocol.describe import counted
from noughts.protocol.parser import ParsedSentence, Stream
from noughts.protocol.sentences import Game
from noughts.store import queries
from noughts.store.capture import read as read_capture
from noughts.store.game_filter import GameFilter
from noughts.store.store import Store, default_path
from noughts.store.stored_game import StoredGame
from noughts.views.game_list import games_table

_SHOWN = 20
"""Games in a table of a notebook."""


class Engine:
    """A way to play, found by `engine`.

    name: as in `engine_names`. about: how it plays, in a few words.

    >>> hard = engine("hard")
    >>> hard.name, hard.choose(Board("XX.OO...."))
    ('hard', 2)
    """

    def __init__(self, engine: PositionEngine) -> None:
        self._engine = engine
        self.name = engine.name
        self.about = engine.about

    def reply(self, board: Board) -> Reply:
        """Its moves, their chances, and the cost of the answer.

        Raises `NoughtsError` if the game is over, and `OwnEngineError` if a program of yours fails.

        >>> engine("alphabeta").reply(Board("X...O....")).nodes
        871
        """
        return self._engine.reply(parse_unfinished(str(board.position)))

    def choose(self, board: Board, random: Random | None = None) -> int:
        """One of its moves, a cell from 0 to 8, drawn with `random`.

        Raises `ResignedError`, and the errors of `reply`.

        >>> engine("hard").choose(Board("XX.OO...."))
        2
        """
        cell = self.reply(board).choose(random or Random())
        if cell is None:
            raise ResignedError(f"{self.name} resigns in {board.position}; its opponent has won")
        return cell

    def __repr__(self) -> str:
        return f"<engine {self.name}: {self.about}>"


def engine(name: str) -> Engine:
    """The engine with this name, or in a file such as `menace.json` or `mine.py`.

    Raises `UnknownEngineError`, which suggests the nearest name, `OwnEngineError`, and
    `NoughtsError` or `OSError` for a `.json` file that cannot be used.

    >>> engine("hard")
    <engine hard: never loses>
    """
    return Engine(engine_named(name))


def engine_names() -> tuple[str, ...]:
    """All names for `engine`: the weakest first, then one that plays to lose, and one that learns.

    >>> engine_names()[-2:]
    ('kind', 'menace')
    """
    return tuple(engines())


class MatchResult(NamedTuple):
    """The result of a match for its first engine, by its seat; a notebook shows it as a table.

    >>> result = match("hard", "random", games=10, seed=1)
    >>> result.moving_first.won, result.moving_second.won, result.total.games
    (5, 5, 10)
    """

    moving_first: Tally
    moving_second: Tally

    @property
    def total(self) -> Tally:
        """The tally of both seats together."""
        return self.moving_first + self.moving_second

    def _repr_html_(self) -> str:
        seats = ("moving first", self[0]), ("moving second", self[1]), ("total", self.total)
        rows = [(seat, tally.won, tally.drawn, tally.lost) for seat, tally in seats]
        return table_html(("", "won", "drawn", "lost"), rows)


def match(engine: str, opponent: str, games: int = 100, seed: int = 0) -> MatchResult:
    """Let two engines play, and count the results of the first engine.

    They take turns at moving first. The same seed gives the same games. Raises `UnknownEngineError`
    and `OwnEngineError`. An engine that resigns has lost.

    >>> match("hard", "random", games=10, seed=1).total
    Tally(won=10, drawn=0, lost=0)
    """
    return MatchResult(
        *playing.match(engine_named(engine), engine_named(opponent), games, Random(seed))
    )


def prove(name: str) -> Proof:
    """Play an engine against every sequence of its opponent's moves, moving first and second.

    Raises `UnknownEngineError` and `OwnEngineError`.

    >>> first, second = prove("rules").seats
    >>> second.count("won"), second.count("drawn"), second.count("lost")
    (364, 125, 0)
    """
    return proof.prove(engine_named(name))


def review(moves: Iterable[int | str]) -> list[Reviewed]:
    """Review each move of a game, finished or not.

    moves: cells from 0 to 8, as numbers or digits, from the empty board on. Raises
    `IllegalMoveError`.

    >>> [(move.value_before, move.value_after) for move in review("41")]
    [(0, 0), (0, -1)]
    """
    cells = list(moves)
    Board.after(cells)
    return reviewing.review([int(cell) for cell in cells])


class Games(Iterator[StoredGame]):
    """The games of a store, one after another; a notebook shows the newest as a table."""

    def __init__(self, path: Path, game_filter: GameFilter) -> None:
        self._path, self._game_filter = path, game_filter
        self._games = self._read()

    def __next__(self) -> StoredGame:
        return next(self._games)

    def _read(self, newest: int | None = None) -> Iterator[StoredGame]:
        with Store(self._path) as store:
            yield from queries.games(store, self._game_filter, newest)

    def __repr__(self) -> str:
        try:
            with Store(self._path) as store:
                number = counted(queries.count(store, self._game_filter), "game")
        except StoreError as error:
            return f"<games: {error}>"
        return f"<games: {number} in {self._path}>"

    def _repr_html_(self) -> str:
        table = games_table(self._read(_SHOWN))
        return table_html([column.title for column in table.columns], table.shown())


def games(path: str | Path | None = None, game_filter: GameFilter | None = None) -> Games:
    """The games of a store, in the order in which they were stored.

    path: by default the store of `noughts watch`. game_filter: which games, by default all. Reading
    them raises `StoreError`, also if there is no store.

    >>> games("lost.db")
    <games: no games are stored in lost.db yet; `noughts watch --db lost.db` stores them>
    """
    return Games(default_path() if path is None else Path(path), game_filter or GameFilter())


def games_in_capture(capture: str | Path | BinaryIO) -> list[Game]:
    """The games in a captured serial line, or in raw lines of rooms.

    Each is a game's latest sentence, in the order in which the games began. capture: a path, or a
    file that is open for reading bytes. Raises `OSError`.

    >>> from io import BytesIO
    >>> games_in_capture(BytesIO(b"$NG,00000A83,1,PP,A,40,1200,-*05"))[0].moves
    (4, 0)
    """
    if isinstance(capture, str | Path):
        with Path(capture).open("rb") as file:
            return games_in_capture(file)
    latest: dict[tuple[str, int], Game] = {}
    for captured in read_capture(capture):
        for item in Stream().feed(captured.data + b"\n"):  # a sentence is within a line
            if isinstance(item, ParsedSentence) and isinstance(item.sentence, Game):
                game = item.sentence
                latest_so_far = latest.setdefault((game.boot, game.number), game)
                if len(latest_so_far.moves) <= len(game.moves):
                    latest[game.boot, game.number] = game
    return list(latest.values())
