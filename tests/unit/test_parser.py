"""From serial bytes to sentences and noise, however the bytes are cut."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from noughts.protocol.parser import Noise, ParsedSentence, Stream, Unknown, escape, unescape
from noughts.protocol.sentences import Boot, Game, checksum, write

GAME = Game("0A83", 1, "PH", "A", (6, 4), 2336, "-")
LINE = write(GAME).encode() + b"\r\n"


def feed(data, sizes=(7,)):
    stream, items, at = Stream(), [], 0
    for size in (sizes * (len(data) + 1))[: len(data) + 1]:
        items += stream.feed(data[at : at + size])
        at += size
    return items


@given(st.binary(max_size=600), st.integers(1, 50))
def test_any_bytes_then_a_line_end_and_the_next_sentence_is_read(data, size):
    items = feed(data + b"\r\n" + LINE, (size,))
    assert items[-1] == ParsedSentence(LINE.decode().strip(), GAME)


@given(st.binary(max_size=300))
def test_noise_is_harmless_to_show(data):
    for item in feed(data + b"\n"):
        if isinstance(item, Noise):
            assert item.text.isascii() and item.text.isprintable()


@given(st.integers(1, 80))
def test_how_bytes_are_cut_makes_no_difference(size):
    data = b"\0" + LINE + b"Traceback:\r\n\x1b[31m" + LINE * 2
    assert feed(data, (size,)) == feed(data, (1,))


def test_a_gateway_s_line_tells_who_said_what():
    by_radio = [write(GAME, radio_id) for radio_id in ("9A1B2C3D", "00000001")]
    heard = feed("\r\n".join([*by_radio, by_radio[0][:30], LINE.decode()]).encode())
    assert heard == [
        ParsedSentence(by_radio[0], GAME, "9A1B2C3D"),
        ParsedSentence(by_radio[1], GAME, "00000001"),
        Noise(by_radio[0][:30]),
        ParsedSentence(LINE.decode().strip(), GAME),
    ]


def test_a_sentence_after_half_a_line():
    boot = Boot("0A83", "V1", "0.1.0", "2798")
    items = feed(b"$NG,0A83,1,P\0" + write(boot).encode() + b"\r\n")
    assert items == [Noise("$NG,0A83,1,P\\x00"), ParsedSentence(write(boot), boot)]


def test_a_line_without_end_is_cut_and_does_not_grow():
    stream = Stream()
    items = [item for _ in range(1000) for item in stream.feed(b"$" * 100)]
    assert all(isinstance(item, Noise) for item in items)
    assert len(stream._line) <= 240
    assert [*stream.feed(b"\n"), *stream.feed(LINE)][-1].sentence == GAME


def test_an_unknown_sentence_is_new_once():
    line = f"$NZ,1*{checksum('NZ,1')}\r\n".encode()
    first, second, third, heard = feed(line * 3 + LINE)
    assert first == Unknown(line.decode().strip(), "sentence type $NZ")
    assert second == third == Unknown(first.line, first.what, again=True)
    assert isinstance(heard, ParsedSentence)


@given(st.binary(max_size=200))
def test_the_bytes_of_noise_can_be_had_back(data):
    assert unescape(escape(data)) == data


def test_half_a_line_at_the_end_is_noise():
    stream = Stream()
    assert stream.feed(LINE + LINE[:9]) == [ParsedSentence(LINE.decode().strip(), GAME)]
    assert stream.end() == [Noise(LINE[:9].decode())]
    assert stream.noise == 9
    assert stream.feed(LINE) == [ParsedSentence(LINE.decode().strip(), GAME)]


@pytest.mark.parametrize("after", [b"\0\0", b"\0", b"\r", b" ", b"\xff", b"g", b"$", b"*5C"])
def test_what_is_no_hex_digit_ends_a_sentence(after):
    """The last line before the cable was pulled: its line end came damaged, or in part."""
    stream = Stream()
    assert stream.feed(LINE[:-2]) == []  # a hex digit may follow, and then it is no sentence
    assert stream.feed(after)[0] == ParsedSentence(LINE.decode().strip(), GAME)
    assert stream.feed(b"\r\n" + LINE)[-1] == ParsedSentence(LINE.decode().strip(), GAME)


def test_a_damaged_line_end_is_noise_that_nobody_is_shown():
    stream = Stream()
    assert (
        stream.feed(LINE[:-2] + b"\0\0" + LINE) == [ParsedSentence(LINE.decode().strip(), GAME)] * 2
    )
    assert stream.noise == 2
    items = stream.feed(LINE[:-2] + b" and more\r\n")
    assert items == [ParsedSentence(LINE.decode().strip(), GAME), Noise(" and more")]


@pytest.mark.parametrize("digit", [b"0", b"F", b"a"])
def test_a_checksum_of_three_digits_is_none(digit):
    assert feed(LINE[:-2] + digit + b"\r\n") == [Noise((LINE[:-2] + digit).decode())]


@example([LINE[:-2], b"*", b"\r", LINE], 1)
@given(
    st.lists(
        st.sampled_from(
            [LINE, LINE[:-2], b"\0", b"\r", b"\n", b" ", b"$", b"*", b"5C", b"$a*61", b"\xff"]
        )
    ),
    st.integers(1, 80),
)
def test_how_damaged_lines_are_cut_makes_no_difference(parts, size):
    data = b"".join(parts) + b"\n"
    assert feed(data, (size,)) == feed(data, (len(data),))
