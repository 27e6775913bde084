"""Read our hex with the public reference, npm's microbit-fs and microbit-universal-hex.

Needs Node 20 and npm, which the product does not; they are installed into a temporary folder for
this run only. Exit status 1 if a file differs.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from noughts.boards import image
from noughts.boards.packing import files_for_boards

PACKAGES = ("@microbit/microbit-fs", "@microbit/microbit-universal-hex")
SCRIPT = Path(__file__).with_suffix(".mjs")


def main() -> int:
    """Build, read back, compare."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        print("read_back: Node and npm are missing; install Node 20", file=sys.stderr)
        return 1
    files = files_for_boards()
    with tempfile.TemporaryDirectory(prefix="noughts-") as folder:
        place = Path(folder)
        subprocess.run(
            [npm, "install", "--silent", "--no-audit", "--no-fund", *PACKAGES],
            cwd=place,
            check=True,
        )
        script = place / SCRIPT.name  # Node looks for packages beside the script
        shutil.copy(SCRIPT, script)
        path = place / "noughts.hex"
        path.write_text(
            image.universal(image.bundled(), dict.fromkeys(("V1", "V2"), files)), newline=""
        )
        bare = place / "bare.hex"
        memories = {board: firmware.memory for board, firmware in image.bundled().items()}
        bare.write_text(image.join(memories), newline="")
        done = subprocess.run(
            [node, script, path, bare], check=True, capture_output=True, text=True
        )
        for name in PACKAGES:
            about = json.loads((place / "node_modules" / name / "package.json").read_text("utf-8"))
            print(f"read with {name} {about['version']}")
    boards = json.loads(done.stdout)
    wrong = 0
    for board in ("9900", "9903"):
        read = {name: base64.b64decode(content) for name, content in boards.get(board, {}).items()}
        same = read == files
        wrong += not same
        print(f"board {board}: {len(read)} files, {'all as packed' if same else 'NOT as packed'}")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
