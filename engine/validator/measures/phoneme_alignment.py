"""Pairs the frames of two alignments of the same phonemes, so that different durations can be compared.

The frames of a phoneme are paired by their place in it: frame i of n in the reference, counted from 0, with frame
floor((i + 1/2) m / n) of the m that ours has. Frames are taken whole, never mixed, so every value compared is one that
the regime computed; if ours is longer, some of its frames have no counterpart, if it is shorter, some have several.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.speech import Array

Frames = NDArray[np.int64]


def paired_frames(ours: Array, reference: Array) -> Frames:
    """Return our frame for each of the reference's [reference frames], from the token of each frame [frames] of both.

    Raises `ValueError` if ours lacks a token that the reference speaks.
    """
    mine, theirs = ours.astype(np.int64), reference.astype(np.int64)
    tokens = int(max(mine.max(initial=-1), theirs.max(initial=-1))) + 1
    counts, expected = np.bincount(mine, minlength=tokens), np.bincount(theirs, minlength=tokens)
    if np.any((counts == 0) & (expected > 0)):
        raise ValueError("Alignments of different tokens can’t be paired.")
    place = np.arange(len(theirs)) - (np.cumsum(expected) - expected)[theirs]
    within = (2 * place + 1) * counts[theirs] // (2 * expected[theirs])
    return np.asarray((np.cumsum(counts) - counts)[theirs] + within)


def by_phoneme(ours: Array, pairs: Frames, our_frames: int, time_axis: int, extent: int) -> Array | None:
    """Move our array to the reference's frames: `extent` steps along `time_axis`; None if ours is too short.

    A frame has as many steps as `extent` holds whole frames; the steps after the last frame, such as the last column of
    an STFT, are ours of that place. Ours may extend beyond its frames, as padding does.
    """
    per_frame, beyond = divmod(extent, max(1, len(pairs)))
    steps = (pairs[:, None] * per_frame + np.arange(per_frame)).reshape(-1)
    steps = np.concatenate([steps, our_frames * per_frame + np.arange(beyond)])
    if not per_frame or not len(steps) or steps.max() >= ours.shape[time_axis]:
        return None
    return np.take(ours, steps, axis=time_axis)
