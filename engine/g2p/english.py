"""English: its rules of writing, and misaki's lexicon.

Importing it loads misaki and spaCy, so it is imported only where a `Phonemizer` is built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.g2p.analysis import Analyser, Homographs
from engine.g2p.lexicon import WordsInCapitals
from engine.g2p.normalise import Normalised, normalise
from engine.g2p.overrides import Override
from engine.g2p.phonemes import Pronouncer
from engine.g2p.pieces import PHRASE_STARTERS, SpokenWord
from engine.languages import Language
from engine.speech import Notice


class EnglishFrontEnd:
    """American or British English; see `FrontEnd`."""

    phrase_starters = PHRASE_STARTERS

    def __init__(self, language: Language, load_analyser: Callable[[Homographs], Analyser]) -> None:
        self._language = language
        self._pronouncer = Pronouncer(language.british, load_analyser)
        self._known = WordsInCapitals(self._pronouncer.lexicon)

    def normalise(self, text: str) -> Normalised:
        """The text with every rule of English writing applied."""
        return normalise(text, self._language, self._known)

    def pronounce(self, text: str, overrides: Sequence[Override]) -> list[SpokenWord]:
        """The words as in the lexicon, or by their spelling if it lacks them."""
        return self._pronouncer.pronounce(text, overrides)

    def reports(self) -> list[Notice]:
        """The words that had to be spelled or left out."""
        return [Notice(*report) for report in self._pronouncer.unknown_words.reports()]
