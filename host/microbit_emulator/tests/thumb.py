"""Small programs for the processor: memory with Thumb instructions and words."""


def program(*halfwords: int) -> dict[int, int]:
    """Memory with a stack at 0x20001000 and these instructions at the start, from address 8."""
    code = b"".join(halfword.to_bytes(2, "little") for halfword in halfwords)
    return dict(enumerate(bytes.fromhex("0010002009000000") + code))


def in_words(words: dict[int, int]) -> dict[int, int]:
    """Memory with these words at these addresses."""
    places = (enumerate(word.to_bytes(4, "little"), at) for at, word in words.items())
    return dict(byte for place in places for byte in place)


def in_order(code: str, at: int) -> dict[int, int]:
    """Memory with instructions from an address on; the halves of a long one stand in order."""
    return dict(enumerate(b"".join(bytes.fromhex(half)[::-1] for half in code.split()), at))


def linked(code: str, literals_at: int, *literals: int, handler: int = 0x100) -> dict[int, int]:
    """Memory with instructions at 0x100, words after them, and a handler of interrupt 20."""
    words = {0: 0x2000_1000, 4: 0x101, 0x90: handler | 1}
    words |= {literals_at + 4 * at: word for at, word in enumerate(literals)}
    return dict.fromkeys(range(0x100), 0) | in_words(words) | in_order(code, 0x100)
