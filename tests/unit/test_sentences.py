"""Sentences: written, read back, and refused."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.errors import SentenceError
from noughts.protocol.sentences import (
    Boot,
    Game,
    UnknownSentenceError,
    checksum,
    outcome,
    read,
    read_with_id,
    write,
)

DIGITS = "0123456789ABCDEF"
HEX = st.text(DIGITS, min_size=4, max_size=4)
BOOTS = HEX | st.text(DIGITS, min_size=8, max_size=8)
"""Boards of earlier versions draw 16 bits."""


@st.composite
def games(draw):
    first = draw(st.sampled_from("AB"))
    moves = ()
    for cell in draw(st.permutations(range(9)))[: draw(st.integers(0, 9))]:
        if outcome(moves, first) != "-":
            break
        moves += (cell,)
    end = outcome(moves, first)
    if end == "-" and draw(st.booleans()):
        end = "x"
    seats = draw(st.text("PEMH", min_size=2, max_size=2))
    ms, number = draw(st.integers(0, 9_999_999_999)), draw(st.integers(1, 999_999_999))
    return Game(draw(BOOTS), number, seats, first, moves, ms, end)


boots = st.builds(Boot, BOOTS, st.sampled_from(["V1", "V2"]), st.just("0.1.0"), HEX)


IDS = st.none() | st.text(DIGITS, min_size=8, max_size=8)
"""Of boards that send by radio."""


@given(games() | boots, IDS)
def test_what_is_written_is_read_back(sentence, radio_id):
    line = write(sentence, radio_id)
    assert len(line) <= 120 and line.isascii()
    assert read(line) == sentence
    assert read_with_id(line) == (sentence, radio_id)


@given(games() | boots, IDS, st.integers(0, 200), st.integers(1, 127))
def test_a_changed_byte_is_never_taken_for_another_sentence(sentence, radio_id, at, change):
    line = bytearray(write(sentence, radio_id).encode())
    line[at % len(line)] ^= change
    with contextlib.suppress(SentenceError):
        assert read_with_id(line.decode("ascii")) == (sentence, radio_id)


def framed(body):
    return f"${body}*{checksum(body)}"


def test_a_real_line_from_the_board():
    game = read("$NG,0A83,1,PH,A,6413,3653,-*" + checksum("NG,0A83,1,PH,A,6413,3653,-"))
    assert game == Game("0A83", 1, "PH", "A", (6, 4, 1, 3), 3653, "-")
    assert [game.player(ply) for ply in range(4)] == ["A", "B", "A", "B"]


def test_a_real_line_from_a_gateway():
    line = framed("NR,9A1B2C3D,NG,3E5A5FD2,119,PH,A,402,5120,-")
    game = Game("3E5A5FD2", 119, "PH", "A", (4, 0, 2), 5120, "-")
    assert read_with_id(line) == (game, "9A1B2C3D")


@pytest.mark.parametrize("by_radio", ["", "NR,9A1B2C3D,"])
@pytest.mark.parametrize(
    "body",
    [
        "NG,0A83,1,PH,A,66,10,-",  # a cell twice
        "NG,0A83,1,PH,A,041326,10,-",  # A has won and it goes on
        "NG,0A83,1,PH,A,0413265,10,A",  # a move after the end
        "NG,0A83,1,PH,A,04132,10,B",  # the wrong winner
        "NG,0A83,1,PH,A,041,10,A",  # nobody has won
        "NG,0A83,1,PH,A,041,10,=",
        "NG,0A83,1,PH,A,04132,10,x",  # a finished game cannot be abandoned
        "NG,0A83,0,PH,A,,0,-",
        "NG,0A83,1,PX,A,,0,-",
        "NG,0A83,1,PH,C,,0,-",
        "NG,0A83,1,PH,A,9,0,-",
        "NG,0A83,1,PH,A,,00,-",
        "NG,0A83,1,PH,A,,-1,-",
        "NG,0a83,1,PH,A,,0,-",
        "NG,0A83,1,PH,A,,0",
        "NB,1,0A83,V3,0.1.0,2798",
        "NB,1,0A8,V1,0.1.0,2798",
        "NB,1,0A830,V1,0.1.0,2798",
        "NB,1,0A830A830,V1,0.1.0,2798",
        "NG,0A830,1,PH,A,,0,-",
        "NG,0A830A830,1,PH,A,,0,-",
    ],
)
def test_what_the_rules_or_the_format_forbid(body, by_radio):
    with pytest.raises(SentenceError) as caught:
        read(framed(by_radio + body))
    assert not isinstance(caught.value, UnknownSentenceError)


@pytest.mark.parametrize(
    "body",
    [
        "NR",
        "NR,9A1B2C3D",
        "NR,9A1B2C3D,",
        "NR,9A1B2C3D,NZ,1,2",
        "NR,9A1B2C3,NB,1,0A83,V1,0.1.0,2798",
        "NR,9a1b2c3d,NB,1,0A83,V1,0.1.0,2798",
        "NR,9A1B2C3D0,NB,1,0A83,V1,0.1.0,2798",
        "NR,9A1B2C3D,NR,9A1B2C3D,NB,1,0A83,V1,0.1.0,2798",  # nobody passes on what he hears
        "NR,9A1B2C3D,$NB,1,0A83,V1,0.1.0,2798",
    ],
)
def test_what_no_board_sends_by_radio_is_noise(body):
    with pytest.raises(SentenceError) as caught:
        read(framed(body))
    assert not isinstance(caught.value, UnknownSentenceError)


@pytest.mark.parametrize(
    "body",
    [
        "NZ,1,2",
        "NB,2,0A83,V4,9,FFFF,more",
        "NR,9A1B2C3D,NB,2,0A83,V4,9,FFFF,more",
        "PXYZ",
    ],
)
def test_what_later_versions_may_send_is_told_apart(body):
    with pytest.raises(UnknownSentenceError):
        read(framed(body))


@pytest.mark.parametrize("line", ["", "$", "$*00", "$NG*", "NG,0A83*00", "$NG,0A83*0g", "$" * 200])
def test_no_frame_no_sentence(line):
    with pytest.raises(SentenceError):
        read(line)
