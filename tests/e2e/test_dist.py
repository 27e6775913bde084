"""The wheel, built from the sdist, in an empty environment."""

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from needed import missing
from noughts import __version__, cli
from noughts.brain.device import device_files


def run(*words, cwd, **named):
    command = [str(word) for word in words]
    return subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8", **named)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist, and the wheel built from nothing but the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    repository = Path(__file__).resolve().parents[2]
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, repository]
    done = run(*build, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return SimpleNamespace(sdist=sdist, wheel=wheel)


def test_sdist_holds_the_files_in_git(built, repository):
    if not (repository / ".git").exists():
        pytest.skip("this is not a git clone")

    def listed(*which):
        done = run("git", "ls-files", "-z", *which, cwd=repository)
        assert done.returncode == 0, done.stderr
        return {name for name in done.stdout.split("\0") if (repository / name).is_file()}

    with tarfile.open(built.sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    tracked, untracked = listed(), listed("--others", "--exclude-standard")
    assert tracked <= held <= tracked | untracked | {"PKG-INFO"}


def test_wheel_holds_package_device_files_and_command(built, repository):
    def files(folder, name):
        return {
            f"{name}/{path.relative_to(folder).as_posix()}"
            for path in folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }

    with zipfile.ZipFile(built.wheel) as wheel:
        held = {name for name in wheel.namelist() if not name.partition("/")[0].endswith("-info")}
        (entry_points,) = (name for name in wheel.namelist() if name.endswith("/entry_points.txt"))
        assert b"noughts = noughts.__main__:main" in wheel.read(entry_points)
    package = files(repository / "host" / "noughts", "noughts")
    emulator = {
        f"microbit_emulator/{path.name}"
        for path in (repository / "host" / "microbit_emulator").iterdir()
        if path.suffix in (".py", ".typed")
    }
    assert held == package | emulator | files(repository / "device", "noughts/device")
    assert "noughts/py.typed" in held


@pytest.mark.long
def test_installed_commands_run(built, tmp_path):
    """In an environment with only the wheel installed."""
    # Settings of the Python that runs this test must not reach the new environment.
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env.pop("VIRTUAL_ENV", None)
    made = run(sys.executable, "-m", "venv", tmp_path / "env", cwd=tmp_path)
    assert made.returncode == 0, made.stdout + made.stderr
    (programs,) = (each for each in (tmp_path / "env").iterdir() if each.name in ("bin", "Scripts"))
    pip = [programs / "python", "-m", "pip", "--disable-pip-version-check"]
    # Python compiles what it runs; pip would compile everything.
    done = run(*pip, "install", "--no-compile", built.wheel, cwd=tmp_path, env=env)
    if done.returncode:
        # Is the wheel at fault, or is pip offline? Every index has pip.
        index = [*pip, "--retries", "0", "download", "--no-deps", "pip"]
        if run(*index, cwd=tmp_path, env=env).returncode:
            missing(f"pip cannot reach a package index: {done.stderr.splitlines()[-1]}")
        pytest.fail(done.stderr)
    env |= {"PATH": os.pathsep.join([str(programs), env["PATH"]]), "PYTHONUTF8": "1"}
    env |= {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}

    def printed(*words):
        done = run(programs / "noughts", *words, cwd=tmp_path, env=env)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert printed("--version") == f"noughts {__version__}\n"
    proved = printed("prove", "hard")
    assert "191/192" in proved and "866/945" in proved
    assert f"  files: {len(device_files())}\n" in printed("hex", "-o", "x.hex")
    assert cli.main(["hex", "-o", str(tmp_path / "z.hex")]) == 0
    assert (tmp_path / "z.hex").read_bytes() == (tmp_path / "x.hex").read_bytes()
    played = printed("play", "--keys", "A A A B 500 B 1000")
    assert f",V2,{__version__},2798*" in played
    # The third press of A in the menu selects H. The person takes the centre; hard replies.
    assert re.search(r"ms  \$NG,\w{8},1,PH,A,4\d,\d+,-\*\w\w\n", played)
