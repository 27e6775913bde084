"""What boards send is understood as in Python: sentences, games, and files with games."""

import base64
import csv
import io
from dataclasses import replace
from random import Random

import pytest

from boards import LETTERS
from captured_logs import captured_log
from data_logs import HEADING, row
from data_logs import data_log as data_log_file
from noughts.errors import DataLogError
from noughts.protocol import data_log
from noughts.protocol.parser import Noise, Stream, Unknown
from noughts.protocol.sentences import MAX_LENGTH, Boot, Menu, framed
from noughts.protocol.sentences import body as body_of
from noughts.store.fold import Line, fold
from noughts.views.export_columns import plain_text
from random_games import random_game
from sample_games import A_WINS, BOOT, DRAW, stages, wire, write

_LINES = 10_000


def python_items(pieces):
    stream = Stream()
    for piece in pieces:
        for item in stream.feed(piece):
            if isinstance(item, Noise):
                yield {"noise": item.text}
            elif isinstance(item, Unknown):
                yield {"unknown": item.unknown_part, "again": item.is_repeated}
            else:
                kind = type(item.sentence).__name__.lower()
                fields = dict(vars(item.sentence))
                if kind == "game":
                    fields["moves"] = "".join(map(str, fields["moves"]))
                if kind == "boot":
                    fields["tableId"] = fields.pop("table_id")
                yield {"kind": kind, "body": item.body, "radioId": item.radio_id, **fields}


def random_line(dice):
    """The bytes of a line: good, damaged, merged with another, of another kind, or noise."""
    game = dice.choice(random_game(f"{dice.randrange(1 << 32):08X}", dice.randrange(1, 2000), dice))
    bodies = [
        body_of(game),
        body_of(Boot(game.boot, dice.choice(["V1", "V2"]), "1.2.0", "2798")),
        body_of(Menu(game.boot, dice.choice(["Hb", "Pt", "Rb0", "2b", "E"]))),
        f"{'NX' * dice.randrange(1, 9)},{dice.randrange(200)},{'y' * dice.randrange(100)}",
        f"NB,{dice.randrange(2, 5)},later",
        body_of(replace(game, seats=f"P{dice.choice('NRXz')}")),
        f"NG,{game.boot},1,PE,A,0{dice.randrange(9)}{dice.randrange(9)},5,{dice.choice('-AB=x')}",
    ]
    radio_id = dice.choice([None, None, f"{dice.randrange(1 << 32):08X}"])
    line = (framed(dice.choice(bodies), radio_id)).encode("latin-1")
    match dice.randrange(8):
        case 0:  # a damaged byte
            place = dice.randrange(len(line))
            line = line[:place] + bytes([dice.randrange(256)]) + line[place + 1 :]
        case 1:  # cut short
            line = line[: dice.randrange(len(line))]
        case 2:  # merged with what came before
            return line
        case 3:
            line = dice.randbytes(dice.randrange(300))
        case 4:
            line = b"Traceback (most recent call last):\\" + line
    return line + dice.choice([b"\r\n", b"\r\n", b"\n", b"\r\r\n", b"\0\r\n"])


ITEMS = """async (pieces) => {
  const { Stream } = await import('page/sentences.js');
  const stream = new Stream();
  return pieces.flatMap((piece) => stream.feed(piece));
}"""
"""What the page's `Stream` finds in pieces of text, as `python_items` says it."""


def test_random_lines_give_the_same_items(modules):
    dice = Random(50)
    data = b"".join(random_line(dice) for _ in range(_LINES))
    pieces, begin = [], 0
    while begin < len(data):
        end = begin + dice.choice([1, 7, 62, 62, 500, 4000])
        pieces.append(data[begin:end])
        begin = end
    result = modules.evaluate(ITEMS, [piece.decode("latin-1") for piece in pieces])
    expected = list(python_items(pieces))
    assert result == expected
    kinds = [item.get("kind") or ("noise" if "noise" in item else "unknown") for item in expected]
    assert min(map(kinds.count, ("boot", "game", "menu", "noise", "unknown"))) > 400


@pytest.mark.parametrize("at", [MAX_LENGTH - 1, MAX_LENGTH, 2 * MAX_LENGTH - 1, 2 * MAX_LENGTH])
def test_line_that_is_too_long_is_cut_at_the_same_place(modules, at):
    """Before a dollar sign, which may begin a sentence, if that is not too early."""
    half = "x" * (MAX_LENGTH + 1)
    pieces = ["x" * at, "$" + "y" * 2 * MAX_LENGTH, f"\n{half}${half[3:]}", "\n"]
    assert modules.evaluate(ITEMS, pieces) == list(python_items(map(str.encode, pieces)))


def test_only_so_many_kinds_of_unknown_sentences_are_reported(modules):
    """Each once, so that a board of a later version does not fill the screen, nor the memory."""
    kinds = [chr(ord("A") + number // 26) + chr(ord("A") + number % 26) for number in range(102)]
    lines = "".join(f"{framed(f'X{kind},1')}\r\n" for kind in [*kinds, *kinds[:2]])
    assert modules.evaluate(ITEMS, [lines]) == list(python_items([lines.encode()]))


def random_lines_of_one_number(dice):
    """Lines of one boot and number: parts of a few games, on several boards, by cable or radio."""
    lines = []
    for _ in range(dice.randrange(1, 4)):
        games = random_game("0000000A", 7, dice)
        if dice.random() < 0.2:
            last = dice.choice(games[:-1])
            games = [*games[: games.index(last) + 1], replace(last, end="x")]
        for game in games:
            if dice.random() < 0.6:
                radio = dice.random() < 0.3
                lines.append(
                    Line(
                        id=len(lines),
                        board="radio-12345678"
                        if radio
                        else dice.choice(["usb-1", "COM3", "3b/usb-1", "file-a b"]),
                        radio=radio,
                        late=dice.random() < 0.3,
                        at=dice.choice([None, dice.randrange(10**12, 10**12 + 60_000)]),
                        text=body_of(game),
                        game=game,
                    )
                )
    dice.shuffle(lines)
    return lines


def test_random_subsets_of_lines_give_the_same_games(modules):
    dice = Random(51)
    groups = [random_lines_of_one_number(dice) for _ in range(500)]

    def as_object(line):
        game = vars(line.game) | {"moves": "".join(map(str, line.game.moves))}
        return game | {"board": line.board, "radio": line.radio, "late": line.late, "at": line.at}

    result = modules.evaluate(
        "async (groups) => groups.map((await import('page/fold.js')).fold)",
        [[as_object(line) for line in group] for group in groups],
    )

    def as_result(folded):
        game = folded.game
        times = folded.times.split(",") if game.moves else []
        return {
            "board": folded.board,
            "seats": game.seats,
            "first": game.first,
            "moves": "".join(map(str, game.moves)),
            "times": [int(time) if time else None for time in times],
            "ms": game.ms,
            "end": game.end,
            "started": folded.started,
            "heard": folded.heard,
            "playedBefore": folded.played_before,
            "byRadio": bool(folded.by_radio),
        }

    assert result == [[as_result(game) for game, _ in fold(group)] for group in groups]
    assert sum(len(games) > 1 for games in result) > 100


READ_AND_WRITE = """async ([text, name]) => {
  const { readLog, writeLog } = await import('page/log_files.js');
  const { GameStore } = await import('page/game_store.js');
  const { gamesAsCsv } = await import('page/csv.js');
  const store = new GameStore(null);
  await store.add(readLog(text, name).lines);
  return [writeLog(store.lines), gamesAsCsv(store.games), store.games.length];
}"""


def as_rows(text):
    return sorted(tuple(list(row.values())[1:]) for row in csv.DictReader(io.StringIO(text)))


def test_saved_log_is_read_by_watch_and_has_the_same_games(modules, folder, printed):
    no_time = f"2026-13-01T00:00:00.000Z usb-1 {write(stages(DRAW, boot='00000AAA')[-1])}\n"
    by_gateway = "".join(
        f"2026-09-22T10:00:00.000Z {board} {write(stages(DRAW, boot=boot)[-1], '12345678')}\n"
        for board, boot in (("COM9", "00000A0A"), ("salle/usb-2", "00000A0B"))
    )
    # The board may have gone on while its port was closed: nobody knows when its game ended.
    reopened = "".join(
        f"2026-09-22T10:01:0{second}.000Z usb-3 {text}\n"
        for second, text in enumerate(
            [write(replace(BOOT, boot="00000A0C")), "", write(stages(DRAW, boot="00000A0C")[-1])]
        )
    )
    log = captured_log() + no_time + by_gateway + reopened
    (folder / "first.log").write_text(log, encoding="latin-1")
    printed("watch", "--from", "first.log", "--plain", db=folder / "first.db")
    saved, table, _ = modules.evaluate(READ_AND_WRITE, [log, "first.log"])
    (folder / "saved.log").write_text(saved, encoding="latin-1")
    printed("watch", "--from", "saved.log", "--plain", db=folder / "saved.db")
    exports = []
    for name in ("first", "saved"):
        printed("export", "-o", f"{name}.csv", db=folder / f"{name}.db")
        exports.append((folder / f"{name}.csv").read_text())
    assert as_rows(exports[0]) == as_rows(exports[1]) == as_rows(table)
    assert len(as_rows(table)) == 10
    assert table.splitlines()[0] == exports[0].splitlines()[0]


def games_of_an_earlier_run():
    """A captured log: a board is reset when some was received of two games, then sends three."""
    earlier, now = (replace(BOOT, boot=boot) for boot in ("00000F00", "00000F01"))
    sentences = [earlier]
    for number, most_moves in ((1, 0), (2, 1)):
        sentences += stages(DRAW, boot=earlier.boot, number=number)[: most_moves + 1]
    sentences += [
        now,
        *(stages(DRAW, boot=earlier.boot, number=number)[-1] for number in (1, 2, 3)),
    ]
    lines = (
        f'2026-09-22T10:00:0{second}.000Z salle-\\xc3\\xa9,"1" {write(sentence)}'
        for second, sentence in enumerate(sentences)
    )
    return "\n".join([*lines, ""])


def test_table_that_was_saved_is_opened_again(modules, folder, printed):
    """Also one of `noughts export`; and the log of a table that was opened has its games."""
    resent = wire(stages(DRAW, boot="00000E00", number=3)[-1]).decode("latin-1")
    log = captured_log() + resent + games_of_an_earlier_run()
    (folder / "first.log").write_text(log, encoding="latin-1")
    printed("watch", "--from", "first.log", "--plain", db=folder / "first.db")
    printed("export", "-o", "exported.csv", db=folder / "first.db")
    _, table, count = modules.evaluate(READ_AND_WRITE, [log, "first.log"])
    for saved in (table, "\ufeff" + (folder / "exported.csv").read_text("utf-8")):
        content = saved.encode().decode("latin-1")
        log_of_table, again, _ = modules.evaluate(READ_AND_WRITE, [content, "noughts-games.csv"])
        assert as_rows(again) == as_rows(table)
        _, once_more, _ = modules.evaluate(READ_AND_WRITE, [log_of_table, "noughts-games.log"])
        assert as_rows(once_more) == as_rows(table)
    assert count == len(as_rows(table)) == 10


NAMES = [
    *("usb-1", "3b/usb-1", "Mar 1", "may", "Mars", "Decks 2", "nan", "NULL", "infinity", "nano"),
    *("0xAB", "0xABG", "=1+1", "-1", "_x", "/dev/ttyACM0", "\\\\.\\COM9", 'a"b,c', "a\u2028b"),
]


def test_names_are_written_as_by_python_and_no_program_mistakes_them(modules):
    game = {"boot": "00000A83", "number": 1, "seats": "PH", "first": "A", "moves": "", "times": []}
    game |= {"ms": 0, "end": "x", "started": None, "playedBefore": None, "heard": None}
    table = modules.evaluate(
        "async (games) => (await import('page/csv.js')).gamesAsCsv(games)",
        [game | {"board": name} for name in NAMES],
    )
    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    assert [row["board"] for row in rows] == list(map(plain_text, NAMES))
    assert [row["game"] for row in rows] == [str(number) for number in range(1, len(rows) + 1)]


@pytest.mark.parametrize(
    "change",
    [
        {"result": "B"},  # without a line of O
        {"ms": "soon"},
        {"board": "usb 1\u2028"},
        {"boot": "0xA83"},
        {"board_name": "x" * 20_000},
    ],
    ids=lambda change: next(iter(change)),
)
def test_row_that_is_not_a_game_is_left_out(modules, change):
    log = wire(stages(A_WINS)[-1], stages(DRAW, number=2)[-1]).decode("latin-1")
    _, table, _ = modules.evaluate(READ_AND_WRITE, [log, "first.log"])
    heading, row, *rest = csv.reader(io.StringIO(table))
    changed = io.StringIO()
    csv.writer(changed).writerows(
        [heading, (dict(zip(heading, row, strict=True)) | change).values(), [], ["1"], *rest]
    )
    content = changed.getvalue().encode().decode("latin-1")
    _, again, count = modules.evaluate(READ_AND_WRITE, [content, "noughts-games.csv"])
    assert count == 1
    assert as_rows(again) == [tuple(rest[0][1:])]


def test_damaged_lines_of_a_log_are_read_as_the_board_sent_them(modules):
    dice = Random(52)
    data = b"".join(random_line(dice) for _ in range(600)).decode("latin-1")
    saved, _, count = modules.evaluate(READ_AND_WRITE, [data, "x.log"])
    again, _, count_again = modules.evaluate(READ_AND_WRITE, [saved, "y.log"])
    assert count == count_again > 50
    assert again == saved


ENDED = [stages(A_WINS, boot="3E5A5FD2")[-1], stages([4], "x", number=2, boot="3E5A5FD2")[-1]]
ROWS = [HEADING, *map(row, ENDED)]


def table_of(rows):
    return "\r\n".join([*rows, ""]).encode()


TABLE = table_of(ROWS)
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # as editors and spreadsheets write it
REASONS = {
    "not a micro:bit's data log": "file.notDataLog",
    "a data log of version": "file.version",
    "cut short or damaged": "file.damaged",
    "holds no games": "file.otherProgram",
}


def python_log(content):
    """A data log's games and skipped rows, or the key of the reason why there are no games."""
    try:
        log = data_log.read(content)
        return [[body_of(game) for game in log.games], log.skipped, log.first_skipped]
    except DataLogError as error:
        return next(key for text, key in REASONS.items() if text in str(error))


def changed_log(dice):
    """A data log, or a table, with some damage or a byte order mark, or rows of other programs."""
    rows = [*ROWS, "Time (seconds),temp", "1.05,1", f"x,{HEADING}", f",{row(ENDED[0])}"]
    rows = dice.sample(rows, dice.randrange(1, len(rows)))
    content = dice.choice([data_log_file(*rows), data_log_file(*ROWS), *4 * [table_of(rows)]])
    damage = dice.randrange(6)
    if damage == 0:
        content = content[: dice.randrange(len(content))]
    for _ in range(damage if damage < 4 else 0):
        place = dice.choice([dice.randrange(len(content)), min(8192, len(content) - 1)])
        hole = dice.choice([b"\xff", b"\xff" * 40, b"\0", bytes([dice.randrange(256)])])
        content = content[:place] + hole + content[place + len(hole) :]
    if damage == 4:
        content = content.replace(b"\xff", b"\xef\xbf\xbd")
    content = content.replace(b"V_002", dice.choice([b"V_002"] * 9 + [b"V_003"]))
    return dice.choice([b"", BYTE_ORDER_MARK]) + content


def log_with_hole_to(end):
    """A data log of two sectors whose bytes before this address were never written."""
    games = [stages(A_WINS, number=number, boot="3E5A5FD2")[-1] for number in range(100, 160)]
    content = data_log_file(HEADING, *map(row, games))
    return content[: end - 10] + b"\xff" * 10 + content[end:]


def test_data_logs_give_the_same_games_and_skipped_rows_or_the_same_reason(modules):
    dice = Random(53)
    contents = [changed_log(dice) for _ in range(150)]
    # The data ends with a hole up to the end of a sector; that of half a sector is no end.
    contents += [log_with_hole_to(end) for end in (0x2200, 0x2400)]
    contents.append(data_log_file(end=0x2000))
    # The log is full: no hole says where the data ends.
    contents.append(data_log_file(*ROWS, end=0x2000 + sum(len(row) + 1 for row in ROWS)))
    # Its header has a damaged digit.
    contents.append(data_log_file(*ROWS).replace(b"\n0x0001", b"\n0?0001"))
    # What is left of a row with a hole looks like a whole one.
    shared = data_log_file(f"temp,{HEADING}", *(f"21.5,{row(game)}" for game in ENDED))
    contents.append(shared.replace(b"21.5", b"2\xff\xff5", 1))
    # A cell too many: in one of our rows, and in one of another program.
    contents.append(data_log_file(HEADING, f"{row(ENDED[0])},1", row(ENDED[1])))
    contents.append(data_log_file(f"temp,{HEADING}", "21,,,,,,,,5", f",{row(ENDED[1])}"))
    # Another program has a column `ms`, too.
    contents.append(data_log_file(f"temp,{HEADING}", "21,,,,,,500,", f",{row(ENDED[1])}"))
    result = modules.evaluate(
        """async (texts) => {
          const { readDataLog } = await import('page/data_log.js');
          return texts.map((text) => {
            try {
              const { games, skipped, firstSkipped } = readDataLog(atob(text));
              return [games.map(({ body }) => body), skipped, firstSkipped];
            } catch (error) {
              return error.key;
            }
          });
        }""",
        [base64.b64encode(content).decode() for content in contents],
    )
    expected = [python_log(content) for content in contents]
    assert result == expected
    assert set(REASONS.values()) <= {outcome for outcome in expected if isinstance(outcome, str)}
    assert any(isinstance(outcome, list) and outcome[0] for outcome in expected)
    assert any(isinstance(outcome, list) and outcome[1] for outcome in expected)
    assert len(expected[150][0]) > 50 > len(expected[151][0])


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (data_log_file(*ROWS), "MY_DATA.HTM"),
        (TABLE, "microbit.csv"),
        (TABLE, "microbit"),
        (BYTE_ORDER_MARK + TABLE, "saved.csv"),
    ],
    ids=["page", "table", "without an ending", "byte order mark"],
)
def test_file_of_a_data_log_is_opened(modules, content, name):
    _, table, count = modules.evaluate(READ_AND_WRITE, [content.decode("latin-1"), name])
    assert count == 2
    for game in csv.DictReader(io.StringIO(table)):
        assert game["board"] == f"file-{name}"
        assert game["by_radio"] == "0"
        assert game["played_before_utc"] == game["heard_utc"] != ""
        assert not game["started_utc"]


@pytest.mark.parametrize("content", ["no games\nat all\n", ""])
def test_file_without_games_is_refused(modules, content):
    reason = modules.evaluate(
        """async (text) => {
          const { readLog } = await import('page/log_files.js');
          try { return readLog(text, 'x').lines.length; } catch (error) { return error.key; }
        }""",
        content,
    )
    assert reason == "file.nothing"


def test_board_is_shown_as_what_it_sends_says(modules):
    """Nothing of it is shown before; and what is no sentence changes nothing that is shown."""
    *_, last_turn, b_wins = stages([4, 0, 2, 6, 8, 3], seats="MZ")
    *_, draw = stages(DRAW, seats="HE", first="B", number=2)
    *_, abandoned = stages([4, 0], "x", seats="EP", number=3)
    menus = [Menu(BOOT.boot, choice) for choice in ("Hb", "Mt", "Eb", "Pb", "Zb")]
    begun = stages([4], first="B", number=4)
    *_, resent = stages(DRAW, boot="00000C00")
    *_, by_radio, a_wins = stages(A_WINS, number=5)
    heard = [wire(game, radio_id="12345678").decode() for game in (by_radio, a_wins, resent)]
    parts = ["", resent, last_turn, b_wins, "Traceback\r\n", BOOT, *menus, draw, abandoned, *begun]
    parts += heard
    shown = modules.evaluate(
        """async (parts) => {
          const { LiveBoard } = await import('page/live_board.js');
          const live = new LiveBoard(document.createElement('div'), { add() {} }, 'screen-1');
          const { root } = live;
          return parts.map((part) => {
            const drawn = root.querySelector('.who');
            live.feed(part);
            if (root.querySelector('.who') === drawn) return root.hidden ? 'hidden' : 'the same';
            const shapes = [...root.querySelectorAll('svg g')].map((cell) => {
              const mark = cell.querySelector('.X, .O')?.getAttribute('class') ?? '.';
              const classes = cell.querySelector('rect').getAttribute('class').split(' ');
              return mark + classes.filter((name) => name !== 'ground').join('');
            });
            const texts = [...root.querySelectorAll('h2, p')].map((text) => text.textContent);
            return [root.querySelector('svg').getAttribute('aria-label'), shapes.join(' '), texts];
          });
        }""",
        [part if isinstance(part, str) else wire(part).decode() for part in parts],
    )
    nothing = ". . . . . . . . ."
    board, players = ["micro:bit V1", "game 0.1.0"], "A (✕): {}. B (◯): {}."
    chip = "In the menu: the chip"
    choices = [
        *(f"{chip} (hard)", f"{chip} (medium), by tilting", f"{chip} (easy)"),
        *("In the menu: a second person", "In the menu: Z"),
    ]
    first = "Game 1. " + players.format("the chip (medium)", "Z")
    second = "Game 2. " + players.format("the chip (hard)", "the chip (easy)")
    third = "Game 3. " + players.format("the chip (easy)", "a person")
    fourth = "Game 4. " + players.format("a person", "the chip (hard)")
    fifth = "Game 5. " + players.format("a person", "the chip (hard)")
    line = [["Board", "Xline O . Xline X O Xlastline . O", [*board, "Player A (✕) has won", fifth]]]
    won = "Oline . X Olastline X . Oline . X"
    assert shown == [
        "hidden",
        ["Board", nothing, ["micro:bit", "", "In the menu"]],
        ["Board", "O . X . X . O . Xlast", ["micro:bit", "", "Player B (◯) to move", first]],
        ["Board", won, ["micro:bit", "", "Player B (◯) has won", first]],
        "the same",
        *(["Board", nothing, [*board, text]] for text in ["In the menu", *choices]),
        ["Board", "X O O O O X X X Olast", [*board, "A draw", second]],
        ["Board", "Olast . . . X . . . .", [*board, "The game was abandoned", third]],
        ["Board", nothing, [*board, "Player B (◯) to move", fourth]],
        ["Board", ". . . . Olast . . . .", [*board, "Player A (✕) to move", fourth]],
        ["Board", "X O . X X Olast . . O", [*board, "Player A (✕) to move", fifth]],
        *(2 * line),  # and the same is drawn once more: it has resent an older game
    ]


def test_board_may_have_gone_on_while_nothing_came(modules):
    """As while the page was hidden: what it sends then says where it is."""
    turn, *_, last = stages(DRAW)
    lines = [wire(line).decode() for line in (BOOT, turn, last, Menu(BOOT.boot, "Rbs1"))]
    result = modules.evaluate(
        """async ([boot, turn, last, menu]) => {
          const { LiveBoard } = await import('page/live_board.js');
          const { GameStore } = await import('page/game_store.js');
          const store = new GameStore(null);
          const live = new LiveBoard(document.createElement('div'), store, 'screen-1');
          const situation = () => live.root.querySelector('.who').textContent;
          for (const line of [boot, turn]) live.feed(line);
          live.opened();
          live.feed(last);
          const afterGame = [situation(), live.recovered.size, store.lines.at(-1).late];
          live.feed(menu);
          live.opened();
          live.see('0000100000000000000000000');
          return [...afterGame, situation().slice(0, 20)];
        }""",
        lines,
    )
    assert result == ["In the menu", 1, True, "In the menu: a frien"]


def shown_of_two_boards(modules, parts):
    """What is said of a board after each part: sentences, or the levels of its LEDs."""
    return modules.evaluate(
        """async (parts) => {
          const { LiveBoard } = await import('page/live_board.js');
          const live = new LiveBoard(document.createElement('div'), { add() {} }, 'screen-1');
          return parts.map((part) => {
            if (part.startsWith('$')) live.feed(part);
            else live.see(part);
            const texts = live.root.querySelectorAll('.who, .who ~ p + p');
            return [...texts].map((text) => text.textContent).join(' ');
          });
        }""",
        [part if isinstance(part, str) else wire(part).decode() for part in parts],
    )


def test_game_of_two_boards_is_shown_on_each(modules):
    """It has the boot of player A's board, also after a reset; its end is no older game's."""
    ours, partner = replace(BOOT, boot="00000B00"), "00000C00"
    first, *_, last = stages(A_WINS, seats="PP", boot=partner)
    reset = replace(BOOT, boot="00000D00")
    sentences = [BOOT, Menu(BOOT.boot, "Rbs"), Menu(BOOT.boot, "Rbs3"), ours, first, last, reset]
    choosing = (
        "In the menu: a friend by radio, on channel 3. "
        "Choose the same channel on both boards, then press button B on both."
    )
    left = Menu(reset.boot, "Pb")
    assert shown_of_two_boards(modules, [*sentences, first, left]) == [
        "In the menu",
        "In the menu: a friend by radio",
        choosing,
        "The boards have found each other",
        "Player A (✕) to move This board is player B’s.",
        "Player A (✕) has won This board is player B’s.",
        "The board is starting.",
        "Player A (✕) to move This board is player B’s.",
        "In the menu: a second person",
    ]


def test_leds_say_what_no_sentence_does_about_the_other_board(modules):
    def lit(text):
        return text.replace(".", "0").replace(" ", "")

    digit, dark = lit("..9.. .99.. ..9.. ..9.. .999."), "0" * 25
    light = lit("....4 ..... ..... ..... .....")
    game = stages([4], seats="PP")[-1]
    parts = [
        *(BOOT, Menu(BOOT.boot, "Rbs1"), light, dark, digit, light, BOOT, light),
        *(
            game,
            lit(LETTERS["?"]).replace("9", "3"),
            light,
            lit(LETTERS["house"]),
            BOOT,
            lit(LETTERS["?"]),
        ),
    ]
    looking = "Looking for the other board on channel 1. Buttons A and B together go back."
    choosing, turn = "In the menu: a friend by radio", "Player B (◯) to move This board"
    silent, leaving = "The other board is silent.", "The board leaves the game."
    met, starting = "The boards have found each other", "The board is starting."
    texts = [
        *("In the menu", choosing, looking, looking, choosing, looking, met, met),
        *(turn, silent, turn, leaving, starting, starting),
    ]
    for shown, text in zip(shown_of_two_boards(modules, parts), texts, strict=True):
        assert shown.startswith(text)


def test_board_that_was_reset_in_a_match_resends_older_games_which_are_not_shown(modules):
    """Player B's board: its match has the boot of player A's, so they look like new ones."""
    match = [game for number in (1, 2) for game in stages(DRAW, number=number)]
    first, second = match[len(match) // 2 - 1], match[-2]
    own_start = replace(BOOT, boot="0000BBBB")
    lines = [wire(line).decode() for line in (*match[:-1], own_start, second, first)]
    live = modules.evaluate(
        """async (lines) => {
          const { LiveBoard } = await import('page/live_board.js');
          const { GameStore } = await import('page/game_store.js');
          const live = new LiveBoard(document.createElement('div'), new GameStore(null), 'x');
          for (const line of lines) live.feed(line);
          return { number: live.game.number, recovered: [...live.recovered] };
        }""",
        lines,
    )
    assert live == {"number": 2, "recovered": [body_of(first)]}


def test_store_takes_only_so_many_lines_of_one_game(modules):
    """By cable, and as many by radio: hostile boards may send any."""
    last = stages(DRAW)[-1]
    count = modules.evaluate(
        """async (bodies) => {
          const { GameStore } = await import('page/game_store.js');
          const { parse } = await import('page/sentences.js');
          const store = new GameStore(null);
          const line = { board: 'x', late: false, at: 0 };
          const sentences = bodies.map(parse);
          const add = (radio) =>
            store.add(sentences.map((sentence) => ({ ...line, radio, sentence })));
          return [await add(false), await add(true), store.lines.length];
        }""",
        [body_of(replace(last, ms=10_000 + more)) for more in range(201)],
    )
    assert count == [200, 200, 400]


def test_store_takes_more_lines_at_once_than_a_function_takes_arguments(modules):
    count = modules.evaluate(
        """async () => {
          const { GameStore } = await import('page/game_store.js');
          const opened = { board: 'usb-1', radio: false, late: false, sentence: null };
          const store = new GameStore(null);
          await store.add(Array.from({ length: 500_000 }, (_, at) => ({ ...opened, at })));
          return store.lines.length;
        }"""
    )
    assert count == 500_000


def test_line_that_could_not_be_written_is_written_with_the_next(modules):
    lines = [
        {"board": "usb-1", "radio": False, "late": False, "at": 0, "body": body_of(game)}
        for game in stages(DRAW)[:2]
    ]
    result = modules.evaluate(
        """async (lines) => {
          const { GameStore } = await import('page/game_store.js');
          const { parse } = await import('page/sentences.js');
          const [first, second] = lines.map(({ body, ...line }) => ({
            ...line,
            sentence: { ...parse(body), radioId: null },
          }));
          const store = await GameStore.open();
          const { add } = IDBObjectStore.prototype;
          let next;
          IDBObjectStore.prototype.add = () => {
            IDBObjectStore.prototype.add = add;
            next = store.add([second]); // comes before the first is refused
            throw new DOMException('no', 'UnknownError');
          };
          const refused = await store.add([first]).then(() => '', (error) => error.message);
          await next;
          const stored = (await GameStore.open()).lines;
          const database = await new Promise((resolve) => {
            indexedDB.open('noughts').onsuccess = ({ target }) => resolve(target.result);
          });
          const rowCount = await new Promise((resolve) => {
            const request = database.transaction('lines').objectStore('lines').count();
            request.onsuccess = () => resolve(request.result);
          });
          database.close();
          await store.deleteAll();
          return [refused, rowCount, ...stored.map(({ sentence }) => sentence.body)];
        }""",
        lines,
    )
    assert result == ["no", 2, *(line["body"] for line in lines)]
