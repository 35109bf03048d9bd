"""A text that is being rewritten from written to spoken form, with the notices that arise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from engine.g2p.spans import SourcedText
from engine.languages import Language
from engine.speech import Notice

Speak = Callable[[re.Match[str], Language], str | None]
"""Gives the spoken form of a match; `None` leaves the match unchanged."""


@dataclass(frozen=True)
class Rule:
    """How one form of writing is spoken."""

    pattern: re.Pattern[str]
    speak: Speak


def rule(pattern: str, speak: Speak) -> Rule:
    """A rule over a verbose pattern."""
    return Rule(re.compile(pattern, re.VERBOSE), speak)


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


class Draft:
    """The text so far, and the notices so far."""

    def __init__(self, source: str, language: Language) -> None:
        self.language = language
        self.sourced = SourcedText.of(source)
        self.notices: list[Notice] = []

    @property
    def text(self) -> str:
        """The text so far."""
        return self.sourced.text

    def apply(self, *rules: Rule, name: str = "") -> None:
        """Rewrite by each rule in turn; `name` is what they are called."""
        for each in rules:
            self.rewrite(each.pattern, partial(_spoken, each.speak, self.language), name)

    def rewrite(self, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str | None], name: str = "") -> None:
        """Replace the matches for which there is a replacement; `name` is the rule's, if words come of it."""
        self.sourced = self.sourced.rewrite(pattern, replace, name)

    def notice(self, match: re.Match[str], message: str) -> None:
        """Add a notice for the user about a match in the text so far."""
        span = self.sourced.source_span(*match.span())
        self.notices.append(Notice(message, span.start, span.end))

    def unwrap(self, pattern: re.Pattern[str], group: str) -> None:
        """Reduce each match to the named group."""
        self.sourced = self.sourced.unwrap(pattern, group)

    def remove(self, pattern: re.Pattern[str], left: str, what: str) -> None:
        """Replace the matches by `left`, with a notice where that removes more than signs."""
        for match in pattern.finditer(self.text):
            if any(character.isalnum() for character in match[0]):
                self.notice(match, f"{what} is not read aloud.")
        self.rewrite(pattern, lambda match: left)

    def leave_out(self, pattern: re.Pattern[str], describe: Callable[[re.Match[str]], str]) -> None:
        """Replace the matches by a space, with a notice of what is not spoken."""
        for match in pattern.finditer(self.text):
            self.notice(match, f"{describe(match)} cannot be spoken in {self.language.name}; it is left out.")
        self.rewrite(pattern, lambda match: " ")


def _spoken(speak: Speak, language: Language, match: re.Match[str]) -> str | None:
    return speak(match, language)
