"""Sentences: written, parsed, refused, and found in bytes that come in chunks of any size."""

import pickle
import string
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from noughts.errors import SentenceError
from noughts.protocol.parser import Noise, ParsedSentence, Stream
from noughts.protocol.sentences import (
    Boot,
    Game,
    Menu,
    Runs,
    UnknownSentenceError,
    body,
    outcome,
    parse,
)
from sample_games import write

DIGITS = "0123456789ABCDEF"
HEX = st.text(DIGITS, min_size=4, max_size=4)
BOOTS = st.text(DIGITS, min_size=8, max_size=8)


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
    seats = draw(st.text(string.ascii_uppercase, min_size=2, max_size=2))
    ms, number = draw(st.integers(0, 9_999_999_999)), draw(st.integers(1, 999_999_999))
    return Game(draw(BOOTS), number, seats, first, moves, ms, end)


boots = st.builds(Boot, BOOTS, st.sampled_from(["V1", "V2"]), st.just("0.1.0"), HEX)
menus = st.builds(Menu, BOOTS, st.from_regex("[A-Z][bt][0-9A-Za-z]{0,14}", fullmatch=True))
IDS = st.none() | st.text(DIGITS, min_size=8, max_size=8)
"""The ids of boards that send by radio."""


@given(games() | boots | menus, IDS)
def test_sentences_round_trip_through_a_line(sentence, radio_id):
    line = write(sentence, radio_id)
    assert len(line) <= 120 and line.isascii()
    assert [item[1:] for item in Stream().feed(f"{line}\n".encode())] == [(sentence, radio_id)]


@given(games() | boots | menus, IDS, st.integers(0, 200), st.integers(1, 127))
def test_changed_byte_never_gives_another_sentence(sentence, radio_id, at, change):
    line = bytearray(write(sentence, radio_id).encode())
    line[at % len(line)] ^= change
    for item in Stream().feed(line + b"\n"):
        assert not isinstance(item, ParsedSentence) or item[1:] == (sentence, radio_id)


def test_parse_game_from_a_board_and_from_a_gateway():
    game = parse("NG,00000A83,1,PH,A,6413,3653,-").sentence
    assert game == Game("00000A83", 1, "PH", "A", (6, 4, 1, 3), 3653, "-")
    assert [game.player(ply) for ply in range(4)] == ["A", "B", "A", "B"]
    assert parse("NR,9A1B2C3D,NG,00000A83,1,PH,A,6413,3653,-")[1:] == (game, "9A1B2C3D")


FORBIDDEN = [
    "NG,00000A83,1,PH,A,66,10,-",  # a cell twice
    "NG,00000A83,1,PH,A,041326,10,-",  # A has won, but the game continues
    "NG,00000A83,1,PH,A,0413265,10,A",  # a move after the end
    "NG,00000A83,1,PH,A,041,10,A",  # neither player has won
    "NG,00000A83,1,PH,A,04132,10,x",  # a finished game cannot be abandoned
    "NG,00000A83,0,PH,A,,0,-",
    "NG,00000A83,1,PH,C,,0,-",
    "NG,00000A83,1,PH,A,9,0,-",
    "NG,00000A83,1,PH,A,,00,-",
    "NG,00000A83,1,PH,A,,-1,-",
    "NG,00000a83,1,PH,A,,0,-",
    "NG,00000A83,1,PH,A,,0",
    "NB,1,00000A83,V3,0.1.0,2798",
    "NB,1,0A83,V1,0.1.0,2798",  # a boot of four digits
    "NG,00000A830,1,PH,A,,0,-",
    "NM,00000A83,pb",
    "NM,00000A83,P",
    "NM,0A83,Pb",
    "NM,00000A83,Pb,1",
]
INVALID_RELAYS = [
    "NR,9A1B2C3D,",
    "NR,9A1B2C3D,NZ,1,2",
    "NR,9a1b2c3d,NB,1,00000A83,V1,0.1.0,2798",
    "NR,9A1B2C3D0,NB,1,00000A83,V1,0.1.0,2798",
    "NR,9A1B2C3D,NR,9A1B2C3D,NB,1,00000A83,V1,0.1.0,2798",  # a relay is not relayed again
    "NR,9A1B2C3D,$NB,1,00000A83,V1,0.1.0,2798",
]


@pytest.mark.parametrize(
    "text", [*FORBIDDEN, *(f"NR,9A1B2C3D,{body}" for body in FORBIDDEN), *INVALID_RELAYS]
)
def test_invalid_sentence_is_refused(text):
    with pytest.raises(SentenceError) as caught:
        parse(text)
    assert not isinstance(caught.value, UnknownSentenceError)


NEWER = "NB,2,00000A83,V4,9,FFFF,more"


@pytest.mark.parametrize("text", ["NZ,1,2", NEWER, f"NR,9A1B2C3D,{NEWER}", "PXYZ"])
def test_sentence_of_a_later_version_is_unknown(text):
    with pytest.raises(UnknownSentenceError):
        parse(text)


def test_only_the_beginning_of_a_long_unknown_type_is_named():
    with pytest.raises(UnknownSentenceError, match=r"^sentence type \$ABCDEFGHIJKL is not known"):
        parse("ABCDEFGHIJKLMNOP,1")


GAME = Game("00000A83", 1, "PH", "A", (6, 4), 2336, "-")
LINE = write(GAME).encode() + b"\r\n"
PARSED = ParsedSentence(body(GAME), GAME)


def feed(data, sizes=(7,)):
    stream, items, at = Stream(), [], 0
    for size in (sizes * (len(data) + 1))[: len(data) + 1]:
        items += stream.feed(data[at : at + size])
        at += size
    return items


BOOT = Boot("00000A83", "V1", "0.1.0", "2798")
BY_RADIO = [write(GAME, radio_id) for radio_id in ("9A1B2C3D", "00000001")]


@pytest.mark.parametrize(
    ("data", "items", "noise"),
    [
        ("\r\n".join([*BY_RADIO, BY_RADIO[0][:30], LINE.decode()]).encode(), [
            PARSED._replace(radio_id="9A1B2C3D"),
            PARSED._replace(radio_id="00000001"),
            Noise(BY_RADIO[0][:30]),
            PARSED,
        ], 30),
        (b"$NG,00000A83,1,P\0" + write(BOOT).encode() + b"\r\n", [
            Noise("$NG,00000A83,1,P\\x00"), ParsedSentence(body(BOOT), BOOT)
        ], 17),
        (LINE + LINE[:9], [PARSED, Noise(LINE[:9].decode())], 9),
        # A damaged line end is not reported as noise.
        (LINE[:-2] + b"\0\0" + LINE, [PARSED] * 2, 0),
        (LINE[:-2] + b" and more\r\n", [PARSED, Noise(" and more")], 9),
        # A checksum has two digits.
        *((LINE[:-2] + d + b"\r\n", [Noise((LINE[:-2] + d).decode())], len(LINE) - 1)
          for d in (b"0", b"F", b"a")),
    ],
)  # fmt: skip
def test_stream_finds_sentences_and_counts_noise(data, items, noise):
    stream = Stream()
    assert [*stream.feed(data), *stream.feed(b"\n")] == items
    assert stream.noise == noise
    assert stream.feed(LINE) == [PARSED]


def test_endless_line_does_not_grow_the_buffer():
    stream = Stream()
    items = [item for _ in range(1000) for item in stream.feed(b"$" * 100)]
    assert all(isinstance(item, Noise) for item in items)
    assert len(pickle.dumps(stream)) < 1000
    assert [*stream.feed(b"\n"), *stream.feed(LINE)][-1].sentence == GAME


@example([LINE[:-2], b"*", b"\r", LINE], 1)
@given(
    st.lists(
        st.sampled_from(
            [LINE, LINE[:-2], b"\0", b"\r", b"\n", b" ", b"$", b"*", b"5C", b"$a*61", b"\xff"]
        )
    ),
    st.integers(1, 80),
)
def test_chunk_size_does_not_change_what_is_found(parts, size):
    data = b"".join(parts) + b"\n"
    assert feed(data, (size,)) == feed(data, (len(data),))


@pytest.mark.parametrize("by_radio", [False, True])
def test_end_of_this_run_may_be_some_time_ago_only_by_radio(by_radio):
    """There, it is resent."""
    runs, game = Runs(), Game("0000000A", 1, "PP", "A", (), 0, "-")
    assert runs.take("usb-1", game, 100, by_radio=False) is False
    assert runs.take("usb-1", replace(game, end="x"), 101, by_radio) is by_radio
