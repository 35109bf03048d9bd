"""Maps the tokens, frames and words of an utterance to seconds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.config import ModelConfig
from engine.speech import Utterance, WrittenWord
from engine.text.g2p.directions import hide_preset_tags
from engine.text.g2p.overrides import INLINE

TOKENS = "tokens"
BORDER_TOKENS = 1
"""The number of tokens before the first phoneme."""
UNKNOWN_FRAMES_PER_TOKEN = 2
"""The assumed length of every token before an alignment is known."""


@dataclass(frozen=True)
class Word:
    """A word of the utterance, with its start and end."""

    text: str
    start_seconds: float
    end_seconds: float


@dataclass(frozen=True)
class UtteranceClock:
    """Maps tokens and frames to seconds from the start of one utterance's audio."""

    frames_per_token: tuple[int, ...]
    frames_per_second: float

    @cached_property
    def token_edges(self) -> NDArray[np.float64]:
        """The start of each token and the end of the last one in seconds: [tokens + 1]."""
        return np.concatenate([[0.0], np.cumsum(self.frames_per_token, dtype=np.float64)]) / self.frames_per_second

    @property
    def seconds(self) -> float:
        """The length of the audio."""
        return float(self.token_edges[-1])

    def edges(self, axis: str, cells: int) -> NDArray[np.float64]:
        """Return the borders [cells + 1] of equal parts of an axis (`tokens` or `frames`)."""
        if axis != TOKENS:
            return np.linspace(0.0, self.seconds, cells + 1)
        positions = np.linspace(0, len(self.frames_per_token), cells + 1)
        return np.interp(positions, np.arange(len(self.token_edges)), self.token_edges)

    def words(self, utterance: Utterance) -> tuple[Word, ...]:
        """Return the words as written, timed by the frames of their phonemes, if the alignment includes them."""
        placed = ((word, self.edges_of(word)) for word in utterance.words)
        return tuple(Word(_written(utterance, word), *edges) for word, edges in placed if edges is not None)

    def token_at(self, seconds: float) -> int:
        """Return the number of the token that is spoken at a time."""
        found = int(np.searchsorted(self.token_edges, seconds, side="right")) - 1
        return min(max(found, 0), len(self.frames_per_token) - 1)

    def spoken_at(self, utterance: Utterance | None, seconds: float) -> str:
        """Return the word and the phoneme at a time, such as “window” ɪ; empty in silence or if unknown."""
        if utterance is None:
            return ""
        word = next((each for each in self.words(utterance) if each.start_seconds <= seconds < each.end_seconds), None)
        place = self.token_at(seconds) - BORDER_TOKENS
        phoneme = utterance.phonemes[place] if 0 <= place < len(utterance.phonemes) else ""
        return f"“{word.text}” {phoneme}".strip() if word is not None else phoneme.strip()

    def edges_of(self, word: WrittenWord) -> tuple[float, float] | None:
        """Return the start and end of a word; None if the alignment does not include it."""
        first, end = BORDER_TOKENS + word.first_phoneme, BORDER_TOKENS + word.end_phoneme
        return (float(self.token_edges[first]), float(self.token_edges[end])) if end < len(self.token_edges) else None


def _written(utterance: Utterance, word: WrittenWord) -> str:
    """Return the word without an inline pronunciation and tags."""
    written = hide_preset_tags(utterance.text[word.start - utterance.start : word.end - utterance.start], "\0")
    return INLINE.sub(r"\g<text>", written.replace("\0", ""))


def clock_of(utterance: Utterance | None, frames_per_token: tuple[int, ...], config: ModelConfig) -> UtteranceClock:
    """Return the clock of an utterance, with tokens of equal length while its alignment is unknown."""
    token_count = len(utterance.phonemes) + 2 * BORDER_TOKENS if utterance is not None else 2 * BORDER_TOKENS
    frames = frames_per_token or (UNKNOWN_FRAMES_PER_TOKEN,) * token_count
    return UtteranceClock(frames, config.frames_per_second)
