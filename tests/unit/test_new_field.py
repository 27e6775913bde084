"""A new field of `$NB` or `$NG`: which files have to change. The tree is copied, and changed there.

Python reads a field once, in `protocol/sentences.py`. From there it reaches the store, the events,
data logs and the games of `noughts web`. The page without a server has the fields in files of its
own. (What `noughts export` has is a choice: `views/export_columns.py` and the page's `csv.js`.)
"""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import pytest

from data_logs import HEADING, row
from noughts.protocol import data_log
from noughts.protocol.sentences import BOOT_FIELDS, GAME_FIELDS, body, framed
from noughts.version import __version__
from sample_games import BOOT, stages

SENTENCES, SCHEMA = "host/noughts/protocol/sentences.py", "host/noughts/store/schema.py"
PAGE = "host/page/"
NEW_FIELDS = {
    "boots": {
        "device/sentences.py": [(f',V%d,{__version__},%s"', f',V%d,{__version__},%s,40C"')],
        SENTENCES: [
            ('    """Four hex digits."""\n', '    """Four hex digits."""\n    heat: str\n'),
            ('    table_id="[0-9A-F]{4}",\n', '    table_id="[0-9A-F]{4}", heat="[0-9]{1,3}C",\n'),
        ],
        SCHEMA: [("        table_id TEXT NOT NULL\n", "        table_id TEXT, heat TEXT\n")],
        f"{PAGE}sentences.js": [
            (",([0-9A-F]{4})$/", ",([0-9A-F]{4}),([0-9]{1,3}C)$/"),
            ("release, tableId] = start", "release, tableId, heat] = start"),
            ("hardware, release, tableId };", "hardware, release, tableId, heat };"),
        ],
        f"{PAGE}csv.js": [("tableId.replace(/^_?0x/, '')]", "tableId.replace(/^_?0x/, ''), heat]")],
        "docs/protocol.md": [(f"V2,{__version__},2798", f"V2,{__version__},2798,40C")],
    },
    "games": {
        "device/game.py": [('"NG,%s,%d,%s,%s,%s,%d,%s"', '"NG,%s,%d,%s,%s,%s,%d,%s,40C"')],
        "device/games_v2.py": [('"ms", "end"\n', '"ms", "end", "heat"\n')],
        SENTENCES: [
            # Games that are played on a computer have the default.
            ("    ms: int\n    end: str\n", '    ms: int\n    end: str\n    heat: str = "20C"\n'),
            ('    end="[-AB=x]",\n', '    end="[-AB=x]", heat="[0-9]{1,3}C",\n'),
            ("moves, ms, end = match", "moves, ms, end, heat = match"),
            ("cells, int(ms), end)", "cells, int(ms), end, heat)"),
        ],
        SCHEMA: [("        ms INTEGER NOT NULL, ", "        heat TEXT, ms INTEGER NOT NULL, ")],
        f"{PAGE}sentences.js": [
            ("'([-AB=x])'],", "'([-AB=x])', '([0-9]{1,3}C)'],"),
            ("moves, ms, end]) {", "moves, ms, end, heat]) {"),
            ("    end,\n  };", "    end,\n    heat,\n  };"),
        ],
        f"{PAGE}data_log.js": [("'ms', 'end']", "'ms', 'end', 'heat']")],
        f"{PAGE}csv.js": [
            ("number, seats, first }, moves", "number, seats, first, heat }, moves"),
            ("moves, ms, end].join", "moves, ms, end, heat].join"),
        ],
        f"{PAGE}game_store.js": [
            ("moves, ms, end } = sentence", "moves, ms, end, heat } = sentence"),
            ("moves, ms, end });", "moves, ms, end, heat });"),
        ],
        f"{PAGE}fold.js": [
            ("moves, ms, end }) =>", "moves, ms, end, heat }) =>"),
            ("moves, ms, end].join", "moves, ms, end, heat].join"),
        ],
        "docs/protocol.md": [("| `-` | `-` going on", "| `40C` | heat |\n| `-` | `-` going on")],
    },
}
"""By the table that stores it: what to replace in which file."""

OTHER_LISTS = {
    "boots": [(f"{PAGE}sentences.js", r"const \[, (.*)\] = start", BOOT_FIELDS)],
    "games": [
        ("device/games_v2.py", "LABELS = (.*)", data_log.COLUMNS),
        (f"{PAGE}data_log.js", r"COLUMNS = \[(.*)\]", data_log.COLUMNS),
        (f"{PAGE}sentences.js", r"gameOf\(body, radioId, \[, (.*)\]\)", GAME_FIELDS),
        (f"{PAGE}csv.js", r"\['NG', (.*)\]\.join", GAME_FIELDS),
        (f"{PAGE}game_store.js", "const {(.*)} = sentence;\n.*push", GAME_FIELDS[2:]),
        (f"{PAGE}fold.js", r"textOf = .* => \[(.*)\]", GAME_FIELDS[2:]),
    ],
}
"""The lists of fields that Python does not derive: their file, a pattern, and what they hold."""

PLAY_ON_PAGE = """
import sys
from pathlib import Path
from asking import ask, change
from noughts.web.safety import Site
site = Site(Path(sys.argv[1]), 8017)
answer = ask(change(site), "POST", "/api/games", (sys.argv[2].encode(),), site=site)
assert answer.status == 200, answer.text
"""
PAGE_GAME = {"session": "00000001", "number": 3, "opponent": "friend", "first": True}
PAGE_GAME |= {"moves": "03142", "times": [1, 2, 3, 4, 5]}


def fields_in(tree, file, pattern):
    """The names in a list of a file, in the order of the sentence."""
    (match,) = re.finditer(pattern, (tree / file).read_text(encoding="utf-8"))
    return re.findall(r"\w+", match[1].replace("tableId", "table_id"))


@pytest.mark.parametrize("table", OTHER_LISTS)
def test_fields_in_the_device_and_the_page_are_those_of_the_sentence(repository, table):
    for file, pattern, expected in OTHER_LISTS[table]:
        assert fields_in(repository, file, pattern) == [*expected], file


@pytest.fixture
def changed_tree(tmp_path, repository):
    """Copies the tree, and replaces these texts there."""

    def change(changes):
        skipped = shutil.ignore_patterns("__pycache__", "node_modules")
        for folder in ("host", "device", "docs"):
            shutil.copytree(repository / folder, tmp_path / folder, ignore=skipped)
        for name, replacements in changes.items():
            text = (tmp_path / name).read_text(encoding="utf-8")
            for old, new in replacements:
                assert text.count(old) == 1, (name, old)
                text = text.replace(old, new)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path

    return change


@pytest.fixture
def in_tree(tmp_path):
    """Runs Python with the modules of the changed tree; gives its output."""

    def run(*arguments):
        path = os.pathsep.join([str(tmp_path / "host"), *sys.path])
        environment = os.environ | {"PYTHONPATH": path}
        command = [sys.executable, *map(str, arguments)]
        return subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout

    return run


@pytest.mark.parametrize("table", NEW_FIELDS)
def test_new_field_is_read_stored_and_shown(changed_tree, in_tree, table):
    """With changes in these files, and nowhere else."""
    tree = changed_tree(NEW_FIELDS[table])
    sentences = [BOOT] if table == "boots" else stages([4, 0], "x")
    log = "".join(framed(f"{body(sentence)},40C") + "\r\n" for sentence in sentences)
    (tree / "board.log").write_text(log)
    watch = ["-m", "noughts", "watch", "--json", "--db", tree / "games.db", "--from"]
    events = [json.loads(line) for line in in_tree(*watch, tree / "board.log").splitlines()]
    assert [event["heat"] for event in events] == ["40C"] * len(sentences)
    with closing(sqlite3.connect(tree / "games.db")) as db:
        assert db.execute(f"SELECT heat FROM {table}").fetchall() == [("40C",)]
    for file, pattern, expected in OTHER_LISTS[table]:
        assert fields_in(tree, file, pattern) == [*expected, "heat"], file


def test_new_field_of_a_game_is_in_data_logs_and_games_of_the_page(changed_tree, in_tree):
    tree = changed_tree(NEW_FIELDS["games"])
    game = replace(stages([4, 0], "x")[-1], number=2)
    (tree / "copy.csv").write_text(f"{HEADING},heat\n{row(game)},30C\n")
    in_tree("-m", "noughts", "watch", "--db", tree / "games.db", "--from", tree / "copy.csv")
    in_tree("-c", PLAY_ON_PAGE, tree / "games.db", json.dumps(PAGE_GAME))
    with closing(sqlite3.connect(tree / "games.db")) as db:
        stored = db.execute("SELECT number, heat FROM games ORDER BY number").fetchall()
    assert stored == [(2, "30C"), (3, "20C")]
