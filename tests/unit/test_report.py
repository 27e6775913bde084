"""`noughts report`: the page of a class, and its table of boards."""

import csv
import io
import re
import xml.etree.ElementTree as ET
from collections import Counter
from html.parser import HTMLParser
from random import Random

import pytest

from needed import FULL_DISK, POSIX
from noughts import cli
from noughts.game.positions import EMPTY, canonical
from noughts.game.review import review
from noughts.protocol.sentences import outcome
from noughts.report.page import page
from noughts.store.people_moves import met_positions
from noughts.store.queries import GameFilter
from noughts.store.statistics import stats
from noughts.store.store import Store
from sample_games import AT, filled, stages

DRAW = [4, 0, 2, 6, 3, 5, 1, 7, 8]
EDGE_REPLY = [4, 1, 0, 8, 3, 5, 6]
"""The second move, on an edge, is the mistake; who moves first wins."""


@pytest.fixture
def path(tmp_path):
    """A person who begins makes no mistake; one who moves second answers the centre on an edge."""
    path = filled(
        tmp_path / "games.db",
        stages(DRAW),
        stages(EDGE_REPLY, seats="PH", number=2),  # the mistake is the chip's
        stages(EDGE_REPLY, seats="PH", number=3, first="B"),
        stages([4, 3, 0, 8, 1, 7, 2], seats="PE", number=4, first="B"),  # the same, turned
        stages([4, 1], "x", seats="PP", number=5),  # abandoned: nothing of it is counted
    )
    return filled(path, stages(EDGE_REPLY, seats="PP"), board="usb-2", at=AT + 86_400_000)


@pytest.fixture
def noughts(path, capsys):
    def run(*words, db=path):
        try:
            status = cli.main(["report", "--db", str(db), *words])
        except SystemExit as end:
            status = end.code
        told = capsys.readouterr()
        return status, told.out, told.err

    return run


class Page(HTMLParser):
    """The tags, the tables and the text of a page; every tag that needs it is closed."""

    def __init__(self, text):
        super().__init__()
        self.tags = Counter()
        self.attributes = []
        self.open = []
        self.rows = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def test_the_page_says_results_boards_first_moves_and_mistakes(noughts, path, tmp_path):
    with Store(path) as store:
        store.name_board("usb-2", "blue table")
    file = tmp_path / "class.html"
    status, out, err = noughts("-o", str(file))
    assert (status, out, err) == (0, f"{file} written: 6 games on 2 boards\n", "")
    page = Page(file.read_text("utf-8"))
    assert ["person against hard", "A", "2", "1", "0", "1", "0", "0"] in page.rows
    assert ["blue table", "1", "0", "0", "0", "1", "0", "1", "0.50", "2026-09-22"] in [
        [*row[:-1], row[-1].split()[0]] for row in page.rows if row
    ]
    (usb,) = (row for row in page.rows if row[0] == "usb-1")
    assert usb[:9] == ["usb-1", "5", "1", "1", "2", "0", "1", "2", "0.50"]
    assert ["2", "3", "3", "100%"] in page.rows  # the second move of the game
    assert "Where people began 3 games: 100% in the centre, 0% in a corner, 0% on an edge." in (
        page.text
    )
    assert "O to move: 3 mistakes in 3 games (100%)." in " ".join(page.text.split())
    assert (
        "Most often wrong: 2, on the top edge (3 times); it turns a draw into a loss" in page.text
    )
    assert "Right: 1, 3, 7 or 9." in page.text


def test_the_page_needs_nothing_but_itself(noughts):
    status, out, err = noughts("-o", "-")
    assert (status, err) == (0, "")
    page = Page(out)
    assert not {"script", "link", "img", "iframe", "object", "a", "base"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {"src", "href", "style", "srcset"} & names
    assert not [name for name in names if name.startswith("on")]
    assert "url(" not in out and "@import" not in out and "@media print" in out
    pictures = re.findall(r"<svg.*?</svg>", out, re.DOTALL)
    assert len(pictures) == 2
    for picture in pictures:
        ET.fromstring(picture)
    assert "2 wrong" in pictures[1] and "1 right" in pictures[1]


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "'\"><svg onload=x>", "\x1b[2Ja&b"])
def test_names_are_text(noughts, path, name):
    with Store(path) as store:
        store.name_board("usb-2", name)
    page = Page(noughts("--board", name.replace("\x1b", "b"), "--board", "usb-2")[1])
    assert "script" not in page.tags and page.tags["svg"] == 2
    assert name.replace("\x1b", " ") in [row[0] for row in page.rows]
    assert name.replace("\x1b", "b") in page.text  # which games: as it was typed


def test_what_was_chosen_is_text_too(path):
    with Store(path) as store:
        found, moves = stats(store, GameFilter()), met_positions(store, GameFilter())
    assert "Only &lt;b&gt; [2J . " in page(found, {}, moves, "<b>\x1b[2J\u202e")


def test_it_is_of_the_games_that_are_chosen(noughts):
    page = Page(noughts("--board", "usb-2", "--since", "2026-09-22")[1])
    assert "Only boards with 'usb-2' in their name, since 2026-09-22." in page.text
    assert page.rows[-1] and "usb-1" not in page.text
    assert "1game1board0.50mistakes a game, of each person" in page.text


def test_games_without_an_end_or_a_mistake(noughts, tmp_path):
    begun = filled(tmp_path / "begun.db", stages([]), stages([4], number=2))
    status, out, _ = noughts(db=begun)
    assert status == 0 and Page(out).tags["svg"] == 0
    page = Page(noughts(db=filled(tmp_path / "fine.db", stages(DRAW)))[1])
    assert "No person made a mistake." in page.text


def test_the_table_of_boards_as_csv(noughts, path, tmp_path):
    with Store(path) as store:
        store.name_board("usb-2", "=1+1")
    status, out, err = noughts("--csv")
    assert (status, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert rows[0] == {
        "board": "usb-2", "name": "_=1+1", "games": "1", "won": "0", "drawn": "0", "lost": "0",
        "between_people": "1", "abandoned": "0", "unfinished": "0", "mistakes": "1",
        "mistakes_a_game": "0.5", "last_utc": "2026-09-22 14:13:20.000",
        "last_before_utc": "",
    }  # fmt: skip
    assert (rows[1]["board"], rows[1]["name"], rows[1]["mistakes_a_game"]) == ("usb-1", "", "0.5")
    file = tmp_path / "class.csv"
    assert noughts("-o", str(file))[0] == 0
    assert file.read_bytes().decode() == out


def test_peoples_moves_are_those_of_a_review(tmp_path):
    """Random games, counted once more by reviewing each of them."""
    dice = Random(1)
    games = []
    for number in range(1, 200):
        cells = dice.sample(range(9), 9)
        plies = next(plies for plies in range(1, 10) if outcome(tuple(cells[:plies]), "A") != "-")
        seats = dice.choice(["PP", "PH", "HP", "HE"])
        games.append((cells[:plies], seats, dice.choice("AB"), number))
    with Store(tmp_path / "random.db", create=True) as store:
        for cells, seats, first, number in games:
            told = stages(cells, seats=seats, first=first, number=number)[-1]
            store.keep("usb-1", told, AT)
        found, counted = met_positions(store, GameFilter()), stats(store, GameFilter())
    met, wrong, openings = Counter(), Counter(), Counter()
    for cells, seats, first, _ in games:
        order = seats if first == "A" else seats[::-1]
        for ply, move in enumerate(review(cells)):
            if order[ply % 2] == "P":
                least = canonical(move.before)
                met[least] += 1
                wrong[least] += move.mistake
                openings[move.cell] += move.before == EMPTY
    assert {each.position: each.met for each in found} == met
    assert {each.position: each.mistakes for each in found} == wrong
    assert counted.first_moves == [openings[cell] for cell in range(9)]
    order = [each.mistakes for each in found]
    assert order == sorted(order, reverse=True)


def test_cells_are_counted_together_where_the_position_is_the_same(tmp_path):
    """All four corners of the empty board are one."""
    with Store(tmp_path / "corners.db", create=True) as store:
        for number, corner in enumerate((0, 2, 6, 8), 1):
            cells = [corner, *(cell for cell in DRAW if cell != corner)]
            plies = next(n for n in range(1, 10) if outcome(tuple(cells[:n]), "A") != "-")
            store.keep("usb-1", stages(cells[:plies], number=number)[-1], AT)
        found = met_positions(store, GameFilter())
    (empty,) = (each for each in found if each.position == EMPTY)
    assert empty.moves == {0: 4}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-o", "class.pdf"], "a report is HTML; end the name in .html instead of .pdf"),
        (["--seats", "XY"], "two letters of P, E, M, H"),
    ],
)
def test_wrong_usage(noughts, words, says):
    status, out, err = noughts(*words)
    assert (status, out) == (2, "")
    assert says in err


@pytest.mark.parametrize("words", [[], ["--csv"], ["-o", "-"]])
def test_no_game(noughts, tmp_path, words):
    empty = filled(tmp_path / "empty.db")
    status, out, err = noughts(*words, db=empty)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert f"{empty} holds no game yet; " in err
    assert "matches; `noughts games --db" in noughts(*words, "--seats", "MM")[2]


@POSIX
def test_nothing_is_written_over_the_store(noughts, path):
    status, _, err = noughts("--csv", "-o", str(path))
    assert status == 2 and "is the store itself" in err


def test_what_was_there_stays_where_nothing_can_be_written(noughts, path, tmp_path):
    file = tmp_path / "class.html"
    file.write_text("before")
    assert noughts("-o", str(file), "--seats", "MM")[0] == 1
    assert file.read_text() == "before"
    status, _, err = noughts("-o", str(tmp_path / "no" / "class.html"))
    assert (status, err.count("\n")) == (1, 1)


@FULL_DISK
def test_full_disk(noughts):
    status, _, err = noughts("--csv", "-o", "/dev/full")
    assert (status, err.count("\n")) == (1, 1)
    assert "No space left" in err
