import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from engine.errors import Canceled, DamagedDocument, EngineError, OversizedDocument, UnusableDocument
from engine.system.paths import project_folder
from engine.text.documents import Document, plain_text, read_document, reading
from engine.text.documents.reading import (
    MAX_FILE_BYTES,
    MAX_TEXT_BYTES,
    SUFFIXES,
    guessed_language,
    language_of_document,
    max_bytes,
    reader_of,
)
from engine.text.languages import LANGUAGES
from tests.engine.text.documents import other_readers
from tests.engine.text.documents.books import book, write_docx, write_epub, write_pdf
from tests.patience import wait_until
from tests.work import calls_of

ALL_KINDS = pytest.mark.parametrize("write", [write_epub, write_docx, write_pdf])
CHAPTER_CHARACTERS = 5000


@ALL_KINDS
def test_a_novel_is_read_whole(tmp_path: Path, write) -> None:
    written = book()
    document = read_document(write(tmp_path / f"a.{suffix_of(write)}", written))
    assert len(document.chapters) == 40
    assert document.characters > 500_000
    assert document.chapters[39].text == "\n\n".join(["Chapter 40", *written.chapters[39][1]])


@ALL_KINDS
def test_twice_the_text_is_no_more_than_twice_the_work(tmp_path: Path, write) -> None:
    short, long = (
        write(tmp_path / f"{chapters}.{suffix_of(write)}", book(chapters * CHAPTER_CHARACTERS, chapters))
        for chapters in (6, 12)
    )
    reading.read(short)  # which imports its dependencies
    assert calls_of(partial(reading.read, long)) < 2.2 * calls_of(partial(reading.read, short))


def suffix_of(write) -> str:
    return write.__name__.removeprefix("write_")


def test_a_small_document_is_read_in_a_separate_process(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# One\n\nText.")
    document = read_document(path)
    assert isinstance(document, Document)
    assert document.chapters[0].text == "One\n\nText."


def test_reading_loads_no_library_into_this_process() -> None:
    program = (
        "import sys, engine; assert 'engine.text.documents' not in sys.modules; import engine.text.documents; "
        "assert not {'lxml', 'pypdfium2', 'markdown_it'} & {name.partition('.')[0] for name in sys.modules}"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=project_folder())


def test_missing_files_and_non_files_are_reported(tmp_path: Path) -> None:
    with pytest.raises(UnusableDocument, match=r"“a\.txt” can’t be found"):
        read_document(tmp_path / "a.txt")
    (tmp_path / "b.txt").mkdir()
    with pytest.raises(UnusableDocument, match=r"“b\.txt” is a folder"):
        read_document(tmp_path / "b.txt")
    with pytest.raises(UnusableDocument, match=r"“null” .*a file"):
        read_document(Path("/dev/null"))


def test_a_pipe_is_no_file_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(UnusableDocument, match=r"“pipe\.txt” .*a file"):
        read_document(tmp_path / "pipe.txt")


def test_a_text_of_two_gigabytes_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(2_000_000_000)
    with pytest.raises(OversizedDocument, match=r"“a\.txt” is 2,000 MB; the limit is 32 MB\."):
        read_document(path)


def test_binary_content_with_a_text_suffix_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\x7fELF\x02\x01\x01\x00" + bytes(100))
    with pytest.raises(DamagedDocument, match=r"“a\.txt” isn’t a text file\."):
        read_document(path)


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    path = write_epub(tmp_path / "a.epub", book(2000, 2))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file, file.open("OEBPS/c3.xhtml", "w") as member:
        for _ in range(70):
            member.write(bytes(1_000_000))
    with zipfile.ZipFile(path) as file:
        package = file.read("OEBPS/book.opf").decode()
    bomb = '<item id="c3" href="c3.xhtml" media-type="text/html"/></manifest><spine><itemref idref="c3"/>'
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate name"):
        file.writestr("OEBPS/book.opf", package.replace("</manifest><spine>", bomb))
    with pytest.raises(OversizedDocument, match=r"“a\.epub” is too large to open\."):
        read_document(path)


def test_a_process_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Hello.")
    monkeypatch.setattr(reading, "read_within_limits", other_readers.hangs)
    monkeypatch.setattr(reading, "MAX_SECONDS", 0.2)
    with pytest.raises(OversizedDocument, match="too large or complex"):
        read_document(path)


def test_it_can_be_canceled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, cancel = tmp_path / "a.txt", threading.Event()
    path.write_text("Hello.")
    monkeypatch.setattr(reading, "read_within_limits", other_readers.hangs)

    def cancel_what_has_begun() -> None:
        wait_until((tmp_path / other_readers.BEGUN).exists, "the process that reads")
        cancel.set()

    threading.Thread(target=cancel_what_has_begun).start()
    with pytest.raises(Canceled):
        read_document(path, cancel)


@pytest.mark.parametrize(
    ("ends", "kind"),
    [
        (other_readers.crashes, DamagedDocument),
        (other_readers.takes_too_much_memory, OversizedDocument),
        (other_readers.takes_too_long, OversizedDocument),
    ],
)
def test_a_process_that_dies_takes_nothing_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: Callable[[Path], Document], kind: type[UnusableDocument]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Hello.")
    monkeypatch.setattr(reading, "read_within_limits", ends)
    with pytest.raises(kind, match=r"“a\.txt”"):
        read_document(path)


def test_the_suffix_determines_the_reader_of_a_file() -> None:
    assert {".txt", ".md", ".html", ".docx", ".epub", ".pdf"} < set(SUFFIXES)
    assert reader_of(Path("A.EPUB")) == "ebook"
    assert reader_of(Path("README")) == reader_of(Path("a.log")) == "plain_text"


@pytest.mark.parametrize("name", ["a.doc", "b.mobi", "c.JPG"])
def test_unsupported_formats_are_refused_with_a_remedy(name: str) -> None:
    with pytest.raises(UnusableDocument, match=rf"“{name}”: its format isn’t supported\. Save it as"):
        reader_of(Path(name))


def test_texts_are_smaller_than_books_with_pictures() -> None:
    assert max_bytes(Path("a.md")) == MAX_TEXT_BYTES < max_bytes(Path("a.pdf")) == MAX_FILE_BYTES


def test_a_document_gets_its_language_from_its_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(
        "Le petit prince est sur la planète, et il ne sait pas que le monde est plus grand que les étoiles."
    )
    assert reading.read(path).language == "fr"


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (MemoryError(), OversizedDocument),
        (RecursionError(), DamagedDocument),
        (OSError(5, "gone"), UnusableDocument),
    ],
)
def test_any_failure_is_reported_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: Exception, kind: type[EngineError]
) -> None:
    def fail(path: Path) -> None:
        raise raised

    monkeypatch.setattr(plain_text, "read", fail)
    with pytest.raises(kind, match=r"“a\.txt”"):
        reading.read(tmp_path / "a.txt")


def test_a_blank_text_is_reported_as_such(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(" \n\n ")
    with pytest.raises(UnusableDocument, match=r"“a\.txt” has no text"):
        reading.read(tmp_path / "a.txt")


@pytest.mark.skipif(sys.platform != "linux", reason="macOS has no such limit")
def test_the_process_cannot_take_more_memory_than_it_may() -> None:
    program = "from engine.text.documents import reading; reading.limit_this_process(); bytearray(2_000_000_000)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, cwd=project_folder(), check=False)
    assert b"MemoryError" in done.stderr


def test_the_process_is_watched_where_the_system_does_not_limit_it() -> None:
    program = (
        "import time; from engine.text.documents import reading; "
        "reading.MEMORY_BYTES = 100; reading.sys.platform = 'darwin'; "
        "reading.limit_this_process(); time.sleep(600)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, cwd=project_folder(), check=False)
    assert done.returncode == reading.OUT_OF_MEMORY_CODE


TEXTS = {
    "en": "It was the best of times, and it was the worst of times; they had all that they wanted, and nothing of it.",
    "fr": "Le petit prince est sur la planète, et il ne sait pas que le monde est plus grand que les étoiles du ciel.",
    "es": "En un lugar de la Mancha, no ha mucho tiempo que vivía un hidalgo de los de lanza y el galgo.",
    "it": "Nel mezzo del cammino di nostra vita mi ritrovai per una selva oscura, che la via non era più quella.",
    "pt": "Não é o que se diz, mas o que se faz, que conta para os homens e as mulheres da cidade em que ele vive.",
    "de": "Als er am Morgen aus dem Haus kam, war die Straße leer, und er wusste nicht, was er mit sich tun sollte.",
}


@pytest.mark.parametrize("tag", TEXTS)
def test_a_language_is_known_by_its_frequent_words(tag: str) -> None:
    assert guessed_language(TEXTS[tag]) == tag


@pytest.mark.parametrize(
    "language", [each for each in LANGUAGES if each.tag in ("hi", "ja", "zh")], ids=lambda each: each.tag
)
def test_a_language_is_known_by_its_writing(language) -> None:
    assert guessed_language(language.sample) == language.tag


@pytest.mark.parametrize("text", ["", "Hello there.", "12 34 56 " * 30, "xyzzy plugh " * 30])
def test_nothing_is_guessed_from_too_little(text: str) -> None:
    assert guessed_language(text) == ""


def test_the_declared_language_counts_unless_the_text_clearly_contradicts_it() -> None:
    assert language_of_document("en_GB", TEXTS["en"]) == "en-GB"
    assert language_of_document("en-US", TEXTS["fr"]) == "fr"
    assert language_of_document("ca", "Bon dia.") == "ca"
