"""Tests of `engine speak --file`: books and notes into audio files."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from mutagen.mp4 import MP4

from engine.__main__ import main
from engine.cli.document_export import language_note
from engine.cli.documents import MAX_TITLES, chosen, document_of
from engine.cli.parser import build_parser
from engine.errors import InvalidRequest
from engine.text.documents import Chapter, Document, Matter
from tests.engine.audio.aac_programs import none, only
from tests.engine.export.narrated_books import clips_of, write_book
from tests.engine.text.documents.books import PICTURE, Book, write_epub
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[3]
JPEG = b"\xff\xd8\xff\xe0" + bytes(50)


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that caches speech until it is written."""
    folder = tmp_path_factory.mktemp("parts")
    monkeypatch.setattr("engine.export.part_cache.cache_folder", lambda: folder)
    return folder


def text_file(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.usefixtures("starter")
def test_several_files_become_one_book(tmp_path, capsys):
    first, second = (
        text_file(tmp_path / "First.txt", "Good morning."),
        text_file(tmp_path / "Second.txt", "Good night."),
    )
    (tmp_path / "cover.jpg").write_bytes(JPEG)
    out = tmp_path / "book.m4b"
    arguments = ["--title", "Greetings", "--author", "A. Writer", "--cover", str(tmp_path / "cover.jpg"), "--json"]
    assert main(["speak", "--file", first, second, "--out", str(out), *arguments]) == 0
    told = capsys.readouterr()
    figures, book = json.loads(told.out), MP4(out)
    assert [chapter.title for chapter in book.chapters] == ["First", "Second"]
    assert (book["\xa9nam"], book["\xa9ART"], bytes(book["covr"][0])) == (["Greetings"], ["A. Writer"], JPEG)
    assert figures["seconds_audio"] == pytest.approx(book.info.length, abs=0.2)  # AAC has whole packets
    assert (figures["files"], figures["chapters"]) == ([str(out)], 2)
    assert figures["seconds_to_first_audio"] > 0
    assert {"voice", "model", "device", "seconds_total", "rtf", "peak_bytes"} <= set(figures)
    assert "Speaking chapter 1 of 2, “First”: 0%" in told.err


@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize(
    ("find", "words"),
    [(partial(only, "ffmpeg"), "AAC, about 29 MB an hour (made by ffmpeg)"), (none, "Apple Lossless, about 87 MB an")],
)
def test_it_says_how_an_audio_book_is_coded(find, words, tmp_path, capsys, monkeypatch):
    find(tmp_path, monkeypatch)
    assert main(["speak", "Good morning.", "--out", str(tmp_path / "a.m4b")]) == 0
    assert f"note: a.m4b is {words}" in capsys.readouterr().err
    assert main(["speak", "Good morning.", "--out", str(tmp_path / "a.flac")]) == 0
    assert "note" not in capsys.readouterr().err


@pytest.mark.usefixtures("starter")
def test_an_electronic_book_becomes_an_audio_book(tmp_path):
    chapters = tuple((f"Chapter {number}", ("It went on.",)) for number in (1, 2, 3))
    source = write_epub(tmp_path / "book.epub", Book("The Blue Lantern", "A. Writer", chapters))
    assert main(["speak", "--file", str(source), "--out", str(tmp_path / "book.m4b")]) == 0
    read = MP4(tmp_path / "book.m4b")
    assert [chapter.title for chapter in read.chapters] == ["Chapter 1", "Chapter 2", "Chapter 3"]
    assert (read["\xa9nam"], read["\xa9ART"]) == (["The Blue Lantern"], ["A. Writer"])
    assert bytes(read["covr"][0]) == PICTURE


@pytest.mark.usefixtures("starter")
def test_an_electronic_book_gets_narration(tmp_path, capsys):
    body = "<h1>Chapter 1</h1><p>Good morning, said the old man.</p>"
    source, target = write_book(tmp_path / "book.epub", body), tmp_path / "book.narrated.epub"
    assert main(["speak", "--file", str(source), "--out", str(target), "--json"]) == 0
    figures, clips = json.loads(capsys.readouterr().out), clips_of(target)
    assert [clip.text for clip in clips] == ["Chapter", "1", "Good", "morning", "said", "the", "old", "man"]
    assert (figures["unmarked_words"], figures["files"]) == (0, [str(target)])
    assert figures["seconds_audio"] == pytest.approx(clips[-1].end_seconds, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Hello."], "EPUB"),
        (["--file", "a.txt"], "EPUB"),
        (["--file", "a.epub", "b.epub"], "EPUB"),
        (["--file", "a.epub", "--per-chapter"], "--per-chapter"),
        (["--file", "a.epub", "--subtitles", "a.srt"], "--subtitles"),
        (["--file", "a.epub", "--play"], "--play"),
        (["--file", "a.epub", "--title", "New"], "--title"),
    ],
)
def test_only_one_whole_electronic_book_gets_narration(arguments, words, tmp_path, capsys):
    assert main(["speak", *arguments, "--out", str(tmp_path / "narrated.epub")]) == 1
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert words in told
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("written", "spoken", "words"),
    [
        ("", "en-US", ""),
        ("en-GB", "en-US", ""),
        ("fr", "en-US", "in French but will be spoken as American English; run `voices --language fr-FR`"),
        ("en", "fr-FR", "in English but will be spoken as French; run `voices --language en-US`"),
        ("de", "en-US", "speaks this document’s language (de)."),
    ],
)
def test_a_document_language_that_differs_from_the_voice_is_noted(written, spoken, words):
    assert words in language_note(written, spoken)
    assert bool(words) == bool(language_note(written, spoken))


@pytest.mark.usefixtures("starter")
def test_every_chapter_can_have_a_file(tmp_path, capsys):
    files = [text_file(tmp_path / f"{name}.txt", f"This is {name}.") for name in ("one", "two")]
    assert main(["speak", "--file", *files, "--per-chapter", "--out", str(tmp_path / "all.flac")]) == 0
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == ["1 one.flac", "2 two.flac"]
    assert f"{tmp_path / 'all'}, 2 files" in capsys.readouterr().out


def test_files_add_up_however_often_the_option_is_given(tmp_path):
    files = [text_file(tmp_path / f"{name}.txt", f"This is {name}.") for name in ("one", "two", "three")]
    options = build_parser().parse_args(["speak", "--file", *files[:2], "--file", files[2]])
    document = document_of(options)
    assert [chapter.title for chapter in document.chapters] == ["one", "two", "three"]


BOOK = "# Contents\n\nOne\n\n# One\n\nIt begins.\n\n# Two\n\nIt ends.\n\n# Index\n\nBeginning, end.\n"
NOTED = Document(
    "Noted",
    "",
    "en",
    (
        Chapter("Contents", "Contents.", Matter.FRONT),
        Chapter("One", "One.", notes="A note."),
        Chapter("Two", "Two."),
        Chapter("Index", "Index.", Matter.BACK, "A note."),
    ),
    notices=("The encoding was guessed.",),
)


def read(document: Document, *arguments: str) -> Document:
    return chosen(document, build_parser().parse_args(["speak", *arguments]))


def test_front_and_back_matter_are_omitted_and_reported():
    document = read(NOTED)
    assert [chapter.text for chapter in document.chapters] == ["One.", "Two."]
    assert document.notices == (
        "The encoding was guessed.",
        "Skipped: “Contents”, “Index”; --all-chapters includes them.",
        "Skipped: the notes of 1 chapter; --notes includes them.",
    )


def test_everything_is_read_if_that_is_wanted():
    document = read(NOTED, "--all-chapters", "--notes")
    assert [chapter.text for chapter in document.chapters] == [
        "Contents.", "One.\n\nA note.", "Two.", "Index.\n\nA note."
    ]  # fmt: skip
    assert document.notices == NOTED.notices


def test_of_many_chapters_that_are_left_out_the_first_are_named():
    notes = tuple(Chapter("", "A note.", Matter.BACK) for _ in range(MAX_TITLES + 5))
    (notice,) = read(Document("Long", "", "", (Chapter("One", "One."), *notes))).notices
    assert "“Chapter 2”, “Chapter 3”" in notice
    assert f"“Chapter {MAX_TITLES + 1}” and 5 more;" in notice


def test_a_document_of_nothing_but_an_index_is_read():
    index = Document("Index", "", "", (Chapter("Index", "Index.", Matter.BACK),))
    assert read(index) == index


def test_omissions_are_reported_for_each_of_several_documents(tmp_path):
    files = [text_file(tmp_path / f"{name}.md", BOOK) for name in ("first", "second")]
    document = document_of(build_parser().parse_args(["speak", "--file", *files]))
    assert [chapter.title for chapter in document.chapters] == ["One", "Two"] * 2
    assert len(document.notices) == 2
    assert all("“Contents”, “Index”" in notice for notice in document.notices)


@pytest.mark.usefixtures("starter")
def test_notices_are_written_once_on_standard_error(tmp_path, capsys):
    source = text_file(tmp_path / "book.md", BOOK)
    assert main(["speak", "--file", source, "--out", str(tmp_path / "book.m4b")]) == 0
    assert capsys.readouterr().err.count("note: Skipped: “Contents”, “Index”; --all-chapters includes them.\n") == 1
    assert [chapter.title for chapter in MP4(tmp_path / "book.m4b").chapters] == ["One", "Two"]
    assert main(["speak", "--file", source, "--all-chapters", "--out", str(tmp_path / "all.m4b")]) == 0
    assert "note: Left out" not in capsys.readouterr().err
    assert [chapter.title for chapter in MP4(tmp_path / "all.m4b").chapters] == ["Contents", "One", "Two", "Index"]


@pytest.mark.parametrize("text", ["Hello.", "-", ""])
def test_a_text_beside_documents_is_refused(tmp_path, text):
    with pytest.raises(InvalidRequest, match="--file"):
        document_of(build_parser().parse_args(["speak", text, "--file", text_file(tmp_path / "a.txt", "Hi.")]))


@pytest.mark.parametrize("name", [300 * "a", "/dev/full"])
def test_an_unreadable_file_is_refused(name, capsys):
    assert main(["speak", "--file", name, "--model", "starter"]) == 1
    assert capsys.readouterr().err.startswith("error: “")


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize(("option", "suffix"), [("--subtitles", ".srt"), ("--out", ".opus")])
def test_output_never_overwrites_the_input_file(tmp_path, capsys, option, suffix, linked):
    read, written = tmp_path / f"text{suffix}", tmp_path / f"link{suffix}" if linked else tmp_path / f"text{suffix}"
    read.write_text("Hello.", encoding="utf-8")
    if linked:
        written.symlink_to(read)
    assert main(["speak", "--file", str(read), "--model", "starter", option, str(written)]) == 1
    assert re.search(rf"error: {option} .*{re.escape(str(written))}", capsys.readouterr().err)
    assert written.read_text(encoding="utf-8") == "Hello."


@pytest.mark.parametrize("arguments", [["--title", "Greetings"], ["--all-chapters"], ["--notes"], ["--per-chapter"]])
def test_document_options_are_refused_without_a_document(arguments):
    with pytest.raises(InvalidRequest, match="Name one with --file"):
        document_of(build_parser().parse_args(["speak", "Hi", *arguments]))


def test_a_cover_that_is_no_picture_is_refused(tmp_path):
    text = text_file(tmp_path / "a.txt", "Hi.")
    with pytest.raises(InvalidRequest, match="neither JPEG nor PNG"):
        document_of(build_parser().parse_args(["speak", "--file", text, "--cover", text]))


@pytest.mark.usefixtures("starter")
def test_a_small_book_killed_while_it_is_spoken_gives_the_same_bytes(tmp_path):
    """Uses the real starter; where it is killed depends on the machine, so it is killed once two parts are stored."""
    paragraph = "The morning light came softly through the kitchen window, and nobody said a word for a while. "
    files = [text_file(tmp_path / f"{n}.txt", f"Chapter {n}.\n\n{paragraph * n}") for n in (1, 2, 5)]
    killed, whole = (tmp_path / f"{name}.m4b" for name in ("killed", "whole"))

    def started() -> subprocess.Popen[bytes]:
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "killed")}
        command = [sys.executable, "-m", "engine", "speak", "--file", *files, "--out", str(killed)]
        return subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)

    def parts() -> int:
        return len(list((tmp_path / "killed").rglob("exports/*.flac")))

    speaking = started()
    while parts() < 2:
        assert speaking.poll() is None
        time.sleep(0.02)
    speaking.send_signal(signal.SIGKILL)
    speaking.wait()
    assert not killed.exists()
    assert started().wait(2 * PATIENCE_SECONDS) == 0
    assert main(["speak", "--file", *files, "--out", str(whole)]) == 0
    assert killed.read_bytes() == whole.read_bytes()
    assert len(MP4(killed).chapters) == 3
    assert not parts()
