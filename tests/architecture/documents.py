"""The project's Markdown documents, with prose and code apart."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (".github", "app", "compiled_models", "docs", "engine", "resources", "tests")
"""Folders with documents or with files named in them; a copy of the project without git has these too."""
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))])
FENCE = re.compile(r"^ *```")
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")


def lines_of(path: Path) -> Iterator[tuple[bool, str]]:
    """Yield every line of a document, and whether it is code: a fence or a line between two of them."""
    fenced = False
    for line in path.read_text(encoding="utf-8").splitlines():
        fence = bool(FENCE.match(line))
        yield fenced or fence, line
        fenced ^= fence


def prose_of(path: Path) -> str:
    """Return the text outside fenced blocks; code becomes empty lines, so that every line keeps its number."""
    return "\n".join("" if code else line for code, line in lines_of(path))


def code_of(path: Path) -> str:
    """Return the lines of fenced blocks, without the fences."""
    return "\n".join(line.strip() for code, line in lines_of(path) if code and not FENCE.match(line))
