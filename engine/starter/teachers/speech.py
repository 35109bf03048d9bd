"""What a teacher delivers: samples and the timed phones of one utterance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

PAUSE = "pau"


@dataclass(frozen=True)
class Phone:
    """One ARPAbet phone: its time, whether its syllable is stressed, and the word it belongs to.

    `word_index` counts the words of the utterance and is -1 in a pause; `punctuation` is what follows the word,
    given on each of the word's phones.
    """

    name: str
    start_seconds: float
    end_seconds: float
    stressed: bool
    word_index: int
    word: str
    punctuation: str


@dataclass(frozen=True)
class TeacherSpeech:
    """One utterance as a teacher spoke it: mono samples in [-1, 1] and the phones that fill them."""

    text: str
    sample_rate_hz: int
    samples: npt.NDArray[np.float32]
    phones: tuple[Phone, ...]


class Teacher(Protocol):
    """A locally installed speech engine that reports the time of each phone."""

    def speak(self, texts: Iterable[str]) -> Iterator[TeacherSpeech]:
        """Speak each text in order."""
        ...


def trim_silence(speech: TeacherSpeech, opening_seconds: float, closing_seconds: float) -> TeacherSpeech:
    """Shorten the pauses at both ends of an utterance to at most the given lengths."""
    phones = speech.phones
    end = phones[-1].end_seconds
    begin = phones[0].end_seconds - opening_seconds if phones[0].name == PAUSE else 0.0
    stop = phones[-1].start_seconds + closing_seconds if phones[-1].name == PAUSE else end
    begin, stop = max(begin, 0.0), min(stop, end)
    first, last = round(begin * speech.sample_rate_hz), round(stop * speech.sample_rate_hz)
    moved = tuple(
        replace(
            phone,
            start_seconds=max(phone.start_seconds - begin, 0.0),
            end_seconds=min(phone.end_seconds, stop) - begin,
        )
        for phone in phones
    )
    return replace(speech, samples=speech.samples[first:last], phones=moved)
