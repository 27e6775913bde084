"""What a test needs of this computer, and it may lack."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

import pytest

POSIX = pytest.mark.skipif(os.name != "posix", reason="Windows has other paths, modes and signals")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="other systems lose orphaned processes")
FULL_DISK = pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")


def missing(what: str) -> NoReturn:
    """Skips the test that runs, and says why. In CI that is a failure."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)
