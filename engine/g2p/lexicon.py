"""misaki's lexicon, looked up in misaki's own files: in memory it would take 50 MB for each accent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from misaki import data, en

from engine.g2p.sorted_file import SortedFile

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

    def __init__(self, british: bool) -> None:
        self.british = british
        self.cap_stresses = (0.5, 2)
        folder, accent = Path(data.__path__[0]), "gb" if british else "us"
        self.golds = LexiconFile(folder / f"{accent}_gold.json")
        self.silvers = LexiconFile(folder / f"{accent}_silver.json")


def other_case(word: str) -> str | None:
    """“Cat” for “cat” and “cat” for “Cat”; `None` for a word that misaki has in one case only."""
    lower, capital = word.lower(), word.capitalize()
    if len(word) < 2 or lower == capital or not word.isascii():
        return None
    return {lower: capital, capital: lower}.get(word)
