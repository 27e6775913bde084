"""Setting up a clone: its environment, the stubs of device modules, programs that tests need."""

import os
import re
import shutil
import subprocess
import sys

import pytest

import check_device
import set_up
from needed import POSIX


def python(folder, script):
    """A shell script that stands in for the Python of the environment `env`, with pip."""
    path = folder / "env" / "bin" / "python"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@POSIX
def test_offline_install_keeps_a_working_environment(folder, monkeypatch, capsys):
    refused = "echo 'Failed to establish a new connection: Connection refused'\nexit 1"
    path = python(folder, f'case "$*" in *--version) exit 0 ;; esac\n{refused}')
    monkeypatch.setattr("sys.argv", ["set_up.py", "env", "the game", "."])
    assert set_up.main() == 1
    out, err = capsys.readouterr()
    assert out == "Installing the game into env\n"
    assert err.startswith("noughts: the packages cannot be fetched, for there is no connection")
    assert err.count("\n") == 1 and path.exists()


def test_environment_failure_is_explained(monkeypatch, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to("/nowhere")
    assert not set_up.works(tmp_path)
    failed = subprocess.CompletedProcess([], 1, "", "ensurepip is not available")
    with monkeypatch.context() as patched:
        patched.setattr("subprocess.run", lambda *_, **__: failed)
        assert "sudo apt install python3-venv" in set_up.make(tmp_path / "env")
    refused = f"Error: [Errno 13] Permission denied: '{tmp_path / 'env'}'\n"
    failed = subprocess.CompletedProcess([], 1, refused, "")
    with monkeypatch.context() as patched:
        patched.setattr("subprocess.run", lambda *_, **__: failed)
        problem = set_up.make(tmp_path / "env")
    assert problem.startswith(f"cannot write {tmp_path / 'env'} (Permission denied); make a clone")
    monkeypatch.setattr("sys.version_info", (3, 9, 18))
    assert "Python 3.9.18 is too old; install Python 3.10 or later" in set_up.make(tmp_path)


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (["x", "ERROR: Could not find a version that satisfies y"], "(Could not find a version"),
        (["OSError: [Errno 28] No space left on device"], "there is no room on the disk"),
        (["Failed to establish a new connection: Network is unreachable"], "no connection"),
        (["OSError: [Errno 30] Read-only file system: '/x'"], "cannot write /x (Read-only file"),
        (["pip failed"], "(pip failed)"),
    ],
)
def test_pip_error_becomes_one_line(output, reason):
    assert reason in set_up.why(output) and "\n" not in set_up.why(output)


@POSIX
@pytest.mark.parametrize(
    ("output", "reason"),
    [("Network is unreachable", "no connection to the internet"), ("ERROR: odd", "(odd)")],
)
def test_missing_device_stubs_are_one_line(folder, monkeypatch, capfd, output, reason):
    monkeypatch.setattr("sys.executable", str(python(folder, f"echo '{output}'\nexit 1")))
    monkeypatch.setattr(check_device, "STUBS", folder / "stubs")
    assert check_device.main() == 1
    out, err = capfd.readouterr()
    assert out == "" and err.startswith("noughts: ") and err.count("\n") == 1 and reason in err


@POSIX
def test_terminal_line_shows_install_progress(folder):
    import pty  # which Windows does not have

    python(folder, "echo Collecting rich\necho Collecting 'textual>=1 (from x)'")
    ours, theirs = pty.openpty()
    command = [sys.executable, set_up.__file__, "env", "the game", "."]
    subprocess.run(command, stdout=theirs, check=True, timeout=120)
    os.close(theirs)
    shown = os.read(ours, 1000).decode()
    os.close(ours)
    assert "\r\x1b[KInstalling the game into env: 2 packages, textual" in shown
    assert shown.endswith("\r\x1b[KInstalling the game into env\r\n")


@pytest.fixture
def without_programs(tmp_path):
    """The environment of a user without root and sudo, on a computer that lacks these programs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "env", "uname", "ldconfig", "grep"):
        if path := shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            (folder / name).symlink_to(path)
    (folder / "id").write_text("#!/bin/sh\necho 1000\n")
    (folder / "id").chmod(0o755)
    env = {name: value for name, value in os.environ.items() if name != "CI"}
    return {**env, "PATH": str(folder), "HOME": str(tmp_path)}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no apt")
def test_missing_program_has_advice_for_a_user_without_root(without_programs, repository):
    command = ["sh", repository / "tools" / "get_test_programs.sh"]
    done = subprocess.run(command, env=without_programs, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "")
    lines = {line.split()[1]: line for line in done.stderr.splitlines()}
    assert "sudo" not in done.stderr
    assert "with: apt install qemu-system-arm (or your" in lines["QEMU"]
    assert lines["QEMU"].endswith(", as root")
    assert lines["Chromium"].endswith(
        ", as root, or without root: .venv/bin/python -m playwright install chromium"
    )


@POSIX
def test_tests_that_lack_a_program_are_listed_once(without_programs, repository):
    files = ["tests/web/test_puzzles.py", "tests/firmware/test_witness.py"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(
        command, cwd=repository, env=without_programs, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout
    skipped = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    assert len(skipped) == 2
    # Where a library is missing too, Playwright's driver does not start.
    assert re.search("Chromium is missing; |Playwright's driver does not start ", done.stdout)
