"""The prose and code of the project's Markdown documents, and the texts in its Python files."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (".github", "app", "compiled_models", "docs", "engine", "resources", "tests")
"""Folders with documents or with files named in them; a copy of the project without git has these too."""
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))])
FENCE = re.compile(r"^ *```")
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
STRING_OR_COMMENT = re.compile(
    r"""\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\#[^\n]*""", re.DOTALL
)
"""Python's strings are matched so that no # in them counts; its own tokenizer takes ten times as long."""


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


def docstrings_of(nodes: Iterable[ast.AST]) -> Iterator[ast.Constant]:
    """Every docstring: strings that are statements, in modules, classes and functions, and after attributes."""
    for node in nodes:
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as docstring):
                yield docstring


def named_tests(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Every test with its line, by its name without the prefix."""
    for node in nodes:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name.startswith("test_"):
                yield node.lineno, node.name.removeprefix("test_")


def comments_of(source: str) -> list[tuple[int, str]]:
    """Every comment with the number of its first line; successive lines with nothing but a comment are joined."""
    comments: list[tuple[int, str]] = []
    next_line, line, counted = 0, 1, 0
    for found in STRING_OR_COMMENT.finditer(source):
        if not found[0].startswith("#"):
            continue
        line, counted = line + source.count("\n", counted, found.start()), found.start()
        text = found[0].lstrip("#!: ")
        alone = not source[source.rfind("\n", 0, counted) + 1 : counted].strip()
        if alone and line == next_line:
            begun, earlier = comments.pop()
            comments.append((begun, f"{earlier}\n{text}"))
        else:
            comments.append((line, text))
        next_line = line + 1 if alone else 0
    return comments


def strings_of(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    """Every string that is not a docstring, with the number of its first line; a value in an f-string becomes `…`."""
    parts = {id(docstring) for docstring in docstrings_of(nodes)}
    for node in nodes:
        match node:
            case ast.JoinedStr(values=values):
                parts.update(id(value) for value in values)
                yield node.lineno, "".join(value.value if isinstance(value, ast.Constant) else "…" for value in values)
            case ast.Constant(value=str(text)) if id(node) not in parts:
                yield node.lineno, text
