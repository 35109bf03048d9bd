"""The edits of the most recent texts, in memory and in one file of the data folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from engine.runtime.edit_files import edits_from
from engine.speech import Utterance, UtteranceEdit
from engine.system.json_text import json_value
from engine.system.paths import data_folder
from engine.system.whole_file import write_atomically

MAX_TEXTS = 200


@dataclass(frozen=True)
class SentenceEdit:
    """The edit of a sentence, with its characters, by which it is found in a changed text."""

    sentence: str
    edit: UtteranceEdit


class TextEdits(QObject):
    """The edits of up to `MAX_TEXTS` texts, each identified by its digest; changes are saved immediately.

    `changed` is emitted after every change. If saving fails, edits last until the window closes.
    """

    changed = Signal()

    def __init__(self, file: Path | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._file = file or data_folder() / "edits.json"
        self._texts = _texts_in(self._file)
        self._own = ""

    def of(self, text: str) -> tuple[UtteranceEdit, ...]:
        """Return the edits of a text, in the order of its sentences."""
        return tuple(each.edit for each in self._texts.get(_digest(text), ())) if self._texts else ()

    def at(self, text: str, utterance: Utterance) -> UtteranceEdit:
        """Return the edit of an utterance, planned without edits; that of its text if there is none."""
        found = (each for each in self.of(text) if (each.start, each.phonemes) == (utterance.start, utterance.phonemes))
        return next(found, edit_of(utterance))

    def put(self, text: str, utterance: Utterance, edit: UtteranceEdit) -> None:
        """Replace the edit of an utterance, planned without edits; one without changes by the user is removed."""
        digest = _digest(text)
        others = [each for each in self._texts.pop(digest, ()) if each.edit.start != edit.start]
        if edit != edit_of(utterance):
            others.append(SentenceEdit(text[utterance.start : utterance.end], edit))
        self._keep(digest, others)

    def follow(self, text: str) -> None:
        """Follow the changes of this text from now on; see `move`."""
        self._own = _digest(text) if self._texts else ""

    def move(self, text: str, start: int, removed: int, added: int) -> None:
        """Adapt the edits of the text that is followed after `removed` characters at `start` gave way to `added` ones.

        `text` is the new text. Edits of sentences behind the change move; those of changed sentences are dropped.
        """
        digest = _digest(text) if self._texts else ""
        before, self._own = self._own, digest
        edits = self._texts.get(before, ())
        if not edits or before == digest:
            return
        by = added - removed
        moved = (
            each if each.edit.start < start else replace(each, edit=replace(each.edit, start=each.edit.start + by))
            for each in edits
        )
        del self._texts[before]
        self._keep(digest, [each for each in moved if _is_there(text, each)])

    def _keep(self, digest: str, edits: Iterable[SentenceEdit]) -> None:
        kept = tuple(sorted(edits, key=lambda each: each.edit.start))
        if kept:
            self._texts[digest] = kept
        for oldest in list(self._texts)[:-MAX_TEXTS]:
            del self._texts[oldest]
        self._write()
        self.changed.emit()

    def _write(self) -> None:
        content = {digest: [asdict(each) for each in edits] for digest, edits in self._texts.items()}
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._file, json.dumps(content).encode(errors="replace"))


def edit_of(utterance: Utterance) -> UtteranceEdit:
    """Return the edit that the text gives to an utterance, planned without edits: that of its tags."""
    return utterance.edit or UtteranceEdit(utterance.start, utterance.phonemes)


def _is_there(text: str, each: SentenceEdit) -> bool:
    """Return whether the sentence of an edit is in the text, with no letters directly before or after it."""
    start, end = each.edit.start, each.edit.start + len(each.sentence)
    if start < 0 or text[start:end] != each.sentence:
        return False
    return not text[max(start - 1, 0) : start].isalnum() and not text[end : end + 1].isalnum()


@lru_cache(maxsize=4)
def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _texts_in(file: Path) -> dict[str, tuple[SentenceEdit, ...]]:
    """Return the texts in a file; an invalid file is renamed, so that it is not overwritten."""
    try:
        content = json_value(file.read_bytes())
        if isinstance(content, Mapping):
            return {str(digest): _edits_in(entries) for digest, entries in content.items()}
    except OSError:
        return {}
    except (ValueError, TypeError, KeyError):
        pass
    with suppress(OSError):
        file.replace(file.with_suffix(".damaged"))
    return {}


def _edits_in(entries: object) -> tuple[SentenceEdit, ...]:
    if not isinstance(entries, list):
        raise TypeError("These are no edits.")
    edits = edits_from([entry["edit"] for entry in entries])
    return tuple(SentenceEdit(str(entry["sentence"]), edit) for entry, edit in zip(entries, edits, strict=True))
