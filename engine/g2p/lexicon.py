"""misaki's lexicon, looked up in misaki's own files: in memory it would take 50 MB for each accent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from misaki import data, en

from engine.g2p.broken_words import contracted, drawn_out, stuttered
from engine.g2p.sorted_file import SortedFile

RATING_BY_RULE = 3
"""On misaki's scale: that of its larger, less certain dictionary."""
Entry = str | dict[str, str | None]
"""Phonemes, or phonemes by part of speech if they depend on it."""
OPENING, CLOSING = '\n  "', '": '
"""The text around a word in misaki's files, which are indented and contain only ASCII words."""
DEPENDENT = f"{CLOSING}{{\n"
"""Where phonemes by part of speech begin."""


class LexiconFile(Mapping[str, Entry]):
    """What `en.Lexicon.grow_dictionary` makes of one of misaki's files: its words, and each with the other first case.

    “cat” adds “Cat” and “Paris” adds “paris”, unless the file has that word itself.
    """

    def __init__(self, path: Path) -> None:
        self._file = SortedFile(path, OPENING, CLOSING)
        self._decoder = json.JSONDecoder()

    def __getitem__(self, word: str) -> Entry:
        said = self._file.after(word)
        if said is None and (other := other_case(word)):
            said = self._file.after(other)
        if said is None:
            raise KeyError(word)
        entry: Entry = self._decoder.raw_decode(said)[0]
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter(en.Lexicon.grow_dictionary(json.loads(self._file.text())))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def dependent(self) -> dict[str, Entry]:
        """The entries that depend on the part of speech."""
        own = [before.rpartition('"')[2] for before in self._file.text().split(DEPENDENT)[:-1]]
        grown = [word for word in map(other_case, own) if word is not None]
        return {word: entry for word in (*own, *grown) if not isinstance(entry := self[word], str)}


class Lexicon(en.Lexicon):
    """misaki's lexicon of one accent, without the dictionaries that its own constructor loads and extends."""

    fallback: Callable[[Any], tuple[str, int]] | None = None
    """Speaks the words that it lacks."""

    def __init__(self, british: bool) -> None:
        self.british = british
        self.cap_stresses = (0.5, 2)
        folder, accent = Path(data.__path__[0]), "gb" if british else "us"
        self.golds = LexiconFile(folder / f"{accent}_gold.json")
        self.silvers = LexiconFile(folder / f"{accent}_silver.json")

    def __call__(self, token: Any, context: Any) -> tuple[str | None, int | None]:
        """Phonemes and rating of a word, if the lexicon has it or a whole word that it is a part of."""
        held = drawn_out(token.text) if token.text.isupper() else None
        phonemes, rating = (held, RATING_BY_RULE) if held else super().__call__(token, context)
        if phonemes is None:
            phonemes, rating = self._broken(token, context), RATING_BY_RULE
        return (phonemes, rating) if phonemes is not None else (None, None)

    def _broken(self, token: Any, context: Any) -> str | None:
        def speak(word: str) -> str | None:
            whole = replace(token, text=word)
            phonemes: str | None = self(whole, context)[0]
            return phonemes or (self.fallback(whole)[0] if self.fallback else None)

        text = token.text
        return drawn_out(text) or stuttered(text, speak) or contracted(text, speak, self.british)


def other_case(word: str) -> str | None:
    """“Cat” for “cat” and “cat” for “Cat”; `None` for a word that misaki has in one case only."""
    lower, capital = word.lower(), word.capitalize()
    if len(word) < 2 or lower == capital or not word.isascii():
        return None
    return {lower: capital, capital: lower}.get(word)
