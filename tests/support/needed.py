"""Marks for tests that need something this computer may lack, or much time."""

import os
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from _pytest.mark import ParameterSet

POSIX = pytest.mark.skipif(os.name != "posix", reason="Windows has other paths, modes and signals")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="other systems lose orphaned processes")
FULL_DISK = pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")


def missing(what: str) -> NoReturn:
    """Skip the current test, with the reason. In CI, fail it."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


def long(*values: object, id: str | None = None) -> ParameterSet:
    """Parameters of a case that only `make test-long` runs."""
    return pytest.param(*values, marks=pytest.mark.long, id=id)
