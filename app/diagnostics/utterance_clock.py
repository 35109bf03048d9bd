"""Maps the tokens, frames and words of an utterance to seconds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.config import ModelConfig
from engine.speech import Utterance

TOKENS = "tokens"
BORDER_TOKENS = 1
"""Tokens before the first phoneme."""
UNKNOWN_FRAMES_PER_TOKEN = 2
"""Before an alignment is known, every token is assumed to be equally long."""


@dataclass(frozen=True)
class Word:
    """A word of the utterance and when it is spoken."""

    text: str
    start_seconds: float
    end_seconds: float


@dataclass(frozen=True)
class UtteranceClock:
    """Seconds from the start of one utterance's audio."""

    frames_per_token: tuple[int, ...]
    frames_per_second: float

    @cached_property
    def token_edges(self) -> NDArray[np.float64]:
        """The start of each token and the end of the last one in seconds: [tokens + 1]."""
        return np.concatenate([[0.0], np.cumsum(self.frames_per_token, dtype=np.float64)]) / self.frames_per_second

    @property
    def seconds(self) -> float:
        """Length of the audio."""
        return float(self.token_edges[-1])

    def edges(self, axis: str, cells: int) -> NDArray[np.float64]:
        """Borders [cells + 1] of equal parts of an axis (`tokens` or `frames`)."""
        if axis != TOKENS:
            return np.linspace(0.0, self.seconds, cells + 1)
        positions = np.linspace(0, len(self.frames_per_token), cells + 1)
        return np.interp(positions, np.arange(len(self.token_edges)), self.token_edges)

    def words(self, utterance: Utterance) -> tuple[Word, ...]:
        """The words separated by spaces in the phonemes, spelled as in the text if it has equally many."""
        groups = utterance.phonemes.split(" ")
        written = utterance.text.split()
        spoken = [group for group in groups if group]
        titles = written if len(written) == len(spoken) else spoken
        words: list[Word] = []
        token = BORDER_TOKENS
        for group in groups:
            if group and token + len(group) < len(self.token_edges):
                start, end = self.token_edges[token], self.token_edges[token + len(group)]
                words.append(Word(titles[len(words)], float(start), float(end)))
            token += len(group) + 1
        return tuple(words)


def clock_of(utterance: Utterance | None, frames_per_token: tuple[int, ...], config: ModelConfig) -> UtteranceClock:
    """The clock of an utterance, with equally long tokens while its alignment is unknown."""
    token_count = len(utterance.phonemes) + 2 * BORDER_TOKENS if utterance is not None else 2 * BORDER_TOKENS
    frames = frames_per_token or (UNKNOWN_FRAMES_PER_TOKEN,) * token_count
    return UtteranceClock(frames, config.frames_per_second)
