"""Padding must not affect packed and compiled stages, and must affect those that run their LSTMs over it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

import pytest

from engine.errors import NothingToSpeak
from engine.models.checkpoints import starter_voices
from engine.speech import PreparationEvent, SpeechRequest
from engine.stages import STAGES
from engine.validator.data.results import InputSource, Regime, ValidationRequest
from engine.validator.experiments.progress import ExperimentEvent, ProgressEvent, RemainingTime
from engine.validator.experiments.sweep import SweepPoint, sweep_padding

RATIOS = (0.0, 1.0)
REGIMES = (Regime.STATIC_PACKED, Regime.STATIC_NO_PACK, Regime.COMPILED_PADDED)


def request_for(text: str) -> ValidationRequest:
    return ValidationRequest(SpeechRequest(text, starter_voices()[0].name), padding=7.0, arrays_folder="/nowhere")


@pytest.fixture(scope="module")
def events() -> list[ExperimentEvent]:
    return []


@pytest.fixture(scope="module")
def points(events: list[ExperimentEvent]) -> tuple[SweepPoint, ...]:
    return sweep_padding(request_for("Hello."), RATIOS, events.append)


def chosen(
    points: Sequence[SweepPoint],
    regime: Regime,
    padding: float,
    output: str,
    reading: InputSource = InputSource.ISOLATED,
) -> SweepPoint:
    wanted = (regime, padding, output, reading)
    (point,) = (one for one in points if (one.regime, one.padding, one.output, one.reading) == wanted)
    return point


def test_every_output_is_there_at_every_ratio(points: tuple[SweepPoint, ...]) -> None:
    outputs = {tensor.name for stage in STAGES for tensor in stage.outputs if stage.name != "alignment"}
    found = {(point.padding, point.regime, point.output, point.reading) for point in points}
    always = (InputSource.ISOLATED, InputSource.END_TO_END)
    expected = {(r, regime, o, reading) for r in RATIOS for regime in REGIMES for o in outputs for reading in always}
    assert {point for point in found if point[3] in always} == expected
    assert {point[1] for point in found - expected} <= {Regime.STATIC_NO_PACK}  # whose durations differ


@pytest.mark.parametrize("regime", [Regime.STATIC_PACKED, Regime.COMPILED_PADDED])
def test_padding_does_not_matter_where_lengths_are_heeded(points: tuple[SweepPoint, ...], regime: Regime) -> None:
    isolated = [point for point in points if point.regime == regime and point.reading is InputSource.ISOLATED]
    assert min(point.pearson or 0.0 for point in isolated) > 0.99999
    assert (chosen(points, regime, 1.0, "audio", InputSource.END_TO_END).pearson or 0.0) > 0.99


def test_padding_without_packing_changes_lstm_outputs(points: tuple[SweepPoint, ...]) -> None:
    without, padded = (chosen(points, Regime.STATIC_NO_PACK, ratio, "phoneme_features") for ratio in RATIOS)
    assert (without.pearson or 0.0) > 0.99999
    assert (padded.pearson or 0.0) < 0.99
    for output in ("text_features", "audio"):  # no LSTM computes these
        assert (chosen(points, Regime.STATIC_NO_PACK, 1.0, output).pearson or 0.0) > 0.99999


def test_the_padded_waveform_differs_without_packing(points: tuple[SweepPoint, ...]) -> None:
    without, padded = (chosen(points, Regime.STATIC_NO_PACK, r, "audio", InputSource.END_TO_END) for r in RATIOS)
    assert (without.best_lag_correlation or 0.0) > 0.99
    assert padded.best_lag_correlation is not None
    assert padded.best_lag_correlation < 0.9


def test_only_progress_is_reported(points: tuple[SweepPoint, ...], events: list[ExperimentEvent]) -> None:
    assert all(isinstance(event, PreparationEvent | ProgressEvent) for event in events)
    told = [event for event in events if isinstance(event, ProgressEvent)]
    titles = [event.title for event in told]
    assert [title for title in titles if "Padding" in title] == [f"Padding {r:g} times the length" for r in RATIOS]
    assert [(event.done, event.total) for event in told] == [(0, 2), (1, 2), (2, 2)]
    assert told[0].seconds_left is None
    assert told[1].seconds_left is not None
    assert titles[-1] == "Swept"


def test_points_are_json(points: tuple[SweepPoint, ...]) -> None:
    values = json.loads(json.dumps([asdict(point) for point in points], allow_nan=False))
    assert values[0]["regime"] in list(Regime)


def test_a_text_with_nothing_to_speak_is_reported() -> None:
    with pytest.raises(NothingToSpeak):
        sweep_padding(request_for("  "))


def test_remaining_time_extrapolates_finished_work_by_weight() -> None:
    moments = iter([100.0, 104.0, 106.0])
    remaining = RemainingTime([1, 1, 2, 4], lambda: next(moments))
    assert remaining.seconds_left(1) is None
    for _ in range(2):  # it starts once
        remaining.start()
    assert remaining.seconds_left(0) is None
    assert remaining.seconds_left(1) == pytest.approx(4 * 7)
    assert remaining.seconds_left(4) == 0


def test_the_remaining_time_is_shown_once_known() -> None:
    assert ProgressEvent("Swept", 0, 2).words == "Swept: 0 of 2"
    assert ProgressEvent("Swept", 1, 2, 120.0).words == "Swept: 1 of 2, about 2 minutes left"
