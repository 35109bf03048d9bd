"""Pronounces languages other than English clause by clause, as upstream does with espeak-ng.

misaki returns Kokoro's phonemes for text between punctuation marks: by espeak-ng, or by its own Japanese and Mandarin
modules.
"""

from __future__ import annotations

import logging
import re
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec

from engine.errors import MissingLanguage, RecoveryAction
from engine.speech import Notice, PronunciationSource, WordReading
from engine.text.g2p.letter_to_sound import LetterToSound
from engine.text.g2p.normalize import Normalized
from engine.text.g2p.other_languages.text import normalize_other
from engine.text.g2p.other_languages.writing import writing_of
from engine.text.g2p.overrides import Override
from engine.text.g2p.pieces import Ending, PronouncedWord
from engine.text.languages import FRENCH, HINDI, ITALIAN, JAPANESE, MANDARIN, PORTUGUESE, SPANISH, Language

Speak = Callable[[str], str]
"""Returns the phonemes of words, with spaces between words; empty for a text without a sound."""
ESPEAK_NAMES = {SPANISH: "es", FRENCH: "fr-fr", HINDI: "hi", ITALIAN: "it", PORTUGUESE: "pt-br"}
"""The voices of espeak-ng that Kokoro was trained with."""
PACKAGES = {
    JAPANESE: ("fugashi", "jaconv", "mojimoji", "unidic_lite"),
    MANDARIN: ("cn2an", "jieba", "ordered_set", "pypinyin"),
}
"""The packages that misaki imports for a language and that are not installed with the app."""
NEVER = "\x00"
"""A mark that occurs in no text, so that decimal points and commas reach espeak-ng."""
NUMBER = re.compile(r"(?P<whole>[0-9]+)(?:\.(?P<part>[0-9]+))?")
MAX_JAPANESE_DIGITS = 9
MAX_MANDARIN_DIGITS = 16
"""The longest numbers that misaki reads."""
JAPANESE_SCALES = ("", "万", "億", "兆")
LATIN_WORDS = re.compile(r"[A-Za-z]+(?:['’ -][A-Za-z]+)*")
INSIDE = r"(?<=\w)\.(?=[a-z0-9])|(?<=\d)[,:](?=\d)|(?<=\b[^\W\d_])\.(?=[^\W\d_]\b)"
"""A mark inside a number, an address or an abbreviation."""
MARKS = ';:,.!?—…"()“”'
REMEMBERED_CLAUSES = 512
TOKEN = re.compile(rf"(?P<clause>(?:{INSIDE}|[^{MARKS}])+)|(?P<mark>[{MARKS}])")
SPACED_WORD = re.compile(r"\S+")
UNSPACED_WORD = re.compile(r"[A-Za-z']+|[\d.,]+|\S")


def load_speak(language: Language) -> Speak:
    """Load the pronunciation of a language other than English.

    Raises `MissingLanguage` if packages are not installed.
    """
    check_installed(language)
    if language == JAPANESE:
        return with_latin_words(_load_japanese())
    if language == MANDARIN:
        return with_latin_words(_load_mandarin())
    return _load_espeak(ESPEAK_NAMES[language])


def check_installed(language: Language) -> None:
    """Raise `MissingLanguage`, with instructions, if a language needs packages that are not installed."""
    missing = [name for name in PACKAGES.get(language, ()) if find_spec(name) is None]
    if missing:
        raise MissingLanguage(
            f"{language.name} needs packages that aren’t installed: {', '.join(missing)}.",
            f"Install them in the project folder with .venv/bin/python -m pip install '.[{language.tag}]'.",
            RecoveryAction.ADD_LANGUAGE,
        )


def with_latin_words(speak: Speak) -> Speak:
    """Return a function that speaks like `speak`, but reads words in Latin letters as English."""
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
    from misaki.cutlet import Cutlet  # the default of misaki's Japanese G2P, without its second dictionary

    cutlet = Cutlet()
    return lambda text: str(cutlet(readable_japanese(text))[0])


def readable_japanese(text: str) -> str:
    """Rewrite numbers so that misaki reads them: long ones in parts, decimals and telephone numbers by digits."""
    digits = (str(unicodedata.digit(each)) if each.isdigit() else each for each in text)
    return NUMBER.sub(_japanese_number, "".join(digits))


def _japanese_number(match: re.Match[str]) -> str:
    part = f"点{' '.join(match['part'])}" if match["part"] else ""
    return _japanese_whole(match["whole"]) + part


def _japanese_whole(number: str) -> str:
    groups = [number[max(end - 4, 0) : end] for end in range(len(number), 0, -4)]
    if len(groups) > len(JAPANESE_SCALES) or (number[0] == "0" and number != "0"):
        return " ".join(number)
    if len(number) <= MAX_JAPANESE_DIGITS:
        return number
    scaled = zip(groups, JAPANESE_SCALES, strict=False)
    return "".join(f"{int(group)}{scale}" for group, scale in reversed(list(scaled)) if int(group))


def _load_mandarin() -> Speak:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba finds its dictionary in an outdated way
        import jieba
        from misaki.zh import ZHG2P
    jieba.setLogLevel(logging.ERROR)
    g2p = ZHG2P()
    return with_rare_characters(lambda text: str(g2p(readable_mandarin(text))[0]))


def readable_mandarin(text: str) -> str:
    """Split numbers that are too long for misaki into single digits."""
    return re.sub(rf"[0-9]{{{MAX_MANDARIN_DIGITS + 1},}}", lambda match: " ".join(match[0]), text)


def with_rare_characters(speak: Speak) -> Speak:
    """Return a function that speaks like `speak`, but leaves characters unchanged on which that raises `ValueError`."""

    def speak_all(text: str) -> str:
        try:
            return speak(text)
        except ValueError:
            rare = [each for each in set(text) if not _is_readable(speak, each)]
            parts = re.split(f"({'|'.join(map(re.escape, rare))})", text)
            return " ".join(part if part in rare else _spoken(speak, part) for part in parts)

    return speak_all


def _is_readable(speak: Speak, text: str) -> bool:
    try:
        speak(text)
    except ValueError:
        return False
    return True


class OtherFrontEnd:
    """One language other than English; see `FrontEnd`. Raises `MissingLanguage`."""

    def __init__(self, language: Language, *, load_speak: Callable[[Language], Speak] = load_speak) -> None:
        self._language = language
        self._writing = writing_of(language)
        self._speak: Speak = lru_cache(REMEMBERED_CLAUSES)(load_speak(language))
        self._word = SPACED_WORD if self._writing.spaced else UNSPACED_WORD
        self._source = PronunciationSource.LEXICON if language in (JAPANESE, MANDARIN) else PronunciationSource.ESPEAK
        self._reports: list[Notice] = []
        self.phrase_starters = self._writing.phrase_starters

    def normalize(self, text: str, overrides: Sequence[Override] = ()) -> Normalized:
        """Reduce the text to the language's letters and to punctuation that Kokoro knows."""
        return normalize_other(text, self._language, self._writing, self._is_spoken, overrides)

    def pronounce(self, text: str, overrides: Sequence[Override]) -> list[PronouncedWord]:
        """Return the words and marks of a sentence; given phonemes replace their word."""
        words: list[PronouncedWord] = []
        done = 0
        for override in overrides:
            words += self._plain(text, done, override.start)
            words.append(_word(text, override.phonemes or "", override.start, override.end, override.source))
            done = override.end
        return [*words, *self._plain(text, done, len(text))]

    def ending(self, word: str, is_entry: Callable[[str], bool]) -> tuple[str, Ending] | None:
        """Return None: misaki has no rules for the endings of these languages."""

    def readings(self, word: str) -> list[WordReading]:
        """Return none: misaki has one pronunciation of each word of these languages."""
        return []

    def reports(self) -> list[Notice]:
        """Return notices of the clauses that have no sound."""
        reports, self._reports = self._reports, []
        return reports

    def _is_spoken(self, symbol: str) -> bool:
        return bool(self._speak(symbol).strip())

    def _plain(self, text: str, start: int, end: int) -> list[PronouncedWord]:
        words: list[PronouncedWord] = []
        for match in TOKEN.finditer(text, start, end):
            if match["mark"]:
                words.append(_word(text, match["mark"], *match.span(), self._source))
            elif match[0].strip():
                words += self._clause(text, *match.span())
        return words

    def _clause(self, text: str, start: int, end: int) -> list[PronouncedWord]:
        written = [match.span() for match in self._word.finditer(text, start, end)]
        spoken = self._speak(text[start:end].strip()).split()
        if not spoken and any(map(str.isalnum, text[start:end])):
            message = f"“{text[start:end].strip()}” can’t be spoken in {self._language.name} and is skipped."
            self._reports.append(Notice(message, start, end))
        spans = shared_spans(written, len(spoken))
        words = [
            PronouncedWord(text[first:last], phonemes, first, last, space=True, source=self._source)
            for phonemes, (first, last) in zip(spoken, spans, strict=True)
        ]
        return [*words[:-1], replace(words[-1], space=text[words[-1].end : words[-1].end + 1] == " ")] if words else []


def shared_spans(written: Sequence[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """Return the spans of `count` spoken words: one by one, or shared evenly if there are more or fewer."""
    spans = []
    for index in range(count):
        first = index * len(written) // count
        last = max(first, (index + 1) * len(written) // count - 1)
        spans.append((written[first][0], written[last][1]))
    return spans


def _word(text: str, phonemes: str, start: int, end: int, source: PronunciationSource) -> PronouncedWord:
    return PronouncedWord(text[start:end], phonemes, start, end, space=text[end : end + 1] == " ", source=source)
