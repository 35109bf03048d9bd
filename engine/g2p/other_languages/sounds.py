"""Words of each language to Kokoro's phonemes: espeak-ng by misaki, and misaki's own Japanese and Mandarin.

It takes text between punctuation marks.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable
from importlib.util import find_spec

from engine.errors import Cure, MissingLanguage
from engine.g2p.letter_to_sound import LetterToSound
from engine.languages import FRENCH, HINDI, ITALIAN, JAPANESE, MANDARIN, PORTUGUESE, SPANISH, Language

Speak = Callable[[str], str]
"""Gives the phonemes of words, with spaces between words; empty for a text without a sound."""
ESPEAK_NAMES = {SPANISH: "es", FRENCH: "fr-fr", HINDI: "hi", ITALIAN: "it", PORTUGUESE: "pt-br"}
"""The voices of espeak-ng that Kokoro was trained with."""
PACKAGES = {
    JAPANESE: ("fugashi", "jaconv", "mojimoji", "unidic_lite"),
    MANDARIN: ("cn2an", "jieba", "ordered_set", "pypinyin"),
}
"""Packages that misaki imports for a language and that are not installed with the program."""
NEVER = "\x00"
"""A mark that is in no text, so that decimal points and commas reach espeak-ng."""
LATIN_WORDS = re.compile(r"[A-Za-z]+(?:['’ -][A-Za-z]+)*")


def load_speak(language: Language) -> Speak:
    """What pronounces a language other than English.

    Raises `MissingLanguage` where packages are not installed.
    """
    check_installed(language)
    if language == JAPANESE:
        return with_latin_words(_load_japanese())
    if language == MANDARIN:
        return with_latin_words(_load_mandarin())
    return _load_espeak(ESPEAK_NAMES[language])


def check_installed(language: Language) -> None:
    """Raise `MissingLanguage`, with what to do, if a language needs packages that are not installed."""
    missing = [name for name in PACKAGES.get(language, ()) if find_spec(name) is None]
    if missing:
        raise MissingLanguage(
            f"{language.name} needs packages that are not installed: {', '.join(missing)}.",
            f"Install them in the program's folder with .venv/bin/python -m pip install '.[{language.tag}]'.",
            Cure.ADD_LANGUAGE,
        )


def with_latin_words(speak: Speak) -> Speak:
    """Speaks like `speak`, but reads words in Latin letters as English."""
    english = LetterToSound(british=False)

    def speak_both(text: str) -> str:
        parts = []
        done = 0
        for match in LATIN_WORDS.finditer(text):
            parts += [_spoken(speak, text[done : match.start()]), english.phonemes(match[0])]
            done = match.end()
        parts.append(_spoken(speak, text[done:]))
        return " ".join(part for part in parts if part)

    return speak_both


def _spoken(speak: Speak, text: str) -> str:
    return speak(text).strip() if text.strip() else ""


def _load_espeak(name: str) -> Speak:
    from misaki.espeak import EspeakG2P
    from phonemizer.backend import EspeakBackend

    quiet = logging.getLogger(f"{__name__}.espeak")
    quiet.setLevel(logging.ERROR)  # it warns of every foreign word
    g2p = EspeakG2P(language=name)
    g2p.backend = EspeakBackend(
        language=name,
        punctuation_marks=NEVER,
        preserve_punctuation=True,
        with_stress=True,
        tie="^",
        language_switch="remove-flags",
        logger=quiet,
    )
    return lambda text: str(g2p(text)[0])


def _load_japanese() -> Speak:
    from misaki.cutlet import Cutlet  # what misaki's Japanese G2P is by default, without its second dictionary

    cutlet = Cutlet()
    return lambda text: str(cutlet(text)[0])


def _load_mandarin() -> Speak:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba's way of finding its dictionary is out of date
        import jieba
        from misaki.zh import ZHG2P
    jieba.setLogLevel(logging.ERROR)
    g2p = ZHG2P()
    return lambda text: str(g2p(text)[0])
