// Reads a Universal Hex with the Micro:bit Educational Foundation's own libraries, and prints each
// board's files as JSON: { boardId: { name: base64 } }. Arguments: the hex, and one of the same
// firmware without files, which the library wants to begin with.
import { readFileSync } from "node:fs";
import { MicropythonFsHex } from "@microbit/microbit-fs";
import { isUniversalHex, separateUniversalHex } from "@microbit/microbit-universal-hex";

const [text, bare] = process.argv.slice(2, 4).map((path) => readFileSync(path, "ascii"));
if (!isUniversalHex(text)) throw new Error("not a Universal Hex");
const empty = Object.fromEntries(separateUniversalHex(bare).map((part) => [part.boardId, part.hex]));
const boards = {};
for (const { boardId, hex } of separateUniversalHex(text)) {
  const system = new MicropythonFsHex(empty[boardId]);
  system.importFilesFromHex(hex);
  boards[boardId.toString(16)] = Object.fromEntries(
    system.ls().map((name) => [name, Buffer.from(system.readBytes(name)).toString("base64")]),
  );
}
console.log(JSON.stringify(boards));
