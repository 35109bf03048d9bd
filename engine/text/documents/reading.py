"""Reads a supported document in a separate process, with limits on time and memory for any content."""

from __future__ import annotations

import os
import re
import resource
import signal
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from engine.errors import DamagedDocument, EngineError, OversizedDocument, UnusableDocument
from engine.system.memory import peak_bytes
from engine.system.remote import CallTimedOut, ProcessEnded, call
from engine.text.documents.document import Document

MAX_TEXT_BYTES = 32_000_000
"""The limit for text formats; the Bible is 5 MB."""
MAX_FILE_BYTES = 1_000_000_000
"""The limit for formats that can contain pictures."""
_TEXT, _MARKDOWN, _PAGE, _SUBTITLES = "plain_text", "markdown_text", "web_page", "subtitle_file"
_WORD, _BOOK = "word_file", "ebook"
_READERS = {
    ".txt": _TEXT, ".text": _TEXT, ".md": _MARKDOWN, ".markdown": _MARKDOWN, ".html": _PAGE, ".htm": _PAGE,
    ".xhtml": _PAGE, ".mht": _PAGE, ".mhtml": _PAGE, ".docx": _WORD, ".docm": _WORD, ".dotx": _WORD, ".dotm": _WORD,
    ".epub": _BOOK, ".pdf": "pdf_file", ".srt": _SUBTITLES, ".vtt": _SUBTITLES,
}  # fmt: skip
_OTHERS = frozenset({
    ".doc", ".odt", ".rtf", ".pages", ".mobi", ".azw", ".azw3", ".kfx", ".fb2", ".djvu", ".xls", ".xlsx", ".ods",
    ".ppt", ".pptx", ".odp", ".zip", ".gz", ".7z", ".rar", ".tar", ".jpg", ".jpeg", ".png", ".gif", ".webp", ".tif",
    ".tiff", ".mp3", ".wav", ".flac", ".ogg", ".m4a", ".m4b", ".mp4", ".exe", ".dmg",
})  # fmt: skip
SUFFIXES = tuple(_READERS)
PROJECT_SUFFIX = ".kokoro"
OUT_OF_MEMORY_CODE = 9
MAX_SECONDS = 120.0
"""The time limit; a book of a thousand pages takes a few seconds."""
MEMORY_BYTES = 1_500_000_000
PROCESSOR_SECONDS = 100
WATCH_SECONDS = 0.1
SAMPLE_CHARACTERS = 20_000
_MIN_WORDS = 20
_MIN_SHARE = 0.12
"""The lowest share of frequent words; in prose, every third word is among the most frequent ones of its language."""
_CLEARLY = 1.5
_FREQUENT = {
    "en": "the and of to a in that was he it is his for with as had you not be her on at by which have or from this",
    "fr": "de la le et les des en un une que qui dans pour pas est il elle sur au ne se plus par ce avec je du vous",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más pero sus le ya o este fue",
    "it": "di e il la che in un per non una è sono del si con della da le i al gli alla nel ma come anche era più lo",
    "pt": "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou era",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an er so ich war",
    "nl": "de het een en van ik te dat die in je niet zijn is was op aan met als voor had er maar om hem dan zou of",
    "sv": "och att det som en på är av för med den till inte om ett han men var jag sig från vi så kan när hon hade",
    "pl": "i w nie na się z że do to jest o jak ale po co tak za od by był go już tylko jego może przez ma czy pod",
}
_WRITINGS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
)
_LETTERS = re.compile(r"[^\W\d_]+")
_WRITTEN_SHARE = 0.2


def reader_of(path: Path) -> str:
    """Return the module that reads a file; a file with an unknown suffix is read as plain text.

    Raises `UnusableDocument` for known unsupported formats.
    """
    suffix = path.suffix.casefold()
    if suffix == PROJECT_SUFFIX:
        raise UnusableDocument(f"“{path.name}” is a project, not a document.", "Open it on its own.")
    if suffix in _OTHERS:
        raise UnusableDocument(
            f"Kokoro Desk can’t open “{path.name}”: its format isn’t supported.",
            "Save it as a .docx, .epub, .pdf, .html or .txt first.",
        )
    return _READERS.get(suffix, _TEXT)


def is_archive(path: Path) -> bool:
    """Return whether a document is an archive that contains its pictures."""
    return reader_of(path) in (_BOOK, _WORD)


def max_bytes(path: Path) -> int:
    """Return the size limit for a file of this kind, in bytes."""
    is_text = reader_of(path) in (_TEXT, _MARKDOWN, _PAGE, _SUBTITLES)
    return MAX_TEXT_BYTES if is_text else MAX_FILE_BYTES


def read_document(path: Path, cancel: threading.Event | None = None) -> Document:
    """Read a document in plain text, Markdown, HTML, DOCX, EPUB or PDF, according to its suffix.

    Its headings and emphasis are spans of the text, and its pictures names for `read_picture`. Raises
    `UnusableDocument` or a subclass with one sentence about the file, and `Canceled` soon after `cancel` is set.
    """
    path = path.absolute()
    _check(path)
    try:
        return call(read_within_limits, path, cancel=cancel, seconds=MAX_SECONDS)
    except CallTimedOut:
        raise too_large(path.name) from None
    except ProcessEnded as ended:
        raise _ended(path.name, ended.code) from None


def too_large(name: str) -> OversizedDocument:
    """Return the error for a document that would take too much memory or time."""
    return OversizedDocument(f"“{name}” is too large or complex to open.", "Split it into smaller files.")


def _check(path: Path) -> None:
    """Raise `UnusableDocument` if a file clearly cannot be read, without parsing it."""
    try:
        is_file, size = path.is_file(), path.stat().st_size
        if is_file:  # opening a pipe without a writer would block
            with path.open("rb"):
                pass
    except FileNotFoundError as error:
        raise UnusableDocument(
            f"“{path.name}” can’t be found in {path.parent}.", "Open it from its new place."
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnusableDocument(f"“{path.name}” can’t be read ({reason}).", "Choose a different one.") from error
    if path.is_dir():
        raise UnusableDocument(f"“{path.name}” is a folder.", "Choose a file in it.")
    if not is_file:
        raise UnusableDocument(f"“{path.name}” isn’t a file.", "Choose a file.")
    if size > (limit := max_bytes(path)):
        raise OversizedDocument(
            f"“{path.name}” is {size / 1e6:,.0f} MB; the limit is {limit / 1e6:,.0f} MB.",
            "Split it into smaller files.",
        )


def _ended(name: str, code: int) -> UnusableDocument:
    """Return the error for a process that ended without a result."""
    if code in (OUT_OF_MEMORY_CODE, -signal.SIGXCPU, -signal.SIGKILL):
        return too_large(name)
    return DamagedDocument(f"“{name}” couldn’t be opened. The file may be damaged.", "Get the document again.")


def read_within_limits(path: Path) -> Document:
    """Read the document in a dedicated process; raises an `UnusableDocument`."""
    limit_this_process()
    return read(path)


def limit_this_process() -> None:
    """Irrevocably limit the memory, time and files of this process to the needs of a book."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
    if sys.platform == "linux":  # macOS accepts this limit but does not enforce it
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    while peak_bytes() < MEMORY_BYTES:
        time.sleep(WATCH_SECONDS)
    os._exit(OUT_OF_MEMORY_CODE)


def read(path: Path) -> Document:
    """Read the document in this process; raises an `UnusableDocument`."""
    reader = import_module(f"engine.text.documents.{reader_of(path)}")
    try:
        document: Document = reader.read(path)
    except MemoryError as error:
        raise too_large(path.name) from error
    except OSError as error:
        raise UnusableDocument(f"“{path.name}” can’t be read ({error.strerror}).", "Choose a different one.") from error
    except EngineError:
        raise
    except Exception as error:  # a bug in a library, triggered by an unexpected file
        raise DamagedDocument(
            f"“{path.name}” is damaged ({type(error).__name__}).", "Get the document again."
        ) from error
    if not document.chapters:
        raise UnusableDocument(f"“{path.name}” has no text.", "Choose a different one.")
    text = "\n".join(chapter.text for chapter in document.chapters[:3])
    return replace(document, language=language_of_document(document.language, text))


def guessed_language(text: str) -> str:
    """Return the BCP 47 tag of the language, without a region; empty if it is not clear."""
    sample = text[:SAMPLE_CHARACTERS]
    letters = sum(character.isalpha() for character in sample)
    for tag, writing in _WRITINGS:
        if letters and len(writing.findall(sample)) > _WRITTEN_SHARE * letters:
            return tag
    words = Counter(_LETTERS.findall(sample.casefold()))
    shares = {tag: sum(words[word] for word in frequent.split()) for tag, frequent in _FREQUENT.items()}
    (best, most), (_, second) = Counter(shares).most_common(2)
    total = words.total()
    clear = total >= _MIN_WORDS and most >= _MIN_SHARE * total and most >= _CLEARLY * second
    return best if clear else ""


def language_of_document(told: str, text: str) -> str:
    """Return the declared language of a document, unless its text is clearly in a different one.

    Programs often declare their own language instead.
    """
    guessed = guessed_language(text)
    base = told.replace("_", "-").partition("-")[0].casefold()
    return told.replace("_", "-") if not guessed or guessed == base else guessed
