"""The prose and code of the project's Markdown documents, and the texts in its Python files."""

import ast
import io
import re
import tokenize
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


def docstrings_of(tree: ast.Module) -> Iterator[ast.Constant]:
    """Every docstring: strings that are statements, in modules, classes and functions, and after attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as docstring):
                yield docstring


def named_tests(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every test with its line, by its name without the prefix."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name.startswith("test_"):
                yield node.lineno, node.name.removeprefix("test_")


def comments_of(source: str) -> list[tuple[int, str]]:
    """Every comment with the number of its first line; successive lines with nothing but a comment are joined."""
    comments: list[tuple[int, str]] = []
    next_line = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, text = token.start[0], token.string.lstrip("#!: ")
        alone = token.line.lstrip().startswith("#")
        if alone and line == next_line:
            begun, earlier = comments.pop()
            comments.append((begun, f"{earlier}\n{text}"))
        else:
            comments.append((line, text))
        next_line = line + 1 if alone else 0
    return comments


def strings_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every string that is not a docstring, with the number of its first line; a value in an f-string becomes `…`."""
    parts = {id(docstring) for docstring in docstrings_of(tree)}
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr(values=values):
                parts.update(id(value) for value in values)
                yield node.lineno, "".join(value.value if isinstance(value, ast.Constant) else "…" for value in values)
            case ast.Constant(value=str(text)) if id(node) not in parts:
                yield node.lineno, text
