"""What is released, as people get it: the wheel, made from the sdist, in an empty environment."""

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
from noughts.device_files import device_files

pytestmark = pytest.mark.xdist_group("dist")  # one environment is enough

# What is set for this test's Python is not for the one that is installed into.
BARE = {
    name: os.environ[name]
    for name in os.environ
    if not name.startswith("PYTHON") and name != "VIRTUAL_ENV"
}


def run(*words, cwd, **named):
    command = [str(word) for word in words]
    return subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8", **named)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist, and the wheel that was built of nothing but the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    repository = Path(__file__).resolve().parents[2]
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, repository]
    done = run(*build, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return SimpleNamespace(sdist=sdist, wheel=wheel)


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """Runs programs of an environment into which the wheel was installed, and nothing else."""
    folder = tmp_path_factory.mktemp("empty")
    made = run(sys.executable, "-m", "venv", folder / "env", cwd=folder)
    assert made.returncode == 0, made.stdout + made.stderr
    (programs,) = (path for path in (folder / "env").iterdir() if path.name in ("bin", "Scripts"))
    pip = [programs / "python", "-m", "pip", "--disable-pip-version-check"]
    # What runs is compiled then; pip would compile all that there is.
    done = run(*pip, "install", "--no-compile", built.wheel, cwd=folder, env=BARE)
    if done.returncode:
        # Is it the wheel, or can pip install nothing here? Every index has pip.
        index = [*pip, "--retries", "0", "download", "--no-deps", "pip"]
        if run(*index, cwd=folder, env=BARE).returncode:
            missing(f"pip reaches no index of packages: {done.stderr.splitlines()[-1]}")
        pytest.fail(done.stderr)
    home = folder / "home"
    home.mkdir()
    path = os.pathsep.join([str(programs), BARE["PATH"]])
    env = BARE | {"PATH": path, "HOME": str(home), "XDG_DATA_HOME": str(home), "PYTHONUTF8": "1"}

    def start(program, *words):
        return run(programs / program, *words, cwd=home, env=env)

    start.home, start.programs = home, programs
    return start


def test_the_sdist_holds_what_git_keeps(built, repository):
    if not (repository / ".git").exists():
        pytest.skip("this is no clone: git keeps nothing of it")

    def listed(*which):
        done = run("git", "ls-files", "-z", *which, cwd=repository)
        assert done.returncode == 0, done.stderr
        return {name for name in done.stdout.split("\0") if (repository / name).is_file()}

    with tarfile.open(built.sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    kept, new = listed(), listed("--others", "--exclude-standard")
    assert kept <= held <= kept | new | {"PKG-INFO"}


@pytest.mark.long
def test_a_clone_installs_what_is_released(built, repository, tmp_path):
    """`uv tool install .` and `pipx install .` build the wheel without the sdist."""
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path]
    done = run(*build, repository, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")

    def contents(path):
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    assert contents(wheel) == contents(built.wheel)


def test_the_wheel_holds_the_package_the_device_files_and_the_command(built, repository):
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
def test_the_commands_run(installed, tmp_path):
    assert installed("noughts", "--version").stdout == f"noughts {__version__}\n"

    done = installed("noughts", "prove", "hard")
    assert (done.returncode, done.stderr) == (0, "")
    assert "191/192" in done.stdout and "866/945" in done.stdout

    done = installed("noughts", "hex", "-o", "x.hex")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"  files: {len(device_files())}\n" in done.stdout
    assert cli.main(["hex", "-o", str(tmp_path / "z.hex")]) == 0
    assert (tmp_path / "z.hex").read_bytes() == (installed.home / "x.hex").read_bytes()

    done = installed("noughts", "play", "--keys", "A A A B 500 B 1000")
    assert (done.returncode, done.stderr) == (0, "")
    assert f",V2,{__version__},2798*" in done.stdout
    # The menu's third press of A leads to H. The person takes the centre, and hard replies.
    assert re.search(r"ms  \$NG,\w{8},1,PH,A,4\d,\d+,-\*\w\w\n", done.stdout)
