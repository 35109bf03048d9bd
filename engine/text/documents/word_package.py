"""Finds the parts of a DOCX file by their relationships, regardless of their names."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

from engine.errors import DamagedDocument
from engine.text.documents.archive import Archive, is_picture
from engine.text.documents.document import Notices, Omission

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_STRICT = {
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}": WORD,
    "{http://purl.oclc.org/ooxml/officeDocument/math}": MATH,
}
"""Namespaces of the strict variant of the format, with those of the transitional variant."""
_DAMAGED_PART = Omission("A part of the file is damaged and skipped", "{} parts of the file are damaged and skipped")
_CONTENT_TYPES = "[Content_Types].xml"
_TEXT_TYPES = ("wordprocessingml.document.main+xml", "wordprocessingml.template.main+xml", "main+xml")


class Package:
    """The parts of the file with text, styles and metadata."""

    def __init__(self, archive: Archive, notices: Notices) -> None:
        self._archive = archive
        self._notices = notices
        self._names = {_plain(name): name for name in archive.names}
        main = self._main()
        if main is None:
            raise archive.damaged()
        self._folder, file_name = posixpath.split(main)
        relationships = f"{self._folder}/_rels/{file_name}.rels"
        self._related = self._relationships(relationships, self._folder)
        self._pictures = dict(self._found_pictures(relationships))
        self.text = _with_canonical_names(archive.tree(self._names[main]))

    def part(self, kind: str) -> Any:
        """Return the root of a part that the text refers to, such as its styles or footnotes; None if there is none."""
        name = self._related.get(kind, "")
        if name not in self._names:
            name = f"{self._folder}/{kind}.xml"
        return self._tree(name)

    def picture(self, identifier: str) -> str | None:
        """Return the archive member with the picture of this relationship identifier; None if there is none."""
        return self._pictures.get(identifier)

    def facts(self) -> Any:
        """Return the root of the part with the title and the author; None if there is none."""
        return self._tree("docprops/core.xml")

    def _main(self) -> str | None:
        """Return the normalized name of the part with the text, by relationship, content type or usual name."""
        said = self._relationships("_rels/.rels", "").get("officedocument", "")
        usual = (name for name in sorted(self._names) if name.startswith("word/document") and name.endswith(".xml"))
        return next((name for name in (said, *self._typed(), *usual) if name in self._names), None)

    def _typed(self) -> list[str]:
        types = self._tree(_plain(_CONTENT_TYPES))
        parts = [] if types is None else [(each.get("PartName", ""), each.get("ContentType", "")) for each in types]
        return [_plain(part) for kind in _TEXT_TYPES for part, said in parts if part and said.endswith(kind)]

    def _relationships(self, name: str, folder: str) -> dict[str, str]:
        """Return the parts by the kind of their relationship, the last word of its address."""
        found: dict[str, str] = {}
        for each in self._each_relationship(name):
            found.setdefault(_kind(each), _target(each, folder))
        return found

    def _found_pictures(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield the relationship identifiers and members of the pictures in the file."""
        for each in self._each_relationship(name):
            member = self._names.get(_target(each, self._folder)) if _kind(each) == "image" else None
            if member is not None and is_picture(member) and each.get("TargetMode") != "External":
                yield each.get("Id", ""), member

    def _each_relationship(self, name: str) -> Any:
        root = self._tree(_plain(name))
        return () if root is None else root

    def _tree(self, plain_name: str) -> Any:
        name = self._names.get(plain_name)
        if name is None:
            return None
        try:
            return _with_canonical_names(self._archive.tree(name))
        except DamagedDocument:
            self._notices.add(_DAMAGED_PART, f"“{name}”")
            return None


def _kind(relationship: Any) -> str:
    return str(relationship.get("Type", "")).rpartition("/")[2].casefold()


def _target(relationship: Any, folder: str) -> str:
    target = relationship.get("Target", "").replace("\\", "/")
    path = target if target.startswith("/") else f"{folder}/{target}"
    return _plain(posixpath.normpath(path))


def _plain(name: str) -> str:
    """Normalize the name of a part for comparison: programs differ in case and slashes."""
    return name.replace("\\", "/").strip("/").casefold()


def _with_canonical_names(root: Any) -> Any:
    """Convert a tree to the names of the transitional variant, in place."""
    space = root.tag[: root.tag.find("}") + 1]
    if space in _STRICT:
        for element in root.iter():
            element.tag = _canonical_name(element.tag)
            for name, value in element.attrib.items():
                if _canonical_name(name) != name:
                    element.set(_canonical_name(name), value)
    return root


def _canonical_name(name: str) -> str:
    space, _, local = name.rpartition("}")
    return _STRICT.get(f"{space}}}", f"{space}}}" if space else "") + local
