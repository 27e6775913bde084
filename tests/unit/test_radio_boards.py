"""Boards that are heard by radio: whose sentences they are, and what a flood of them may do."""

from dataclasses import replace

import pytest

from noughts.errors import NoughtsError
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Boot, write
from noughts.store.boards import boards
from noughts.watch.events import BoardRefused, SentenceStored, as_record, in_words
from noughts.watch.known_boards import known_ids
from noughts.watch.port_monitor import PortClosed, PortOpened
from noughts.watch.radio_lines import MAX_BOARDS
from noughts.watch.raw_log import RawLog
from noughts.watch.recorder import Recorder
from noughts.watch.session import Session
from sample_games import AT, stages

BOOT = Boot("3E5A5FD2", "V1", "1.1.0", "2798")
ONE, TWO = "9A1B2C3D", "00000002"
PORT = "/dev/ttyACM0"


def by_radio(radio_id, *sentences):
    return "".join(f"{write(sentence, radio_id)}\r\n" for sentence in sentences).encode()


def own(boot, games):
    return [replace(game, boot=boot) for game in games]


def test_one_line_carries_many_boards_and_is_none_itself(store):
    recorder, session = Recorder(store, None), Session()
    session.take(PortOpened("usb-1", PORT))
    heard = [
        (ONE, BOOT),
        (TWO, Boot("11111111", "V2", "1.1.0", "2798")),
        *((ONE, game) for game in own("3E5A5FD2", stages([4, 0]))),
        *((TWO, game) for game in own("11111111", stages([8]))),
    ]
    for radio_id, sentence in heard:
        for event in recorder.hear("usb-1", by_radio(radio_id, sentence), AT):
            assert event.gateway == "usb-1"
            assert as_record(event, AT)["gateway"] == "usb-1"
            session.take(event)
    one, two = session.playing
    assert [board.name for board in session.gateways] == ["usb-1"]
    assert (one.name, one.boot.board, one.game.moves) == (f"radio-{ONE}", "V1", (4, 0))
    assert (two.name, two.boot.board, two.game.moves) == (f"radio-{TWO}", "V2", (8,))
    assert [board.board for board in boards(store)] == [f"radio-{ONE}", f"radio-{TWO}"]
    session.take(PortClosed("usb-1", PORT, "why"))
    assert not one.connected and not two.connected
    session.take(PortOpened("usb-1", PORT))
    assert one.connected and two.connected
    # It has the game again, and says so itself.
    (event,) = recorder.hear("usb-1", f"{write(BOOT)}\r\n".encode(), AT)
    session.take(event)
    assert session.gateways == []


def test_rooms_have_their_own_boards(store):
    recorder = Recorder(store, None)
    lines = ("4a/3b/usb-1", "3b/usb-1", f"3b/radio-{ONE}", "rfc2217://pi:1", "/dev/tty", "COM3")
    heard = [recorder.hear(line, by_radio(ONE, BOOT), AT)[0].board for line in lines]
    assert heard == [f"4a/3b/radio-{ONE}"] + [f"3b/radio-{ONE}"] * 2 + [f"radio-{ONE}"] * 3
    assert all(map(is_by_radio, heard)) and not is_by_radio(f"radio-{ONE}.log")


def test_a_flood_of_invented_ids_is_bounded_and_counted(store, tmp_path):
    log = RawLog(tmp_path / "raw")
    recorder, session = Recorder(store, log), Session()
    recorder.radio.named = {f"radio-{ONE}"}
    flood = b"".join(by_radio(f"{number:08X}", BOOT) for number in range(5000))
    events = recorder.hear("usb-1", flood, AT) + recorder.hear("usb-1", by_radio(ONE, BOOT), AT)
    for event in events:
        session.take(event)
    stored = [event.board for event in events if isinstance(event, SentenceStored)]
    refused = [event for event in events if isinstance(event, BoardRefused)]
    assert len(stored) == len(session.playing) == MAX_BOARDS + 1
    assert stored[-1] == f"radio-{ONE}"
    assert recorder.radio.refused == 5000 - MAX_BOARDS
    assert len({event.board for event in refused}) == len(refused) == 100
    assert "100 boards are heard there already" in in_words(refused[0])
    assert in_words(refused[-1]).endswith("refused without a word")
    log.close()
    (path,) = (tmp_path / "raw").iterdir()
    assert len(path.read_text().splitlines()) == MAX_BOARDS + 1


def test_only_known_boards_where_it_is_said_which(store, tmp_path):
    recorder = Recorder(store, None, frozenset([ONE]))
    games = own("3E5A5FD2", stages([4]))
    events = recorder.hear("usb-1", by_radio(TWO, BOOT, *games) + by_radio(ONE, *games), AT)
    assert [event.board for event in events] == [f"radio-{TWO}"] + [f"radio-{ONE}"] * 2
    assert in_words(events[0]) == (f"radio-{TWO}: refused: not one of the known boards (--known)")
    assert as_record(events[0], AT) == {
        "at": "2026-09-21T14:13:20.000Z", "event": "refused", "board": f"radio-{TWO}",
        "gateway": "usb-1", "why": "not one of the known boards (--known)",
    }  # fmt: skip
    assert recorder.radio.refused == 3
    # What comes by cable always counts.
    (event,) = recorder.hear("usb-2", f"{write(BOOT)}\r\n".encode(), AT)
    assert isinstance(event, SentenceStored)


def test_known_boards_as_a_teacher_writes_them_down(tmp_path):
    path = tmp_path / "known.txt"
    names = {f"radio-{TWO}": "Table #2", "usb-1": "red", "3b/radio-0000000A": "blue"}
    names["radio-00000003"] = "#3"
    path.write_bytes(
        b"\xef\xbb\xbf# class 3b\r\n\r\nradio-9a1b2c3d  # Anna\r\n table  #2\r\n"
        b"BLUE # by the window\r\n#3\r\n#4\r\n"
    )
    assert known_ids(path, names) == {ONE, TWO, "0000000A", "00000003"}
    for text, said in (("9A1B2C3D\nred\n", r"line 2: no board by radio .* 'red'"),
                       ("9A1B2C3\n", r"line 1: .*'9A1B2C3'"),
                       ("# nobody\n", "names no board")):  # fmt: skip
        path.write_text(text)
        with pytest.raises(NoughtsError, match=said):
            known_ids(path, names)
