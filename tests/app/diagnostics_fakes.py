"""An invented run with plausible numbers, as events; and arrays in memory."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache

import numpy as np

from app.diagnostics.runs.run import DiagnosticsRun
from engine.errors import EngineError
from engine.models.checkpoints import STARTER, model_config
from engine.speech import Array, Plan, PlanEvent, PreparationEvent, SpeechRequest, Utterance, WrittenWord
from engine.stages import STAGES, Axis, Stage, Tensor
from engine.validator.data.results import (
    AlignmentEvent,
    AudioMetrics,
    DurationMetrics,
    Finding,
    FinishedEvent,
    InputSource,
    Metrics,
    Profile,
    Regime,
    Report,
    Row,
    RowEvent,
    ValidationEvent,
    ValidationRequest,
    Verdict,
)


def _utterance(index: int, text: str, phonemes: str, start: int) -> Utterance:
    """Return an utterance whose words are separated by spaces, in the text and in the phonemes."""
    spans = zip(re.finditer(r"\S+", text), re.finditer(r"\S+", phonemes), strict=False)
    words = tuple(WrittenWord(start + at.start(), start + at.end(), *said.span()) for at, said in spans)
    return Utterance(index, text, phonemes, start, start + len(text), words=words)


CONFIG = model_config(STARTER)
UTTERANCES = (
    _utterance(0, "The window is open.", "ðə wˈɪndO ɪz ˈOpᵊn.", 0),
    _utterance(1, "Everything happens on this computer.", "ˈɛvɹiθˌɪŋ hˈæpᵊnz ˌɔn ðɪs kəmpjˈuTəɹ.", 20),
    _utterance(2, "Dr. Smith left.", "dˈɑktəɹ smˈɪθ lˈɛft nˈW.", 57),
)
STARTED = datetime(2026, 3, 4, 14, 2, tzinfo=UTC)
TEXT = " ".join(utterance.text for utterance in UTTERANCES)
SIZES = {
    Regime.UPSTREAM: 1e-4,
    Regime.STATIC_PACKED: 2e-6,
    Regime.STATIC_NO_PACK: 2e-1,
    Regime.COMPILED: 2e-5,
    Regime.COMPILED_PADDED: 2e-5,
}
PROFILE_CELLS = 64


def request(regimes: tuple[Regime, ...] = (Regime.UPSTREAM, Regime.COMPILED)) -> ValidationRequest:
    return ValidationRequest(SpeechRequest(TEXT, "af_heart"), regimes=regimes)


def alignment(utterance: Utterance) -> tuple[int, ...]:
    generator = np.random.default_rng(utterance.index)
    return tuple(int(count) for count in generator.integers(1, 5, len(utterance.phonemes) + 2))


def compared(stage: Stage) -> tuple[Tensor, ...]:
    return tuple(tensor for tensor in stage.outputs if tensor.axes)


def metrics(error: float) -> Metrics:
    pearson = 1 - error * error / 2
    sqnr = None if error == 0 else -20 * math.log10(error)
    return Metrics(pearson, pearson, sqnr, error * 4, error, 100.0)


def row(
    stage: Stage,
    output: str,
    regime: Regime,
    reading: InputSource = InputSource.ISOLATED,
    utterance: int = 0,
    error: float | None = None,
    probe: bool = False,
) -> Row:
    """Return a row like the validator's; the error grows with the number of the stage."""
    number = STAGES.index(stage)
    error = SIZES[regime] * (1 + number) if error is None else error
    aligned = stage.name == "alignment"
    tokens = number < 3 or stage.name == "text_encoder"
    verdict = Verdict.PASS if error < 0.004 else Verdict.FAIL
    if reading is InputSource.END_TO_END and verdict is Verdict.FAIL and number > 1:
        verdict = Verdict.INHERITED
    return Row(
        utterance=utterance,
        stage=stage.name,
        output=output,
        regime=regime,
        reference=Regime.DYNAMIC,
        reading=reading,
        verdict=Verdict.PASS if aligned else verdict,
        tolerance=stage.tolerance,
        metrics=None if aligned else metrics(error),
        audio=AudioMetrics(0.9999912, 0, 0.0021, 0.014, -0.02) if output == "audio" else None,
        durations=DurationMetrics(0, 0, 60, 60) if aligned else None,
        profile=profile("tokens" if tokens else "frames", utterance, error * (0 if aligned else 1)),
        seconds=0.0012 * (1 + number) ** 2,
        reference_seconds=0.0031 * (1 + number) ** 2,
        probe=probe,
    )


def profile(axis: str, utterance: int, error: float) -> Profile:
    cells = len(UTTERANCES[utterance].phonemes) + 2 if axis == "tokens" else PROFILE_CELLS
    generator = np.random.default_rng(utterance)
    errors = error * 10 ** generator.uniform(-1.5, 1.0, cells) * np.linspace(0.1, 2, cells)
    return Profile(axis, tuple(errors.tolist()))


def stage_events(utterance: Utterance, stage: Stage, regimes: tuple[Regime, ...], probes: bool) -> Iterator[RowEvent]:
    for regime in regimes:
        for tensor in compared(stage):
            for reading in (InputSource.ISOLATED, InputSource.END_TO_END):
                yield RowEvent(row(stage, tensor.name, regime, reading, utterance.index))
        for probe in stage.probes if probes else ():
            path = probe.module.replace("*", "0")
            for reading in (InputSource.ISOLATED, InputSource.END_TO_END):
                yield RowEvent(row(stage, path, regime, reading, utterance.index, probe=True))


def events(
    asked: ValidationRequest, utterances: tuple[Utterance, ...] = UTTERANCES, probes: bool = True
) -> list[ValidationEvent]:
    """Yield all events of a run."""
    regimes = tuple(regime for regime in asked.regimes if regime is not asked.reference)
    said: list[ValidationEvent] = [
        PreparationEvent("Loading the reference", 0, 1),
        PreparationEvent("Loading the reference", 1, 1),
        PlanEvent(Plan(utterances)),
    ]
    for utterance in utterances:
        for stage in STAGES:
            if stage.name == "alignment":
                said.append(AlignmentEvent(utterance.index, alignment(utterance)))
            said.extend(stage_events(utterance, stage, regimes, probes))
    rows = tuple(event.row for event in said if isinstance(event, RowEvent))
    findings = tuple(
        Finding(regime, "bert", "LSTM packing matters") for regime in regimes if regime is Regime.STATIC_NO_PACK
    )
    return [*said, FinishedEvent(Report(asked, utterances, rows, findings, {"python": "3.11"}))]


def finished_run(regimes: tuple[Regime, ...] = (Regime.UPSTREAM, Regime.COMPILED)) -> DiagnosticsRun:
    asked = request(regimes)
    run = DiagnosticsRun(asked, CONFIG, arrays_of(asked), STARTED)
    for event in events(asked):
        run.handle_event(event)
    return run


@dataclass
class MemoryArrays:
    """Arrays by name; `loaded` counts the calls that load one."""

    arrays: dict[tuple[int, str, str, str], np.ndarray] = field(default_factory=dict)
    loaded: int = 0

    def holds(self, utterance: int, regime: str, reading: InputSource, output: str) -> bool:
        return (utterance, regime, reading, output) in self.arrays

    def load(self, utterance: int, regime: str, reading: InputSource, output: str) -> Array:
        self.loaded += 1
        try:
            return self.arrays[(utterance, regime, reading, output)]
        except KeyError as error:
            raise EngineError("No array was kept.", "Run again.") from error


def arrays_of(asked: ValidationRequest, utterances: tuple[Utterance, ...] = UTTERANCES) -> MemoryArrays:
    """Return every output of every stage: smooth in the reference, slightly noisy in the other regimes."""
    return MemoryArrays(dict(arrays_by_name(asked.reference, asked.regimes, utterances)))


@cache
def arrays_by_name(
    reference: str, regimes: tuple[str, ...], utterances: tuple[Utterance, ...]
) -> dict[tuple[int, str, str, str], np.ndarray]:
    """Return the arrays of `arrays_of`, which many tests share and none can change."""
    arrays: dict[tuple[int, str, str, str], np.ndarray] = {}
    for utterance in utterances:
        for stage in STAGES:
            for tensor in compared(stage):
                truth = reference_array(tensor, utterance)
                arrays[(utterance.index, reference, InputSource.END_TO_END, tensor.name)] = truth
                for regime in regimes:
                    if regime is not reference:
                        for reading in InputSource:
                            arrays[(utterance.index, regime, reading, tensor.name)] = noisy(truth, SIZES[regime])
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def noisy(truth: np.ndarray, size: float) -> np.ndarray:
    if truth.dtype != np.float32:
        return truth
    noise = np.random.default_rng(7).standard_normal(truth.shape, dtype=np.float32)
    return truth + np.float32(size) * noise


def reference_array(tensor: Tensor, utterance: Utterance) -> np.ndarray:
    frames = alignment(utterance)
    lengths = {"tokens": len(frames), "frames": sum(frames)}
    shape = tensor.shape(CONFIG, 1, lengths)
    if tensor.name == "frame_token":
        return np.repeat(np.arange(len(frames), dtype=np.int32), frames)[None]
    time_axis = next(number for number, axis in enumerate(tensor.axes, 1) if isinstance(axis, Axis))
    moments = np.linspace(0, 1, shape[time_axis], dtype=np.float32)
    if tensor.name == "audio":
        loudness = 0.2 + 0.8 * np.abs(np.sin(9 * moments))
        pitch = 180 + 30 * np.sin(5 * moments)
        cycles = np.cumsum(pitch) / CONFIG.sample_rate_hz
        return (0.5 * loudness * np.sin(2 * np.pi * cycles) * np.abs(np.sin(25 * moments)))[None].astype(np.float32)
    along = np.sin(np.linspace(0, 20, shape[time_axis], dtype=np.float32))
    values = np.random.default_rng(3).standard_normal(shape).astype(np.float32) * 0.3
    reshaped = along.reshape([-1 if number == time_axis else 1 for number in range(len(shape))])
    scale = {"f0": 180.0}.get(tensor.name, 1.0)
    return (values * 0.2 + reshaped + 1).astype(np.float32) * np.float32(scale)
