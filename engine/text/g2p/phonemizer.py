"""Converts text to a plan: normalizes it, finds sentences, pronounces them, and divides them into utterances."""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from types import MappingProxyType
from typing import Protocol

from engine.errors import DamagedFile, NothingToSpeak
from engine.speech import (
    NO_DEFINITIONS,
    AppliedPreset,
    Definitions,
    Notice,
    Plan,
    Preset,
    Utterance,
    WordReading,
    WrittenWord,
)
from engine.system.waiting import raise_if_set
from engine.text.g2p.analysis import Analyzer, Homographs, import_spacy, load_analyzer
from engine.text.g2p.directions import PresetMark, Script, Section, read_script, without_preset_tags
from engine.text.g2p.draft import Span, WrittenForm
from engine.text.g2p.normalize import Normalized
from engine.text.g2p.overrides import Override
from engine.text.g2p.pieces import Ending, PronouncedWord, deciding, has_sound, pieces_of, written_words
from engine.text.g2p.split import (
    PAUSE_SECONDS,
    PhonemePiece,
    Sentence,
    groups,
    joined,
    max_phonemes,
    passages,
    sentences,
)
from engine.text.g2p.user_lexicon.applying import UserWords
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.matching import LexiconIndex
from engine.text.g2p.user_lexicon.store import UserLexicon, entries_with
from engine.text.languages import Language, language_of

MAX_NOTICES = 100
FIRST_PLANNED_CHARACTERS = 1000
"""The fewest characters that the first plan covers, which takes about 0.03 s."""
PLAN_GROWTH = 3
"""The minimum growth from one plan to the next, so that each is ready before playback needs it."""
STOPPED = "Speech stopped."
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class FrontEnd(Protocol):
    """The front end of one language; an instance belongs to one thread."""

    phrase_starters: frozenset[str]
    """Words in lowercase that begin a phrase: a voice may take a breath before them."""

    def normalize(self, text: str, overrides: Sequence[Override] = ()) -> Normalized:
        """Convert the text to its spoken form: letters and plain punctuation, with line breaks between paragraphs.

        The words of `overrides`, which are in order, stay as they are.
        """

    def pronounce(self, text: str, overrides: Sequence[Override]) -> list[PronouncedWord]:
        """Return the words of one sentence of a normalized text, in order, with its overrides applied."""

    def ending(self, word: str, is_entry: Callable[[str], bool]) -> tuple[str, Ending] | None:
        """Return the entry, in lowercase, of which a word is a regular form, and its ending; None if there is none."""

    def readings(self, word: str) -> list[WordReading]:
        """Return the pronunciations that a word of the text may have; the likeliest first."""

    def reports(self) -> list[Notice]:
        """Return notices of words that could not be pronounced since the last call, in offsets of their sentences."""


class Phonemizer:
    """Plans the speech of a model for a text.

    `language` is the tag of one of `engine.text.languages.LANGUAGES`, `symbols` the characters of the model's
    vocabulary, `phoneme_limit` its longest input. Building one for English takes a second or two and loads the lexicon;
    the default `load_analyzer` uses spaCy's English model if installed, else the offline tagger. Every plan uses the
    current entries of the user's `lexicon`. Raises `MissingLanguage` if a language needs packages that are not
    installed. An instance belongs to one thread.
    """

    def __init__(
        self,
        language: str,
        symbols: Collection[str],
        phoneme_limit: int,
        *,
        load_analyzer: Callable[[Homographs], Analyzer] = load_analyzer,
        lexicon: UserLexicon | None = None,
    ) -> None:
        self._language = language_of(language)
        self._symbols = frozenset(symbols)
        self._phoneme_limit = phoneme_limit
        self._front_end = _front_end(self._language, load_analyzer)
        self._lexicon = lexicon
        self._user_words = UserWords(self._language, self._front_end)

    def readings(self, word: str) -> tuple[WordReading, ...]:
        """Return the different pronunciations that a word may have and the model knows; none for other languages."""
        found: dict[str, WordReading] = {}
        for reading in self._front_end.readings(word):
            if self._symbols.issuperset(reading.phonemes):
                found.setdefault(reading.phonemes, reading)
        return tuple(found.values())

    def plan(self, text: str, speed: float = 1.0) -> Plan:
        """Return the utterances of the text in order, and a notice for everything that cannot be spoken as written.

        The utterances are divided for this speed, a positive factor. Raises `NothingToSpeak` for text without a sound.
        """
        *_, whole = self.plans(text, speed)
        return whole

    def plans(
        self,
        text: str,
        speed: float = 1.0,
        script: Script | None = None,
        others: Mapping[str, Phonemizer] = MappingProxyType({}),
        cancel: threading.Event | None = None,
        definitions: Definitions = NO_DEFINITIONS,
        fixed: Mapping[int, str] = MappingProxyType({}),
    ) -> Iterator[Plan]:
        """Yield growing plans of the text: soon one of its beginning, then longer ones, at last the whole.

        Each begins with the utterances of the one before and has more of them, divided for this speed, a positive
        factor. `others` are used for sections in which the `script` of the text names their voices. `definitions` are
        those of the text. `fixed` are the phonemes of utterances by their start: these utterances stay as they are,
        wherever the text begins. Raises `NothingToSpeak`, before the first plan, for text without a sound, and
        `Canceled` soon after `cancel` is set: the last steps of a long text take half a minute.
        """
        if not text.strip():
            raise NothingToSpeak("There’s no text to speak.", "Type a sentence first.")
        script = script or read_script(text)
        notices = list(script.notices)
        stopped: set[LexiconEntry] = set()
        parts = (
            others.get(each.voice, self)._section(text, each, definitions, notices, stopped, cancel)
            for each in script.sections
        )
        pieces = chain.from_iterable(parts)
        utterances: list[Utterance] = []
        wanted = FIRST_PLANNED_CHARACTERS
        for utterance in _utterances(groups(pieces, max_phonemes(self._phoneme_limit, speed), fixed), text, script):
            utterances.append(utterance)
            if wanted <= utterance.end < len(text):
                yield Plan(tuple(utterances), _readable(notices), len(text) - utterance.end)
                wanted = PLAN_GROWTH * utterance.end
        if not utterances:
            raise _soundless(self._language)
        yield Plan(tuple(utterances), _readable(notices))

    def _section(
        self,
        text: str,
        section: Section,
        definitions: Definitions,
        notices: list[Notice],
        stopped: set[LexiconEntry],
        cancel: threading.Event | None,
    ) -> Iterator[PhonemePiece]:
        """Yield the pieces of a section of the text, pronounced sentence by sentence; add problems to the notices.

        Rules of the lexicon that take too long join the `stopped` ones.
        """
        index = self._index(definitions, notices)
        for start, passage in passages(text[section.start : section.end]):
            raise_if_set(cancel, STOPPED)
            untagged = without_preset_tags(passage)
            normalized = self._user_words.normalize(untagged.text, index, stopped)
            if untagged.text != passage:
                normalized = normalized.over(untagged)
            normalized = normalized.moved(section.start + start)
            notices += normalized.notices
            for sentence in sentences(normalized.sourced.text):
                raise_if_set(cancel, STOPPED)
                spoken, problems = self._spoken(normalized, sentence)
                notices += problems
                yield from pieces_of(spoken, sentence.border, self._front_end.phrase_starters)

    def _index(self, definitions: Definitions, notices: list[Notice]) -> LexiconIndex:
        """Return the current entries for a text; only those of its definitions, with a notice, if a file is damaged."""
        try:
            if self._lexicon is not None:
                return self._lexicon.index(self._language, definitions)
        except DamagedFile as error:
            notice = Notice(str(error), 0, 0)
            if notice not in notices:
                notices.append(notice)
        given = (entry for entry in entries_with(definitions) if entry.applies_to(self._language))
        return LexiconIndex(given, self._language.english)

    def _spoken(self, normalized: Normalized, sentence: Sentence) -> tuple[list[PronouncedWord], list[Notice]]:
        """Return the words of a sentence, in the model's symbols and in offsets of the source, and notices."""
        text, start = normalized.sourced.text[sentence.start : sentence.end], sentence.start
        said = self._front_end.pronounce(text, normalized.overrides_in(start, sentence.end))
        words, notices, done = [], [], 0
        for word in said:
            span = normalized.sourced.source_span(start + word.start, start + word.end)
            known = word.phonemes
            if not self._symbols.issuperset(known):
                known = "".join(symbol for symbol in word.phonemes if symbol in self._symbols)
                notices.append(_lost_symbols(word, self._symbols, span))
            # words split from one token of spaCy all have the span of that token
            begin, done = max(span.start, done), max(span.end, done)
            written = normalized.sourced.written_span(start + word.start, start + word.end)
            written = WrittenForm(written.start, written.end, deciding(word.source, written))
            words.append(replace(word, phonemes=known, start=begin, end=done, written=written))
        for report in self._front_end.reports():
            span = normalized.sourced.source_span(start + report.start, start + report.end)
            notices.append(Notice(report.message, span.start, span.end))
        return words, notices


def _front_end(language: Language, load_analyzer: Callable[[Homographs], Analyzer]) -> FrontEnd:
    """Load the front end of a language; imported here because importing the engine must stay cheap."""
    if language.english:
        import_spacy()
        from engine.text.g2p.english import EnglishFrontEnd  # loads misaki and spaCy

        return EnglishFrontEnd(language, load_analyzer)
    from engine.text.g2p.other_languages.front_end import OtherFrontEnd

    return OtherFrontEnd(language)


def _soundless(language: Language) -> NothingToSpeak:
    what = "words or numbers in Latin letters" if language.english else "words of that language"
    return NothingToSpeak(f"There’s nothing to speak in {language.name} in this text.", f"Type {what}.")


def _lost_symbols(word: PronouncedWord, symbols: Collection[str], span: Span) -> Notice:
    lost = "".join(dict.fromkeys(symbol for symbol in word.phonemes if symbol not in symbols))
    return Notice(
        f"“{printable(lost)}” in “{word.text}” isn’t in this voice’s phonetic alphabet and is skipped.",
        span.start,
        span.end,
    )


def _readable(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    """Return the notices in the order of the text, those beyond `MAX_NOTICES` combined into one."""
    ordered = sorted(notices, key=lambda notice: (notice.start, notice.end))
    rest = ordered[MAX_NOTICES:]
    if len(rest) < 2:
        return tuple(ordered)
    end = max(notice.end for notice in rest)
    summary = Notice(f"{len(rest)} more places aren’t spoken as written.", rest[0].start, end)
    return (*ordered[:MAX_NOTICES], summary)


def _utterances(found: Iterable[Sequence[PhonemePiece]], text: str, script: Script) -> Iterator[Utterance]:
    """Yield the utterance of each group, as soon as the next one is known; no pause follows the last."""
    sounding = _with_sound(found)
    pieces, index, end = next(sounding, None), 0, 0
    waiting, active = deque(script.marks), list[PresetMark]()
    while pieces is not None:
        following = next(sounding, None)
        utterance = _utterance(index, pieces, text, following is None)
        place, before = script.place(utterance.start), end
        end = len(script.sections) if following is None else script.place(following[0].start)
        while waiting and waiting[0].start < utterance.end:
            active.append(waiting.popleft())
        active = [mark for mark in active if mark.end > utterance.start]
        yield replace(
            utterance,
            voice=script.sections[place].voice,
            rest_seconds=script.rest_seconds(place, end),
            rest_before_seconds=script.rest_seconds(before, place) or 0.0,
            presets=tuple(_presets(utterance.words, active, len(text) if following is None else following[0].start)),
        )
        pieces, index = following, index + 1


def _presets(words: Sequence[WrittenWord], marks: Iterable[PresetMark], following: int) -> Iterator[AppliedPreset]:
    """Yield the presets of the words of an utterance; the next one starts at `following`.

    A rise or fall is at the end of its words, so an utterance has none if these continue in the next one.
    """
    for mark in marks:
        marked = [word for word in words if word.start < mark.end and mark.start < word.end]
        if marked and not (mark.preset in (Preset.RISE, Preset.FALL) and following < mark.end):
            yield AppliedPreset(mark.preset, marked[0].first_phoneme, marked[-1].end_phoneme)


def _with_sound(found: Iterable[Sequence[PhonemePiece]]) -> Iterator[list[PhonemePiece]]:
    """Yield the groups that have a sound; the span of a silent one joins the group before it."""
    sounding: list[PhonemePiece] = []
    for pieces in found:
        if has_sound(joined(pieces)):
            if sounding:
                yield sounding
            sounding = list(pieces)
        elif sounding:
            sounding[-1] = replace(sounding[-1], end=pieces[-1].end, border=pieces[-1].border)
    if sounding:
        yield sounding


def _utterance(index: int, pieces: Sequence[PhonemePiece], text: str, last: bool) -> Utterance:
    start, end = pieces[0].start, pieces[-1].end
    phonemes = joined(pieces)
    pause_seconds = 0.0 if last else PAUSE_SECONDS[pieces[-1].border]
    return Utterance(index, printable(text[start:end]), phonemes, start, end, pause_seconds, written_words(pieces))


def printable(text: str) -> str:
    """Replace lone surrogates, which no file or terminal accepts, one for one."""
    return LONE_SURROGATE.sub("\ufffd", text)
