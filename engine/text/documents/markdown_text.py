"""Reads Markdown, including the dialects of note-taking apps and pandoc, by way of HTML."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from engine.text.documents.archive import picture_beside
from engine.text.documents.blocks import Block, chapters_of
from engine.text.documents.decoding import decoded
from engine.text.documents.document import Document, Notices, Omission
from engine.text.documents.formulas import LOWERED, RAISED, plain_formula
from engine.text.documents.web_page import blocks_of, tree_of

_QUOTED = (
    r"(?P<code>^[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n(?:.*?\n)??[ ]{0,3}(?P=fence)[`~]*[ \t]*$"
    r"|(?<!`)(?P<ticks>`++)[^\n`][^\n]{0,2000}?(?<!`)(?P=ticks)(?!`))"
)
_PRONUNCIATION = r"\[(?P<word>[^\[\]\n]+)\](?P<phonemes>\(/[^()\n\x80-\U0010ffff]*[^\x00-\x7f][^()\n]*/\))"
"""A word with its phonemes, which looks like a link but must be preserved."""
_COMMENT = r"(?P<comment>%%.{0,5000}?%%|\{>>.{0,1000}?<<\}|\{--.{0,1000}?--\})"
_CHANGED = r"\{~~(?:(?!~>).){0,500}?~>(?P<changed>.{0,500}?)~~\}"
_MARKED = (
    r"\{\+\+(?P<added>.{0,1000}?)\+\+\}|\{==(?P<noted>.{0,1000}?)==\}"
    r"|(?<![\w=])==(?P<bright>[^\s=](?:[^=\n]{0,500}[^\s=])?)==(?![\w=])"
    r"|(?<![\w+])\+\+(?P<under>[^\s+](?:[^+\n]{0,500}[^\s+])?)\+\+(?![\w+])"
)
_CONTENTS = r"(?P<contents>^[ \t]*(?i:\[\[_?toc_?\]\]|\[toc\])[ \t]*$)"
_LINK = r"(?P<embed>!?)\[\[(?P<page>[^\[\]|\n]{0,500})(?:\|(?P<shown>[^\[\]\n]{0,500}))?\]\]"
_CITATION = r"(?P<cite>[ \t]?\[(?:[^\[\]@\n]{0,200}[\s;-])?-?@[\w{][^\[\]\n]{0,500}\](?![(\[:]))"
_ATTRIBUTE = r"(?:[#.][\w:.-]+|[\w-]+=(?:\"[^\"\n]{0,200}\"|[\w.-]+))"
_ATTRIBUTES = rf"(?P<attributes>[ \t]?\{{(?:-|:?[ ]?{_ATTRIBUTE}(?:[ ][^{{}}\n]{{0,200}})?)\}})"
_LINES = r"(?P<line>^:{3,}[^\n]*$|^\\(?:newpage|pagebreak|clearpage)[ \t]*$|[ \t]\^[\w-]+[ \t]*$)"
_CALLOUT = r"(?P<quote>^[ \t]*(?:>[ \t]*)+)\[!(?P<type>[\w-]+)(?:\|[^\]\n]*)?\][+-]?[ \t]*(?P<title>[^\n]*)$"
_RAISED = r"(?<=\w)\^(?P<raised>[^\s^~*_]{1,20})\^|(?<=\w)(?<!~)~(?P<lowered>[^\s^~*_]{1,20})~(?!~)"
_EMOJI = r"(?<![\w:]):(?P<emoji>[a-z][a-z0-9_]{1,30}):(?![\w:])"
_SIGNS = re.compile(
    "|".join((
        _QUOTED, _PRONUNCIATION, _COMMENT, _CHANGED, _MARKED, _CONTENTS, _LINK, _CITATION, _ATTRIBUTES, _LINES,
        _CALLOUT, _RAISED, _EMOJI,
    )),
    re.MULTILINE | re.DOTALL,
)  # fmt: skip
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|tiff?)\s*(?:#.*)?$", re.IGNORECASE)
_SOURCE = Omission("A citation is skipped", "{} citations are skipped")
_EMBEDDED = Omission("An embedded page is skipped", "{} embedded pages are skipped")
_KEPT = ("changed", "added", "noted", "bright", "under")
_FRONT_MATTER = re.compile(
    r"\A(?:---[ \t]*\n(?P<yaml>.*?)\n(?:---|\.\.\.)|\+\+\+[ \t]*\n(?P<toml>.*?)\n\+\+\+)[ \t]*(?:\n|\Z)", re.DOTALL
)
_MARK_START, _MARK_END = "\uf8f1", "\uf8f2"
"""Private-use characters around the number of a note."""
_MARK = re.compile(rf"{_MARK_START}(\d+){_MARK_END}")
_LOST_MARK = re.compile(r"\[\^[^\[\]\n]+\]")
_CODE = Omission("A block of code is skipped", "{} blocks of code are skipped")
_FORMULA = Omission("A formula is read as “formula”", "{} formulas are read as “formula”")
_REFERENCE = re.compile(r"[^\W\d_]\.?\s+$")


def plain_markdown(text: str, notices: Notices) -> str:
    """Convert extended syntax to standard Markdown; omissions are added to `notices`."""
    return _SIGNS.sub(_View(notices).seen, text)


class _View:
    """Converts extended syntax to its visible text; omissions are added to `notices`."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices

    def seen(self, sign: re.Match[str]) -> str:
        """Return the visible text of a match."""
        if sign["code"]:
            return sign[0]
        if sign["page"] is not None:
            return self._link(sign)
        if sign["cite"]:
            return self._leave_out(_SOURCE, sign)
        plain = next((show(sign) for name, show in _SHOWN.items() if sign[name]), None)
        if plain is not None:
            return plain
        return next((_SIGNS.sub(self.seen, sign[name]) for name in _KEPT if sign[name]), "")

    def _link(self, sign: re.Match[str]) -> str:
        if not sign["embed"]:
            return sign["shown"] or _page_name(sign["page"])
        return "" if _PICTURE.search(sign["page"]) else self._leave_out(_EMBEDDED, sign)

    def _leave_out(self, kind: Omission, sign: re.Match[str]) -> str:
        self._notices.add(kind, f"“{sign[0].strip()}”")
        return ""


def _above_or_below(sign: re.Match[str]) -> str:
    """Return digits as Unicode superscripts or subscripts, anything else as HTML."""
    text = sign["raised"] or sign["lowered"]
    signs = text.translate(RAISED if sign["raised"] else LOWERED)
    if not any(character in text for character in signs):
        return signs
    return f"<sup>{text}</sup>" if sign["raised"] else f"<sub>{text}</sub>"


def _callout(sign: re.Match[str]) -> str:
    return f"{sign['quote']}{sign['title'] or sign['type'].capitalize()}\n{sign['quote'].rstrip()}"


def _page_name(link: str) -> str:
    """Return the visible text of a link to a page or to a part of it."""
    page, _, part = link.partition("#")
    name = page.rpartition("/")[2].strip()
    return ", ".join(filter(None, (name, part.lstrip("^#").replace("#", ", ").strip())))


_SHOWN: dict[str, Callable[[re.Match[str]], str]] = {
    "word": lambda sign: f"\\[{sign['word']}\\]{sign['phonemes']}",
    "quote": _callout,
    "raised": _above_or_below,
    "lowered": _above_or_below,
    "emoji": lambda sign: sign["emoji"].replace("_", " "),
}


def read(path: Path) -> Document:
    """Read a Markdown file; raises `DamagedDocument` if it is not text."""
    source = decoded(path.read_bytes(), path.name)
    text = source.text.replace(_MARK_START, "").replace(_MARK_END, "")
    front = _FRONT_MATTER.match(text)
    fields = _fields(front) if front else {}
    body = text[front.end() :] if front else text
    notices = Notices()
    page = _Page(plain_markdown(body, notices), text.count("\n", 0, len(text) - len(body)), notices, path)
    title = fields.get("title") or path.stem
    chapters = chapters_of(page.blocks(), title)
    told = (*source.notices, *notices.sentences())
    return Document(title, fields.get("author", ""), fields.get("lang", ""), chapters, notices=told)


class _Page:
    """The blocks of a Markdown text; `first_line` lines of the file, which is at `path`, are above it."""

    def __init__(self, text: str, first_line: int, notices: Notices, path: Path) -> None:
        self._first_line = first_line
        self._find = partial(picture_beside, path)
        self._notices = notices
        self._parser = (
            MarkdownIt("commonmark")
            .enable(["table", "strikethrough"])
            .use(dollarmath_plugin, allow_digits=False, allow_space=False, double_inline=True)
            .use(footnote_plugin)
            .use(deflist_plugin)
            .use(tasklists_plugin)
        )
        rules: dict[str, Any] = {
            "footnote_ref": _note_mark,
            "math_inline": self._formula,
            "math_inline_double": self._formula,
        }
        rules["math_block"] = self._formula_apart
        self._renderer = RendererHTML(self._parser)
        self._renderer.rules.update(rules)
        self._environment: dict[str, Any] = {}
        self._tokens = self._parser.parse(text, self._environment)

    def blocks(self) -> list[Block]:
        """Return the blocks, each with the notes that it refers to."""
        body, notes = self._parted()
        return [_with_notes(block, notes) for block in self._blocks_of(body)]

    def _parted(self) -> tuple[list[Token], dict[int, str]]:
        """Return the tokens of the text, and the notes by number."""
        body: list[Token] = []
        notes: dict[int, list[Token]] = {}
        current: list[Token] = body
        for token in self._tokens:
            if token.type == "footnote_open":
                current = notes.setdefault(token.meta["id"], [])
            elif token.type == "footnote_close":
                current = body
            elif token.type in ("fence", "code_block"):
                self._notices.add(_CODE, f"in line {self._first_line + (token.map or [0])[0] + 1:,}")
            elif token.type not in ("footnote_block_open", "footnote_block_close", "footnote_anchor"):
                _mend(token)
                current.append(token)
        return body, {
            number: "\n\n".join(block.text for block in self._blocks_of(each)) for number, each in notes.items()
        }

    def _blocks_of(self, tokens: Sequence[Token]) -> list[Block]:
        page = self._renderer.render(tokens, self._parser.options, self._environment)
        return blocks_of(tree_of(page.encode()), find_picture=self._find)

    def _formula(self, tokens: Sequence[Token], index: int, options: Any, environment: Any) -> str:
        source = tokens[index].content
        plain = plain_formula(source)
        if plain is None:
            self._notices.add(_FORMULA, f"“{' '.join(source.split())}”")
        return escape("formula" if plain is None else plain)

    def _formula_apart(self, *place: Any) -> str:
        return f"<p>{self._formula(*place)}</p>"


def _note_mark(tokens: Sequence[Token], index: int, options: Any, environment: Any) -> str:
    return f"{_MARK_START}{tokens[index].meta['id']}{_MARK_END}"


def _mend(token: Token) -> None:
    """Remove marks of missing notes, and links that make a cross-reference look like a note mark."""
    before = ""
    for child in token.children or ():
        if child.type == "text":
            child.content = before = _LOST_MARK.sub("", child.content)
        elif (
            child.type == "link_open"
            and str(child.attrs.get("href", "")).startswith("#")
            and _REFERENCE.search(before[-40:])
        ):
            del child.attrs["href"]
        elif child.type == "footnote_anchor":
            child.hidden = True


def _with_notes(block: Block, notes: dict[int, str]) -> Block:
    marks = [int(number) for number in _MARK.findall(block.text)]
    if not marks:
        return block
    found = tuple(text for mark in marks if (text := notes.get(mark)))
    return replace(block.with_text(_MARK.sub("", block.text).strip()), notes=(*block.notes, *found))


def _fields(front: re.Match[str]) -> dict[str, str]:
    """Return the title, author and language of YAML or TOML front matter."""
    if front["yaml"] is not None:
        lines = front["yaml"].replace("\n  - ", " ").replace("\n- ", " ")
        found = re.findall(r"^(title|author|lang)[ \t]*:[ \t]*(\S.*)$", lines, re.MULTILINE)
        return {name: value.strip().strip("[]\"'") for name, value in found}
    try:
        values = tomllib.loads(front["toml"])
    except tomllib.TOMLDecodeError:
        return {}
    return {name: value for name, value in values.items() if isinstance(value, str)}
