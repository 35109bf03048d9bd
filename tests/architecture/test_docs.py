"""Tests that everything the documents mention exists: links, headings, paths, commands, options, and dependencies."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from app.__main__ import build_parser as build_app_parser
from engine.cli.parser import build_parser
from tests.architecture.documents import DOCUMENTS, FOLDERS, LINK, ROOT, SPAN, code_of, prose_of

ELSEWHERE = re.compile(r"[a-z]+:")
HEADING = re.compile(r"^#{1,6} +(.+)", re.MULTILINE)
PATH = re.compile(r"[\w.-]+(/[\w.-]+)*/?")
INTERPRETERS = ("python", ".venv/bin/python")
OURS = ("kokoro-desk ", "engine ")

every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


def code_lines_of(path: Path) -> list[str]:
    """Return the lines of fenced blocks, continued ones joined."""
    return code_of(path).replace("\\\n", " ").splitlines()


def links_of(path: Path) -> list[str]:
    """Return link targets inside the project; code is ignored."""
    targets = LINK.findall(SPAN.sub("", prose_of(path)))
    return [unquote(target) for target in targets if not ELSEWHERE.match(target)]


def anchors_of(path: Path) -> set[str]:
    """Return headings as GitHub spells them in links; repeated ones get a number."""
    anchors: list[str] = []
    for title in HEADING.findall(prose_of(path)):
        plain = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        repeated = sum(re.sub(r"-\d+$", "", anchor) == plain for anchor in anchors)
        anchors.append(f"{plain}-{repeated}" if repeated else plain)
    return set(anchors)


def paths_of(path: Path) -> Iterator[str]:
    """Yield words in backticks that look like paths: they begin with a folder of the project, or name a module.

    The texts of links are left out; a separate test checks their targets.
    """
    for span in SPAN.findall(LINK.sub("", prose_of(path))):
        for word in span.split():
            in_folder = word.partition("/")[0] in FOLDERS and "/" in word
            if PATH.fullmatch(word) and (in_folder or word.endswith(".py")):
                yield word


def commands_of(path: Path) -> list[list[str]]:
    """Return our commands: lines of fenced blocks, and spans in backticks that have an option."""
    lines = [shlex.split(line, comments=True) for line in code_lines_of(path) if not line.startswith("#")]
    spans = [shlex.split(span) for span in SPAN.findall(prose_of(path)) if span.startswith(OURS) and " --" in span]
    return [words for words in lines if is_ours(words)] + [words for words in spans if "COMMAND" not in words]


def is_ours(words: list[str]) -> bool:
    python = words[:1] and words[0] in INTERPRETERS and words[1:2] == ["-m"] and words[2:3] in (["engine"], ["app"])
    return bool(python) or words[:1] in (["make"], ["kokoro-desk"], ["engine"])


def make_targets() -> set[str]:
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    return {name for line in lines if line.startswith(".PHONY:") for name in line.split()[1:]}


@every_document
def test_links_lead_somewhere(path: Path) -> None:
    for link in links_of(path):
        file, _, anchor = link.partition("#")
        target = path.parent / file if file else path
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


@every_document
def test_named_paths_exist(path: Path) -> None:
    missing = [word for word in paths_of(path) if not (ROOT / word).exists() and not (path.parent / word).exists()]
    assert missing == []


@pytest.mark.parametrize(
    "words", [words for path in DOCUMENTS for words in commands_of(path)], ids=lambda words: " ".join(words)
)
def test_commands_exist(words: list[str]) -> None:
    if words[0] == "make":
        assert {word for word in words[1:] if "=" not in word} <= make_targets()
    else:
        words = words[2:] if words[0] in INTERPRETERS else words
        window = words[0] == "app" or (words[0] == "kokoro-desk" and not words[1:2]) or words[1].startswith("-")
        parser = build_app_parser() if window else build_parser()
        parser.parse_args(words[1:])


def test_every_dependency_has_a_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = [
        *project["dependencies"],
        *(one for group in project["optional-dependencies"].values() for one in group),
    ]
    rows = [line for line in prose_of(ROOT / "docs" / "dependencies.md").splitlines() if line.startswith("|")]
    named = {word for row in rows for word in re.findall(r"[\w-]+", row.lower())}
    assert {re.split(r"[\[=<>]", one)[0] for one in required} <= named


def test_documents_were_found() -> None:
    assert ROOT / "README.md" in DOCUMENTS
    assert any(commands_of(path) for path in DOCUMENTS)
