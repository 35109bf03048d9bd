"""Where in the raw audio of an utterance the listener is, who hears it trimmed, joined and with other pauses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.audio.track import Segment
from app.diagnostics.stages.utterance_clock import UtteranceClock
from engine.speech import SpokenWord, Utterance


def utterance_heard(segment: Segment | None, utterances: Sequence[Utterance]) -> Utterance | None:
    """The utterance of a run that has the beginning of what is heard; None if none has."""
    if segment is None:
        return None
    character = segment.utterance.start
    return next((each for each in utterances if each.start <= character < each.end), None)


def moment_heard(
    segment: Segment,
    spoken: Sequence[SpokenWord],
    position: int,
    sample_rate_hz: int,
    utterance: Utterance,
    clock: UtteranceClock,
) -> float:
    """Seconds into the raw audio at a sample of the track: exact at both ends of every word, straight in between.

    `spoken` are the words of the segment in samples of the track. Before the first and after the last word, time goes
    on at its own pace.
    """
    times = {word.start: clock.edges_of(word) for word in utterance.words}
    placed = [(word, edges) for word in spoken if (edges := times.get(word.start)) is not None]
    heard = [sample for word, _ in placed for sample in (word.start_sample, word.end_sample)] or [segment.start]
    raw = [moment for _, edges in placed for moment in edges] or [0.0]
    outside = position - float(np.clip(position, heard[0], heard[-1]))
    moment = float(np.interp(position, heard, raw)) + outside / sample_rate_hz
    return min(max(moment, 0.0), clock.seconds)
