"""How the tools import each other."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def modules(folder):
    return {path.stem: path for path in folder.glob("*.py")}


def imports(path):
    """The names of the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


TOOLS = {**modules(ROOT / "tools"), **modules(ROOT / "tools" / "harness")}
TOOLS |= {f"soak.{name}": path for name, path in modules(ROOT / "tools" / "soak").items()}


def test_tools_import_nothing_of_tests():
    of_tests = {"conftest", *modules(ROOT / "tests" / "support")}
    imported = {(name, other) for name, path in TOOLS.items() for other in imports(path)}
    assert not [pair for pair in imported if pair[1] in of_tests]


def test_tools_do_not_import_in_a_circle():
    graph = {name: {*imports(path)} & {*TOOLS} for name, path in TOOLS.items()}
    TopologicalSorter(graph).prepare()  # raises an error that names the circle
