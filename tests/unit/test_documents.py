"""Links, files and commands in the documents exist, and their lines are short."""

import re
from pathlib import Path

import pytest

from noughts import __version__
from noughts.brain.device import device_dir, device_files

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (".", "device", "docs", "docs/lessons")
DOCUMENTS = [path for folder in FOLDERS for path in sorted(ROOT.glob(f"{folder}/*.md"))]
ALL_DOCUMENTS = [*DOCUMENTS, *sorted((ROOT / "host").glob("*/README.md"))]


def name_of(document):
    return document.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("document", ALL_DOCUMENTS, ids=name_of)
def test_lines_have_at_most_100_columns(document):
    """Rows of tables may be longer: they cannot be wrapped."""
    lines = document.read_text("utf-8").splitlines()
    assert not [line for line in lines if len(line) > 100 and not line.startswith("|")]


def test_list_of_documents_names_every_page():
    targets = re.findall(r"\]\(([^)#]+)", (ROOT / "docs" / "README.md").read_text("utf-8"))
    listed = {(ROOT / "docs" / target).resolve() for target in targets}
    lessons = set((ROOT / "docs" / "lessons").glob("[1-9]*.md"))  # their own README lists them
    assert set(ALL_DOCUMENTS) - lessons - {ROOT / "docs" / "README.md"} == listed


@pytest.mark.parametrize("document", ALL_DOCUMENTS, ids=name_of)
def test_links_and_named_files_exist(document):
    text = document.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert "://" in target or (document.parent / target).exists(), target
    for path in re.findall(r"`((?:device|host|tools|tests|docs)/[\w/.]+)`", text):
        assert (ROOT / path).exists() or (document.parent / path).exists(), path


def test_files_named_in_contributing_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    parts = re.findall(r"^### .*`((?:device|host)/.*)`\n([^#]+)", text, re.MULTILINE)
    assert len(parts) > 4
    for folder, table in parts:
        files = re.findall(r"`([\w/]+\.(?:py|html|js)|[\w/]+/)`", table)
        assert files
        for file in files:
            assert (ROOT / folder / file).exists() or (ROOT / file).exists(), f"{folder}{file}"


def test_device_protocol_and_changelog_name_this_release():
    versions = re.findall(rb",V%d,([^,]+),%s", device_files()["sentences.py"])
    versions += re.findall(rb'"gateway (\d\S+) ', (device_dir() / "gateway.py").read_bytes())
    assert versions == 2 * [__version__.encode()]
    protocol = (ROOT / "docs" / "protocol.md").read_text("utf-8")
    assert re.findall(r"\$NB,1,\w+,V2,([^,]+),", protocol) == [__version__]
    assert f"| `{__version__}` | the game's release |" in protocol
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = re.findall(r"^## \[(\d[^]]*)\] - \d{4}-\d\d-\d\d$", changes, re.MULTILINE)
    assert released[0] == __version__


def guides():
    """The text of each document except the changelog, whose old entries stay unchanged."""
    return [path.read_text("utf-8") for path in DOCUMENTS if path.name != "CHANGELOG.md"]


def test_install_commands_name_known_packages():
    """We publish no packages: a command installs the clone, or other people's packages."""
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    debian = (ROOT / "tools" / "get_test_programs.sh").read_text("utf-8")
    known_packages = {
        "uv tool": {"."},
        "pipx": {"."},
        "pip": {".", *re.findall(r'"([\w-]+)>=', project)},
        "apt": {"python3-venv", *re.findall(r"\bget ([\w-]+)", debian)},
    }
    line = r"\b(uv tool|pipx|pip|apt)(?:-get)? install ([^`\n]+)"
    commands = [command for text in guides() for command in re.findall(line, text)]
    assert {tool for tool, _ in commands} == set(known_packages)
    for tool, words in commands:
        assert set(words.split()) <= known_packages[tool], f"{tool} install {words}"
    extras = project.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    named = [extra for text in guides() for extra in re.findall(r'"[\w.]+\[([\w,]+)\]"', text)]
    assert named and set(",".join(named).split(",")) <= set(re.findall("^(.+) = ", extras, re.M))


def test_readme_is_short_and_only_it_shows_git_clone():
    cloning = {path.name for path in DOCUMENTS if "git clone " in path.read_text("utf-8")}
    assert cloning == {"README.md", "README.zh-cn.md"}
    assert sum(text.count("git clone ") for text in guides()) == 2
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 100 and len(text.split()) <= 700


@pytest.mark.parametrize("name", ["README", "docs/your-board"])
def test_translation_has_the_same_commands_and_links(name):
    texts = [(ROOT / f"{name}{end}.md").read_text("utf-8") for end in ("", ".zh-cn")]
    shown = r"^    \S.*$|`[^`\n]+`|\]\([^)]+\)"
    ours, theirs = [re.findall(shown, text.replace(".zh-cn", ""), re.MULTILINE) for text in texts]
    assert sorted(ours) == sorted(theirs)
