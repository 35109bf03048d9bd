"""Rewrites a text from written to spoken form, and collects notices.

It maps each character to its origin in the source.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate
from typing import Protocol

from engine.speech import Notice, PronunciationSource
from engine.text.languages import Language

Replacement = str | None
"""The replacement of a match; None leaves the match unchanged."""
WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Span:
    """A piece of a text: characters `start` to `end`, `end` not included."""

    start: int
    end: int


@dataclass(frozen=True)
class WrittenForm(Span):
    """The written form of spoken text; `source` is the origin of its pronunciation, see `WrittenWord`."""

    source: str = ""


class Finder(Protocol):
    """A compiled pattern, or anything else that finds places to rewrite."""

    def finditer(self, text: str, /) -> Iterator[re.Match[str]]:
        """Yield the places in order; one that begins inside an earlier one is ignored."""


@dataclass(frozen=True)
class SourcedText:
    """A text with the offset in the source of each border between its characters.

    `borders` has one entry more than `text` has characters and never decreases. `rewritten` are the spans of the source
    that are not spoken letter by letter, such as numbers; they may overlap.
    """

    text: str
    borders: tuple[int, ...]
    rewritten: tuple[WrittenForm, ...] = ()

    @classmethod
    def of(cls, source: str) -> SourcedText:
        """Return the source itself: each border is its own offset."""
        return cls(source, tuple(range(len(source) + 1)))

    def source_span(self, start: int, end: int) -> Span:
        """Return the span of the source that the characters `start` to `end` stand for."""
        return Span(self.borders[start], self.borders[end])

    def written_span(self, start: int, end: int) -> WrittenForm:
        """Return the written form of the characters `start` to `end`, of which there is at least one.

        A rewritten span counts as a whole; text removed after a word is not included.
        """
        first, last = self._whole(self.borders[start]), self._whole(self.borders[end - 1])
        return WrittenForm(first.start, last.end, first.source or last.source)

    def moved(self, offset: int) -> SourcedText:
        """Return the same text for a source with `offset` more characters before it."""
        borders = tuple(border + offset for border in self.borders)
        rewritten = tuple(WrittenForm(each.start + offset, each.end + offset, each.source) for each in self.rewritten)
        return SourcedText(self.text, borders, rewritten)

    def over(self, earlier: SourcedText) -> SourcedText:
        """Return this text for the source of an `earlier` one, whose text is the source of this one."""
        borders = tuple(earlier.borders[border] for border in self.borders)
        rewritten = []
        for each in self.rewritten:
            if each.start < each.end:
                whole = earlier.written_span(each.start, each.end)
                rewritten.append(WrittenForm(whole.start, whole.end, whole.source or each.source))
        return SourcedText(self.text, borders, (*earlier.rewritten, *rewritten))

    def rewrite(
        self, pattern: Finder, replace: Callable[[re.Match[str]], Replacement], source: str = ""
    ) -> SourcedText:
        """Replace each match of the pattern; the new characters share the match's span of the source.

        A replacement with as many words as the match shares it word by word. `source` is the origin of the new words.
        """
        pieces: list[str] = []
        borders: list[int] = []
        rewritten: list[WrittenForm] = []
        done = 0
        for match in pattern.finditer(self.text):
            replacement = replace(match)
            start, end = match.span()
            if replacement is None or start < done:
                continue
            pieces += (self.text[done:start], replacement)
            borders += self.borders[done:start]
            parts = _parts(match, replacement)
            borders += _left_borders(self.borders, match, parts, replacement)
            for part, spoken in parts:
                same = self.text[part.start : part.end].casefold() == replacement[spoken.start : spoken.end].casefold()
                origin = "" if same else source
                rewritten.append(WrittenForm(self.borders[part.start], _end(self.borders, part), origin))
            done = end
        if not pieces:
            return self
        pieces.append(self.text[done:])
        borders += self.borders[done:]
        return SourcedText("".join(pieces), tuple(borders), (*self.rewritten, *rewritten))

    def unwrap(self, pattern: re.Pattern[str], group: str) -> SourcedText:
        """Reduce each match to the group, whose characters keep their own offsets in the source."""
        pieces: list[str] = []
        borders: list[int] = []
        done = 0
        for match in pattern.finditer(self.text):
            inner = slice(*match.span(group))
            pieces += (self.text[done : match.start()], self.text[inner])
            borders += (*self.borders[done : match.start()], *self.borders[inner])
            done = match.end()
        return SourcedText("".join(pieces) + self.text[done:], (*borders, *self.borders[done:]), self.rewritten)

    def _whole(self, offset: int) -> WrittenForm:
        """Return the rewritten part of the source with the character at `offset`, or that character alone."""
        index = bisect_right(self._starts, offset) - 1
        if index >= 0 and offset < self._wholes[index].end:
            return self._wholes[index]
        return WrittenForm(offset, offset + 1)

    @cached_property
    def _wholes(self) -> list[WrittenForm]:
        """The rewritten spans in order, with overlapping ones merged."""
        wholes: list[WrittenForm] = []
        for span in sorted(self.rewritten, key=lambda span: span.start):
            if wholes and span.start < wholes[-1].end:
                last = wholes[-1]
                wholes[-1] = WrittenForm(last.start, max(last.end, span.end), last.source or span.source)
            else:
                wholes.append(span)
        return wholes

    @cached_property
    def _starts(self) -> list[int]:
        return [whole.start for whole in self._wholes]


def _parts(match: re.Match[str], replacement: str) -> list[tuple[Span, Span]]:
    """Pair the matched text with the replacement: word for word if they have equally many words."""
    written = [Span(*word.span()) for word in WORD.finditer(match.string, *match.span())]
    spoken = [Span(*word.span()) for word in WORD.finditer(replacement)]
    if not written or not spoken:
        return []
    if len(written) == len(spoken):
        return list(zip(written, spoken, strict=True))
    return [(Span(written[0].start, written[-1].end), Span(spoken[0].start, spoken[-1].end))]


def _left_borders(
    borders: Sequence[int], match: re.Match[str], parts: Sequence[tuple[Span, Span]], replacement: str
) -> list[int]:
    """Return left borders of the characters of a replacement; text removed after its words counts as spaces."""
    start = end = borders[match.start()]
    left: list[int] = []
    for written, spoken in parts:
        begin = borders[written.start] if left else start
        left += [end] * (spoken.start - len(left))
        left += _shared(begin, _end(borders, written), replacement[spoken.start : spoken.end])
        end = borders[written.end]
    behind = borders[match.end()] if any(map(str.isalnum, replacement)) else start
    return left + [behind] * (len(replacement) - len(left))


def _end(borders: Sequence[int], written: Span) -> int:
    """Return the end of the last character in the source, without text removed after it."""
    return min(borders[written.end - 1] + 1, borders[written.end])


def _shared(start: int, end: int, replacement: str) -> list[int]:
    """Return left borders of the characters of a replacement: letters and digits share the span evenly.

    Signs get no share.
    """
    spoken = [character.isalnum() for character in replacement]
    count, length = max(sum(spoken), 1), end - start
    return [start + length * done // count for done in accumulate(spoken[:-1], initial=0)][: len(replacement)]


Speak = Callable[[re.Match[str], Language], str | None]
"""Returns the spoken form of a match; None leaves the match unchanged."""


@dataclass(frozen=True)
class Rule:
    """A pattern and the spoken form of its matches."""

    pattern: re.Pattern[str]
    speak: Speak


def rule(pattern: str, speak: Speak) -> Rule:
    """Return a rule for a verbose pattern."""
    return Rule(re.compile(pattern, re.VERBOSE), speak)


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


class Draft:
    """A text in the course of rewriting, and the notices about it."""

    def __init__(self, source: str, language: Language) -> None:
        self.language = language
        self.sourced = SourcedText.of(source)
        self.notices: list[Notice] = []

    @property
    def text(self) -> str:
        """The current text."""
        return self.sourced.text

    def apply(self, *rules: Rule, name: str = "") -> None:
        """Apply each rule in turn; `name` is the name of their group."""
        for each in rules:
            self.rewrite(each.pattern, partial(_spoken, each.speak, self.language), name)

    def rewrite(self, pattern: Finder, replace: Callable[[re.Match[str]], str | None], name: str = "") -> None:
        """Replace the matches for which there is a replacement; `name` is the rule's, if it produces words."""
        self.sourced = self.sourced.rewrite(pattern, replace, f"{PronunciationSource.RULE}: {name}" if name else "")

    def notice(self, match: re.Match[str], message: str) -> None:
        """Add a notice for the user about a match in the current text."""
        span = self.sourced.source_span(*match.span())
        self.notices.append(Notice(message, span.start, span.end))

    def unwrap(self, pattern: re.Pattern[str], group: str) -> None:
        """Reduce each match to the named group."""
        self.sourced = self.sourced.unwrap(pattern, group)

    def remove(self, pattern: re.Pattern[str], left: str, what: str) -> None:
        """Replace the matches by `left`, with a notice where more than signs is removed."""
        for match in pattern.finditer(self.text):
            if any(character.isalnum() for character in match[0]):
                self.notice(match, f"{what} isn’t read aloud.")
        self.rewrite(pattern, lambda match: left)

    def leave_out(self, pattern: re.Pattern[str], describe: Callable[[re.Match[str]], str]) -> None:
        """Replace the matches by a space, with a notice about the skipped text."""
        for match in pattern.finditer(self.text):
            self.notice(match, f"{describe(match)} can’t be spoken in {self.language.name} and is skipped.")
        self.rewrite(pattern, lambda match: " ")


def _spoken(speak: Speak, language: Language, match: re.Match[str]) -> str | None:
    return speak(match, language)
