"""The two languages that can be spoken, and what differs between them beyond pronunciation.

It does not know how either is pronounced.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InvalidRequest


@dataclass(frozen=True)
class Language:
    """A variety of English: `tag` as in BCP 47; `day_first` is the order of 3/4/2025."""

    tag: str
    british: bool

    @property
    def day_first(self) -> bool:
        """Whether 3/4/2025 is in April."""
        return self.british


AMERICAN = Language("en-US", british=False)
BRITISH = Language("en-GB", british=True)
LANGUAGES = (AMERICAN, BRITISH)


def language_of(tag: str) -> Language:
    """The language with this BCP 47 tag; raises `InvalidRequest` for any other."""
    for language in LANGUAGES:
        if language.tag == tag:
            return language
    known = " or ".join(language.tag for language in LANGUAGES)
    raise InvalidRequest(f"The language “{tag}” cannot be spoken.", f"Choose a voice for {known}.")
