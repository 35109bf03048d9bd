"""Words the lexicon lacks: pronounced by their spelling, or else letter by letter, remembered for a notice.

A word comes as misaki's token.
"""

from __future__ import annotations

import re
from typing import Any

from engine.g2p.letter_to_sound import LetterToSound
from engine.speech import Source

RATING_BY_SPELLING = 2
RATING_SPELLED = 1
"""On misaki's scale, where 3 and 4 are its lexicon."""

SIGNS = re.compile(r"[^\w'-]|_")
"""What espeak would call by its name."""


class UnknownWords:
    """misaki's `fallback`: called with a token, returns its phonemes and a rating.

    What could not be pronounced is collected for `reports`.
    """

    def __init__(self, lexicon: Any, letter_to_sound: LetterToSound | None) -> None:
        self._lexicon = lexicon
        self._letter_to_sound = letter_to_sound
        self._problems: list[tuple[str, int, int]] = []
        self._sources: dict[int, Source] = {}

    def __call__(self, token: Any) -> tuple[str, int]:
        """Phonemes and rating of a token; no phonemes if it contains nothing to speak."""
        if not any(map(str.isalnum, token.text)):
            return "", RATING_SPELLED
        spelling = SIGNS.sub(" ", token.text)
        phonemes = self._letter_to_sound.phonemes(spelling) if self._letter_to_sound else ""
        self._sources[int(token.start_ts)] = Source.ESPEAK if phonemes else Source.LETTERS
        return (phonemes, RATING_BY_SPELLING) if phonemes else (self._spell(token), RATING_SPELLED)

    def sources(self) -> dict[int, Source]:
        """What gave the phonemes of the words that it was called with since the last call, by their starts."""
        sources, self._sources = self._sources, {}
        return sources

    def reports(self) -> list[tuple[str, int, int]]:
        """Message, start and end of each word that was not pronounced since the last call."""
        problems, self._problems = self._problems, []
        return problems

    def _spell(self, token: Any) -> str:
        letters = [self._lexicon.get_NNP(letter)[0] for letter in token.text if letter.isalpha()]
        phonemes = " ".join(letter for letter in letters if letter)
        what = "is spelled" if phonemes else "is left out"
        message = f"“{token.text}” is in no dictionary of this voice; it {what}."
        self._problems.append((message, int(token.start_ts), int(token.end_ts)))
        return phonemes


def load_letter_to_sound(british: bool) -> LetterToSound | None:
    """Pronunciation by spelling, or `None` if its library cannot be loaded."""
    try:
        return LetterToSound(british)
    except (AttributeError, OSError):
        return None
