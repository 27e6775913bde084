"""The committed core of the emulator is what its source gives."""

import importlib.util
from pathlib import Path

import pytest

import microbit_emulator
from build_core import build


def test_core_is_what_its_source_gives(tmp_path):
    if not importlib.util.find_spec("ziglang"):
        pytest.skip("the compiler of the core is missing; make core installs it")
    assert build(tmp_path / "core.wasm") == ""
    committed = Path(microbit_emulator.__file__).with_name("core") / "core.wasm"
    assert (tmp_path / "core.wasm").read_bytes() == committed.read_bytes()
