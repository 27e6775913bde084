"""Read our hex with the Foundation's own libraries, npm's microbit-fs and microbit-universal-hex.

Needs Node 20 and npm. The libraries are installed into a temporary folder. Ends with an error if a
file differs.
"""

from __future__ import annotations

import base64
import json
import subprocess
import tempfile
from pathlib import Path

from noughts.boards import image
from noughts.boards.packing import files_for_boards

PACKAGES = ("@microbit/microbit-fs", "@microbit/microbit-universal-hex")
# Prints each board's files as JSON: { boardId: { name: base64 } }. The library begins with the same
# firmware without files.
SCRIPT = """
import { readFileSync } from "node:fs";
import { MicropythonFsHex } from "@microbit/microbit-fs";
import { isUniversalHex, separateUniversalHex } from "@microbit/microbit-universal-hex";

const [text, bare] = ["noughts.hex", "bare.hex"].map((path) => readFileSync(path, "ascii"));
if (!isUniversalHex(text)) throw new Error("not a Universal Hex");
const parts = separateUniversalHex(bare);
const empty = Object.fromEntries(parts.map((part) => [part.boardId, part.hex]));
const boards = {};
for (const { boardId, hex } of separateUniversalHex(text)) {
  const system = new MicropythonFsHex(empty[boardId]);
  system.importFilesFromHex(hex);
  boards[boardId.toString(16)] = Object.fromEntries(
    system.ls().map((name) => [name, Buffer.from(system.readBytes(name)).toString("base64")]),
  );
}
console.log(JSON.stringify(boards));
"""


def main() -> None:
    files, bundled = files_for_boards(), image.bundled()
    ours = {board: firmware.with_files(files) for board, firmware in bundled.items()}
    with tempfile.TemporaryDirectory(prefix="noughts-") as name:
        folder = Path(name)
        subprocess.run(["npm", "install", "--silent", *PACKAGES], cwd=folder, check=True)
        (folder / "read.mjs").write_text(SCRIPT)
        (folder / "noughts.hex").write_text(image.universal(ours), newline="")
        (folder / "bare.hex").write_text(image.universal(bundled), newline="")
        read = subprocess.check_output(["node", "read.mjs"], cwd=folder)
    for board, found in json.loads(read).items():
        assert {name: base64.b64decode(content) for name, content in found.items()} == files
        print(f"board {board}: {len(found)} files, all as packed")


if __name__ == "__main__":
    main()
