"""The sounds of one row: ours, the reference, and their difference amplified until it can be heard."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from app.diagnostics.stages.stage_arrays import AUDIO, pair_of
from engine.errors import EngineError
from engine.speech import Samples
from engine.validator.data.results import Row
from engine.validator.runs.arrays import Arrays

LOUDEST = 0.9
MOST_GAIN_DB = 100.0
LOUDEST_GAIN = float("inf")


class Part(Enum):
    """Which sound to play."""

    OURS = "ours"
    REFERENCE = "reference"
    DIFFERENCE = "difference"


@dataclass(frozen=True, eq=False)
class Heard:
    """`samples` [n] in [-1, 1], amplified by `gain_db`; `clipped` where that made them too loud."""

    samples: Samples
    gain_db: float = 0.0
    clipped: bool = False


def has_audio(arrays: Arrays | None, row: Row) -> bool:
    """Whether the row is of audio whose samples were kept."""
    return row.output == AUDIO and arrays is not None and arrays.holds(row.utterance, row.regime, row.reading, AUDIO)


def heard(arrays: Arrays, row: Row, part: Part, gain_db: float = LOUDEST_GAIN) -> Heard | None:
    """One part of a row's audio, the difference so much louder; None if there is none, or it cannot be read.

    With `LOUDEST_GAIN` the difference is as loud as can be.
    """
    try:
        pair = pair_of(arrays, row)
    except EngineError:
        return None
    if part is not Part.DIFFERENCE:
        samples = pair.ours if part is Part.OURS else pair.reference
        return Heard(np.clip(np.nan_to_num(samples), -1, 1).astype(np.float32))
    if not pair.comparable:
        return None
    apart = np.nan_to_num(pair.ours - pair.reference)
    loudest = float(np.abs(apart).max(initial=0))
    if not loudest:
        return None
    gain = min(LOUDEST / loudest, 10 ** (MOST_GAIN_DB / 20)) if gain_db == LOUDEST_GAIN else 10 ** (gain_db / 20)
    return Heard(np.clip(apart * gain, -1, 1).astype(np.float32), 20 * float(np.log10(gain)), loudest * gain > 1)
