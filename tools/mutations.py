"""Count how many random mutations of the code the tests notice.

    make mutations SEED=1 COUNT=60 FOLDERS="device host/noughts"

Draws lines of the code at random, as many in each folder, and on each line a change that compiles:
another comparison, a constant one more or less, a removed statement... Comments, docstrings, type
annotations and strings with spaces (texts that people read) stay as they are. In a copy of the
working tree, all tests run with some mutations at once, one of each folder, and go on after
failures. Those that failed and are near to a mutation then run with it alone. Mutations that none
of these notices run together, with all tests; tests that fail run with each of them alone, until
those that are left make no test fail.

What is drawn and what was found is kept in `build/mutations/`, also which tests failed and which
never did. Run the same command again to go on, and delete a mutation's `noticed_by` there to try it
again.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import psutil

import build_core

ROOT = Path(__file__).resolve().parents[1]
CORE = "host/microbit_emulator/core"
PARTS = {
    "device": "device",
    "host/noughts": "host/noughts",
    "host/page": "host/page",
    CORE: "the emulator's core",
    "host/microbit_emulator": "the emulator in Python",
}
NEAREST = {
    "device": ["tests/unit/test_device.py", "tests/firmware"],
    "host/noughts/web": ["tests/unit", "tests/web"],
    "host/noughts": ["tests/unit", "host/noughts"],
    "host/page": ["tests/page"],
    f"{CORE}/microbit.js": ["tests/web/test_emulator.py", "tests/page"],
    f"{CORE}/ether.js": ["tests/web/test_emulator.py", "tests/page"],
    "host/microbit_emulator": ["host/microbit_emulator"],
}
GRAMMARS = {".py": "python", ".js": "javascript", ".c": "c", ".h": "c"}
FOLDERS = "device host/noughts host/page host/microbit_emulator"
SURVIVED = "survived"
NO_TEST = "no test"
"""With what follows it: the answer where pytest itself fails, in place of the tests that failed."""
# Tests wait for what a mutation prevents; in the copy, less long than busy computers need.
WAITING, WAITING_LESS = "LIMIT_S = 120.0", "LIMIT_S = 20.0"
TEST_LIMIT_S, NEAREST_LIMIT_S, GROUP_LIMIT_S = 60, 600, 400
GROUP = 4
"""Mutations that run at once."""
# What pytest prints with `-v` as soon as a test has ended, in a process of xdist.
OUTCOME = re.compile(r"\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|ERROR) (.+?) *$", re.MULTILINE)

OPERATORS = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "===": ["!=="], "!==": ["==="],
    "in": ["not in"], "not in": ["in"], "is": ["is not"], "is not": ["is"],
    "and": ["or"], "or": ["and"], "&&": ["||"], "||": ["&&"], "??": ["&&"], "not": [""], "!": [""],
    "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "//": ["*"], "%": ["*"],
    "&": ["|"], "|": ["&"], "^": ["|"], "<<": [">>"], ">>": ["<<"],
    "+=": ["-="], "-=": ["+="], "|=": ["&="], "&=": ["|="],
}  # fmt: skip
WORDS = {"true": "false", "false": "true", "True": "False", "False": "True", "min": "max"}
WORDS |= {"max": "min", "break": "continue", "continue": "break"}
OPERATIONS = {
    "binary_operator", "comparison_operator", "boolean_operator", "not_operator", "unary_operator",
    "augmented_assignment", "binary_expression", "unary_expression",
    "augmented_assignment_expression", "assignment_expression",
}  # fmt: skip
NUMBERS = {"integer", "float", "number", "number_literal"}
STRINGS = {"string", "template_string", "string_literal"}
LEFT_ALONE = {
    "comment", "type", "import_statement", "import_from_statement", "future_import_statement",
    "preproc_include", "char_literal", "decorator",
}  # fmt: skip
EFFECTS = {
    "call", "await", "yield", "augmented_assignment", "call_expression", "await_expression",
    "assignment_expression", "augmented_assignment_expression", "update_expression",
}  # fmt: skip
JUMPS = {"return_statement", "raise_statement", "throw_statement", "delete_statement"}


@dataclass
class Mutation:
    path: str
    line: int
    start: int
    """Where the changed text begins, in bytes."""
    old: str
    new: str
    noticed_by: str = ""

    @property
    def end(self) -> int:
        return self.start + len(self.old.encode())

    @property
    def part(self) -> str:
        return next(name for folder, name in PARTS.items() if self.path.startswith(folder))

    def apply(self, source: bytes) -> bytes:
        if source[self.start : self.end] != self.old.encode():
            raise SystemExit(f"noughts: {self.path} has changed since; delete build/mutations")
        return source[: self.start] + self.new.encode() + source[self.end :]


# What can be changed


def code_files(folders: Sequence[str]) -> Iterator[str]:
    listing = ["git", "ls-files", "--", *folders]
    # It fails if a folder is outside of the working tree.
    listed = subprocess.run(listing, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout
    for path in listed.split():
        if (
            Path(path).suffix in GRAMMARS
            and path.startswith(tuple(PARTS))
            and "/tests/" not in path
        ):
            yield path


@cache
def parser(suffix: str) -> Any:
    tree_sitter = importlib.import_module("tree_sitter")
    grammar = importlib.import_module(f"tree_sitter_{GRAMMARS[suffix]}")
    return tree_sitter.Parser(tree_sitter.Language(grammar.language()))


def mutations(path: str, source: bytes) -> Iterator[Mutation]:
    """Every change of a file; some may not compile."""
    suffix = Path(path).suffix
    for node, new in changes(parser(suffix).parse(source).root_node, suffix == ".py"):
        yield Mutation(path, node.start_point[0] + 1, node.start_byte, node.text.decode(), new)


def changes(node: Any, is_python: bool) -> Iterator[tuple[Any, str]]:
    """Parts of the tree below a node, and what can stand in their places."""
    text, parent = node.text.decode(), node.parent and node.parent.type
    inner = node.named_children[0].type if node.named_children else ""
    if node.type in LEFT_ALONE or (node.type == "expression_statement" and inner in STRINGS):
        return
    if node.type in JUMPS or (node.type == "expression_statement" and has_effect(node)):
        yield node, "pass" if is_python else ";"
    if node.type in STRINGS and " " not in text and len(text) > 2:
        yield node, '""'
    if node.type in NUMBERS:
        yield node, f"({text} + 1)"
        yield node, f"({text} - 1)"
    if text in WORDS and not node.children:
        yield node, WORDS[text]
    if node.type in OPERATORS and parent in OPERATIONS:
        yield from ((node, new) for new in OPERATORS[node.type])
    if parent in ("if_statement", "elif_clause") and node == node.parent.child_by_field_name(
        "condition"
    ):
        yield node, f"not ({text})" if is_python else f"(!{text})"
    if node.type in ("not in", "is not"):
        return
    for child in node.children:
        yield from changes(child, is_python)


def has_effect(statement: Any) -> bool:
    """Whether a statement is a call, or changes a value that exists before."""
    (expression, *_) = statement.named_children or [statement]
    target = expression.child_by_field_name("left")
    return expression.type in EFFECTS or (
        expression.type == "assignment"
        and target.type in ("attribute", "subscript")
        and expression.child_by_field_name("right") is not None
    )


# Drawing


def draw(
    candidates: Iterable[Mutation],
    seed: int,
    count: int,
    is_valid: Callable[[Mutation], bool],
) -> list[Mutation]:
    """Draw a mutation of each of some lines, all as likely; without those that are not valid."""
    by_line: dict[tuple[str, int], list[Mutation]] = defaultdict(list)
    for mutation in candidates:
        by_line[mutation.path, mutation.line].append(mutation)
    chance = random.Random(seed)
    lines = list(by_line)
    chance.shuffle(lines)
    drawn: list[Mutation] = []
    for line in lines:
        mutation = chance.choice(by_line[line])
        # They must be applicable together.
        overlaps = any(
            other.path == mutation.path
            and other.start < mutation.end
            and mutation.start < other.end
            for other in drawn
        )
        if not overlaps and is_valid(mutation):
            drawn.append(mutation)
        if len(drawn) == count:
            break
    return drawn


def compiles(mutation: Mutation) -> bool:
    """Whether a mutation compiles; in C, also whether the compiler sees a difference."""
    suffix = Path(mutation.path).suffix
    source = mutation.apply((ROOT / mutation.path).read_bytes())
    if parser(suffix).parse(source).root_node.has_error:
        return False
    if GRAMMARS[suffix] == "python":
        try:
            compile(source, mutation.path, "exec")
        except SyntaxError:
            return False
    if GRAMMARS[suffix] == "c":
        with tempfile.TemporaryDirectory() as folder:
            core, compiled = Path(folder, "core"), Path(folder, "core.wasm")
            shutil.copytree(ROOT / CORE, core)
            (core / Path(mutation.path).name).write_bytes(source)
            failed = build_core.build(compiled, core)
            return not failed and compiled.read_bytes() != (ROOT / CORE / "core.wasm").read_bytes()
    return True


def groups(drawn: Sequence[Mutation]) -> Iterator[Sequence[Mutation]]:
    """Mutations that run at once: each group has some of all folders, which are drawn in turn."""
    count = -(-len(drawn) // GROUP)
    for number in range(count):
        yield drawn[number::count]


# Running


class Copy:
    """A copy of the working tree, with a virtual environment that imports the copy's code."""

    def __init__(self, folder: Path, pytest_options: Sequence[str]) -> None:
        self.folder = folder
        self._log = folder / "pytest.txt"
        self._pytest_options = pytest_options
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        for path in subprocess.check_output(listed, cwd=ROOT, text=True).splitlines():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, folder / path)
        waiting = folder / "tools/harness/waiting.py"
        waiting.write_text(waiting.read_text("utf-8").replace(WAITING, WAITING_LESS), "utf-8")
        if (ROOT / "build/page").exists():  # the page's USB library
            shutil.copytree(ROOT / "build/page", folder / "build/page", symlinks=True)
        venv.create(folder / ".venv", symlinks=True)
        base = {"base": str(folder / ".venv"), "platbase": str(folder / ".venv")}
        packages = Path(sysconfig.get_path("purelib", vars=base))
        # Packages that are installed here, but without the links to this working tree.
        lines = str(folder / "host"), sysconfig.get_path("purelib")
        (packages / "copy.pth").write_text("\n".join(lines), "utf-8")

    def run(self, applied: Sequence[Mutation], tests: Sequence[str], *options: str) -> list[str]:
        """Run tests with mutations, or all. Returns those that failed."""
        with self._changed(applied):
            return self._failed(tests, options)

    def outcomes(self, applied: Sequence[Mutation]) -> dict[str, bool]:
        """Run all tests with mutations. Returns whether each passed that ran in the time."""
        with self._changed(applied):
            self._pytest([], ["-v"], GROUP_LIMIT_S)
        text = self._log.read_text("utf-8", errors="replace")
        return {test: outcome == "PASSED" for outcome, test in OUTCOME.findall(text)}

    @contextlib.contextmanager
    def _changed(self, applied: Sequence[Mutation]) -> Iterator[None]:
        """The copy with mutations; then, as it was."""
        core = self.folder / CORE / "core.wasm"
        changed = {self.folder / mutation.path for mutation in applied} | {core}
        originals = {path: path.read_bytes() for path in changed}
        # From the end of each file, because each moves what follows.
        for mutation in sorted(applied, key=lambda mutation: -mutation.start):
            path = self.folder / mutation.path
            path.write_bytes(mutation.apply(path.read_bytes()))
        if any(path.suffix in (".c", ".h") for path in changed):
            problem = build_core.build(core, core.parent)
            assert not problem, problem
        try:
            yield
        finally:
            for path, content in originals.items():
                path.write_bytes(content)

    def _failed(self, tests: Sequence[str], options: Sequence[str]) -> list[str]:
        status = self._pytest(tests, options, NEAREST_LIMIT_S if tests else None)
        if status is None:
            return [f"{NO_TEST}; they did not end"]
        failed = self.folder / ".pytest_cache/v/cache/lastfailed"
        if failed.exists():
            return sorted(json.loads(failed.read_text()))
        return [] if status == 0 else [f"{NO_TEST}; pytest did not run to its end"]

    def _pytest(
        self, tests: Sequence[str], options: Sequence[str], limit_s: int | None
    ) -> int | None:
        """Run tests. Returns pytest's exit status; None if it took too long."""
        shutil.rmtree(self.folder / ".pytest_cache", ignore_errors=True)
        python = str(self.folder / ".venv/bin/python")
        limits = f"--timeout={TEST_LIMIT_S}", "--timeout-method=thread"
        command = [python, "-m", "pytest", "-c", "pyproject.toml", *self._pytest_options]
        command += [*limits, *options, *tests]
        with (
            self._log.open("w") as log,
            subprocess.Popen(
                command, cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            ) as process,
        ):
            try:
                return process.wait(limit_s)
            except subprocess.TimeoutExpired:
                return None
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # also browsers and boards
                self._end_what_is_left(python)

    @staticmethod
    def _end_what_is_left(python: str) -> None:
        """End programs of the copy that tests started in sessions of their own, as terminals do."""
        for process in psutil.process_iter(["cmdline"]):
            if (process.info["cmdline"] or [""])[0] == python:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()


def nearest(mutation: Mutation) -> list[str]:
    """The tests that are named after a file or import it; if there are none, those of its part."""
    module = Path(mutation.path).with_suffix("")
    # Tests of the device load its modules by their names.
    is_device = module.parts[0] == "device"
    imported = f'"{module.name}"' if is_device else ".".join(module.parts[1:])
    part = next(tests for folder, tests in NEAREST.items() if mutation.path.startswith(folder))
    named = [
        str(path.relative_to(ROOT))
        for folder in part
        for path in sorted((ROOT / folder).rglob("test_*.py"))
        if module.name in path.stem or imported in path.read_text("utf-8")
    ]
    return named or part


def try_group(copy: Copy, group: Sequence[Mutation], outcomes: Mapping[str, bool]) -> None:
    """Run the tests that failed with a group of mutations with each one to which they are near."""
    for mutation in group:
        if mutation.noticed_by:
            continue
        tests = near = nearest(mutation)
        if outcomes:  # or else one of the mutations lets no test start
            failed = [test for test, passed in outcomes.items() if not passed]
            tests = [test for test in failed if test.startswith(tuple(near))]
        mutation.noticed_by = first_to_notice(copy, mutation, tests) if tests else ""
        print(f"{mutation.path}:{mutation.line}  {mutation.noticed_by or '?'}", flush=True)


def first_to_notice(copy: Copy, mutation: Mutation, tests: Sequence[str]) -> str:
    """The first test that fails with a mutation, twice. Empty if there is none."""
    failed = copy.run([mutation], tests, "-x")
    if failed and failed[0].startswith(NO_TEST):
        return failed[0]
    confirmed = failed and copy.run([mutation], failed[:1], "-n1")
    return confirmed[0] if confirmed else ""


def try_all(copy: Copy, survivors: Sequence[Mutation]) -> None:
    """Run all tests with all of these mutations at once, until they make none fail."""
    left = list(survivors)
    while left:
        failed = copy.run(left, [], "--maxfail=10")
        if any(test.startswith(NO_TEST) for test in failed):
            failed = [test for mutation in left for test in nearest(mutation)]
        for mutation in left if failed else ():
            mutation.noticed_by = first_to_notice(copy, mutation, failed)
        if not any(mutation.noticed_by for mutation in left):
            break  # nothing failed, or only because the computer is busy
        left = [mutation for mutation in left if not mutation.noticed_by]
    for mutation in left:
        mutation.noticed_by = SURVIVED


def report(drawn: Sequence[Mutation]) -> None:
    for mutation in drawn:
        change = f"{mutation.old} -> {mutation.new}".replace("\n", " ")
        print(f"{mutation.path}:{mutation.line}  {change}\n    {mutation.noticed_by}")
    counted, noticed = Counter[str](), Counter[str]()
    for mutation in drawn:
        for name in (mutation.part, "all"):
            counted[name] += 1
            noticed[name] += mutation.noticed_by != SURVIVED
    for name, count in counted.items():
        print(f"{name}: {noticed[name]} of {count} noticed")


def parsed() -> argparse.Namespace:
    """The options, which name something to change."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=60)
    arguments.add_argument("--folders", default=FOLDERS, help="what is changed")
    arguments.add_argument("pytest_options", nargs="*")
    options = arguments.parse_args()
    options.folders = folders = list(dict.fromkeys(options.folders.split()))
    if any(f"{one}/".startswith(f"{other}/") for one, other in permutations(folders, 2)):
        arguments.error(f"{' '.join(folders)}: one contains another; name only one of them")
    for folder in folders:
        if not any(code_files([folder])):
            arguments.error(f"there is no code to change in {folder}; name another folder")
    if not folders:
        arguments.error("--folders names none; name one or more")
    least = len(folders)
    if options.count < least:
        arguments.error(f"--count {options.count} draws nothing in a folder; give {least} or more")
    return options


def main() -> None:
    options = parsed()
    # `kill` ends it as Ctrl-C does: with the programs of its tests, and without the copy.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    name = "-".join([str(options.seed), str(options.count), *options.folders]).replace("/", "-")
    progress = ROOT / f"build/mutations/{name}.json"

    def save() -> None:
        progress.write_text(json.dumps([asdict(mutation) for mutation in drawn], indent=1))

    if progress.exists():
        drawn = [Mutation(**stored) for stored in json.loads(progress.read_text())]
    else:
        drawn = []
        for folder in options.folders:
            candidates = [
                mutation
                for path in code_files([folder])
                for mutation in mutations(path, (ROOT / path).read_bytes())
            ]
            count = options.count // len(options.folders)
            drawn += draw(candidates, options.seed, count, compiles)
        progress.parent.mkdir(parents=True, exist_ok=True)
        save()
    never_failed: dict[str, bool] = {}
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder), options.pytest_options)
        for number, group in enumerate(groups(drawn)):
            stored = progress.with_name(f"{name}-tests-{number}.json")
            if not stored.exists():
                stored.write_text(json.dumps(copy.outcomes(group), indent=1))
            outcomes = json.loads(stored.read_text())
            try_group(copy, group, outcomes)
            save()
            for test, passed in outcomes.items():
                never_failed[test] = never_failed.get(test, True) and passed
        if survivors := [mutation for mutation in drawn if not mutation.noticed_by]:
            try_all(copy, survivors)
            save()
    names = sorted(test for test, never in never_failed.items() if never)
    progress.with_name(f"{name}-never-failed.txt").write_text("\n".join([*names, ""]))
    report(drawn)
    print(f"tests: {len(never_failed) - len(names)} of {len(never_failed)} failed at least once")


if __name__ == "__main__":
    main()
