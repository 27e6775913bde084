"""The core: its size, and its sources."""

import gzip
import re
from pathlib import Path

import microbit_emulator

CORE = Path(microbit_emulator.__file__).with_name("core")


def test_core_is_small_and_needs_nothing() -> None:
    wasm = (CORE / "core.wasm").read_bytes()
    assert len(wasm) <= 100_000
    assert len(gzip.compress(wasm)) <= 40_000
    import wasmtime

    assert not wasmtime.Module(wasmtime.Engine(), wasm).imports


def test_each_file_of_the_core_is_compiled_and_says_what_it_models() -> None:
    parts = {path.name for path in CORE.glob("*.c")} - {"core.c", "wide.c"}
    assert set(re.findall(r'#include "(.*?\.c)"', (CORE / "core.c").read_text())) == parts
    for path in CORE.glob("*.[cj]*"):
        assert path.read_text().startswith("// "), path.name
