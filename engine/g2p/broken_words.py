"""Words that no lexicon has because they are half said: drawn out (“Shh”), stuttered (“W-what”), contracted (“who're”).

Their phonemes follow from their letters or from those of a whole word.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Speak = Callable[[str], str | None]
"""Gives the phonemes of a whole word, if it has some."""
CONSONANT = "[bcdfghjklmnpqrstvwxz]"
SOUNDS = {
    "sh": "ʃ", "ch": "ʧ", "th": "θ", "ph": "f", "ck": "k", "ng": "ŋ", "b": "b", "c": "k", "d": "d", "f": "f", "g": "ɡ",
    "h": "h", "j": "ʤ", "k": "k", "l": "l", "m": "m", "n": "n", "p": "p", "q": "k", "r": "ɹ", "s": "s", "t": "t",
    "v": "v", "w": "w", "x": "ks", "z": "z",
}  # fmt: skip
"""Of consonants between no vowels, as misaki's lexicon has them in “psst” and “hmm”."""
SOUND = re.compile("|".join(SOUNDS))
REPEATED = re.compile(r"([a-z])\1+")
DRAWN_OUT = re.compile(rf"(?=.*([fhlmnrsz])\1){CONSONANT}+")
"""Only these sounds can be held; “pp” and “css” abbreviate something, and so do most capitals."""
ABBREVIATED = re.compile("css|.*(?:c(?!h)|[jqvwx])")
SHOUTED = re.compile(rf"(?=.*([fhlmnrsz])\1\1){CONSONANT}+|{CONSONANT}{{1,2}}(?:hh|rr)")
SHORT = frozenset(("sh", "tsk", "pst", "hmph", "hrmph", "pf", "pft"))
"""Drawn out as well, but not in writing."""
STUTTER = re.compile(rf"(?P<first>[a-z]|{CONSONANT}{{2}})-(?:(?P=first)-)*(?P<word>(?P=first)[a-z']*)")
ONE_SOUND = frozenset(("ch", "gn", "kn", "ph", "sh", "th", "wh", "wr"))
LETTERS_THAT_ARE_WORDS = frozenset("aio")
LETTER_NAMES = frozenset(("b-boy", "b-boys", "t-test", "t-tests", "t-top", "t-tops"))
"""The letter is what these begin with."""
CONTRACTION = re.compile(r"(?P<word>[A-Za-z]{2,}(?:'d|'ll)?)'(?P<ending>re|ll|ve|d)")
SILENT = str.maketrans("", "", "ˈˌ ")
VOWEL_AT_END = re.compile("[AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻː]$")


def drawn_out(word: str) -> str | None:
    """The phonemes of an interjection without a vowel, each sound once."""
    small = word.lower()
    if word.isupper():
        if SHOUTED.fullmatch(small) is None:
            return None
    elif small not in SHORT and (DRAWN_OUT.fullmatch(small) is None or ABBREVIATED.match(small)):
        return None
    return SOUND.sub(lambda match: SOUNDS[match[0]], REPEATED.sub(r"\1", small))


def stuttered(word: str, speak: Speak) -> str | None:
    """The first sound of the word as often as it is stuttered, and the word."""
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
    """The phonemes of “who're” and “that'll” from those of “who” and “that”."""
    match = CONTRACTION.fullmatch(word)
    phonemes = speak(match["word"]) if match is not None else None
    if match is None or not phonemes:
        return None
    if match["ending"] == "d":
        return phonemes + ("d" if VOWEL_AT_END.search(phonemes) else "əd")
    return phonemes + {"re": "ə" if british else "əɹ", "ll": "əl" if british else "ᵊl", "ve": "əv"}[match["ending"]]
