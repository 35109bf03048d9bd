"""Writes EPUB books with narration: the original files, the audio, and media overlays that join both word by word."""

from __future__ import annotations

import posixpath
import re
import shutil
import zipfile
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape, unescape
from itertools import pairwise
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from lxml import etree

from engine.audio import coders
from engine.audio.sound_file import AUDIO
from engine.audio.subtitles.timed_words import TimedWord
from engine.errors import DamagedDocument, InvalidRequest, UnusableDocument
from engine.export.export_job import NARRATED
from engine.export.page_words import Letters, append_page, is_page, marked, places_of_letters, widened, with_style_sheet
from engine.text.documents.archive import Archive
from engine.text.documents.markup import text_of

ACTIVE, PLAYING = "-epub-media-overlay-active", "-epub-media-overlay-playing"
"""The CSS classes of the spoken word, and of the page while it is read."""
_OPF, _DC = "http://www.idpf.org/2007/opf", "http://purl.org/dc/elements/1.1/"
_PAGE_TYPES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")
_MP3 = ".mp3"
_MEDIA_TYPES = {AUDIO: "audio/mp4", _MP3: "audio/mpeg"}
_STYLE = f".{ACTIVE} {{ background-color: #ffe08a; color: #000; }}\n"
_DATE = (1980, 1, 1, 0, 0, 0)
_MILLISECONDS = 1000
_POINTS = "//*[local-name()='navMap']/*[local-name()='navPoint']"
_REFERENCE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)\w+;")
_DOCTYPE = re.compile(r"<!DOCTYPE(?:[^<>\[]|\[.*?\]\s*(?=>))*>", re.DOTALL | re.IGNORECASE)
_ENCODING = re.compile(r"""(\A<\?xml[^>]*?\bencoding\s*=\s*["'])[\w.:-]+""")
_PROPERTIES = {
    name: re.compile(rf"<(?:\w+:)?{tag}\b")
    for name, tag in (("svg", "svg"), ("mathml", "math"), ("scripted", "script"))
}
_NAVIGATION = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">
<head><title>{title}</title></head>
<body><nav epub:type="toc">{entries}</nav></body>
</html>
"""
_OVERLAY = """<?xml version="1.0" encoding="utf-8"?>
<smil xmlns="http://www.w3.org/ns/SMIL" version="3.0">
<body>
{clips}
</body>
</smil>
"""


def narration_suffix() -> str:
    """Return the suffix of the audio in a book: AAC if a program on this machine encodes it, otherwise MP3."""
    return _MP3 if coders.aac_program() is None else AUDIO


@dataclass(frozen=True)
class _Chapter:
    """A spoken chapter: its text, the words in it, the length of its audio [ms], and the member with the audio."""

    text: str
    words: Sequence[TimedWord]
    length: int
    audio: str


@dataclass
class _Page:
    """A page of the book: its item in the manifest, its member, its source, and the clips of its marked words.

    A clip has the word's id, the member with the audio, and the first and last millisecond.
    """

    item: Any
    file: str
    source: str
    clips: list[tuple[str, str, int, int]] = field(default_factory=list)


class NarratedBook:
    """Writes a book with narration into a stream.

    Raises `UnusableDocument` or a subclass if the book cannot be extended, and `OSError`.
    """

    def __init__(self, path: Path, archive: Archive, target: IO[bytes]) -> None:
        self.unmarked_words = 0
        self._name, self._archive = path.name, archive
        self._package_file, self._package = _package_of(archive, path.name)
        self._folder = posixpath.dirname(self._package_file)
        self._own = _free("narration", lambda name: any(name in member for member in archive.names))
        self._id = _free("narration", lambda name: any(each.startswith(name) for each in self._package.xpath("//@id")))
        self._items = self._package.find(f"{{{_OPF}}}manifest")
        self._chapters: list[_Chapter] = []
        self._zip = zipfile.ZipFile(target, "w")
        self._add("mimetype", b"application/epub+zip", zipfile.ZIP_STORED)

    def add_chapter(self, text: str, words: Sequence[TimedWord], seconds: float, audio: Path) -> None:
        """Add a chapter with the file of its audio; the characters and times of its words count from its start."""
        name = self._place(audio.name)
        member = zipfile.ZipInfo(name, _DATE)
        member.file_size = audio.stat().st_size
        with audio.open("rb") as source, self._zip.open(member, "w") as target:
            shutil.copyfileobj(source, target)
        self._chapters.append(_Chapter(text, words, int(seconds * _MILLISECONDS), name))
        self._list(name, _MEDIA_TYPES[audio.suffix])

    def finish(self) -> Iterator[None]:
        """Write all other files, step by step."""
        changed = dict(self._upgraded()) if not self._package.get("version", "").startswith("3") else {}
        pages = list(self._pages(changed))
        yield
        yield from self._mark(pages)
        self._write_overlays(pages)
        style_sheet = self._place("narration.css")
        changed |= {
            page.file: with_style_sheet(page.source, _link(page.file, style_sheet)) for page in pages if page.clips
        }
        changed[self._package_file] = etree.tostring(
            self._package.getroottree(), xml_declaration=True, encoding="utf-8"
        ).decode()
        for name in self._archive.members:
            if name != "mimetype":
                self._archive.copy(name, self._zip, changed[name].encode() if name in changed else None)
                yield

    def close(self) -> None:
        """Close the archive; without `finish`, it is incomplete."""
        self._zip.close()

    def _add(self, name: str, content: bytes, compression: int = zipfile.ZIP_DEFLATED) -> None:
        self._zip.writestr(zipfile.ZipInfo(name, _DATE), content, compression)

    def _place(self, name: str) -> str:
        return posixpath.join(self._folder, self._own, name)

    def _list(self, file: str, media_type: str, **attributes: str) -> str:
        """Add a file to the manifest, and return its id."""
        name = f"{self._id}-{len(self._items)}"
        href = _link(self._package_file, file)
        etree.SubElement(
            self._items, f"{{{_OPF}}}item", {"id": name, "href": href, "media-type": media_type, **attributes}
        )
        return name

    def _pages(self, changed: dict[str, str]) -> Iterator[_Page]:
        """Yield the well-formed pages in reading order."""
        for item, file in _pages_of(self._archive, self._package_file, self._package):
            source = changed.get(file) or _source(self._archive.read(file))
            if is_page(source):
                yield _Page(item, file, source)

    def _mark(self, pages: Sequence[_Page]) -> Iterator[None]:
        """Mark the words of all chapters in the pages, page by page, and give the pages their clips."""
        places = self._places(pages)
        found: dict[tuple[int, int], tuple[_Page, str]] = {}
        by_page: dict[int, list[tuple[int, int]]] = {}
        for key, place in places.items():
            by_page.setdefault(place[0], []).append(key)
        for page_number, page in enumerate(pages):
            if keys := by_page.get(page_number):
                with suppress(ValueError):
                    page.source, ids = marked(page.source, [places[key][1:] for key in keys])
                    found.update({keys[number]: (page, name) for number, name in ids.items()})
            yield
        for number, chapter in enumerate(self._chapters):
            indices = [index for index in range(len(chapter.words)) if (number, index) in found]
            starts = [_milliseconds(chapter.words[index]) for index in indices]
            starts[:1] = [_milliseconds(word) for word in chapter.words[:1]] if starts else []
            for index, (start, end) in zip(indices, pairwise([*starts, chapter.length]), strict=True):
                page, name = found[number, index]
                page.clips.append((name, chapter.audio, start, end))
            self.unmarked_words += len(chapter.words) - len(indices)

    def _places(self, pages: Sequence[_Page]) -> dict[tuple[int, int], tuple[int, int, int]]:
        """Return the page and the characters of its source for each word found, by the numbers of chapter and word."""
        text, sources = Letters(), Letters()
        text_starts, page_starts, at = [], [], 0
        for chapter in self._chapters:
            text_starts.append(at)
            text.append(chapter.text, at)
            text.close(paragraph=True)
            at += len(chapter.text)
        at = 0
        for page in pages:
            page_starts.append(at)
            append_page(sources, page.source, at)
            at += len(page.source)
        placed = places_of_letters(text, sources, page_starts)
        places = {}
        for number, chapter in enumerate(self._chapters):
            before = -1
            for index, word in enumerate(chapter.words):
                start = _milliseconds(word)
                own = text.indices(text_starts[number] + word.start, text_starts[number] + word.end)
                letters = placed[own.start : own.stop]
                is_run = letters and letters == list(range(max(letters[0], 0), letters[0] + len(letters)))
                if is_run and before < start < chapter.length:
                    page_number = bisect_right(page_starts, sources.starts[letters[0]]) - 1
                    begin = page_starts[page_number]
                    span = sources.starts[letters[0]] - begin, sources.ends[letters[-1]] - begin
                    left = chapter.text[word.start : text.starts[own.start] - text_starts[number]]
                    right = chapter.text[text.ends[own.stop - 1] - text_starts[number] : word.end]
                    places[number, index] = page_number, *widened(pages[page_number].source, *span, left, right)
                before = max(before, start)
        return places

    def _write_overlays(self, pages: Sequence[_Page]) -> None:
        """Write the media overlays and their style sheet, and declare them and their lengths."""
        total = 0
        for number, page in enumerate(pages, 1):
            if page.clips:
                overlay = self._place(f"page-{number}.smil")
                self._add(overlay, _overlay(page, overlay).encode())
                name = self._list(overlay, "application/smil+xml")
                page.item.set("media-overlay", name)
                length = sum(end - start for *_, start, end in page.clips)
                self._add_meta("media:duration", _seconds(length), refines=f"#{name}")
                total += length
        if not total:
            raise UnusableDocument(f"None of the words are in the pages of “{self._name}”.", "Choose a different book.")
        self._add(self._place("narration.css"), _STYLE.encode())
        self._list(self._place("narration.css"), "text/css")
        self._add_meta("media:duration", _seconds(total))
        self._add_meta("media:active-class", ACTIVE)
        self._add_meta("media:playback-active-class", PLAYING)

    def _add_meta(self, name: str, value: str, **attributes: str) -> None:
        metadata = self._package.find(f"{{{_OPF}}}metadata")
        etree.SubElement(metadata, f"{{{_OPF}}}meta", {**attributes, "property": name}).text = value

    def _upgraded(self) -> Iterator[tuple[str, str]]:
        """Turn the package of an EPUB 2 book into one of EPUB 3; yield the changed pages and their sources."""
        self._package.set("version", "3.0")
        self._upgrade_metadata()
        for item in self._items.iterfind(f"{{{_OPF}}}item"):
            file = self._archive.find(posixpath.join(self._folder, item.get("href", "")))
            if item.get("media-type") in _PAGE_TYPES and file is not None:
                source = _source(self._archive.read(file))
                plain = _REFERENCE.sub(_numeric, _DOCTYPE.sub("<!DOCTYPE html>", source, 1))
                item.set("media-type", _PAGE_TYPES[0])
                if properties := " ".join(name for name, tag in _PROPERTIES.items() if tag.search(source)):
                    item.set("properties", properties)
                if plain != source:
                    yield file, plain
        self._add_navigation()

    def _upgrade_metadata(self) -> None:
        """Remove attributes and repeated dates that EPUB 3 forbids; roles and sort names become properties."""
        metadata = self._package.find(f"{{{_OPF}}}metadata")
        for number, element in enumerate(metadata.findall(f"{{{_DC}}}*")):
            attributes = {name: element.attrib.pop(f"{{{_OPF}}}{name}", "") for name in ("role", "file-as")}
            for name in [name for name in element.attrib if name.startswith(f"{{{_OPF}}}")]:
                del element.attrib[name]
            is_repeated = element.tag == f"{{{_DC}}}date" and metadata.find(element.tag) is not element
            if is_repeated or not (element.text or "").strip():
                metadata.remove(element)
                continue
            for name, value in attributes.items():
                if value:
                    element.set("id", element.get("id") or f"{self._id}-about-{number}")
                    scheme = {"scheme": "marc:relators"} if name == "role" else {}
                    self._add_meta(name, value, refines=f"#{element.get('id')}", **scheme)
        if metadata.find(f"{{{_OPF}}}meta[@property='dcterms:modified']") is None:
            self._add_meta("dcterms:modified", "{}-{:02}-{:02}T{:02}:{:02}:{:02}Z".format(*self._archive.newest))

    def _add_navigation(self) -> None:
        """Write the table of contents that EPUB 3 requires, with the entries of the EPUB 2 one."""
        item = self._items.find(f"{{{_OPF}}}item[@media-type='application/x-dtbncx+xml']")
        file = None if item is None else self._archive.find(posixpath.join(self._folder, item.get("href", "")))
        title = "".join(self._package.xpath("string(//*[local-name()='title'])")) or self._name
        points: Sequence[Any] = ()
        with suppress(DamagedDocument):  # the book is read without it, too
            points = () if file is None else self._archive.tree(file).xpath(_POINTS)
        name = posixpath.join(posixpath.dirname(file or self._package_file), f"{self._own}-contents.xhtml")
        _, first = next(_pages_of(self._archive, self._package_file, self._package))
        entries = _entries(points) or f'<ol><li><a href="{_link(name, first)}">{escape(title)}</a></li></ol>'
        self._add(name, _NAVIGATION.format(title=escape(title), entries=entries).encode())
        self._list(name, _PAGE_TYPES[0], properties="nav")


def check_one_file(per_chapter: object, subtitles: object) -> None:
    """Raise `InvalidRequest` if further files are requested beside a narrated book."""
    if per_chapter or subtitles:
        raise InvalidRequest(
            "A narrated EPUB is one file, with the times of its words in it.", "Omit --per-chapter and --subtitles."
        )


def check_book(path: Path | None) -> None:
    """Raise `InvalidRequest` unless this is an EPUB, and `UnusableDocument` if narration cannot be added to it."""
    if path is None or path.suffix.lower() != NARRATED:
        raise InvalidRequest(
            "Narration can only be added to an EPUB.", "Name one .epub file with --file, or a different output format."
        )
    with Archive(path) as archive:
        file, package = _package_of(archive, path.name)
        if not any(_pages_of(archive, file, package)):
            raise DamagedDocument(f"“{path.name}” doesn’t list its pages.", "Repair the book first.")
        for name in archive.members:
            for _ in archive.blocks(name):  # raises for a damaged file now, not after hours of speech
                pass
    if package.xpath("//*[local-name()='item'][@media-overlay]"):
        raise UnusableDocument(f"“{path.name}” already has narration.", "Choose a copy without it.")


def _package_of(archive: Archive, name: str) -> tuple[str, Any]:
    """Return the package file of a book and the root of its tree, with its comments."""
    container = archive.find("META-INF/container.xml")
    paths = archive.tree(container).xpath("//*[local-name()='rootfile']/@full-path") if container else ()
    file = next((found for path in paths if (found := archive.find(path))), None)
    if file is None:
        raise DamagedDocument(f"“{name}” doesn’t name its package file.", "Repair the book first.")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(archive.read(file), parser)
    except etree.XMLSyntaxError:
        root = etree.Element("none")
    if any(root.find(f"{{{_OPF}}}{part}") is None for part in ("metadata", "manifest", "spine")):
        raise DamagedDocument(f"The package file of “{name}” is invalid.", "Repair the book first.")
    return file, root


def _pages_of(archive: Archive, package_file: str, package: Any) -> Iterator[tuple[Any, str]]:
    """Yield the pages in reading order, each as its item in the manifest and its member."""
    items = {item.get("id"): item for item in package.iterfind(f"{{{_OPF}}}manifest/{{{_OPF}}}item")}
    for reference in dict.fromkeys(package.xpath("//*[local-name()='itemref']/@idref")):
        item = items.get(reference)
        if item is None or item.get("media-type") not in _PAGE_TYPES or "nav" in item.get("properties", "").split():
            continue
        if (file := archive.find(posixpath.join(posixpath.dirname(package_file), item.get("href", "")))) is not None:
            yield item, file


def _source(content: bytes) -> str:
    """Return the text of a page; one in an encoding that EPUB forbids is declared to be in UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return _ENCODING.sub(r"\1utf-8", text_of(content).text, count=1)


def _numeric(reference: re.Match[str]) -> str:
    """Return a named reference by number, because only the older format declares the names."""
    text = unescape(reference[0])
    return reference[0] if text == reference[0] else "".join(f"&#{ord(each)};" for each in text)


def _entries(points: Sequence[Any]) -> str:
    """Return a list of links to the targets of an EPUB 2 table of contents, with those inside each; empty if none."""
    made = []
    for number, point in enumerate(points, 1):
        label = " ".join(point.xpath("string(./*[local-name()='navLabel'])").split()) or str(number)
        target = escape(point.xpath("string(./*[local-name()='content']/@src)"))
        inner = _entries(point.xpath("./*[local-name()='navPoint']"))
        made.append(f'<li><a href="{target}">{escape(label)}</a>{inner}</li>')
    return f"<ol>{''.join(made)}</ol>" if made else ""


def _overlay(page: _Page, file: str) -> str:
    """Return the media overlay of a page."""
    target = _link(file, page.file)
    return _OVERLAY.format(
        clips="\n".join(
            f'<par id="{name}"><text src="{target}#{name}"/><audio src="{_link(file, audio)}"'
            f' clipBegin="{_seconds(start)}" clipEnd="{_seconds(end)}"/></par>'
            for name, audio, start, end in page.clips
        )
    )


def _link(file: str, target: str) -> str:
    """Return the reference from one member to another."""
    return quote(posixpath.relpath(target, posixpath.dirname(file) or "."))


def _free(name: str, is_taken: Callable[[str], object]) -> str:
    """Return a name, with a number if it is already taken."""
    names = (name, *(f"{name}-{number}-" for number in range(2, 1000)))
    return next(each for each in names if not is_taken(each))


def _milliseconds(word: TimedWord) -> int:
    return round(word.start_seconds * _MILLISECONDS)


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / _MILLISECONDS:.3f}s"
