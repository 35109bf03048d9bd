"""The position of the spoken text in a document that may have been edited since."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from PySide6.QtGui import QTextCursor, QTextDocument

from app.widgets.text_views import Utf16Positions, character_of, span_in
from engine.speech import Utterance

_AS_PLAIN_TEXT = str.maketrans({"\u2028": "\n", "\u2029": "\n", "\u00a0": " "})
"""The characters that a document stores, each with the original that its plain text has."""


@dataclass(frozen=True)
class _Edited:
    """A text of `length` characters that now reads `now`, and the numbers of unchanged ones at its start and end."""

    length: int
    now: str
    same_before: int
    same_after: int

    def offset_now(self, offset: int) -> int | None:
        """Return the new offset of a character of the old text; None inside the edited part."""
        if offset <= self.same_before:
            return offset
        return offset + len(self.now) - self.length if offset >= self.length - self.same_after else None

    def offset_before(self, offset: int) -> int:
        """Return the old offset of a character of the new text; inside the edited part, its start."""
        if offset <= self.same_before:
            return offset
        inside = offset < len(self.now) - self.same_after
        return self.same_before if inside else offset + self.length - len(self.now)


@dataclass(frozen=True)
class _Piece:
    """Characters `start` to `end` of the spoken text, which read `text`, and their current place in the document."""

    start: int
    end: int
    text: str
    cursor: QTextCursor

    def edited(self) -> _Edited:
        now = self.cursor.selectedText().translate(_AS_PLAIN_TEXT)
        return _Edited(len(self.text), now, *unchanged(self.text, now))

    def position(self, character: int) -> int | None:
        """Return the current position of a character; None if it was edited."""
        edited = self.edited()
        offset = edited.offset_now(min(character, self.end) - self.start)
        return None if offset is None else self.cursor.selectionStart() + Utf16Positions(edited.now).of(offset)

    def character(self, position: int) -> int:
        """Return the character at a position inside the piece."""
        edited = self.edited()
        return self.start + edited.offset_before(character_of(edited.now, position - self.cursor.selectionStart()))


class SpokenTextMap:
    """Maps between the spoken text and its document.

    Characters are those of the text as it was spoken, positions those of the document, in Qt's UTF-16 units. Utterances
    move along with text typed before them. Inside an utterance that was edited, everything before and after the edited
    part is still found.
    """

    def __init__(self, document: QTextDocument) -> None:
        self._document = document
        self._whole: _Piece | None = None
        self._pieces: list[_Piece] = []
        self._by_index: dict[int, _Piece] = {}

    def begin_text(self, text: str) -> None:
        """Start with a new spoken `text`, forgetting the one before.

        It is found only if the document contains it now.
        """
        self._whole, self._pieces, self._by_index = None, [], {}
        if text and text == self._document.toPlainText():
            whole = span_in(self._document, 0, self._document.characterCount() - 1)
            self._whole = _Piece(0, len(text), text, whole)

    def remember(self, utterances: Sequence[Utterance]) -> None:
        """Remember the places of more utterances, in the order of the text; utterances already edited are left out.

        If the plan has changed, the new utterances replace all from the first different one on.
        """
        if self._whole is None:
            return
        self._forget_others(utterances)
        edited = self._whole.edited()
        positions, origin = Utf16Positions(edited.now), self._whole.cursor.selectionStart()
        for each in utterances:
            start, end = edited.offset_now(each.start), edited.offset_now(each.end)
            if each.index not in self._by_index and start is not None and end is not None:
                cursor = span_in(self._document, origin + positions.of(start), origin + positions.of(end))
                piece = _Piece(each.start, each.end, self._whole.text[each.start : each.end], cursor)
                self._by_index[each.index] = piece
                self._pieces.append(piece)

    def utterance(self, utterance: Utterance) -> QTextCursor | None:
        """Return the remainder of an utterance; None if nothing is left, or it was never remembered."""
        piece = self._by_index.get(utterance.index)
        return QTextCursor(piece.cursor) if piece is not None and piece.cursor.hasSelection() else None

    def span(self, start: int, end: int) -> QTextCursor | None:
        """Return characters `start` to `end`; None if they are no longer there."""
        first, last = self._piece_before(start), self._piece_before(end - 1)
        if first is None or last is None:
            return None
        begin, stop = first.position(start), last.position(end)
        return span_in(self._document, begin, stop) if begin is not None and stop is not None and begin < stop else None

    def character_at(self, position: int) -> int | None:
        """Return the character at a position, or between utterances the next one that is spoken.

        None after the last.
        """
        if self._whole is not None and self._pieces and position < self._pieces[0].cursor.selectionStart():
            return self._whole.character(position)  # it may be before the spoken part
        for piece in self._pieces:
            if position < piece.cursor.selectionEnd():
                return piece.character(max(position, piece.cursor.selectionStart()))
        return None

    def _forget_others(self, utterances: Sequence[Utterance]) -> None:
        known = ((each, self._by_index[each.index]) for each in utterances if each.index in self._by_index)
        changed = (each.index for each, piece in known if (each.start, each.end) != (piece.start, piece.end))
        first = next(changed, None)
        if first is not None:
            self._by_index = {index: piece for index, piece in self._by_index.items() if index < first}
            self._pieces = list(self._by_index.values())

    def _piece_before(self, character: int) -> _Piece | None:
        """Return the last piece that starts at this character or before."""
        index = bisect_right(self._pieces, character, key=lambda piece: piece.start) - 1
        return self._pieces[index] if index >= 0 else None


def unchanged(before: str, now: str) -> tuple[int, int]:
    """Return the number of equal characters at the start, and of the rest at the end."""
    if before == now:
        return len(now), 0
    start = _same_at_start(before, now)
    left = min(len(before), len(now)) - start
    return start, min(left, _same_at_start(reversed(before), reversed(now)))


def _same_at_start(first: Iterable[str], second: Iterable[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
