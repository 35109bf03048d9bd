"""Parses directions in brackets: pauses, voices, presets and pronunciations.

`[pause 1.5s]`, `[pause 500ms]` and `[voice:am_michael]` are carried out and not spoken. The tags of presets, such as
`[slow]` and `[/slow]`, are removed before the text is read, so that nothing else changes. `[Kokoro](/kˈOkəɹO/)`,
`[very](+2)`, `[123](#&#)` and the é of “résumé” give a pronunciation: while the text around such a word is rewritten, a
placeholder stands for it, which tells whether it begins with a capital letter, as names do after “Dr.”.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import merge

from engine.errors import InvalidRequest, UnknownVoice
from engine.speech import Notice, Preset, PronunciationSource
from engine.text.g2p.draft import Draft, SourcedText
from engine.text.languages import Language

DIRECTION = re.compile(
    r"""
    \[ [ ]* (?: pause\b (?P<pause>[^\[\]\n]{0,60})
    | voice (?: [ ]*[:=] (?P<voice>[^\[\]\n]{0,200}) | [ ]+ (?P<word>[^\s\[\]]{1,200}) [ ]* ) ) \] (?!\()
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A direction, not followed by a round bracket: `[pause](/pˈɔz/)` gives a pronunciation."""
PRESET_TAG = re.compile(rf"\[[ ]?(?P<closing>/?)[ ]?(?P<preset>{'|'.join(Preset)})[ ]?\](?!\()", re.IGNORECASE)
"""The tag before a word or a passage to which a preset applies, or after the passage."""
_TAG = PRESET_TAG.pattern.replace("?P<closing>", "?:").replace("?P<preset>", "?:")
_REMOVED = re.compile(
    rf"(?<![^\n])(?:{_TAG}[ \t]*)+(?:\n|$)"  # lines of tags
    rf"|(?<!\S)(?!\[[ ]?/)(?:{_TAG}[ \t]*)+"
    rf"|(?<![ \t])[ \t]+(?=\[[ ]?/)(?:{_TAG})+(?![\w\[])"
    rf"|{_TAG}",
    re.IGNORECASE,
)
"""Tags of presets with the white space that they leave over."""
_WORD_START = re.compile(rf"{_TAG}|{DIRECTION.pattern}|(?P<letter>\w)", re.VERBOSE | re.IGNORECASE)
MAX_GAP_CHARACTERS = 300
"""The longest way from a tag to its word."""
FOR_PASSAGES = frozenset({Preset.SLOW, Preset.FAST})
"""The presets whose end has to be marked."""
DURATION = re.compile(r"[ :=]*(?P<number>\d+(?:\.\d+)?)[ ]?(?P<unit>ms|s)[ ]*", re.IGNORECASE)
SECONDS = {"s": 1.0, "ms": 0.001}
MAX_PAUSE_SECONDS = 60.0
PLACEHOLDER = "\ue000"
NAME_PLACEHOLDER = "\ue001"
"""Stands for a word that begins with a capital letter."""
PLACEHOLDERS = PLACEHOLDER + NAME_PLACEHOLDER
CAPITAL = f"[A-Z{NAME_PLACEHOLDER}]"
"""The beginning of a name or a sentence."""
_ANY_PLACEHOLDER = re.compile(f"[{PLACEHOLDERS}]")
REPLACEMENT = "\ufffd"
INLINE = re.compile(
    r"\[(?P<text>[^\[\]\n]{1,200})\]\((?:/(?P<phonemes>[^/()\n]{1,2000})/+|(?P<stress>[+-]?(?:[0-2]|0\.5))"
    r"|\#(?P<flags>[&an]*)\#)\)"
)
ACCENTED = re.compile(r"(?<!\w)(?=\w*[éèÉÈ])[A-Za-zÀ-ÖØ-öø-ÿ]{1,40}(?!\w)")
SOUNDING = re.compile("(?:ée?s?$)|è", re.IGNORECASE)
"""Accents without which an English word would sound different or lose a syllable."""
ANYTHING = re.compile(".+", re.DOTALL)
NOT_PLAIN = re.compile(r"[^A-Za-z0-9' -]+")
NOT_LETTERS = re.compile(r"[^A-Za-z' -]+")
NOT_WORDS = re.compile(r"[^\w' -]+")
MAX_PLAIN_CHARACTERS = 60
_BOTH = (
    ("\u0361", ""), ("\u035c", ""), ("tʃ", "ʧ"), ("dʒ", "ʤ"), ("eɪ", "A"), ("aɪ", "I"), ("aʊ", "W"), ("ɔɪ", "Y"),
    ("ɚ", "əɹ"), ("ɝ", "ɜɹ"), ("g", "ɡ"), ("r", "ɹ"), ("ɫ", "l"), ("'", "ˈ"), ("’", "ˈ"), ("ʼ", "ˈ"), (",", "ˌ"),
    (":", "ː"), (".", ""), ("‿", ""), ("|", ""),
)  # fmt: skip
AMERICAN_IPA = (*_BOTH, ("oʊ", "O"), ("əʊ", "O"), ("ɜː", "ɜɹ"), ("ɹɹ", "ɹ"), ("ː", ""), ("e", "ɛ"), ("o", "ɔ"))
BRITISH_IPA = (*_BOTH, ("oʊ", "Q"), ("əʊ", "Q"), ("eə", "ɛː"), ("ɛə", "ɛː"), ("e", "ɛ"), ("o", "ɔ"))
OTHER_IPA = (
    ("a\u0361ɪ", "I"), ("a\u0361ʊ", "W"), ("e\u0361ɪ", "A"), ("o\u0361ʊ", "O"), ("ə\u0361ʊ", "Q"), ("ɔ\u0361ɪ", "Y"),
    ("\u0361", ""), ("\u035c", ""), ("tʃ", "ʧ"), ("dʒ", "ʤ"), ("ts", "ʦ"), ("dz", "ʣ"), ("tɕ", "ʨ"), ("dʑ", "ʥ"),
    ("g", "ɡ"), ("'", "ˈ"), ("’", "ˈ"), ("ʼ", "ˈ"), (",", "ˌ"), (":", "ː"), (".", ""), ("‿", ""), ("|", ""),
)  # fmt: skip
"""Conversions from common IPA to the one symbol per sound that Kokoro was trained with, as misaki does by language."""


@dataclass(frozen=True)
class Direction:
    """A direction at `start` to `end` of a text: a pause, the voice of the following text, or a problem."""

    start: int
    end: int
    pause_seconds: float | None = None
    voice: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Section:
    """Characters from `start` to `end` of a text, without directions; may be empty.

    They are spoken by `voice`, or by that of the request if it is empty; `rest_seconds` is the requested pause after
    them.
    """

    start: int
    end: int
    voice: str = ""
    rest_seconds: float | None = None


@dataclass(frozen=True)
class PresetMark:
    """A preset for the words with any of the characters from `start` to `end` of a text."""

    preset: Preset
    start: int
    end: int


@dataclass(frozen=True)
class PresetMarks:
    """The presets of a text, in the order of their starts, and a notice for each tag without effect."""

    marks: tuple[PresetMark, ...] = ()
    notices: tuple[Notice, ...] = ()

    def across(self, offset: int) -> tuple[Preset, ...]:
        """Return the presets that apply both before and after a character."""
        return tuple(each.preset for each in self.marks if each.start < offset < each.end)

    def within(self, start: int, end: int) -> PresetMarks:
        """Return those of a part of the text, in offsets of that part."""
        marks = (
            PresetMark(each.preset, max(each.start, start) - start, min(each.end, end) - start)
            for each in self.marks
            if each.start < end and start < each.end
        )
        notices = (
            replace(each, start=each.start - start, end=each.end - start)
            for each in self.notices
            if start <= each.start < end
        )
        return PresetMarks(tuple(marks), tuple(notices))


@dataclass(frozen=True)
class Script:
    """A text in at least one section, its presets, and a notice for each direction that cannot be carried out."""

    sections: tuple[Section, ...]
    notices: tuple[Notice, ...] = ()
    marks: tuple[PresetMark, ...] = ()

    @cached_property
    def _starts(self) -> list[int]:
        return [section.start for section in self.sections]

    @property
    def voices(self) -> frozenset[str]:
        """The voices that the text names."""
        return frozenset(section.voice for section in self.sections if section.voice)

    def place(self, offset: int) -> int:
        """Return the index of the section with this character."""
        return bisect_right(self._starts, offset) - 1

    def rest_seconds(self, first: int, end: int) -> float | None:
        """Return the total pause after the sections from `first` to before `end`; None if none was requested."""
        rests = [each.rest_seconds for each in self.sections[first:end] if each.rest_seconds is not None]
        return sum(rests) if rests else None


def directions(text: str) -> Iterator[Direction]:
    """Yield the directions of a text in order."""
    for match in DIRECTION.finditer(text):
        yield _voice(match) if match["pause"] is None else _pause(match)


def voice_before(text: str, end: int, find_voice: Callable[[str], object]) -> str:
    """Return the last voice that the text names before a place, if any; see `read_script`."""
    return read_script(text[:end], find_voice, marks=PresetMarks()).sections[-1].voice


def read_marks(text: str) -> PresetMarks:
    """Return the presets of a text: each for the words between its tags, or for the next word after a single tag."""
    marks: list[PresetMark] = []
    notices: list[Notice] = []
    waiting: dict[Preset, re.Match[str]] = {}

    def finish(tag: re.Match[str], preset: Preset) -> None:
        found = _next_word(text, tag.end()) if preset not in FOR_PASSAGES else None
        if found is not None:
            marks.append(PresetMark(preset, found, found + 1))
        else:
            hint = f"end it with [/{preset}]" if preset in FOR_PASSAGES else "write it directly before a word"
            notices.append(Notice(f"“{tag[0]}” was ignored: {hint}.", *tag.span()))

    for tag in PRESET_TAG.finditer(text):
        preset = Preset(tag["preset"].lower())
        before = waiting.pop(preset, None)
        if not tag["closing"]:
            waiting[preset] = tag
            if before is not None:
                finish(before, preset)
        elif before is not None:
            marks.append(PresetMark(preset, before.end(), tag.start()))
        else:
            notices.append(Notice(f"“{tag[0]}” was ignored: write [{preset}] before it.", *tag.span()))
    for preset, tag in waiting.items():
        finish(tag, preset)
    return PresetMarks(tuple(sorted(marks, key=lambda mark: mark.start)), tuple(notices))


def _next_word(text: str, start: int) -> int | None:
    """Return the start of the next word outside directions; None if it is too far away."""
    found = _WORD_START.finditer(text, start, start + MAX_GAP_CHARACTERS)
    return next((match.start() for match in found if match["letter"]), None)


def without_preset_tags(text: str) -> SourcedText:
    """Return a text without the tags of presets, which may have none."""
    return SourcedText.of(text).rewrite(_REMOVED, lambda match: "")


def hide_preset_tags(text: str, character: str) -> str:
    """Replace the tags of presets, with the white space that they leave over, by as many of one character."""
    return _REMOVED.sub(lambda match: character * len(match[0]), text)


def read_script(
    text: str,
    find_voice: Callable[[str], object] = lambda name: name,
    voice: str = "",
    marks: PresetMarks | None = None,
) -> Script:
    """Divide the text at its directions; the first part is for `voice`.

    `find_voice` raises `InvalidRequest` for an unknown voice, which adds a notice. `marks` are the presets of the text,
    if it is only a part of one.
    """
    marks = read_marks(text) if marks is None else marks
    sections: list[Section] = []
    notices = list(marks.notices)
    start = 0
    for found in directions(text):
        problem = found.problem or _problem_with(found.voice, find_voice)
        if problem:
            notices.append(Notice(problem, found.start, found.end))
        sections.append(Section(start, found.start, voice, found.pause_seconds))
        start, voice = found.end, voice if problem else found.voice or voice
    return Script((*sections, Section(start, len(text), voice)), tuple(notices), marks.marks)


def _pause(match: re.Match[str]) -> Direction:
    duration = DURATION.fullmatch(match["pause"])
    if duration is None:
        return Direction(*match.span(), problem=f"“{match[0]}” was ignored: write a pause like [pause 1.5s].")
    seconds = float(duration["number"]) * SECONDS[duration["unit"].lower()]
    if seconds > MAX_PAUSE_SECONDS:
        most = f"{MAX_PAUSE_SECONDS:g}"
        return Direction(*match.span(), problem=f"“{match[0]}” was ignored: pauses can be at most {most} seconds.")
    return Direction(*match.span(), pause_seconds=seconds)


def _voice(match: re.Match[str]) -> Direction:
    name = (match["word"] or match["voice"]).strip()
    problem = "" if name else f"“{match[0]}” was ignored: write a voice like [voice:am_michael]."
    return Direction(*match.span(), voice=name, problem=problem)


def _problem_with(voice: str, find_voice: Callable[[str], object]) -> str:
    try:
        if voice:
            find_voice(voice)
    except UnknownVoice as error:
        meant = f"Did you mean “{error.nearest}”? " if error.nearest else ""
        return f"{error.message} {meant}The voice doesn’t change."
    except InvalidRequest as error:
        return f"{error} The voice doesn’t change."
    return ""


@dataclass(frozen=True)
class Override:
    """A pronunciation of the characters `start` to `end`: by phonemes, stress (-2 to 2) or number flags.

    `by_class` are phonemes for single parts of speech, as pairs in the order in which they are tried; `phonemes` are
    for all others. If both are missing, the words are pronounced as usual. `source` is the origin of the phonemes.
    """

    start: int
    end: int
    phonemes: str | None = None
    stress: float | None = None
    number_flags: str | None = None
    by_class: tuple[tuple[str, str], ...] = ()
    source: PronunciationSource = PronunciationSource.MARKUP

    def moved(self, offset: int) -> Override:
        """Return this override, moved by `offset` characters."""
        return replace(self, start=self.start + offset, end=self.end + offset)


@dataclass(frozen=True)
class MaskedText:
    """A word behind a placeholder, and its pronunciation, whose offsets are not known yet."""

    text: str
    override: Override | None


@dataclass(frozen=True)
class _WithOverrides:
    """Finds the characters of overrides, and the matches of a pattern elsewhere."""

    pattern: re.Pattern[str]
    overrides: Sequence[Override]

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        places = (ANYTHING.fullmatch(text, each.start, each.end) for each in self.overrides)
        found = (place for place in places if place is not None)
        return merge(found, self.pattern.finditer(text), key=lambda match: match.start())


def set_aside(draft: Draft, overrides: Sequence[Override] = ()) -> list[MaskedText]:
    """Replace each word with a given pronunciation by a placeholder; return these words in order.

    `overrides` are further pronunciations of the untouched draft, in order; their words do not overlap those of markup.
    """
    draft.rewrite(_ANY_PLACEHOLDER, lambda match: REPLACEMENT)
    words: list[MaskedText] = []
    places = {(each.start, each.end): each for each in overrides}

    def keep(match: re.Match[str]) -> str | None:
        override = places.get(match.span())
        if override is not None:
            text = _letters_of(match[0], draft.language)
            words.append(MaskedText(text, replace(override, start=0, end=len(text))))
            return _placeholder(match[0])
        word = _parsed(match, draft.language)
        if word is None:
            return None
        words.append(word)
        return _placeholder(match["text"] or match[0])

    pattern = re.compile(f"{INLINE.pattern}|{ACCENTED.pattern}") if draft.language.english else INLINE
    draft.rewrite(_WithOverrides(pattern, overrides), keep)
    return words


def put_back(draft: Draft, words: Iterable[MaskedText]) -> list[Override]:
    """Replace the placeholders by their words; return their pronunciations, with offsets."""
    waiting = iter(words)
    overrides: list[Override] = []
    grown = 0

    def restore(match: re.Match[str]) -> str:
        nonlocal grown
        word = next(waiting)
        if word.override is not None:
            overrides.append(word.override.moved(match.start() + grown))
        grown += len(word.text) - 1
        return word.text

    draft.rewrite(_ANY_PLACEHOLDER, restore)
    return overrides


def _placeholder(word: str) -> str:
    return NAME_PLACEHOLDER if word.lstrip()[:1].isupper() else PLACEHOLDER


def _parsed(match: re.Match[str], language: Language) -> MaskedText | None:
    """Return the word of an inline pronunciation or with an accent; None if its text has to be rewritten."""
    if match["text"] is None:
        return MaskedText(match[0], None) if SOUNDING.search(match[0]) else None
    if match["phonemes"] is not None:
        phonemes = to_misaki(match["phonemes"], language)
        if not phonemes:
            return None
        text = _letters_of(match["text"], language)
        return MaskedText(text, Override(0, len(text), phonemes=phonemes))
    if not language.english:
        return None  # stress and number flags are misaki's rules for English
    text = match["text"].strip()
    if not text or NOT_PLAIN.search(text) or len(text) > MAX_PLAIN_CHARACTERS:
        return None
    if match["stress"] is not None:
        return MaskedText(text, Override(0, len(text), stress=float(match["stress"])))
    return MaskedText(text, Override(0, len(text), number_flags=match["flags"]))


def _letters_of(text: str, language: Language) -> str:
    """Return the letters of a word with given phonemes, which are never read; at least one."""
    rest = NOT_LETTERS if language.english else NOT_WORDS
    return " ".join(rest.sub("", text).split()).strip("'-") or "x"


def to_misaki(phonemes: str, language: Language) -> str:
    """Convert phonemes in common IPA or in misaki's letters to misaki's letters, with single spaces."""
    english = BRITISH_IPA if language.british else AMERICAN_IPA
    for theirs, ours in english if language.english else OTHER_IPA:
        phonemes = phonemes.replace(theirs, ours)
    return " ".join(phonemes.split())
