"""Reads DOCX files: the text of the body and the notes that it refers to, without headers and deleted text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.errors import EncryptedDocument
from engine.text.documents.archive import Archive
from engine.text.documents.blocks import chapters_of
from engine.text.documents.document import Document, Notices
from engine.text.documents.prose import clean
from engine.text.documents.word_package import WORD, Package
from engine.text.documents.word_styles import Lists, WordStyles
from engine.text.documents.word_text import WordText

_OLD_OR_ENCRYPTED = b"\xd0\xcf\x11\xe0"


def read(path: Path) -> Document:
    """Read a DOCX file.

    Raises `DamagedDocument`, `EncryptedDocument` or `OversizedDocument`.
    """
    with path.open("rb") as file:
        if file.read(4) == _OLD_OR_ENCRYPTED:
            raise EncryptedDocument(
                f"“{path.name}” is password-protected, or in an older format.", "Save it as a .docx without a password."
            )
    notices = Notices()
    with Archive(path) as archive:
        package = Package(archive, notices)
        body = package.text.find(f"{WORD}body")
        if body is None:
            raise archive.damaged()
        styles_part, facts = package.part("styles"), package.facts()
        styles, lists = WordStyles(styles_part), Lists(package.part("numbering"))
        notes = {
            (kind, number): text
            for kind in ("footnote", "endnote")
            for number, text in _notes(package.part(f"{kind}s"), kind, styles, lists, notices)
        }
    blocks = WordText(styles, lists, notices, notes, package.picture).blocks_of(body)
    title = _fact(facts, "title") or path.stem
    chapters = chapters_of(blocks, title)
    return Document(title, _fact(facts, "creator"), _language(styles_part), chapters, notices=notices.sentences())


def _notes(root: Any, kind: str, styles: WordStyles, lists: Lists, notices: Notices) -> list[tuple[str, str]]:
    """Return the notes of a part with their numbers, each on one line."""
    found = [] if root is None else root.findall(f"{WORD}{kind}")
    return [
        (
            note.get(f"{WORD}id", ""),
            " ".join(block.text for block in WordText(styles, lists, notices, {}).blocks_of(note)),
        )
        for note in found
    ]


def _fact(facts: Any, name: str) -> str:
    found = () if facts is None else facts.xpath("//*[local-name()=$name]", name=name)
    return clean(found[0].text or "") if found else ""


def _language(styles: Any) -> str:
    """Return the language of the default style."""
    tags = () if styles is None else styles.xpath("//*[local-name()='docDefaults']//*[local-name()='lang']")
    return str(tags[0].get(f"{WORD}val", "")) if tags else ""
