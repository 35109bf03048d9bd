"""Looks up misaki's lexicon in misaki's own files; in memory it would take 50 MB for each accent.

Drawn-out (“Shh”), stuttered (“W-what”) and contracted (“who're”) words are in no lexicon. Their phonemes follow from
their letters or from those of a whole word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from misaki import data, en

from engine.text.g2p.homographs import METAL
from engine.text.g2p.sorted_file import SortedFile

Speak = Callable[[str], str | None]
"""Returns the phonemes of a whole word, or None if unknown."""
CONSONANT = "[bcdfghjklmnpqrstvwxz]"
SOUNDS = {
    "sh": "ʃ", "ch": "ʧ", "th": "θ", "ph": "f", "ck": "k", "ng": "ŋ", "b": "b", "c": "k", "d": "d", "f": "f", "g": "ɡ",
    "h": "h", "j": "ʤ", "k": "k", "l": "l", "m": "m", "n": "n", "p": "p", "q": "k", "r": "ɹ", "s": "s", "t": "t",
    "v": "v", "w": "w", "x": "ks", "z": "z",
}  # fmt: skip
"""The sounds of consonants without vowels, as in “psst” and “hmm” in misaki's lexicon."""
SOUND = re.compile("|".join(SOUNDS))
REPEATED = re.compile(r"([a-z])\1+")
DRAWN_OUT = re.compile(rf"(?=.*([fhlmnrsz])\1){CONSONANT}+")
"""Words with a sound that can be held; “pp” and “css” are abbreviations, and so are most capitals."""
ABBREVIATED = re.compile("css|.*(?:c(?!h)|[jqvwx])")
SHOUTED = re.compile(rf"(?=.*([fhlmnrsz])\1\1){CONSONANT}+|{CONSONANT}{{1,2}}(?:hh|rr)")
SHORT = frozenset(("sh", "tsk", "pst", "hmph", "hrmph", "pf", "pft"))
"""Interjections that are drawn out in speech, but not in writing."""
STUTTER = re.compile(rf"(?P<first>[a-z]|{CONSONANT}{{2}})-(?:(?P=first)-)*(?P<word>(?P=first)[a-z']*)")
ONE_SOUND = frozenset(("ch", "gn", "kn", "ph", "sh", "th", "wh", "wr"))
LETTERS_THAT_ARE_WORDS = frozenset("aio")
LETTER_NAMES = frozenset(("b-boy", "b-boys", "t-test", "t-tests", "t-top", "t-tops"))
"""Words that begin with a letter rather than a stutter."""
CONTRACTION = re.compile(r"(?P<word>[A-Za-z]{2,}(?:'d|'ll)?)'(?P<ending>re|ll|ve|d)")
SILENT = str.maketrans("", "", "ˈˌ ")
VOWEL_AT_END = re.compile("[AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻː]$")
RATING_BY_RULE = 3
"""A rating on misaki's scale: that of its larger, less certain dictionary."""
Entry = str | dict[str, str | None]
"""The phonemes, or phonemes by part of speech if they depend on it."""
OPENING, CLOSING = '\n  "', '": '
"""The text around a word in misaki's files, which are indented and contain only ASCII words."""
DEPENDENT = f"{CLOSING}{{\n"
"""The beginning of phonemes by part of speech."""
OWN_WORDS = {
    False: {"metal lead": "lˈɛd", "houses": "hˈWzᵻz", "bronte": "bɹˈɑnti", "brontes": "bɹˈɑntiz"},
    True: {"metal lead": "lˈɛd", "houses": "hˈWzɪz", "bronte": "bɹˈɒnti", "brontes": "bɹˈɒntiz"},
}
"""Corrections and additions to misaki's lexicon, by accent: words in lowercase."""
MIN_SILVER_LENGTH = 4
"""The minimum length of usable words in the second file; shorter ones are mostly lowercase abbreviations."""


def drawn_out(word: str) -> str | None:
    """Return the phonemes of an interjection without a vowel, each sound once; None for other words."""
    small = word.lower()
    if word.isupper():
        if SHOUTED.fullmatch(small) is None:
            return None
    elif small not in SHORT and (DRAWN_OUT.fullmatch(small) is None or ABBREVIATED.match(small)):
        return None
    return SOUND.sub(lambda match: SOUNDS[match[0]], REPEATED.sub(r"\1", small))


def stuttered(word: str, speak: Speak) -> str | None:
    """Return the word, preceded by its first sound as often as it is stuttered; None for other words."""
    match = STUTTER.fullmatch(word.lower())
    if match is None or match[0] in LETTER_NAMES:
        return None
    whole = word[match.start("word") :]
    if len(whole) == 1 and whole.lower() not in LETTERS_THAT_ARE_WORDS:
        return None
    phonemes = speak(whole)
    if not phonemes:
        return None
    count = 1 if match["first"] in ONE_SOUND else len(match["first"])
    first = phonemes.translate(SILENT)[:count]
    return f"{f'{first} ' * word[: match.start('word')].count('-')}{phonemes}"


def contracted(word: str, speak: Speak, british: bool) -> str | None:
    """Derive the phonemes of “who're” and “that'll” from those of “who” and “that”; None for other words."""
    match = CONTRACTION.fullmatch(word)
    phonemes = speak(match["word"]) if match is not None else None
    if match is None or not phonemes:
        return None
    if match["ending"] == "d":
        return phonemes + ("d" if VOWEL_AT_END.search(phonemes) else "əd")
    return phonemes + {"re": "ə" if british else "əɹ", "ll": "əl" if british else "ᵊl", "ve": "əv"}[match["ending"]]


class LexiconFile(Mapping[str, Entry]):
    """The words of one of misaki's files as `en.Lexicon.grow_dictionary` extends them: each with both first cases.

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
        """Return the entries that depend on the part of speech."""
        own = [before.rpartition('"')[2] for before in self._file.text().split(DEPENDENT)[:-1]]
        grown = [word for word in map(other_case, own) if word is not None]
        return {word: entry for word in (*own, *grown) if not isinstance(entry := self[word], str)}

    def written(self, word: str) -> str | None:
        """Return the word as the file has it, in lowercase or capitalized; None if it has neither."""
        forms = (word.lower(), word.capitalize())
        return next((form for form in forms if self._file.after(form) is not None), None)


class Lexicon(en.Lexicon):
    """misaki's lexicon of one accent, without the dictionaries that its own constructor loads and extends."""

    fallback: Callable[[Any], tuple[str, int]] | None = None
    """Pronounces the words that the lexicon lacks."""

    def __init__(self, british: bool) -> None:
        self.british = british
        self.cap_stresses = (0.5, 2)
        folder, accent = Path(data.__path__[0]), "gb" if british else "us"
        self.golds = LexiconFile(folder / f"{accent}_gold.json")
        self.silvers = LexiconFile(folder / f"{accent}_silver.json")

    def __call__(self, token: Any, context: Any) -> tuple[str | None, int | None]:
        """Return the phonemes and the rating of a word, if the lexicon has it or a whole word that it is a part of."""
        held = drawn_out(token.text) if token.text.isupper() else None
        phonemes, rating = (held, RATING_BY_RULE) if held else super().__call__(token, context)
        if phonemes is None:
            phonemes, rating = self._broken(token, context), RATING_BY_RULE
        return (phonemes, rating) if phonemes is not None else (None, None)

    def forms(self, word: str) -> dict[str, str | None]:
        """Return the pronunciations of a word by its form: a tag, or `DEFAULT`; None stands for its letters."""
        own = OWN_WORDS[self.british]
        entry: Entry = own.get(word.lower()) or self.golds.get(word) or self.silvers.get(word) or {}
        forms: dict[str, str | None] = {"DEFAULT": entry} if isinstance(entry, str) else dict(entry)
        metal = own.get(f"metal {word}")
        return forms if metal is None else {**forms, METAL: metal}

    def _broken(self, token: Any, context: Any) -> str | None:
        def speak(word: str) -> str | None:
            whole = replace(token, text=word)
            phonemes: str | None = self(whole, context)[0]
            return phonemes or (self.fallback(whole)[0] if self.fallback else None)

        text = token.text
        return drawn_out(text) or stuttered(text, speak) or contracted(text, speak, self.british)

    def get_word(self, word: str, tag: str, stress: float | None, ctx: Any) -> tuple[str | None, int | None]:
        """Return the same as misaki, except for `OWN_WORDS` and words that misaki takes for letters of a name.

        misaki spells a name in capitals if its better file lacks it (`HOLMES`) or has it without a stress (`HIS`), and
        “am” if the tagger takes it for a name, as in “Pan Am”.
        """
        own = OWN_WORDS[self.british].get("metal lead" if tag == METAL else word.lower())
        if own is not None:
            return en.apply_stress(own, stress), 4
        if word in ("am", "Am") and tag.startswith("NN"):
            word, tag, stress = "am", "VBP", None
        if tag == "NNP" and word.isupper() and word not in self.golds and known_form(self, word):
            tag = "NN"
        spoken: tuple[str | None, int | None] = super().get_word(word, tag, stress, ctx)
        return spoken


class WordsInCapitals:
    """The words in capitals that a lexicon knows; implements `engine.text.g2p.capitals.KnownWords`."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self.in_small_letters = lru_cache(maxsize=4096)(self._in_small_letters)

    def is_acronym(self, word: str) -> bool:
        """Return whether the lexicon lists the word in capitals."""
        return word in self._lexicon.golds

    def may_be_spelled(self, word: str) -> bool:
        """Return whether misaki spells the word if it is a noun."""
        entry = self._lexicon.golds.get(word)
        return isinstance(entry, dict) and None in entry.values()

    def _in_small_letters(self, word: str) -> str | None:
        form = known_form(self._lexicon, word)
        base, apostrophe, rest = word.partition("'")
        if form is None and apostrophe and len(base) > 1 and (form := known_form(self._lexicon, base)):
            return f"{form}'{rest.lower()}"
        return form


def known_form(lexicon: Lexicon, word: str) -> str | None:
    """Return a word in capitals as the lexicon has it, or with an ending that misaki knows; None if unknown."""
    form = lexicon.golds.written(word)
    if form is None and len(word) >= MIN_SILVER_LENGTH:
        form = lexicon.silvers.written(word)
    if form is None and len(word) >= MIN_SILVER_LENGTH:
        small = word.lower()
        stems = (lexicon.stem_s, lexicon.stem_ed, lexicon.stem_ing)
        form = small if any(stem(small, "NN", None, None)[0] for stem in stems) else None
    return form


def other_case(word: str) -> str | None:
    """Return “Cat” for “cat” and “cat” for “Cat”; None for a word that misaki has in one case only."""
    lower, capital = word.lower(), word.capitalize()
    if len(word) < 2 or lower == capital or not word.isascii():
        return None
    return {lower: capital, capital: lower}.get(word)
