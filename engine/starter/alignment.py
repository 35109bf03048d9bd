"""From the timed phones of an utterance to tokens with whole-frame durations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.starter.pronunciation import TimedSymbol, word_symbols
from engine.starter.teachers.speech import PAUSE, Phone, TeacherSpeech

BORDER = "$"
"""Kokoro's padding symbol, token 0, which opens and closes every utterance; it is in no vocabulary file."""
SPACE = " "
PAUSE_SYMBOL = ","
PUNCTUATION = ".,!?;:"

Pronounce = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Alignment:
    """Symbols of an utterance, borders included, and the frames that each lasts (at least one)."""

    symbols: tuple[str, ...]
    durations_frames: tuple[int, ...]


def align_utterance(speech: TeacherSpeech, pronounce: Pronounce, frames_per_second: float) -> Alignment:
    """Align an utterance; the durations sum to its length, rounded to frames."""
    seconds = len(speech.samples) / speech.sample_rate_hz
    timed = timed_symbols(speech.phones, seconds, pronounce)
    starts = np.array([item.start_seconds for item in timed]) * frames_per_second
    durations = whole_frames(starts, round(seconds * frames_per_second))
    return Alignment(tuple(item.symbol for item in timed), tuple(int(value) for value in durations))


def timed_symbols(phones: Sequence[Phone], seconds: float, pronounce: Pronounce) -> list[TimedSymbol]:
    """All symbols of an utterance in order, with spaces between words, punctuation and the two borders."""
    timed = [TimedSymbol(BORDER, 0.0, 0.0)]
    groups = _groups(phones)
    for position, group in enumerate(groups):
        first, last = group[0], group[-1]
        if first.name == PAUSE:
            timed += _pause_symbols(timed[-1].symbol, first.start_seconds, position in (0, len(groups) - 1))
            continue
        if len(timed) > 1:
            timed.append(TimedSymbol(SPACE, first.start_seconds, first.start_seconds))
        word = _word(group)
        timed += word_symbols(group, pronounce(word))
        timed += _punctuation_symbols(last.punctuation, last.end_seconds)
    return [*timed, _closing_border(phones, seconds)]


def whole_frames(starts_frames: npt.NDArray[np.float64], total_frames: int) -> npt.NDArray[np.int64]:
    """Whole-frame durations nearest to the given start times, each at least one frame.

    The starts less 0, 1, 2, ... are made non-decreasing by isotonic regression (pool adjacent violators), which is
    the least-squares solution of "every token lasts at least one frame". The durations sum to `total_frames`, or to
    the number of tokens where that is larger.
    """
    tokens = len(starts_frames)
    total = max(total_frames, tokens)
    ranks = np.arange(1, tokens)
    slack = np.rint(isotonic(starts_frames[1:] - ranks)).astype(np.int64)
    inner = np.clip(slack, 0, total - tokens) + ranks
    return np.diff(np.concatenate([[0], inner, [total]]))


def isotonic(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The non-decreasing sequence nearest to `values` in the least-squares sense."""
    blocks: list[tuple[float, int]] = []
    for value in values:
        mean, count = float(value), 1
        while blocks and blocks[-1][0] > mean:
            other, size = blocks.pop()
            mean, count = (mean * count + other * size) / (count + size), count + size
        blocks.append((mean, count))
    return np.repeat([mean for mean, _ in blocks], [count for _, count in blocks]).astype(np.float64)


def _groups(phones: Sequence[Phone]) -> list[list[Phone]]:
    """Phones grouped by word, each pause on its own; a clitic such as 's joins the word before it."""
    groups: list[list[Phone]] = []
    for phone in phones:
        before = groups[-1][-1] if groups else None
        if before is None or PAUSE in (phone.name, before.name):
            groups.append([phone])
        elif phone.word_index == before.word_index or phone.word.startswith("'"):
            groups[-1].append(phone)
        else:
            groups.append([phone])
    return groups


def _word(group: Sequence[Phone]) -> str:
    """The written word of a group: its words in order, each once."""
    parts = {phone.word_index: phone.word for phone in group}
    return "".join(parts.values())


def _punctuation_symbols(punctuation: str, seconds: float) -> list[TimedSymbol]:
    return [TimedSymbol(mark, seconds, seconds) for mark in punctuation[:1] if mark in PUNCTUATION]


def _pause_symbols(before: str, seconds: float, at_border: bool) -> list[TimedSymbol]:
    """A pause inside the utterance belongs to the punctuation before it, or else is written as a comma."""
    if at_border or before in PUNCTUATION:
        return []
    return [TimedSymbol(PAUSE_SYMBOL, seconds, seconds)]


def _closing_border(phones: Sequence[Phone], seconds: float) -> TimedSymbol:
    ends_in_pause = phones and phones[-1].name == PAUSE
    return TimedSymbol(BORDER, phones[-1].start_seconds if ends_in_pause else seconds, seconds)
