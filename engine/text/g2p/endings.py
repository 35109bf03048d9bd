"""Finds words with a regular ending, and pronounces it, by misaki's rules: “Zorg's”, “Zorgs”, “zorging”, “Zorg'll”.

Importing this module loads misaki and spaCy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from misaki import en

from engine.text.g2p.lexicon import CONTRACTION, Lexicon, contracted
from engine.text.g2p.pieces import Ending

ANY_PHONEMES = "a"
"""Phonemes to which every ending can be appended."""


class Endings(en.Lexicon):
    """misaki's rules of endings, applied to words that its lexicon may lack; `lexicon` is that of the accent."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.british = lexicon.british
        self._lexicon = lexicon
        self._is_entry: Callable[[str], bool] = bool
        self._found = ""

    def of(self, word: str, is_entry: Callable[[str], bool]) -> tuple[str, Ending] | None:
        """Return the entry of which a word in lowercase is a regular form, and its ending; None if there is none.

        A word that misaki's lexicon has is no form of an entry if it does not sound like one: “does” is not from “doe”.
        """
        found = self._stem(word, is_entry)
        return found if found is not None and self._is_regular(word, *found) else None

    def forms(self, word: str) -> dict[str, str]:
        """Return the pronunciations of a word, or of a regular form of one, by its form; see `Lexicon.forms`."""
        for written in dict.fromkeys((word, word.lower())):
            if found := self._lexicon.forms(written):
                return {form: phonemes for form, phonemes in found.items() if phonemes}
        stem = self.of(word.lower(), lambda each: bool(self._lexicon.forms(each)))
        if stem is None:
            return {}
        base, ending = stem
        return {form: changed for form, phonemes in self.forms(base).items() if (changed := ending(phonemes))}

    def is_known(self, word: str, tag: str | None) -> bool:
        """Return whether a word is an entry; called by misaki's rules."""
        return self._is_entry(word)

    def lookup(self, word: str, tag: str | None, stress: float | None, ctx: Any) -> tuple[str, int]:
        """Note the entry that misaki's rules have found."""
        self._found = word
        return ANY_PHONEMES, 4

    def _stem(self, word: str, is_entry: Callable[[str], bool]) -> tuple[str, Ending] | None:
        self._is_entry, self._found = is_entry, ""
        for find_stem, ending in ((self.stem_s, self._s), (self.stem_ed, self._ed), (self.stem_ing, self._ing)):
            find_stem(word, None, None, None)
            if self._found:
                return self._found, ending
        match = CONTRACTION.fullmatch(word)
        if match is None or not is_entry(match["word"]):
            return None
        return match["word"], lambda phonemes: contracted(word, lambda whole: phonemes, self.british)

    def _is_regular(self, word: str, stem: str, ending: Ending) -> bool:
        known = set(self._lexicon.forms(word).values())
        return (
            not known
            or word == f"{stem}'s"
            or not known.isdisjoint(ending(each) for each in self._lexicon.forms(stem).values() if each)
        )
