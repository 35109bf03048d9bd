"""The process that reads one document, under limits that it cannot raise: the file may be made to do harm."""

from __future__ import annotations

import os
import re
import resource
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from engine.errors import DamagedDocument, EngineError, UnusableDocument
from engine.system.child_process import error_fields, message_writer
from engine.system.memory import peak_bytes
from engine.text.documents.document import Document, encoded
from engine.text.documents.reading import OUT_OF_MEMORY_CODE, reader_of, too_large

SAMPLE_CHARACTERS = 20_000
_LEAST_WORDS = 20
_LEAST_SHARE = 0.12
"""In prose every third word is among the most frequent of its language; in another language few are."""
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
_WORD = re.compile(r"[^\W\d_]+")
_WRITTEN_SHARE = 0.2
MEMORY_BYTES = 1_500_000_000
PROCESSOR_SECONDS = 100
WATCH_SECONDS = 0.1


def guessed_language(text: str) -> str:
    """The BCP 47 tag of the language, without a region; empty if it is not clear."""
    sample = text[:SAMPLE_CHARACTERS]
    letters = sum(character.isalpha() for character in sample)
    for tag, writing in _WRITINGS:
        if letters and len(writing.findall(sample)) > _WRITTEN_SHARE * letters:
            return tag
    words = Counter(_WORD.findall(sample.casefold()))
    shares = {tag: sum(words[word] for word in frequent.split()) for tag, frequent in _FREQUENT.items()}
    (best, most), (_, second) = Counter(shares).most_common(2)
    total = words.total()
    clear = total >= _LEAST_WORDS and most >= _LEAST_SHARE * total and most >= _CLEARLY * second
    return best if clear else ""


def language_of_document(told: str, text: str) -> str:
    """The language that a document tells, unless its text is clearly in another; programs often tell their own."""
    guessed = guessed_language(text)
    base = told.replace("_", "-").partition("-")[0].casefold()
    return told.replace("_", "-") if not guessed or guessed == base else guessed


def read(path: Path) -> Document:
    """The document, read here and now; raises an `UnusableDocument`."""
    reader = import_module(f"engine.text.documents.{reader_of(path)}")
    try:
        document: Document = reader.read(path)
    except MemoryError as error:
        raise too_large(path.name) from error
    except OSError as error:
        raise UnusableDocument(f"“{path.name}” cannot be read ({error.strerror}).", "Choose another one.") from error
    except EngineError:
        raise
    except Exception as error:  # a library met with something that its makers did not expect
        raise DamagedDocument(
            f"“{path.name}” is damaged ({type(error).__name__}).", "Get another copy of it."
        ) from error
    if not document.chapters:
        raise UnusableDocument(f"“{path.name}” has no text.", "Choose another one.")
    text = "\n".join(chapter.text for chapter in document.chapters[:3])
    return replace(document, language=language_of_document(document.language, text))


def _limit() -> None:
    """Allow no more memory, time and files than a book needs."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
    if sys.platform == "linux":  # macOS takes this limit and does not keep it
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    while peak_bytes() < MEMORY_BYTES:
        time.sleep(WATCH_SECONDS)
    os._exit(OUT_OF_MEMORY_CODE)


def main(path: Path) -> int:
    """Read a document and write it, or the error, to standard output; returns the exit code."""
    write = message_writer()
    _limit()
    try:
        write(encoded(read(path)))
    except EngineError as error:
        write(error_fields(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
