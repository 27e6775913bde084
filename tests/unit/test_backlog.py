"""The queue on disk: raw lines that no collector has stored yet."""

import json

import pytest

from noughts.rooms.backlog import Backlog
from noughts.rooms.messages import Message
from noughts.watch import raw_log
from noughts.watch.raw_log import RawLog
from sample_games import AT

BROKER = "mqtt://broker.example"


@pytest.fixture
def log(tmp_path):
    return RawLog(tmp_path / "raw", piece=2000, limit=6000)


def say(log, count, board="usb-1", first=0):
    for number in range(first, first + count):
        log.write(board, f"line {number}", AT + number)
    log.flush()


def numbers(found):
    return [int(line.rsplit(b" ", 1)[1]) for each in found for line in each.lines.splitlines()]


def everything(backlog):
    found = []
    while more := backlog.more():
        found += more
    return found


def test_what_is_not_confirmed_is_sent_again_after_a_restart(log):
    say(log, 3)
    backlog = Backlog(log.folder, BROKER, "3b")
    (first,) = backlog.more()
    assert first.board == "usb-1" and numbers([first]) == [0, 1, 2]
    assert backlog.more() == []
    say(log, 2, first=3)
    (second,) = backlog.more()
    assert backlog.confirmed(second.digest) and not backlog.confirmed(second.digest)
    backlog.save()
    assert numbers(everything(Backlog(log.folder, BROKER, "3b"))) == [0, 1, 2, 3, 4]
    backlog.confirmed(first.digest)
    backlog.save()
    assert everything(Backlog(log.folder, BROKER, "3b")) == []
    # Another broker or room has had nothing of it.
    for other in ((BROKER, "3c"), (f"{BROKER}:1884", "3b")):
        assert numbers(everything(Backlog(log.folder, *other))) == [0, 1, 2, 3, 4]
    (position,) = log.folder.glob("published-*.json")
    (name,) = (path.name for path in raw_log.files(log.folder))
    of_the_file = [f'{{"stored": {{"{name}": {size}}}}}' for size in ("-1", "1.5", "true", '"z"')]
    for damage in ("", "{", "[]", '{"stored": 3}', "\xff", *of_the_file):
        position.write_bytes(damage.encode("latin-1"))
        assert numbers(everything(Backlog(log.folder, BROKER, "3b"))) == [0, 1, 2, 3, 4]


def test_the_lines_of_several_boards_and_files(log):
    for number in range(100):
        say(log, 1, f"usb-{number % 3}", number)
    assert len(raw_log.files(log.folder)) > 1
    backlog = Backlog(log.folder, BROKER, "3b")
    found = everything(backlog)
    for board in range(3):
        of_board = [each for each in found if each.board == f"usb-{board}"]
        assert numbers(of_board) == list(range(board, 100, 3))
    for each in found[1:]:
        backlog.confirmed(each.digest)
    backlog.save()
    # The first file's first lines are not stored, so it is sent from there.
    again = everything(Backlog(log.folder, BROKER, "3b"))
    assert numbers(again)[0] == 0 and 99 not in numbers(again)


def test_half_a_line_waits_and_what_is_not_a_raw_line_is_passed_over(log):
    say(log, 1)
    (path,) = raw_log.files(log.folder)
    with path.open("ab") as file:
        file.write(b"no raw line\n\xff\xfe\n" + b"2026-09-21T14:13:20.000Z usb-1 line")
    backlog = Backlog(log.folder, BROKER, "3b")
    assert numbers(everything(backlog)) == [0]
    with path.open("ab") as file:
        file.write(b" 7\n" + b"x" * 40_000 + b"\n2026-09-21T14:13:20.000Z usb-1 line 8\n")
    assert numbers(everything(backlog)) == [7, 8]


def stored(log):
    """How far each file is stored, as the position on disk says it."""
    (position,) = log.folder.glob("published-*.json")
    return json.loads(position.read_text())["stored"]


def sizes(log):
    return {path.name: path.stat().st_size for path in raw_log.files(log.folder)}


def test_the_position_is_written_when_it_has_moved(log):
    backlog = Backlog(log.folder, BROKER, "3b")
    for number in range(2):
        say(log, 1, first=number)
        (message,) = backlog.more()
        backlog.confirmed(message.digest)
        backlog.save()
        assert stored(log) == sizes(log)
    say(log, 1, "3b/usb-1")  # which is not published: it comes from this very room
    assert backlog.more() == []
    backlog.save()
    assert stored(log) == sizes(log)
    (position,) = log.folder.glob("published-*.json")
    position.unlink()
    backlog.save()
    assert not position.exists()


def test_the_same_line_twice_is_confirmed_at_once(log):
    backlog = Backlog(log.folder, BROKER, "3b")
    found = []
    for _ in range(2):
        say(log, 1)
        found += backlog.more()
    assert found == [Message("usb-1", found[0].lines)] * 2
    assert backlog.confirmed(found[0].digest) and not backlog.waits_for(found[0].digest)
    backlog.save()
    assert stored(log) == sizes(log)


def test_lines_that_made_room_are_counted_unless_they_were_read(tmp_path):
    log = RawLog(tmp_path / "raw")
    say(log, 1000)
    backlog = Backlog(log.folder, BROKER, "3b")
    (first,), (second,) = backlog.more(), backlog.more()
    (path,) = raw_log.files(log.folder)
    size = path.stat().st_size
    assert backlog.confirmed(first.digest)
    backlog.save()
    assert stored(log) == {path.name: len(first.lines)}
    path.unlink()
    say(log, 1, first=1000)  # into a new file
    assert numbers(everything(backlog)) == [1000]
    assert backlog.lost == size - len(first.lines) - len(second.lines)
    assert backlog.confirmed(second.digest)
    backlog.save()
    assert stored(log) == {}
