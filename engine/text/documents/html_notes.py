"""Finds the notes of pages and their marks by the links between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from engine.text.documents.prose import is_note_mark
from engine.text.documents.unread import kinds_of, words_of

MARK = "note-mark"
"""The attribute of a note mark or of a link back to one; its value is the key of the note."""
NOTE = "note-key"
"""The attribute of an element that is a note; its value is its key."""
LABEL = "note-label"
"""The attribute of a note with the label of its marks, such as 12 or *."""
_BLOCKS = frozenset({
    "p", "li", "dd", "dt", "div", "aside", "td", "th", "blockquote", "section", "body", "h1", "h2", "h3", "h4", "h5",
    "h6", "figure", "figcaption", "article", "tr", "pre", "main", "html",
})  # fmt: skip
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_WIDE = frozenset({"section", "body", "article", "main", "html", "figure", "table", *_HEADINGS})
"""Elements too large, or too much a part of the text, to be a note."""
_HOLDERS = 3
_MAX_NOTE_CHARACTERS = 10_000
_STEPS_BEFORE, _CHARACTERS_BEFORE = 50, 20
"""The limits in nodes and characters for the text before a mark."""
_MARK_TYPES = frozenset({"noteref", "doc-noteref"})
_NOTE_TYPES = frozenset({"footnote", "endnote", "rearnote", "note", "doc-footnote", "doc-endnote"})
_NOTES_TYPES = frozenset({"footnotes", "endnotes", "rearnotes", "doc-endnotes", "doc-footnotes"})
_NOTE_WORDS = re.compile(
    r"(?:foot|end|rear)-?notes?(?:-(?:text|body|list|content|definition))?|fn-?text|reflist|references"
)
_MARK_WORDS = re.compile(r"(?:(?:foot|end)?-?note-?|fn-?)(?:ref|anchor|mark|call)")
_BACK_WORDS = re.compile(r".*back-?(?:ref|link)s?")
_ARROW = re.compile(r"[\s\[\]()]*[↩↑⤴⏎↵⬆↶↥⇑^\ufe0e\ufe0f]+[\s\[\]()]*")
_REFERS = re.compile(
    r"(?:\b(?:notes?|fig(?:ure)?s?|tables?|tab|sec(?:tion)?s?|chap(?:ter)?s?|ch|pages?|pp?|app(?:endix)?|eq(?:uation)?s?"
    r"|equations?|lines?|steps?|parts?|plates?|items?|no|nos|examples?|box|theorem|lemma|verses?|figura|abb|kap|seite)\b"
    r"\.?|§)\s*[(\[]?$",
    re.IGNORECASE,
)
_BEHIND_WORD = re.compile(r"(?:[^\W\d_]|\d[.!?…]|[^\W\d][,;:]|[.!?…”’\"')\]»*†‡])$")


@dataclass(frozen=True)
class _Link:
    """A link to a place: the element, the block around it, the key of the place, and the text before it."""

    element: Any
    block: Any
    target: str
    before: str


def is_notes(element: Any) -> bool:
    """Return whether an element declares that it holds only notes."""
    kinds = kinds_of(element)
    if not (_NOTE_TYPES | _NOTES_TYPES).isdisjoint(kinds):
        return True
    names = ("div", "section", "aside", "ol", "ul", "dl", "p", "li", "blockquote")
    return element.tag in names and any(_NOTE_WORDS.fullmatch(word) for word in words_of(element))


def mark_notes(pages: Mapping[str, Any], file_of: Callable[[str, str], str] = lambda file, target: file) -> None:
    """Set the attributes of notes and of their marks in pages, given by file.

    `file_of` returns the file that a link in a file leads to.
    """
    places: dict[str, Any] = {}
    links: list[_Link] = []
    for file, root in pages.items():
        for element in root.iter(tuple(_BLOCKS | {"a", "span", "sup", "b", "i", "em", "strong", "small", "ol", "ul"})):
            for anchor in _anchors(element):
                places.setdefault(f"{file}#{anchor}", element)
        links += _links(file, root, file_of)
    leads_to: dict[Any, set[Any]] = {}
    for link in links:
        if (place := places.get(link.target)) is not None:
            goal = _block_of(place)
            for holder in _holders(link.element):
                leads_to.setdefault(holder, set()).add(goal)
    notes: dict[Any, Any] = {}
    for link in links:
        _mark(link, places, leads_to, notes)


def _anchors(element: Any) -> Iterator[str]:
    if element.get("id"):
        yield element.get("id")
    if element.tag == "a" and element.get("name"):
        yield element.get("name")


def _links(file: str, root: Any, file_of: Callable[[str, str], str]) -> Iterator[_Link]:
    """Yield the links whose text is a mark, and those that lead back."""
    for element in root.iter("a"):
        target, has_anchor, anchor = element.get("href", "").partition("#")
        text = "".join(element.itertext()) if len(element) < 5 else ""
        is_mark = len(text) < 20 and is_note_mark(text)
        typed = _is_typed_mark(element)
        if _ARROW.fullmatch(text) or any(_BACK_WORDS.fullmatch(word) for word in words_of(element)):
            element.set(MARK, "")
        elif not (typed or (is_mark and (has_anchor or _is_raised(element)))):
            continue
        key = f"{file_of(file, target) if target else file}#{unquote(anchor)}"
        block = _block_of(element)
        yield _Link(element, block, key, _text_before(element, block))


def _mark(link: _Link, places: Mapping[str, Any], leads_to: Mapping[Any, set[Any]], notes: dict[Any, Any]) -> None:
    """Mark a link and its note if the link is a note mark."""
    element, block = link.element, link.block
    if element.get(MARK) is not None:
        return
    place = places.get(link.target)
    target = None if place is None else _block_of(place)
    leads_back = target is not None and block in leads_to.get(target, ())
    if not link.before.strip("[( ") and not _is_typed_mark(element):
        if _is_raised(element) or (_begins_note(link) and (leads_back or _is_in_note(block))):
            element.set(MARK, "")
        return
    if not (_is_typed_mark(element) or _is_raised(element) or (_is_beside_word(link, leads_back))):
        return
    if target is not None and target not in notes:
        notes[target] = _note_around(target)
    note = None if target is None else notes[target]
    if note is None or note is block or any(each is note for each in block.iterancestors()):
        element.set(MARK, "")
    else:
        note.set(NOTE, note.get(NOTE) or link.target)
        note.set(LABEL, "".join(element.itertext()).strip("[]() \n"))
        element.set(MARK, note.get(NOTE))


def _begins_note(link: _Link) -> bool:
    """Return whether there is text after a mark at the beginning of a paragraph."""
    if link.block.tag in _HEADINGS:
        return False
    return len("".join(link.block.itertext()).strip()) > len("".join(link.element.itertext()).strip()) + 2


def _is_in_note(block: Any) -> bool:
    around = [block, *list(block.iterancestors())[:_HOLDERS]]
    return any(each.get(NOTE) is not None or is_notes(each) for each in around)


def _is_beside_word(link: _Link, leads_back: bool) -> bool:
    """Return whether an unraised mark belongs to the word before it, rather than being a cross-reference."""
    if _REFERS.search(link.before):
        return False
    text = "".join(link.element.itertext())
    bracketed = "[" in text or link.before.endswith("[") or (link.before[-1:].isdigit() and not text.strip().isalnum())
    return bracketed or leads_back or _BEHIND_WORD.search(link.before) is not None


def _note_around(block: Any) -> Any:
    """Return the element around a place that is a note; None if there is none."""
    if block.tag in ("td", "th"):
        block = next(block.iterancestors("tr"), block)
    around = block.getparent()
    if around is not None and around.tag in ("li", "div", "aside") and is_notes(around) and not _is_list(around):
        block = around
    if block.tag in _WIDE and not is_notes(block):
        return None
    if not "".join(block.itertext()).strip() and block.getnext() is not None:
        block = block.getnext()
    length = sum(map(len, block.itertext()))
    return block if length <= _MAX_NOTE_CHARACTERS and next(block.iter(*_HEADINGS), None) is None else None


def _is_list(element: Any) -> bool:
    """Return whether an element holds several notes."""
    return not _NOTES_TYPES.isdisjoint(kinds_of(element)) or any(word.endswith("s") for word in words_of(element))


def _is_typed_mark(element: Any) -> bool:
    if not _MARK_TYPES.isdisjoint(kinds_of(element)):
        return True
    if not is_note_mark("".join(element.itertext())):
        return False
    return any(_MARK_WORDS.fullmatch(word) for word in words_of(element))


def _is_raised(element: Any) -> bool:
    parents = [each.tag for each in element.iterancestors()][:3]
    return "sup" in parents or (len(element) > 0 and element[0].tag == "sup" and not (element.text or "").strip())


def _block_of(element: Any) -> Any:
    block = element
    while block.tag not in _BLOCKS and block.getparent() is not None:
        block = block.getparent()
    return block


def _holders(element: Any) -> Iterator[Any]:
    """Yield the block around an element and those around it that may be the same note."""
    block = _block_of(element)
    for _ in range(_HOLDERS):
        yield block
        block = block.getparent()
        if block is None or block.tag in _WIDE:
            return


def _text_before(element: Any, block: Any) -> str:
    """Return the last characters before an element in its block."""
    before = ""
    current = element
    for _ in range(_STEPS_BEFORE):
        if current is block or len(before) >= _CHARACTERS_BEFORE:
            break
        previous = current.getprevious()
        if previous is not None:
            before = _tail_text(previous) + before
            current = previous
        else:
            current = current.getparent()
            before = (current.text or "") + before
    return before[-40:].replace("\n", " ") if before.strip() else ""


def _tail_text(element: Any) -> str:
    inner = "" if element.get(MARK) is not None else "".join(element.itertext())[-40:]
    return inner + (element.tail or "")
