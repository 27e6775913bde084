"""Pictures of five by five levels: the device's `Image`, its constants and its font."""

from __future__ import annotations

from collections.abc import Iterator

# The glyphs of " " to "~" as the firmware shows them, five rows each; a row is its five pixels
# as a digit in base 32, the leftmost the most significant bit.
_FONT = (
    "0000088808aa000avavaepejepi49jcicid8800048884844480a4a004e400004800e00000801248gciiic4c44es2cgu"
    "u24ic6aiv2vgu1u24ehev248geheheehe480808004048248420e0e084248eh604ehljcciuiisisisegggesiiisugsgu"
    "ugsggegjheiiuiis888sv22icikokigggguhrlhhhpljhciiicsisggciic6sisihegc2sv4444iiiichhha4hhlrhiicii"
    "ha444u48gue888eg8421e222e4a0000000v840000eiifggsis0egge22eiecisge68s88eie2cggsii808882022cgkoki"
    "888860rlhh0siii0ciic0sisg0eie20eggg0684o88e870iiif0hha40hhlr0icci0ha4o0u48u64c4688888o8c8o00c30"
)


class Image:
    """The device's Image: pixels with levels 0 to 9, made from text like "09090:99999"."""

    HEART: Image
    HAPPY: Image
    SAD: Image
    CONFUSED: Image
    ASLEEP: Image
    DIAMOND: Image
    YES: Image
    NO: Image
    ARROW_N: Image
    ARROW_E: Image
    ARROW_S: Image
    ARROW_W: Image

    def __init__(self, source: str | int = "", height: int = 5) -> None:
        if isinstance(source, int):
            self._rows = [bytearray(source) for _ in range(height)]
        elif len(source) == 1:
            self._rows = [bytearray(row) for row in glyph(source)]
        else:
            rows = [row for row in source.replace("\n", ":").split(":") if row]
            width = max((len(row) for row in rows), default=0)
            self._rows = [
                bytearray(0 if level == " " else int(level) for level in row.ljust(width))
                for row in rows
            ]

    def width(self) -> int:
        """Pixels across."""
        return len(self._rows[0]) if self._rows else 0

    def height(self) -> int:
        """Pixels down."""
        return len(self._rows)

    def get_pixel(self, x: int, y: int) -> int:
        """The level of a pixel."""
        return self._rows[y][x]

    def set_pixel(self, x: int, y: int, level: int) -> None:
        """Change the level of a pixel."""
        if not 0 <= level <= 9:
            raise ValueError("brightness out of bounds")
        self._rows[y][x] = level

    def picture(self) -> bytes:
        """The upper left five by five pixels, in reading order."""
        return b"".join(
            bytes(self._rows[y][:5]).ljust(5, b"\0") if y < len(self._rows) else bytes(5)
            for y in range(5)
        )

    def __repr__(self) -> str:
        return "Image('" + "".join("".join(map(str, row)) + ":" for row in self._rows) + "')"


for _name, _pixels in (
    ("HEART", "09090:99999:99999:09990:00900"),
    ("HAPPY", "00000:09090:00000:90009:09990"),
    ("SAD", "00000:09090:00000:09990:90009"),
    ("CONFUSED", "00000:09090:00000:09090:90909"),
    ("ASLEEP", "00000:99099:00000:09990:00000"),
    ("DIAMOND", "00900:09090:90009:09090:00900"),
    ("YES", "00000:00009:00090:90900:09000"),
    ("NO", "90009:09090:00900:09090:90009"),
    ("ARROW_N", "00900:09990:90909:00900:00900"),
    ("ARROW_E", "00900:00090:99999:00090:00900"),
    ("ARROW_S", "00900:00900:90909:09990:00900"),
    ("ARROW_W", "00900:09000:99999:09000:00900"),
):
    setattr(Image, _name, Image(_pixels))


def glyph(letter: str) -> list[list[int]]:
    """Five rows of five levels for a character; one that the font lacks is a question mark."""
    code = ord(letter) - 32 if " " <= letter <= "~" else ord("?") - 32
    rows = [int(digit, 32) for digit in _FONT[5 * code : 5 * code + 5]]
    return [[9 if row >> 4 - x & 1 else 0 for x in range(5)] for row in rows]


def scrolled(text: str) -> Iterator[bytes]:
    """The pictures of a text that scrolls in from the right and out to the left.

    As in the firmware, a glyph is as wide as its last lit column, but three at least; a dark column
    parts it from the next, whose own first column is left out if it is dark.
    """
    columns: list[list[int]] = []
    for number, letter in enumerate(text):
        rows = glyph(letter)
        across = [[rows[y][x] for y in range(5)] for x in range(5)]
        width = next((x for x in (4, 3) if any(across[x])), 2) + 1
        first = 0 if number == 0 or any(across[0]) else 1
        columns += [*across[first:width], [0] * 5]
    columns = [[0] * 5] * 4 + columns + [[0] * 5] * 4
    for left in range(len(columns) - 4):
        yield bytes(columns[left + x][y] for y in range(5) for x in range(5))
