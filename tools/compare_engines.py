"""Our searches beside easyAI's Negamax and OpenSpiel's alpha-beta: same machine, same positions.

    .venv/bin/python tools/compare_engines.py

The others are installed into a temporary environment for this run only. Nodes are counted in a run
of their own, so that counting costs no time in the run that is timed; times are the best of five.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

OTHERS = ("easyAI>=2.0", "open_spiel>=1.5")
ROOT = Path(__file__).resolve().parents[1]
WORKER = Path(__file__).with_name("compare_engines_worker.py")


def main() -> int:
    """Install the others aside, and run the comparison there."""
    with tempfile.TemporaryDirectory(prefix="noughts-") as folder:
        print(f"installing {' and '.join(OTHERS)} for this run", file=sys.stderr)
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python")
        quiet = ["--quiet", "--disable-pip-version-check"]
        subprocess.run([python, "-m", "pip", "install", *quiet, *OTHERS], check=True)
        return subprocess.run([python, str(WORKER), str(ROOT / "host")]).returncode


if __name__ == "__main__":
    sys.exit(main())
