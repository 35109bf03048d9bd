"""The edits and definitions of the most recent texts, in memory and in one file of the data folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from engine.runtime.edit_files import definitions_from, edits_from
from engine.speech import NO_DEFINITIONS, Definitions, Utterance, UtteranceEdit
from engine.system.atomic_write import write_atomically
from engine.system.json_text import json_value
from engine.system.paths import data_folder

MAX_TEXTS = 200


@dataclass(frozen=True)
class SentenceEdit:
    """The edit of a sentence, with its characters, by which it is found in a changed text."""

    sentence: str
    edit: UtteranceEdit


@dataclass(frozen=True)
class _Kept:
    """The edits of a text, and the definitions that it brought along, such as from a project."""

    edits: tuple[SentenceEdit, ...] = ()
    definitions: Definitions = NO_DEFINITIONS


_NOTHING = _Kept()


class TextEdits(QObject):
    """The edits and definitions of up to `MAX_TEXTS` texts, each identified by its digest; changes are saved at once.

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
        return tuple(each.edit for each in self._of(text).edits)

    def definitions_of(self, text: str) -> Definitions:
        """Return the pronunciations and blends that a text brought along."""
        return self._of(text).definitions

    def adopt(self, text: str, edits: Iterable[UtteranceEdit], definitions: Definitions) -> None:
        """Replace the edits and definitions of a text; `tell_sentences` completes this."""
        edits = sorted(edits, key=lambda each: each.start)
        spans = pairwise([*(each.start for each in edits), len(text)])
        sentences = [text[start : min(end, _end_of_paragraph(text, start))].rstrip() for start, end in spans]
        kept = map(SentenceEdit, sentences, edits)
        self._texts.pop(_digest(text), None)
        self._keep(_digest(text), kept, definitions)

    def tell_sentences(self, text: str, utterances: Iterable[Utterance]) -> None:
        """Note where the sentences of adopted edits end."""
        kept, ends = self._of(text), {each.start: each.end for each in utterances}
        if kept.edits:
            exact = [
                replace(each, sentence=text[each.edit.start : ends[each.edit.start]])
                if each.edit.start in ends
                else each
                for each in kept.edits
            ]
            self._texts[_digest(text)] = replace(kept, edits=tuple(exact))
            self._write()

    def at(self, text: str, utterance: Utterance) -> UtteranceEdit:
        """Return the edit of an utterance, planned without edits; that of its text if there is none."""
        found = (each for each in self.of(text) if (each.start, each.phonemes) == (utterance.start, utterance.phonemes))
        return next(found, edit_of(utterance))

    def put(self, text: str, utterance: Utterance, edit: UtteranceEdit) -> None:
        """Replace the edit of an utterance, planned without edits; one without changes by the user is removed."""
        digest = _digest(text)
        kept = self._texts.pop(digest, _NOTHING)
        others = [each for each in kept.edits if each.edit.start != edit.start]
        if edit != edit_of(utterance):
            others.append(SentenceEdit(text[utterance.start : utterance.end], edit))
        self._keep(digest, others, kept.definitions)

    def follow_text_changes(self, text: str) -> None:
        """Follow the changes of this text from now on; see `move`."""
        self._own = _digest(text) if self._texts else ""

    def move(self, text: str, start: int, removed: int, added: int) -> None:
        """Adapt the edits of the text that is followed after `removed` characters at `start` gave way to `added` ones.

        `text` is the new text. Edits of sentences behind the change move; those of changed sentences are dropped.
        """
        digest = _digest(text) if self._texts else ""
        before, self._own = self._own, digest
        kept = self._texts.get(before, _NOTHING)
        if kept == _NOTHING or before == digest:
            return
        by = added - removed
        moved = (
            each if each.edit.start < start else replace(each, edit=replace(each.edit, start=each.edit.start + by))
            for each in kept.edits
        )
        del self._texts[before]
        self._keep(digest, [each for each in moved if _is_there(text, each)], kept.definitions)

    def _of(self, text: str) -> _Kept:
        return self._texts.get(_digest(text), _NOTHING) if self._texts else _NOTHING

    def _keep(self, digest: str, edits: Iterable[SentenceEdit], definitions: Definitions) -> None:
        kept = _Kept(tuple(sorted(edits, key=lambda each: each.edit.start)), definitions)
        if kept != _NOTHING:
            self._texts[digest] = kept
        for oldest in list(self._texts)[:-MAX_TEXTS]:
            del self._texts[oldest]
        self._write()
        self.changed.emit()

    def _write(self) -> None:
        content = {digest: _values_of(kept) for digest, kept in self._texts.items()}
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


def _end_of_paragraph(text: str, start: int) -> int:
    end = text.find("\n\n", start)
    return len(text) if end < 0 else end


def _values_of(kept: _Kept) -> object:
    """Return JSON values: a list of edits, as before there were definitions, or an object with both."""
    edits = [asdict(each) for each in kept.edits]
    return edits if kept.definitions == NO_DEFINITIONS else {"edits": edits, "definitions": asdict(kept.definitions)}


def _texts_in(file: Path) -> dict[str, _Kept]:
    """Return the texts in a file; an invalid file is renamed, so that it is not overwritten."""
    try:
        content = json_value(file.read_bytes())
        if isinstance(content, Mapping):
            return {str(digest): _kept_in(values) for digest, values in content.items()}
    except OSError:
        return {}
    except (ValueError, TypeError, KeyError):
        pass
    with suppress(OSError):
        file.replace(file.with_suffix(".damaged"))
    return {}


def _kept_in(values: object) -> _Kept:
    if isinstance(values, Mapping):
        return _Kept(_edits_in(values["edits"]), definitions_from(values["definitions"]))
    return _Kept(_edits_in(values))


def _edits_in(entries: object) -> tuple[SentenceEdit, ...]:
    if not isinstance(entries, list):
        raise TypeError("These are no edits.")
    edits = edits_from([entry["edit"] for entry in entries])
    return tuple(SentenceEdit(str(entry["sentence"]), edit) for entry, edit in zip(entries, edits, strict=True))
