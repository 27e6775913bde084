"""`noughts watch` on simulated boards."""

import pytest

import watch_cases


@pytest.mark.parametrize("case", watch_cases.CASES, ids=lambda case: case.__name__)
def test_watch(simulated, tmp_path, capsys, case):
    case(simulated, tmp_path, capsys)
