"""A realistic report with invented arrays: compiled is right, static-no-pack is wrong from the durations on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.models.checkpoints import model_config
from engine.speech import Array, SpeechRequest, Utterance
from engine.stages import STAGES, Stage, Tensor
from engine.validator.data.results import (
    AudioMetrics,
    DurationMetrics,
    Finding,
    InputSource,
    Metrics,
    Profile,
    Regime,
    Report,
    Row,
    ValidationRequest,
    Verdict,
)
from engine.validator.runs.arrays import ArrayFolder
from engine.validator.runs.versions import versions

ERRORS = {Regime.UPSTREAM: 1e-3, Regime.STATIC_PACKED: 2e-6, Regime.STATIC_NO_PACK: 0.3, Regime.COMPILED: 4e-6}
RIGHT_BEFORE_PACKING = ("bert",)
TOKENS_PER_FRAME = 0.5
TEXT = 'Say "less" & <b>more</b>. '


def example_report(utterances: int = 2, frames: int = 24, arrays: ArrayFolder | None = None) -> Report:
    """Return a whole report; its arrays are saved in `arrays`, if given."""
    rows = [row for index in range(utterances) for row in _rows(index, frames, arrays)]
    words = "Durations is the first stage where packing matters: fed by the reference, its duration_logits correlates."
    return Report(
        request=ValidationRequest(SpeechRequest(TEXT * utterances, "af_heart")),
        utterances=tuple(_utterance(index) for index in range(utterances)),
        rows=tuple(rows),
        findings=(Finding(Regime.STATIC_NO_PACK, "duration", words),),
        versions=versions(),
        lstm_choice="tir (built-in kernels)",
        device_choice="cpu (Metal needs a Mac)",
    )


def with_verdict(report: Report, regime: Regime, stage: str, verdict: Verdict) -> Report:
    """Return the report with this verdict on the readings of one stage in one regime."""
    rows = (replace(row, verdict=verdict) if (row.regime, row.stage) == (regime, stage) else row for row in report.rows)
    return replace(report, rows=tuple(rows))


def out_of_step(report: Report, regime: Regime, stage: str = STAGES[-1].name) -> Report:
    """Return the report as if the durations of one regime differed: a third reading, the second one by phoneme."""
    rows: list[Row] = []
    for row in report.rows:
        if (row.regime, row.stage, row.reading) == (regime, stage, InputSource.END_TO_END):
            rows.append(replace(row, reading=InputSource.END_TO_END_REFERENCE_DURATIONS))
            row = replace(row, metrics=None, by_phoneme=row.metrics, verdict=Verdict.INCOMPARABLE)
        rows.append(row)
    return replace(report, rows=tuple(rows))


def _utterance(index: int) -> Utterance:
    start = index * len(TEXT)
    return Utterance(index, TEXT.strip(), "sˈA lˈɛs ænd mˈɔɹ.", start, start + len(TEXT))


def _rows(index: int, frames: int, arrays: ArrayFolder | None) -> list[Row]:
    rows, random = [], np.random.default_rng(index)
    for stage in STAGES:
        for tensor in (tensor for tensor in stage.outputs if tensor.axes):
            reference = _array(tensor, frames, random)
            _keep(arrays, index, Regime.DYNAMIC, InputSource.END_TO_END, tensor, reference)
            for regime in ERRORS:
                for reading in (InputSource.ISOLATED, InputSource.END_TO_END):
                    ours = _disturbed(reference, _error(regime, stage, reading), random)
                    _keep(arrays, index, regime, reading, tensor, ours)
                    rows.append(_row(index, stage, tensor, regime, reading, ours, reference))
    return rows


def _keep(
    arrays: ArrayFolder | None, index: int, regime: Regime, reading: InputSource, tensor: Tensor, array: Array
) -> None:
    if arrays is not None:
        arrays.save(index, regime, reading, tensor.name, array)


def _array(tensor: Tensor, frames: int, random: np.random.Generator) -> Array:
    lengths = {"tokens": max(1, int(frames * TOKENS_PER_FRAME)), "frames": frames}
    shape = tensor.shape(model_config("starter"), 1, lengths)
    if tensor.dtype == "int32":
        return (np.arange(frames, dtype=np.int32) * TOKENS_PER_FRAME).astype(np.int32)[None]
    swell = np.sin(np.linspace(0, np.pi * frames / 12, int(np.prod(shape)))) ** 2
    return (0.3 * swell * random.standard_normal(int(np.prod(shape)))).reshape(shape).astype(np.float32)


def _error(regime: Regime, stage: Stage, reading: InputSource) -> float:
    if regime is Regime.STATIC_NO_PACK and (stage.name in RIGHT_BEFORE_PACKING):
        return ERRORS[Regime.STATIC_PACKED]
    return ERRORS[regime] * (3 if reading is InputSource.END_TO_END else 1)


def _disturbed(reference: Array, error: float, random: np.random.Generator) -> Array:
    if reference.dtype == np.int32:
        return reference
    return (reference + error * 0.2 * random.standard_normal(reference.shape)).astype(np.float32)


def _row(
    index: int, stage: Stage, tensor: Tensor, regime: Regime, reading: InputSource, ours: Array, reference: Array
) -> Row:
    durations = DurationMetrics(0, 0, ours.shape[1], ours.shape[1]) if stage.name == "alignment" else None
    metrics = None if durations else _metrics(ours, reference)
    passed = metrics is None or (metrics.pearson or 0) >= stage.tolerance
    wrong = Verdict.FAIL if reading is InputSource.ISOLATED else Verdict.INHERITED
    return Row(
        utterance=index,
        stage=stage.name,
        output=tensor.name,
        regime=regime.value,
        reference="dynamic",
        reading=reading,
        verdict=Verdict.PASS if passed else wrong,
        tolerance=stage.tolerance,
        metrics=metrics,
        audio=AudioMetrics(0.9999, 0, 0.01, 0.02, 0.0) if stage.name == "istft" else None,
        durations=durations,
        profile=None if durations else _profile(tensor, ours, reference),
        seconds=0.0123,
        reference_seconds=0.0456,
    )


def _metrics(ours: Array, reference: Array) -> Metrics:
    error = (ours - reference).astype(np.float64)
    signal, noise = float(np.square(reference, dtype=np.float64).mean()), float(np.square(error).mean())
    correlation = float(np.corrcoef(ours.ravel(), reference.ravel())[0, 1])
    loudness = float(10 * np.log10(signal / noise))
    return Metrics(
        correlation, correlation, loudness, float(np.abs(error).max()), float(np.sqrt(noise / signal)), 100.0
    )


def _profile(tensor: Tensor, ours: Array, reference: Array) -> Profile:
    errors = np.abs(ours - reference).ravel() / reference.std()
    cells = np.array_split(errors, min(64, errors.size))
    axis = next(axis.name for axis in tensor.axes if axis.name in ("tokens", "frames"))
    return Profile(axis, tuple(float(cell.max()) for cell in cells))
