"""What is released, and each way to install it: what it holds, and that it runs."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

import microbit_emulator
from needed import POSIX, missing
from noughts import __version__, cli
from noughts.boards.radio import OFF, files_with
from noughts.brain.device import device_files

# Settings of the Python that runs the tests must not reach a new environment.
ENV = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("PYTHON", "NOUGHTS")) and name != "VIRTUAL_ENV"
} | {"PYTHONUTF8": "1"}
PIP = ("-m", "pip", "--disable-pip-version-check")


def run(*words, cwd, env=ENV):
    command = [str(word) for word in words]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, encoding="utf-8")


def built(kind, folder, source, env=ENV):
    """The file that `python -m build` makes: kind is `sdist` or `wheel`."""
    words = [sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", folder]
    done = run(*words, source, cwd=folder, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    return path


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    return built("sdist", tmp_path_factory.mktemp("sdist"), Path(__file__).resolve().parents[2])


@pytest.fixture(scope="module")
def unpacked(sdist, tmp_path_factory):
    """The folder in the sdist, which is a clone without git."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        # The default of Python 3.14; the first 3.10 and 3.11 have no filters.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)
    (clone,) = folder.iterdir()
    return clone


@pytest.fixture(scope="module")
def wheels(unpacked, tmp_path_factory):
    """The release's two wheels, built from nothing but the sdist."""
    release = ENV | {"NOUGHTS_EMULATOR": "version"}
    (unpacked / "PKG-INFO").unlink()  # in a clone, there is none
    emulator = unpacked / "host" / "microbit_emulator"
    return SimpleNamespace(
        noughts=built("wheel", tmp_path_factory.mktemp("noughts"), unpacked, release),
        emulator=built("wheel", tmp_path_factory.mktemp("emulator"), emulator),
    )


def names_in(wheel):
    """The files in a wheel, without its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    return {name for name in names if not name.partition("/")[0].endswith("-info")}


def metadata_of(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("-info/METADATA"))
        return archive.read(name).decode()


def test_sdist_holds_the_files_in_git(sdist, repository):
    if not (repository / ".git").exists():
        pytest.skip("this is not a git clone")

    def listed(*which):
        done = run("git", "ls-files", "-z", *which, cwd=repository)
        assert done.returncode == 0, done.stderr
        return {name for name in done.stdout.split("\0") if (repository / name).is_file()}

    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    tracked, untracked = listed(), listed("--others", "--exclude-standard")
    assert tracked <= held <= tracked | untracked | {"PKG-INFO"}


def test_wheel_holds_the_package_and_the_device_files(wheels, repository):
    def files(folder, name):
        return {
            f"{name}/{path.relative_to(folder).as_posix()}"
            for path in folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }

    package = files(repository / "host" / "noughts", "noughts")
    assert names_in(wheels.noughts) == package | files(repository / "device", "noughts/device")
    assert "noughts/py.typed" in package


def test_two_wheels_share_no_file_and_one_depends_on_the_other(wheels):
    assert not names_in(wheels.noughts) & names_in(wheels.emulator)
    needed = f"Requires-Dist: microbit-emulator=={microbit_emulator.__version__}\n"
    assert needed in metadata_of(wheels.noughts)
    assert "Requires-Dist: noughts" not in metadata_of(wheels.emulator)


def environment(folder):
    """A new environment, as the folder with its programs."""
    made = run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    assert made.returncode == 0, made.stdout + made.stderr
    return folder / ("Scripts" if os.name == "nt" else "bin")


def install(programs, *words, cwd):
    # Python compiles what it runs; pip would compile everything.
    done = run(programs / "python", *PIP, "install", "--no-compile", *words, cwd=cwd)
    if done.returncode:
        # Is the package at fault, or is pip offline? Every index has pip.
        index = ["--retries", "0", "download", "--no-deps", "pip"]
        if run(programs / "python", *PIP, *index, cwd=cwd).returncode:
            missing(f"pip cannot reach a package index: {done.stderr.splitlines()[-1]}")
        pytest.fail(done.stderr)


def check_game(programs, folder):
    """Play on a virtual board, in an empty folder: this needs the emulator and the device files."""
    env = ENV | {"HOME": str(folder), "XDG_DATA_HOME": str(folder)}

    def printed(*words):
        done = run(programs / "noughts", *words, cwd=folder, env=env)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert printed("--version") == f"noughts {__version__}\n"
    played = printed("play", "--keys", "A A A B 500 B 1000")
    assert f",V2,{__version__},2798*" in played
    # The third press of A in the menu selects H. The person takes the centre; hard replies.
    assert re.search(r"ms  \$NG,\w{8},1,PH,A,4\d,\d+,-\*\w\w\n", played)
    return printed


@pytest.mark.long
def test_wheels_run_and_removing_one_keeps_the_other(wheels, tmp_path):
    programs = environment(tmp_path / "env")
    install(programs, wheels.emulator, wheels.noughts, cwd=tmp_path)
    printed = check_game(programs, tmp_path)
    proved = printed("prove", "hard")
    assert "191/192" in proved and "866/945" in proved
    files = len(files_with(OFF, "V1", device_files()))
    assert f"  files: {files}\n" in printed("hex", "-o", "x.hex")
    assert cli.main(["hex", "-o", str(tmp_path / "z.hex")]) == 0
    assert (tmp_path / "z.hex").read_bytes() == (tmp_path / "x.hex").read_bytes()
    python = programs / "python"
    run(python, *PIP, "uninstall", "--yes", "noughts", cwd=tmp_path)
    imports = run(
        python, "-c", "import microbit_emulator; microbit_emulator.Microbit", cwd=tmp_path
    )
    assert imports.returncode == 0, imports.stderr


@pytest.fixture
def clone(unpacked, tmp_path):
    """A clone that the test may change."""
    return shutil.copytree(unpacked, tmp_path / "clone")


@POSIX
@pytest.mark.long
def test_make_sets_up_a_clone_in_which_changes_of_both_packages_take_effect(clone, tmp_path):
    done = run("make", "play", f"PYTHON={sys.executable}", cwd=clone)
    assert "there is no terminal to play in" in done.stderr, done.stderr
    programs = clone / ".venv" / "bin"
    check_game(programs, tmp_path)
    for package in ("noughts", "microbit_emulator"):
        with (clone / "host" / package / "__init__.py").open("a") as file:
            file.write("\nCHANGED = True\n")
        imported = run(programs / "python", "-c", f"from {package} import CHANGED", cwd=tmp_path)
        assert imported.returncode == 0, imported.stderr


@POSIX
@pytest.mark.long
@pytest.mark.parametrize("tool", ["uv", "pipx"])
def test_clone_is_installed_as_a_tool(tool, clone, tmp_path):
    tools = environment(tmp_path / "env")
    install(tools, tool, cwd=tmp_path)
    programs = tmp_path / "programs"
    env = ENV | {"UV_TOOL_DIR": str(tmp_path / "uv"), "UV_TOOL_BIN_DIR": str(programs)}
    env |= {"PIPX_HOME": str(tmp_path / "pipx"), "PIPX_BIN_DIR": str(programs)}
    words = ["uv", "tool", "install", "--python", sys.executable, "."]
    if tool == "pipx":
        words = ["pipx", "install", "--python", sys.executable, "."]
    done = run(tools / words[0], *words[1:], cwd=clone, env=env)
    assert done.returncode == 0, done.stderr
    shutil.rmtree(clone)
    check_game(programs, tmp_path)


@POSIX
@pytest.mark.long
def test_make_dist_builds_what_is_released(clone):
    if not shutil.which("npm"):
        missing("Node.js with npm is missing; install it")
    (clone / "PKG-INFO").unlink(missing_ok=True)
    done = run("make", "dist", f"PYTHON={sys.executable}", cwd=clone)
    assert done.returncode == 0, done.stderr
    emulator = microbit_emulator.__version__
    assert {path.name for path in (clone / "dist").iterdir()} == {
        "noughts.hex",
        "noughts.html",
        "site",
        f"noughts-{__version__}-py3-none-any.whl",
        f"noughts-{__version__}.tar.gz",
        f"microbit_emulator-{emulator}-py3-none-any.whl",
        f"microbit_emulator-{emulator}.tar.gz",
    }
