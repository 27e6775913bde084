"""What a test needs of this computer, and it may lack."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Skips the test that runs, and says why. In CI that is a failure."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)
