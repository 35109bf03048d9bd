"""Extracts the headings and paragraphs of a page, with the notes that they refer to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from lxml import etree

from engine.text.documents.blocks import Block, Mark, hang_pictures, moved_pictures, styles_of
from engine.text.documents.document import Matter, Notices, Omission, Picture, Styled, TextStyle
from engine.text.documents.formulas import formula, lowered, raised
from engine.text.documents.html_notes import LABEL, MARK, NOTE, is_notes
from engine.text.documents.inline import (
    DocumentPictures,
    StyleResolver,
    alternative_text,
    begun,
    in_one_line,
    initial,
    is_initial,
    is_set_apart,
    ruby_text,
    settled,
)
from engine.text.documents.matter import matter_of_kinds
from engine.text.documents.tables import arranges_text, described_in_short, is_contents, join_cells
from engine.text.documents.unread import Unread, kinds_of, words_of

_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "li", "main", "nav", "ol",
    "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_ENDS_PLACE = frozenset({"section", "article", "body"})
"""Elements whose end attaches waiting pictures to the text before it, not to the text after it."""
_TITLE_WORDS = re.compile(r"(?:chap(?:ter)?|section|part)?-?(?:title|num(?:ber)?|head(?:ing)?|no)|c[nt]|chapter")
_TITLE_CHARACTERS = 80
_LINE_CHARACTERS = 200
_SPACES = re.compile(r"\s+")
_NUMBERING = re.compile(r"(?:\W|\d|_|\b(?:[ivxlc]+|chapter|part|page|p|pg)\b)*", re.IGNORECASE)
_GLUED = re.compile(r"(?:\d(?=[^\W\d_])|[a-zß-ÿ.!?](?=[A-ZÀ-Þ\d]))")
_ASIDE = Omission("A box beside the text is skipped", "{} boxes beside the text are skipped")
_FORMULA = Omission("A formula is read as “formula”", "{} formulas are read as “formula”")


@dataclass(frozen=True)
class PageBlock:
    """A block of a page; `note` is the key of the note that it is part of, and `is_link` tells that it only links.

    `refers_to` are the keys of the notes that it refers to. `like_title` is set if its style is that of a title.
    """

    block: Block
    note: str | None = None
    refers_to: tuple[str, ...] = ()
    is_link: bool = False
    like_title: bool = False
    is_initial: bool = False


def with_pictures_behind(piece: PageBlock, waiting: list[Picture]) -> PageBlock:
    """Return the piece with the waiting pictures attached to the end of its text."""
    blocks = [piece.block]
    hang_pictures(blocks, waiting)
    return replace(piece, block=blocks[0])


def pieces_of(
    roots: Sequence[Any],
    unread: Unread,
    notices: Notices,
    place: str = "",
    *,
    in_book: bool = False,
    pictures: DocumentPictures | None = None,
) -> list[PageBlock]:
    """Return the content of elements, in order; data tables are summarized."""
    walk = _Walk(unread, notices, place, pictures or DocumentPictures(), in_book=in_book)
    for root in roots:
        walk.through(root)
    return _joined_initials(walk.pieces())


def _joined_initials(pieces: list[PageBlock]) -> list[PageBlock]:
    """Join standalone initials with the paragraphs that they begin."""
    joined: list[PageBlock] = []
    for piece in pieces:
        before = joined[-1] if joined else None
        if before is not None and not before.block.level and not piece.block.level:
            text = begun(before.block.text, piece.block.text, styled=before.is_initial)
            if text:
                anchors = before.block.anchors | piece.block.anchors
                pictures = tuple(replace(picture, start=0) for picture in before.block.pictures)
                block = piece.block.with_text(text)
                block = replace(block, anchors=anchors, pictures=pictures + block.pictures)
                joined[-1] = replace(piece, block=block)
                continue
        joined.append(piece)
    return joined


class _Walk:
    """Walks a tree in the order of the text and collects blocks."""

    def __init__(
        self, unread: Unread, notices: Notices, place: str, pictures: DocumentPictures, *, in_book: bool
    ) -> None:
        self._unread, self._notices, self._place = unread, notices, place
        self._pictures, self._in_book = pictures, in_book
        self._pieces: list[PageBlock] = []
        self._anchors: set[str] = set()
        self._level = 0
        self._links = 0
        self._preformatted = 0
        self._label = ""
        self._notes: list[tuple[Any, str]] = []
        self._matters: list[tuple[Any, Matter]] = []
        self._quotes: list[Any] = []
        self._shows = StyleResolver(unread.sheets)
        self._open_styles: list[tuple[Any, TextStyle, int]] = []
        self._clear()

    def _clear(self) -> None:
        self._text: list[str] = []
        self._marks: list[Mark] = []
        self._seen: list[tuple[int, Picture]] = []
        if self._open_styles:
            self._open_styles = [(element, text_style, 0) for element, text_style, _ in self._open_styles]
        self._refers_to: list[str] = []
        self._linked: list[str] = []
        self._unlinked: list[str] = []
        self._like_title = False
        self._initial = False

    def through(self, root: Any) -> None:
        """Collect the content of an element."""
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            if event == "end":
                self._leave(element, root)
            elif self._is_left_out(element):
                self._keep_anchors(element)
                if element.tag == "svg" and not self._unread.hides(element):
                    self._see(element)
                walk.skip_subtree()
            else:
                self._enter(element, walk)
        self._end_block()

    def pieces(self) -> list[PageBlock]:
        """Return the collected pieces; a blank block at the end has the anchors after all text."""
        if self._anchors:
            self._pieces.append(PageBlock(Block("", 0, frozenset(self._anchors), self._matter())))
        return self._pieces

    def _enter(self, element: Any, walk: Any) -> None:
        name = element.tag
        if name in _BLOCKS or name in _HEADINGS:
            self._end_block()
            self._level = _HEADINGS.get(name, 0)
            self._begin(element)
            if name == "hr":
                self._hang_pictures()
        if text_styles := self._shows.of(element):
            text_styles = text_styles.difference(text_style for _, text_style, _ in self._open_styles)
            self._open_styles += [(element, text_style, len(self._text)) for text_style in text_styles]
        self._keep_anchor(element)
        if name == "table" and is_contents(element):
            join_cells(element)
        elif name == "table" and not arranges_text(element):
            self._append(described_in_short(element))
            self._keep_anchors(element)
            self._end_block()
            walk.skip_subtree()
        elif name in _WHOLE:
            _WHOLE[name](self, element)
            self._keep_anchors(element)
            walk.skip_subtree()
        elif name == "br":
            self._text.append("\n")
        else:
            self._text += self._opening(element)

    def _begin(self, element: Any) -> None:
        """Record the properties of a block element."""
        if element.tag == "pre":
            self._preformatted += 1
        key = element.get(NOTE)
        if key is not None or is_notes(element):
            self._label = element.get(LABEL, "")
            self._notes.append((element, key or (self._notes[-1][1] if self._notes else "")))
        kinds, words = kinds_of(element), words_of(element)
        matter = matter_of_kinds([*kinds, element.get("id") or ""])
        if matter is not None:
            self._matters.append((element, matter))
        if is_set_apart(element.tag, words, kinds):
            self._quotes.append(element)
        self._initial = is_initial(element)
        self._like_title = any(_TITLE_WORDS.fullmatch(word) for word in words)

    def _opening(self, element: Any) -> Iterator[str]:
        """Yield the text of an element before its children."""
        if element.tag == "q":
            yield "“"
        if self._level and self._is_glued(element):
            yield "\n"
        if element.tag == "a" and _leads_inside(element):
            self._links += 1
        if element.text:
            counted = self._counted(element.text)
            yield initial(counted) if is_initial(element) else counted

    def _leave(self, element: Any, root: Any) -> None:
        name = element.tag
        if name == "q":
            self._text.append("”")
        if name == "a" and _leads_inside(element) and self._links:
            self._links -= 1
        if name in _BLOCKS or name in _HEADINGS:
            self._end_block()
            self._level = 0
            self._preformatted -= name == "pre"
            if self._quotes and self._quotes[-1] is element:
                self._quotes.pop()
            if name in _ENDS_PLACE:
                self._hang_pictures()
            if self._notes or self._matters:
                self._notes = [each for each in self._notes if each[0] is not element]
                self._matters = [each for each in self._matters if each[0] is not element]
        while self._open_styles and self._open_styles[-1][0] is element:
            _, text_style, start = self._open_styles.pop()
            if start < len(self._text):
                self._marks.append((start, len(self._text), text_style))
        if element.tail and element is not root:
            self._text.append(self._counted(element.tail))

    def _counted(self, text: str) -> str:
        """Record a text as linked or unlinked; return it in one line unless it is preformatted."""
        (self._linked if self._links else self._unlinked).append(text)
        return text if self._preformatted else _SPACES.sub(" ", text)

    def _append(self, text: str) -> None:
        self._text.append(self._counted(text))

    def _end_block(self) -> None:
        collected = "".join(self._text)
        text = settled(collected, is_heading=self._level > 0) if collected.strip() else ""
        if text and self._label:
            text = re.sub(rf"\A{re.escape(self._label)}(?=[\s.:)\]])[.:)\]\s]*", "", text)
            self._label = ""
        if text:
            key = self._notes[-1][1] if self._notes else None
            said = in_one_line(text) if self._level else text
            styles, pictures = self._shown(said)
            block = Block(
                said, self._level, frozenset(self._anchors), self._matter(), styles=styles, pictures=pictures,
                is_quote=bool(self._quotes),
            )  # fmt: skip
            like_title = self._like_title and not self._level and len(text) <= _TITLE_CHARACTERS
            self._pieces.append(
                PageBlock(block, key, tuple(self._refers_to), self._only_links(text), like_title, self._initial)
            )
            self._anchors = set()
        elif self._seen:
            self._pictures.waiting.extend(picture for _, picture in self._seen)
        self._clear()

    def _shown(self, said: str) -> tuple[tuple[Styled, ...], tuple[Picture, ...]]:
        """Return the emphasis and the pictures of the collected text, of which `said` is the cleaned form.

        Pictures that waited for it come first.
        """
        waiting = tuple(self._pictures.waiting)
        marks = self._marks + [(start, len(self._text), text_style) for _, text_style, start in self._open_styles]
        styles = styles_of(marks, self._text, said) if marks else ()
        if not (waiting or self._seen):
            return styles, ()
        self._pictures.waiting.clear()
        places = list(accumulate(map(len, self._text), initial=0))
        seen = [replace(picture, start=places[part]) for part, picture in self._seen]
        return styles, waiting + moved_pictures(seen, "".join(self._text), said)

    def _hang_pictures(self) -> None:
        """Attach the waiting pictures to the text before them; they keep waiting if there is none on the page."""
        if self._pictures.waiting and self._pieces:
            self._pieces[-1] = with_pictures_behind(self._pieces[-1], self._pictures.waiting)

    def _only_links(self, text: str) -> bool:
        """Return whether a block is a line of contents: a link with a number, or a title with the link to its page."""
        if not self._linked or len(text) > _LINE_CHARACTERS:
            return False
        linked, unlinked = "".join(self._linked), "".join(self._unlinked)
        to_page = _NUMBERING.fullmatch(linked) and text.endswith(linked.strip()) and any(map(str.isalpha, unlinked))
        return _NUMBERING.fullmatch(unlinked) is not None or bool(to_page)

    def _matter(self) -> Matter:
        return self._matters[-1][1] if self._matters else Matter.TEXT

    def _keep_anchor(self, element: Any) -> None:
        anchor = element.get("id") or (element.get("name") if element.tag == "a" else None)
        if anchor:
            self._anchors.add(anchor)

    def _keep_anchors(self, element: Any) -> None:
        """Record the anchors in an omitted element, because the table of contents may lead there."""
        if isinstance(element.tag, str):
            for each in element.iter(etree.Element):
                self._keep_anchor(each)

    def _is_left_out(self, element: Any) -> bool:
        if self._unread.leaves_out(element):
            return True
        if self._unread.is_aside(element) and not is_notes(element) and element.get(NOTE) is None:
            self._notices.add(_ASIDE, self._where(element))
            return True
        key = element.get(MARK)
        if key is not None:
            self._refers_to += [key] if key else []
            self._strip_bracket(element)
        return key is not None

    def _strip_bracket(self, element: Any) -> None:
        """Remove the brackets around a mark."""
        tail = element.tail or ""
        if self._text and self._text[-1].rstrip().endswith("[") and tail.lstrip().startswith("]"):
            self._text[-1] = self._text[-1].rstrip()[:-1]
            element.tail = tail.lstrip()[1:]

    def _is_glued(self, element: Any) -> bool:
        """Return whether a span in a heading directly follows a span, such as a title after a number."""
        before = "".join(self._text[-3:])
        previous = element.getprevious()
        if previous is None or previous.tail or element.tag != "span" or previous.tag != "span":
            return False
        return _GLUED.search(before[-1:] + "".join(element.itertext())[:1]) is not None

    def _where(self, element: Any) -> str:
        return self._place or "“" + " ".join(" ".join(element.itertext()).split())[:40] + "”"

    def _raised(self, element: Any) -> None:
        text = raised(self._before(), "".join(element.itertext()), element.tail or "")
        keys = [each.get(MARK) for each in element.iter("a") if each.get(MARK) is not None]
        if keys:
            self._refers_to += [key for key in keys if key]
        elif text is not None:
            self._append(text)

    def _lowered(self, element: Any) -> None:
        self._append(lowered(self._before(), "".join(element.itertext())))

    def _before(self) -> str:
        return "".join(self._text[-6:])[-60:]

    def _formula(self, element: Any) -> None:
        told = formula(element)
        if told is None:
            self._notices.add(_FORMULA, self._place or f"behind “{self._before()[-40:].strip()}”")
            told = "formula"
        before, behind = self._before()[-1:], (element.tail or "")[:1]
        self._append(" " * before.isalnum() + told + " " * behind.isalnum())

    def _ruby(self, element: Any) -> None:
        self._append(ruby_text(element))

    def _image(self, element: Any) -> None:
        self._see(element)
        self._text.append(alternative_text(element))

    def _see(self, element: Any) -> None:
        self._seen += [(len(self._text), picture) for picture in self._pictures.of(element)]


def _leads_inside(link: Any) -> bool:
    """Return whether a link leads to a place in the same document."""
    target = link.get("href", ":")
    return bool(target) and ":" not in target.partition("#")[0]


_WHOLE = {"sup": _Walk._raised, "sub": _Walk._lowered, "math": _Walk._formula, "ruby": _Walk._ruby, "img": _Walk._image}
"""Elements that are read as a whole."""
