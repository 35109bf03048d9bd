import os
import subprocess
import sys
import threading
import zipfile
from functools import partial
from pathlib import Path

import pytest

from engine.documents import Document, read_document, reading, worker
from engine.errors import Cancelled, DamagedDocument, OversizedDocument, UnusableDocument
from engine.system.paths import project_folder
from tests.engine.documents.books import book, write_docx, write_epub, write_pdf
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
    worker.read(short)  # which imports what it needs
    assert calls_of(partial(worker.read, long)) < 2.2 * calls_of(partial(worker.read, short))


def suffix_of(write) -> str:
    return write.__name__.removeprefix("write_")


def test_a_small_document_comes_from_a_process_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# One\n\nText.")
    document = read_document(path)
    assert isinstance(document, Document)
    assert document.chapters[0].text == "One\n\nText."


def test_reading_loads_no_library_into_this_process() -> None:
    program = (
        "import sys, engine; assert 'engine.documents' not in sys.modules; import engine.documents; "
        "assert not {'lxml', 'pypdfium2', 'markdown_it'} & {name.partition('.')[0] for name in sys.modules}"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=project_folder())


def test_what_is_not_there_or_no_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnusableDocument, match=r"“a\.txt” can’t be found"):
        read_document(tmp_path / "a.txt")
    (tmp_path / "b.txt").mkdir()
    with pytest.raises(UnusableDocument, match=r"“b\.txt” is a folder"):
        read_document(tmp_path / "b.txt")
    with pytest.raises(UnusableDocument, match="“null” is not a file"):
        read_document(Path("/dev/null"))


def test_a_pipe_is_no_file_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(UnusableDocument, match=r"“pipe\.txt” is not a file"):
        read_document(tmp_path / "pipe.txt")


def test_a_text_of_two_gigabytes_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(2_000_000_000)
    with pytest.raises(OversizedDocument, match=r"“a\.txt” has 2,000 MB, more than the 32 MB that are read\."):
        read_document(path)


def test_binary_under_a_text_suffix_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\x7fELF\x02\x01\x01\x00" + bytes(100))
    with pytest.raises(DamagedDocument, match=r"“a\.txt” is not a text, whatever its name says\."):
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
    with pytest.raises(OversizedDocument, match=r"“a\.epub” unpacks to more than a book holds\."):
        read_document(path)


def test_a_process_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Hello.")
    monkeypatch.setattr(reading, "python_command", lambda *_: (sys.executable, "-c", "import time; time.sleep(600)"))
    monkeypatch.setattr(reading, "LONGEST_SECONDS", 0.2)
    with pytest.raises(OversizedDocument, match="takes more memory or time"):
        read_document(path)


def test_it_can_be_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, cancel = tmp_path / "a.txt", threading.Event()
    path.write_text("Hello.")
    begun = tmp_path / "begun"
    program = f"import time; open({str(begun)!r}, 'w'); time.sleep(600)"
    monkeypatch.setattr(reading, "python_command", lambda *_: (sys.executable, "-c", program))

    def cancel_what_has_begun() -> None:
        wait_until(begun.exists, "the process that reads")
        cancel.set()

    threading.Thread(target=cancel_what_has_begun).start()
    with pytest.raises(Cancelled):
        read_document(path, cancel)


@pytest.mark.parametrize(
    ("ends", "kind"),
    [
        ("os.abort()", DamagedDocument),
        ("os._exit(9)", OversizedDocument),
        ("os.kill(os.getpid(), 24)", OversizedDocument),
    ],
)
def test_a_process_that_dies_takes_nothing_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str, kind: type[UnusableDocument]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Hello.")
    monkeypatch.setattr(reading, "python_command", lambda *_: (sys.executable, "-c", f"import os; {ends}"))
    with pytest.raises(kind, match=r"“a\.txt”"):
        read_document(path)
