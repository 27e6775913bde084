"""Marks for tests that need something this computer may lack, or much time."""

import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import NoReturn

import pytest
from _pytest.mark import ParameterSet

POSIX = pytest.mark.skipif(os.name != "posix", reason="Windows has other paths, modes and signals")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="other systems lose orphaned processes")
FULL_DISK = pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")


_missing: set[str] = set()
"""All that was found to be missing so far."""


def missing(what: str) -> NoReturn:
    """Skip the current test, with the reason. In CI, fail it."""
    if os.environ.get("CI"):
        pytest.fail(what)
    _missing.add(what)
    pytest.skip(what)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Give all tests that lack the same program one place, so that pytest lists them once."""
    report = yield
    if report.skipped and call.excinfo is not None:
        what = str(call.excinfo.value)
        if what in _missing:
            report.longrepr = (__file__, 1, what)
    return report


def long(*values: object, id: str | None = None) -> ParameterSet:
    """Parameters of a case that only `make test-long` runs."""
    return pytest.param(*values, marks=pytest.mark.long, id=id)
