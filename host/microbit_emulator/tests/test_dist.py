"""The release: the wheel of the emulator alone, in an empty environment."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from test_readme import BLOCKS

PACKAGE = Path(__file__).parents[1]
BARE = {name: os.environ[name] for name in os.environ if not name.startswith("PYTHON")}


def run(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [str(word) for word in words]
    return subprocess.run(
        command, cwd=cwd, env=BARE, capture_output=True, text=True, encoding="utf-8", check=False
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    built = run(
        sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, PACKAGE, cwd=folder
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.mark.long
def test_wheel_holds_the_package_without_its_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    core = PACKAGE / "core"
    files = {*PACKAGE.glob("*.py"), PACKAGE / "py.typed", core / "core.wasm", *core.glob("*.js")}
    assert names == {f"microbit_emulator/{path.relative_to(PACKAGE).as_posix()}" for path in files}


@pytest.mark.long
def test_first_test_in_the_readme_passes_with_only_the_wheel(wheel: Path, tmp_path: Path) -> None:
    assert run(sys.executable, "-m", "venv", tmp_path / "env", cwd=tmp_path).returncode == 0
    programs = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    pip = [programs / "python", "-m", "pip", "--disable-pip-version-check"]
    installed = run(*pip, "install", f"{wheel}[firmware]", "pytest", cwd=tmp_path)
    if installed.returncode:
        index = [*pip, "--retries", "0", "download", "--no-deps", "pip"]
        if run(*index, cwd=tmp_path).returncode and not os.environ.get("CI"):
            pytest.skip("pip cannot reach a package index")
        pytest.fail(installed.stderr)
    assert run(programs / "python", "-c", "import noughts", cwd=tmp_path).returncode == 1
    program, test = BLOCKS["py"]
    (tmp_path / "main.py").write_text(program)
    (tmp_path / "test_main.py").write_text(test)
    passed = run(programs / "python", "-m", "pytest", "test_main.py", cwd=tmp_path)
    assert "1 passed" in passed.stdout, passed.stdout
    command = [programs / "microbit-emulator", "run", "main.py", "--press", "A@1s"]
    assert run(*command, cwd=tmp_path).stdout.startswith("done\n\n.9.9.\n99999\n")
