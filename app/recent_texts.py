"""The most recent texts of the editor, each in a separate file."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from engine.errors import EngineError
from engine.system.atomic_write import write_atomically, write_error
from engine.system.paths import data_folder

TEXTS_KEPT = 10
TITLE_CHARACTERS = 40


class TextNotSaved(EngineError):
    """The text in the editor could not be written."""


@dataclass(frozen=True)
class RecentText:
    """A text, its file, and the time of the last change."""

    text: str
    path: Path
    written: datetime

    @property
    def title(self) -> str:
        """The first words of the text, with day and time."""
        return f"{first_words(self.text)} ({self.written:%d %b, %H:%M})"


def first_words(text: str) -> str:
    """Return the beginning of a text, as a title."""
    words = " ".join(text[: 10 * TITLE_CHARACTERS].split())
    if len(words) <= TITLE_CHARACTERS:
        return words
    return f"{words[: TITLE_CHARACTERS + 1].rsplit(' ', 1)[0][:TITLE_CHARACTERS]}…"


class RecentTexts:
    """The ten most recent distinct texts; saving replaces the current one until `begin_text`."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or data_folder() / "texts"
        self._current: Path | None = None

    @property
    def texts(self) -> list[RecentText]:
        """The texts, latest first; unreadable files are skipped."""
        texts = [text for path in self._folder.glob("*.txt") if (text := _read(path)) is not None]
        return sorted(texts, key=lambda each: (each.written, each.path), reverse=True)

    def begin_text(self) -> None:
        """Let the next `add_text` add a new text."""
        self._current = None

    def add_text(self, text: str) -> None:
        """Write a text, unless it is blank; raises `TextNotSaved` if that fails."""
        if not text.strip():
            return
        path = self._current or self._folder / f"{time.time_ns()}.txt"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(path, text.encode(errors="replace"))
            self._current = path
            self._forget_others(path, text)
        except OSError as error:
            words = f"Your text isn’t being saved. {write_error(path, error).message}"
            raise TextNotSaved(words, "Copy it elsewhere before you close the window.") from error

    def _forget_others(self, path: Path, text: str) -> None:
        others = [each for each in self.texts if each.path != path]
        same = [each for each in others if each.text == text]
        different = [each for each in others if each.text != text]
        for other in same + different[TEXTS_KEPT - 1 :]:
            other.path.unlink(missing_ok=True)


def _read(path: Path) -> RecentText | None:
    try:
        written = datetime.fromtimestamp(path.stat().st_mtime)
        return RecentText(path.read_bytes().decode(errors="replace"), path, written)
    except OSError:  # a different window has just removed it
        return None
