"""Small EPUB books, a speaker that gives every word the same time, and a reader of books with narration."""

from __future__ import annotations

import io
import posixpath
import re
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import soundfile
from lxml import etree

from engine.errors import NothingToSpeak
from engine.export.export_job import ExportJob, ExportProgress
from engine.export.exporting import export
from engine.speech import AudioChunk, Event, SpeechRequest, SpokenWord, Utterance
from engine.text.documents.reading import read

RATE_HZ = 24_000
WORD_SAMPLES = 1200
_WORD = re.compile(r"Mrs\.|\w+(?:[’'&-]\w+)*")
_CONTAINER = (
    '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles>'
    "</container>"
)
_XHTML = 'xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
_DTD = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">'


def page(body: str, *, older: bool = False) -> str:
    """Return a page of EPUB 3, or of EPUB 2, with this body."""
    doctype, root = (_DTD, 'xmlns="http://www.w3.org/1999/xhtml"') if older else ("<!DOCTYPE html>", _XHTML)
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\r\n{doctype}\r\n<html {root}><head><title>Page</title></head>'
        f"<body>{body}</body></html>"
    )


def write_book(
    path: Path, *bodies: str, older: bool = False, members: Mapping[str, str | bytes | None] | None = None
) -> Path:
    """Write a book with a page for each body, each a chapter with the title in it, in EPUB 3 or 2.

    `members` replace or extend its files by name; None leaves a file out.
    """
    numbers = range(1, len(bodies) + 1)
    found = [re.search("<h1>(.*?)</h1>", body) for body in bodies]
    titles = {n: title[1] if title else f"Chapter {n}" for n, title in zip(numbers, found, strict=True)}
    items = "".join(f'<item id="c{n}" href="text/c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in numbers)
    spine = "".join(f'<itemref idref="c{n}"/>' for n in numbers)
    metadata = (
        '<dc:identifier id="uid">urn:uuid:12345678-1234-4234-8234-123456789012</dc:identifier>'
        "<dc:title>A &amp; B</dc:title><dc:language>en</dc:language>"
    )
    usual: dict[str, str | bytes | None] = {"META-INF/container.xml": _CONTAINER}
    if older:
        points = "".join(
            f'<navPoint id="p{n}" playOrder="{n}"><navLabel><text>{titles[n]}</text></navLabel>'
            f'<content src="text/c{n}.xhtml"/></navPoint>'
            for n in numbers
        )
        usual["OEBPS/toc.ncx"] = (
            '<?xml version="1.0"?><ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><head>'
            '<meta name="dtb:uid" content="urn:uuid:12345678-1234-4234-8234-123456789012"/></head>'
            f"<docTitle><text>Book</text></docTitle><navMap>{points}</navMap></ncx>"
        )
        metadata += (
            '<dc:creator opf:role="aut" opf:file-as="Writer, A.">A. Writer</dc:creator>'
            '<dc:date opf:event="publication">1999-01-01</dc:date><dc:date opf:event="creation">1998-01-01</dc:date>'
        )
        items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
        version, toc = "2.0", ' toc="ncx"'
    else:
        links = "".join(f'<li><a href="text/c{n}.xhtml">{titles[n]}</a></li>' for n in numbers)
        usual["OEBPS/nav.xhtml"] = page(f'<nav epub:type="toc"><ol>{links}</ol></nav>')
        metadata += '<meta property="dcterms:modified">2020-01-01T00:00:00Z</meta>'
        items += '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        version, toc = "3.0", ""
    usual["OEBPS/book.opf"] = (
        f'<?xml version="1.0"?><!-- made by hand --><package xmlns="http://www.idpf.org/2007/opf" version="{version}" '
        'unique-identifier="uid"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/" '
        f'xmlns:opf="http://www.idpf.org/2007/opf">{metadata}</metadata><manifest>{items}</manifest>'
        f"<spine{toc}>{spine}</spine></package>"
    )
    usual |= {f"OEBPS/text/c{n}.xhtml": page(body, older=older) for n, body in zip(numbers, bodies, strict=True)}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(zipfile.ZipInfo("mimetype"), "application/epub+zip")
        for name, content in (usual | dict(members or {})).items():
            if content is not None:
                file.writestr(zipfile.ZipInfo(name, (2021, 3, 4, 5, 6, 8)), content)
    return path


class WordSpeaker:
    """A speaker of noise, in which each word takes the same time, after a silence of the length of a word."""

    sample_rate_hz = RATE_HZ

    def __init__(self) -> None:
        self.requests: list[SpeechRequest] = []

    def prepare(self, observe: Callable[[Event], None], cancel: threading.Event | None) -> None:
        pass

    def fingerprint(self, voice: str) -> str:
        return "words"

    def synthesize(
        self, request: SpeechRequest, observe: Callable[[Event], None], cancel: threading.Event | None
    ) -> Iterator[AudioChunk]:
        self.requests.append(request)
        spans = [found.span() for found in _WORD.finditer(request.text)]
        if not spans:
            raise NothingToSpeak("Nothing in the text has a sound.", "Type words.")
        words = tuple(
            SpokenWord(start, end, number * WORD_SAMPLES, number * WORD_SAMPLES + WORD_SAMPLES // 2)
            for number, (start, end) in enumerate(spans, 1)
        )
        samples = np.random.default_rng(len(words)).uniform(-0.5, 0.5, (len(words) + 2) * WORD_SAMPLES)
        utterance = Utterance(0, request.text, request.text, 0, len(request.text))
        yield AudioChunk(utterance, 1, samples.astype(np.float32), RATE_HZ, words)


def order_of(book: Path, target: Path, *, all_chapters: bool = True) -> ExportJob:
    """Return a job that adds narration to a book."""
    document = read(book)
    chapters = range(len(document.chapters)) if all_chapters else document.default_chapters
    return ExportJob(document.with_chapters(tuple(chapters)), SpeechRequest("", "af_heart"), target, book=book)


def narrate(book: Path, target: Path, **options: Any) -> ExportProgress:
    """Add narration to a book; return the last progress report."""
    return list(export(order_of(book, target, **options), WordSpeaker(), lambda _: None))[-1]


@dataclass(frozen=True)
class Clip:
    """A marked element's text and its page, and the audio file and the times that belong to it."""

    text: str
    page: str
    audio: str
    start_seconds: float
    end_seconds: float


def clips_of(path: Path) -> list[Clip]:
    """Return all clips of a book in the order of its pages, after checks of the rules for media overlays."""
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        first = file.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
        package = etree.fromstring(file.read("OEBPS/book.opf"))
        items = {item.get("id"): item for item in package.iterfind(".//{*}item")}
        hrefs = {posixpath.normpath(f"OEBPS/{unquote(item.get('href'))}") for item in items.values()}
        assert hrefs <= set(file.namelist())
        lengths = {
            meta.get("refines", ""): float(meta.text.removesuffix("s"))
            for meta in package.iterfind(".//{*}meta[@property='media:duration']")
        }
        found: list[Clip] = []
        for reference in package.iterfind(".//{*}itemref"):
            overlay = items[reference.get("idref")].get("media-overlay")
            if overlay is not None:
                clips = list(_clips(file, f"OEBPS/{items[overlay].get('href')}"))
                assert {clip.page for clip in clips} == {f"OEBPS/{unquote(items[reference.get('idref')].get('href'))}"}
                length = sum(clip.end_seconds - clip.start_seconds for clip in clips)
                assert abs(lengths[f"#{overlay}"] - length) < 0.001 * (len(clips) + 1)
                found += clips
        assert abs(lengths[""] - sum(lengths.values()) / 2) < 0.001
        return found


def _clips(file: zipfile.ZipFile, name: str) -> Iterator[Clip]:
    ends: dict[str, float] = {}
    for par in etree.fromstring(file.read(name)).iter("{*}par"):
        target, _, anchor = par.find("{*}text").get("src").partition("#")
        sound = par.find("{*}audio")
        audio = posixpath.join(posixpath.dirname(name), sound.get("src"))
        page_name = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(target)))
        elements = etree.fromstring(file.read(page_name)).xpath("//*[@id=$id]", id=anchor)
        assert len(elements) == 1
        start, end = (float(sound.get(key).removesuffix("s")) for key in ("clipBegin", "clipEnd"))
        assert ends.get(audio, 0.0) <= start < end <= soundfile.info(io.BytesIO(file.read(audio))).duration
        ends[audio] = end
        yield Clip("".join(elements[0].itertext()), page_name, audio, start, end)
