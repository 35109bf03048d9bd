"""The data types that cross the engine's boundaries: requests, utterances, events, audio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
Samples = NDArray[np.float32]
SLOWEST_SPEED = 0.5
FASTEST_SPEED = 2.0
STARTER = "starter"
"""The model that is included with the program."""


class Prosody(StrEnum):
    """The predictor of durations, pitch and energy."""

    LSTM = "lstm"
    """The model's original LSTMs."""
    TRANSFORMER = "transformer"
    """The Transformers distilled from the LSTMs, which compute all steps in parallel."""


class Preset(StrEnum):
    """A small change of words, by the name of its tag in a text."""

    RISE = "rise"
    FALL = "fall"
    EMPHASIS = "emphasis"
    DEEMPHASIS = "deemphasis"
    SLOW = "slow"
    FAST = "fast"


@dataclass(frozen=True)
class CurveEdit:
    """A change of a predicted curve over one phoneme.

    The `drawn` values, if any, replace the model's, spread evenly over the phoneme. Then they are multiplied by the
    `factors`, if any, spread evenly over the phoneme, or for pitch over its voiced part, and by `scale`, and `shift`,
    in the unit of the curve, is added. Consecutive phonemes that are `level` have the value at the start of the first
    one instead of drawn ones or the model's, and their factors are spread over all of them.
    """

    scale: float = 1.0
    shift: float = 0.0
    drawn: tuple[float, ...] = ()
    level: bool = False
    factors: tuple[float, ...] = ()


UNCHANGED = CurveEdit()


@dataclass(frozen=True)
class PhonemeEdit:
    """A change of the phoneme at `index` of an utterance.

    `frames` sets its duration; without it, `stretch` scales the model's. `pitch`, in Hz, leaves unvoiced frames alone.
    """

    index: int
    frames: int | None = None
    stretch: float = 1.0
    pitch: CurveEdit = UNCHANGED
    energy: CurveEdit = UNCHANGED


@dataclass(frozen=True)
class Respelling:
    """The `phonemes` that replace those from `first_phoneme` to `end_phoneme` of a planned utterance."""

    first_phoneme: int
    end_phoneme: int
    phonemes: str


@dataclass(frozen=True)
class UtteranceEdit:
    """Changes of one utterance: the one that starts at character `start` and is planned with these `phonemes`.

    An utterance with other phonemes ignores them, with a notice. Indexes in `changes` count in the phonemes that
    `respellings`, which do not overlap, result in. `gain_db` scales the samples; `pause_seconds` is the exact silence
    that follows, None for the usual one.
    """

    start: int
    phonemes: str
    respellings: tuple[Respelling, ...] = ()
    changes: tuple[PhonemeEdit, ...] = ()
    gain_db: float = 0.0
    pause_seconds: float | None = None


@dataclass(frozen=True)
class Pronunciation:
    r"""The pronunciation of a `word`, or a rule that replaces each match of the regular expression `pattern`.

    A word, which may be several, has `phonemes` or other words to `say`; a rule has the text to `say`, with `\1` for
    its first group. `part_of_speech` is empty for all. `case` is `any` or `exact`. `language` is a BCP 47 tag, or `en`
    for all English.
    """

    word: str = ""
    pattern: str = ""
    phonemes: str = ""
    say: str = ""
    part_of_speech: str = ""
    case: str = "any"
    language: str = "en"


@dataclass(frozen=True)
class Definitions:
    """The pronunciations and blends that a text brings along, used for this text only.

    The `pronunciations` join the user's lexicon, whose `hidden` entries are not used; a later entry of the user, with
    the same word, takes precedence. `blends` are pairs of a name and a recipe such as `af_heart(2)+am_adam(1)`.
    """

    pronunciations: tuple[Pronunciation, ...] = ()
    hidden: tuple[Pronunciation, ...] = ()
    blends: tuple[tuple[str, str], ...] = ()

    def recipe_of(self, voice: str) -> str:
        """Return the recipe of a blend with this name, or the name of any other voice as it is."""
        return next((recipe for name, recipe in self.blends if name.casefold() == voice.casefold()), voice)


NO_DEFINITIONS = Definitions()


@dataclass(frozen=True)
class SpeechRequest:
    """A request to speak a text.

    `voice` is a name or a blend such as `af_heart(2)+am_adam(1)`. `speed` 1 is the model's own pace, 2 twice as fast.
    `seed` determines the noise: equal requests give equal samples. `pause_scale` 1 leaves pauses as they are, 2 doubles
    their length. `language` is a BCP 47 tag, or None for the voice's language. The characters from `start` to `end` are
    spoken, or to the end of the text; all spans count from the start of the whole text. `edits` change how utterances
    sound; each utterance has at most one. `definitions` apply to this text only.
    """

    text: str
    voice: str
    speed: float = 1.0
    seed: int = 0
    pause_scale: float = 1.0
    language: str | None = None
    start: int = 0
    end: int | None = None
    edits: tuple[UtteranceEdit, ...] = ()
    definitions: Definitions = NO_DEFINITIONS

    @property
    def part(self) -> str:
        """The part of the text to speak."""
        return self.text[self.start : self.end]


class PronunciationSource(StrEnum):
    """The source of a word's pronunciation."""

    MARKUP = "markup"
    """Phonemes given in the text."""
    USER = "you"
    """The user's lexicon."""
    LEXICON = "lexicon"
    RULE = "rule"
    """A rule that rewrites the word, such as a number; its name follows: `rule: dates`."""
    LETTERS = "letters"
    """The letters, spelled out."""
    ESPEAK = "espeak"
    """The spelling rules of espeak-ng for the language."""
    SILENT = "silent"
    """None: the word has no sound."""


@dataclass(frozen=True)
class WordReading:
    """A possible pronunciation of an English word in one accent; `form` is its part of speech, if any: “verb”."""

    phonemes: str
    source: PronunciationSource
    british: bool
    form: str = ""


@dataclass(frozen=True)
class WrittenWord:
    """A word of the text, at characters `start` to `end`, and its phonemes, `first_phoneme` to `end_phoneme`.

    Phoneme positions are those in the utterance. A number, an address or an emoji is one word, as it is written.
    `source` is a `PronunciationSource`, with the name of the rule if it is one.
    """

    start: int
    end: int
    first_phoneme: int
    end_phoneme: int
    source: str = PronunciationSource.LEXICON


@dataclass(frozen=True)
class AppliedPreset:
    """A preset that the text asks for, and its phonemes, `first_phoneme` to `end_phoneme` of an utterance."""

    preset: Preset
    first_phoneme: int
    end_phoneme: int


@dataclass(frozen=True)
class Utterance:
    """A piece of the request that is synthesized in one pass.

    `start` and `end` are the span of characters in the request's text; `phonemes` is at most as long as the model
    allows; `pause_seconds` is the silence that follows. `words` are in order, inside that span, and do not overlap.

    The text may ask for a `voice` other than the request's, and for silence: `rest_seconds` after the utterance, which
    replaces `pause_seconds`, and `rest_before_seconds` before it. Both are exact, regardless of the pause scale. It may
    also ask for `presets`. They result in an `edit`, unless the user has made one, whose respellings are already in the
    phonemes; then there are none. If the request starts or ends inside an edited utterance, all its phonemes are
    generated, but only those from `heard[0]` to `heard[1]` are played.
    """

    index: int
    text: str
    phonemes: str
    start: int
    end: int
    pause_seconds: float = 0.0
    words: tuple[WrittenWord, ...] = ()
    voice: str = ""
    rest_seconds: float | None = None
    rest_before_seconds: float = 0.0
    presets: tuple[AppliedPreset, ...] = ()
    edit: UtteranceEdit | None = None
    heard: tuple[int, int] | None = None


@dataclass(frozen=True)
class Notice:
    """A warning that part of the text could not be spoken as written, and the substitute."""

    message: str
    start: int
    end: int


@dataclass(frozen=True)
class Plan:
    """The utterances of a request's text, in order; speakable text is never left out without a notice.

    The plan of a long text covers its beginning first: `characters_left` follow the last utterance, or 0.
    """

    utterances: tuple[Utterance, ...]
    notices: tuple[Notice, ...] = ()
    characters_left: int = 0

    @property
    def whole(self) -> bool:
        """True if the plan covers all of the text."""
        return not self.characters_left

    def moved(self, characters: int) -> Plan:
        """Return the plan with all spans shifted by `characters`, for the same text inside a longer one."""
        if not characters:
            return self
        utterances = tuple(
            replace(_moved(each, characters), words=tuple(_moved(word, characters) for word in each.words))
            for each in self.utterances
        )
        return replace(self, utterances=utterances, notices=tuple(_moved(each, characters) for each in self.notices))


_Placed = TypeVar("_Placed", Utterance, Notice, WrittenWord)


def _moved(placed: _Placed, characters: int) -> _Placed:
    return replace(placed, start=placed.start + characters, end=placed.end + characters)


@dataclass(frozen=True)
class Style:
    """A voice at one length: `timbre` [style_dim] for the decoder, `prosody` [style_dim] for the predictors."""

    timbre: NDArray[np.float32]
    prosody: NDArray[np.float32]


@dataclass(frozen=True)
class Speech:
    """The audio of an utterance: `samples` [n] float32, mono, and the position of each phoneme.

    `edges` [phonemes + 1] are sample indices: the start of each phoneme, and the end of the last one.
    """

    samples: Samples = field(repr=False)
    edges: NDArray[np.int64] = field(repr=False)


@dataclass(frozen=True)
class Contours:
    """Durations, pitch and energy of an utterance: the model's own, and as edited.

    Frames are counted for each phoneme; pitch (in Hz, 0 where unvoiced) and energy have the same number of values for
    every edited frame. `lead_frames` precede the first phoneme.
    """

    model_frames: NDArray[np.int64] = field(repr=False)
    frames: NDArray[np.int64] = field(repr=False)
    model_pitch: Samples = field(repr=False)
    pitch: Samples = field(repr=False)
    model_energy: Samples = field(repr=False)
    energy: Samples = field(repr=False)
    frames_per_second: float
    lead_frames: int = 0


@dataclass(frozen=True)
class StageEvent:
    """Reports that a stage has finished for one utterance; `arrays` holds its outputs, read-only."""

    utterance_index: int
    stage: str
    seconds: float
    arrays: Mapping[str, Array] = field(repr=False)


@dataclass(frozen=True)
class PlanEvent:
    """Reports that the text, or its beginning, has been split into utterances; the next plan continues it."""

    plan: Plan


@dataclass(frozen=True)
class PreparationEvent:
    """Reports progress in preparing the engine: `done` of `total` steps, and the `title` of the current one."""

    title: str
    done: int
    total: int


@dataclass(frozen=True)
class DeviceEvent:
    """The device that computes speech and the LSTM method, with the reasons, as text.

    `lstm_seconds` maps LSTM methods to their times in a trial run. `fallback_reason` is the reason why an available
    GPU, or an LSTM method that has crashed, is not used; otherwise it is empty.
    """

    device: str
    lstm_method: str
    lstm_seconds: Mapping[str, float]
    fallback_reason: str = ""


@dataclass(frozen=True)
class FallbackEvent:
    """Reports that the CPU replaces the GPU, which has failed; `message` is a sentence that includes for how long."""

    message: str


Event = StageEvent | PlanEvent | PreparationEvent | DeviceEvent | FallbackEvent


@dataclass(frozen=True)
class SpokenPhoneme:
    """One of the model's symbols, spoken from `start_sample` to `end_sample` of a chunk."""

    symbol: str
    start_sample: int
    end_sample: int


@dataclass(frozen=True)
class SpokenWord:
    """The characters `start` to `end` of a request's text, spoken from `start_sample` to `end_sample` of a chunk."""

    start: int
    end: int
    start_sample: int
    end_sample: int
    phonemes: tuple[SpokenPhoneme, ...] = ()


@dataclass(frozen=True)
class AudioChunk:
    """The audio of one utterance: `samples` [n] float32 in [-1, 1], mono, its closing pause included.

    Chunks are played one directly after the other, without a gap or an overlap. `utterance_count` is that of the whole
    request, or 0 while unknown. `words` are in the order in which they are spoken and do not overlap.
    """

    utterance: Utterance
    utterance_count: int
    samples: Samples = field(repr=False)
    sample_rate_hz: int
    words: tuple[SpokenWord, ...] = ()

    @property
    def seconds(self) -> float:
        """The length of the audio."""
        return len(self.samples) / self.sample_rate_hz


@dataclass(frozen=True)
class VoiceInfo:
    """The listing entry of a voice; `language` is a BCP 47 tag such as `en-US`.

    `grade`, from A to F, is its makers' rating, or empty; `recipe` names the voices of a blend, else it is empty.
    """

    name: str
    title: str
    language: str
    gender: str
    grade: str = ""
    recipe: str = ""
