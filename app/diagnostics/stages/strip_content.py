"""What the strip shows of a run: one utterance's waveform, words, and cells of every stage."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app.diagnostics.outputs.signals import Envelope, envelope
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.utterance_clock import UtteranceClock, clock_of
from engine.errors import EngineError
from engine.speech import Utterance
from engine.stages import STAGES
from engine.validator.data.results import Profile, Reading, Regime, Row, Verdict

AUDIO = STAGES[-1].outputs[0].name
WAVE_COLUMNS = 1500
WORDS_INSTEAD = {
    Verdict.CRASHED: "crashed",
    Verdict.INCOMPARABLE: "other durations",
}


@dataclass(frozen=True)
class StripContent:
    """`rows` are in the order of the stages; one is None while nothing is known."""

    index: int
    utterance: Utterance | None
    clock: UtteranceClock
    rows: tuple[Row | None, ...]


def content_of(run: DiagnosticsRun, shown: Shown, stage: str | None) -> StripContent:
    """The utterance that is chosen, or where the chosen stage is worst."""
    index = run.utterance_to_show(shown, stage)
    utterance = run.utterance_at(index)
    clock = clock_of(utterance, run.alignment(index), run.config)
    one = replace(shown, utterance=index)
    rows = tuple(run.stage_summary(one, each.name) for each in STAGES)
    return StripContent(index, utterance, clock, rows)


def audio_envelope(run: DiagnosticsRun, utterance: int, regime: str) -> Envelope | None:
    """The utterance's raw audio: as compiled, else of the shown regime, else of the reference; None while unknown."""
    arrays = run.arrays
    if arrays is None:
        return None
    for name in (Regime.COMPILED, regime, run.reference):
        if arrays.holds(utterance, name, Reading.OWN_FED, AUDIO):
            try:
                samples = np.ravel(arrays.load(utterance, name, Reading.OWN_FED, AUDIO)).astype(np.float32, copy=False)
            except EngineError:
                return None
            return envelope(samples, 0, len(samples), WAVE_COLUMNS)
    return None


def words_instead(row: Row) -> str:
    """The text shown for a stage without cells."""
    return WORDS_INSTEAD.get(row.verdict, "no profile") if row.profile is None else ""


def errors_of(profile: Profile | None) -> np.ndarray:
    """The errors of a profile [cells], none when there is no profile."""
    return np.array(profile.errors if profile is not None else (), np.float64)
