"""A new field of `$NB` or `$NG`: which files have to change. The tree is copied, and changed there.

A field is read once, in `protocol/sentences.py`. From there it reaches the store and the events.
"""

import filecmp
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from noughts.protocol.sentences import body, framed
from sample_games import BOOT, stages

SENTENCES, SCHEMA = "host/noughts/protocol/sentences.py", "host/noughts/store/schema.py"
NEW_FIELDS = {
    "boots": {
        "device/sentences.py": [(',V%d,1.2.0,%s"', ',V%d,1.2.0,%s,40C"')],
        SENTENCES: [
            ('    """Four hex digits."""\n', '    """Four hex digits."""\n    heat: str\n'),
            ('    table_id="[0-9A-F]{4}",\n', '    table_id="[0-9A-F]{4}", heat="[0-9]{1,3}C",\n'),
        ],
        SCHEMA: [("        table_id TEXT NOT NULL\n", "        table_id TEXT, heat TEXT\n")],
        "docs/protocol.md": [("$NB,1,3E5A5FD2,V2,1.2.0,2798", "$NB,1,3E5A5FD2,V2,1.2.0,2798,40C")],
    },
    "games": {
        "device/game.py": [('"NG,%s,%d,%s,%s,%s,%d,%s"', '"NG,%s,%d,%s,%s,%s,%d,%s,40C"')],
        SENTENCES: [
            ("    ms: int\n    end: str\n", "    ms: int\n    end: str\n    heat: str\n"),
            ('    end="[-AB=x]",\n', '    end="[-AB=x]", heat="[0-9]{1,3}C",\n'),
        ],
        SCHEMA: [("        ms INTEGER NOT NULL, ", "        heat TEXT, ms INTEGER NOT NULL, ")],
        "docs/protocol.md": [("| `-` | `-` going on", "| `40C` | heat |\n| `-` | `-` going on")],
    },
}
"""By the table that stores it: what to replace in which file."""


@pytest.fixture
def changed_tree(tmp_path, repository):
    """Copies the tree, and changes it; then it asserts that no other file has changed."""

    def change(changes):
        skipped = shutil.ignore_patterns("__pycache__")
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


@pytest.mark.parametrize("table", NEW_FIELDS)
def test_new_field_is_read_stored_and_shown(changed_tree, repository, tmp_path, table):
    """In the device, `protocol/sentences.py`, the schema and the document, and nowhere else."""
    tree = changed_tree(NEW_FIELDS[table])
    sentences = [BOOT] if table == "boots" else stages([4, 0], "x")
    log = "".join(framed(f"{body(sentence)},40C") + "\r\n" for sentence in sentences)
    (tree / "board.log").write_text(log)
    command = [sys.executable, "-m", "noughts", "watch", "--json", "--from", tree / "board.log"]
    environment = os.environ | {"PYTHONPATH": str(tree / "host")}
    listed = subprocess.run(
        [*command, "--db", tree / "games.db"], env=environment, capture_output=True, check=True
    )
    events = [json.loads(line) for line in listed.stdout.splitlines()]
    assert [event["heat"] for event in events] == ["40C"] * len(sentences)
    with closing(sqlite3.connect(tree / "games.db")) as db:
        assert db.execute(f"SELECT heat FROM {table}").fetchall() == [("40C",)]
    differing = {
        str(file.relative_to(tree))
        for folder in ("host", "device", "docs")
        for file in (tree / folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
        if not filecmp.cmp(file, repository / file.relative_to(tree), shallow=False)
    }
    assert differing == set(NEW_FIELDS[table])
