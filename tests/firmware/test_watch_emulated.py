"""`noughts watch` on the V1 firmware in QEMU."""

import pytest

import watch_cases


@pytest.mark.parametrize("case", watch_cases.CASES, ids=lambda case: case.__name__)
def test_watch(emulated, tmp_path, capsys, case):
    case(emulated, tmp_path, capsys)
