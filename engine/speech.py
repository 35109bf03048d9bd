"""The plain data that crosses the boundaries of the engine: requests, utterances, events, audio."""

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
"""The model that comes with the program."""


class Prosody(StrEnum):
    """What predicts durations, pitch and energy."""

    LSTM = "lstm"
    """The model's own LSTMs."""
    TRANSFORMER = "transformer"
    """Students of the LSTMs, which compute all steps at once."""


@dataclass(frozen=True)
class SpeechRequest:
    """What the user wants to hear.

    `voice` is a name or a blend such as `af_heart(2)+am_adam(1)`. `speed` 1 is the model's own pace, 2 twice as fast;
    `seed` determines the noise: equal requests give equal samples. `pause_scale` 1 leaves pauses as they are, 2 makes
    them twice as long. `language` is a BCP 47 tag, or None for the voice's own language. Of the text, the characters
    from `start` to `end` are spoken, or to the text's own end; all spans count from the start of the whole text.
    """

    text: str
    voice: str
    speed: float = 1.0
    seed: int = 0
    pause_scale: float = 1.0
    language: str | None = None
    start: int = 0
    end: int | None = None

    @property
    def part(self) -> str:
        """What is spoken of the text."""
        return self.text[self.start : self.end]


class Source(StrEnum):
    """What decides how a word is spoken."""

    MARKUP = "markup"
    """Its writer, by phonemes in the text."""
    LEXICON = "lexicon"
    RULE = "rule"
    """One that writes it in other words, as a number; its name follows: `rule: dates`."""
    LETTERS = "letters"
    """It is spelled."""
    ESPEAK = "espeak"
    """espeak-ng, by the rules of spelling of its language."""
    SILENT = "silent"
    """Nothing: it has no sound."""


@dataclass(frozen=True)
class WrittenWord:
    """Characters `start` to `end` of a request's text, spoken as the phonemes `first_phoneme` to `end_phoneme`.

    These are places in the phonemes of an utterance. A number, an address or an emoji is one word, as it is written.
    `source` is a `Source`, with the name of the rule if it is one.
    """

    start: int
    end: int
    first_phoneme: int
    end_phoneme: int
    source: str = Source.LEXICON


@dataclass(frozen=True)
class Utterance:
    """A piece of the request that the model speaks in one go.

    `start` and `end` are the span of characters in the request's text; `phonemes` has at most the model's limit;
    `pause_seconds` is the silence that follows it. `words` are in order, inside that span, and do not overlap.

    The writer may ask for a `voice` other than the request's, and for silence: `rest_seconds` after it, in place of
    `pause_seconds`, and `rest_before_seconds`, both exactly that long whatever the scale of pauses.
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


@dataclass(frozen=True)
class Notice:
    """Something in the text that could not be spoken as written, and what was done instead."""

    message: str
    start: int
    end: int


@dataclass(frozen=True)
class Plan:
    """A request's text, cut into utterances in order; nothing speakable is left out without a notice.

    The plan of a long text covers its beginning first: `characters_left` of it follow the last utterance, else it is 0.
    """

    utterances: tuple[Utterance, ...]
    notices: tuple[Notice, ...] = ()
    characters_left: int = 0

    @property
    def whole(self) -> bool:
        """Whether it covers all of the text."""
        return not self.characters_left

    def moved(self, characters: int) -> Plan:
        """The plan of the same text where it stands so many characters further on in another."""
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
    """The audio of an utterance: `samples` [n] float32, mono, and where each of its phonemes is heard.

    `edges` [phonemes + 1] are places in the samples: the start of each phoneme, and the end of the last one.
    """

    samples: Samples = field(repr=False)
    edges: NDArray[np.int64] = field(repr=False)


@dataclass(frozen=True)
class StageEvent:
    """One stage has finished for one utterance; `arrays` holds its outputs, read-only."""

    utterance_index: int
    stage: str
    seconds: float
    arrays: Mapping[str, Array] = field(repr=False)


@dataclass(frozen=True)
class PlanEvent:
    """The text has been cut into utterances, all of it or as far as the plan goes; the next plan continues it."""

    plan: Plan


@dataclass(frozen=True)
class PreparationEvent:
    """The engine is getting ready: `done` of `total` steps, and `title` names the current one."""

    title: str
    done: int
    total: int


@dataclass(frozen=True)
class DeviceEvent:
    """What computes speech and its LSTMs, with the reasons, as text.

    `lstm_seconds` are what LSTM methods took in a trial, by name. `setback` is why a GPU, or an LSTM method that has
    crashed, is not used although this computer has it; else it is empty.
    """

    device: str
    lstm_method: str
    lstm_seconds: Mapping[str, float]
    setback: str = ""


@dataclass(frozen=True)
class FallbackEvent:
    """The processor speaks in place of the GPU, which has failed; `message`, a sentence, says so and for how long."""

    message: str


Event = StageEvent | PlanEvent | PreparationEvent | DeviceEvent | FallbackEvent


@dataclass(frozen=True)
class SpokenPhoneme:
    """One of the model's symbols, heard from `start_sample` to `end_sample` of a chunk."""

    symbol: str
    start_sample: int
    end_sample: int


@dataclass(frozen=True)
class SpokenWord:
    """The characters `start` to `end` of a request's text, heard from `start_sample` to `end_sample` of a chunk."""

    start: int
    end: int
    start_sample: int
    end_sample: int
    phonemes: tuple[SpokenPhoneme, ...] = ()


@dataclass(frozen=True)
class AudioChunk:
    """The audio of one utterance: `samples` [n] float32 in [-1, 1], mono, its closing pause included.

    Chunks are played one directly after the other, without a gap or an overlap. `utterance_count` is that of the whole
    request, 0 while unknown. `words` are in the order of their sounds and do not overlap.
    """

    utterance: Utterance
    utterance_count: int
    samples: Samples = field(repr=False)
    sample_rate_hz: int
    words: tuple[SpokenWord, ...] = ()

    @property
    def seconds(self) -> float:
        """Length of the audio."""
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
