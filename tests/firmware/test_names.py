"""The names that our packed files have on a board are those of its firmware: they cost no heap."""

import io
import keyword
import tokenize

import pytest

from needed import long
from noughts.boards.packing import NAMES
from noughts.device_files import device_dir
from official import stepped

NOT_ON_V1 = {"v2.py", "air.py", "gateway.py"}


def words(source):
    tokens = tokenize.generate_tokens(io.StringIO(source.decode()).readline)
    return {token.string for token in tokens if token.type == tokenize.NAME}


def used(but=()):
    files = (path for path in device_dir().glob("*.py") if path.name not in but)
    return set().union(*(words(path.read_bytes()) for path in files))


def in_firmware(name, flash):
    """Whether a firmware has interned it: its length stands before it, in one byte."""
    return bytes([len(name)]) + name.encode() + b"\0" in flash


@pytest.mark.parametrize(
    "firmware", ["V1 1.1.1", "V2 2.1.2", long("V1 1.0.1"), long("V2 2.0.0-beta.5")]
)
def test_a_name_that_is_replaced_is_not_the_firmwares(firmware):
    """So no program calls anything of the firmware's by it."""
    flash = stepped(firmware)({}).flash
    assert not [name for name in NAMES if in_firmware(name, flash)]


@pytest.mark.parametrize("firmware", ["V1 1.1.1", long("V1 1.0.1")])
def test_a_v1_has_the_names_that_it_gets(firmware):
    flash = stepped(firmware)({}).flash
    names = used(NOT_ON_V1) & set(NAMES)
    assert not [name for name in names if not in_firmware(NAMES[name], flash)]


def test_all_names_are_used_and_no_two_become_one():
    assert set(NAMES) <= used() and not used() & set(NAMES.values())
    assert len(set(NAMES.values())) == len(NAMES)
    assert not [name for name in NAMES.values() if keyword.iskeyword(name)]
