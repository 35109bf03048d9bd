"""The three ways of running one LSTM: two must be exact at every padding, the third must be caught."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.models.checkpoints import open_checkpoint
from engine.network.lstm_activations import SingleLstm
from engine.network.random_weights import network_with, random_weights
from engine.speech import SpeechRequest
from engine.validator.data.results import ValidationRequest
from engine.validator.experiments.lstm_comparison import (
    LSTMS,
    ComparedLstm,
    LstmComparison,
    LstmRun,
    LstmRunResult,
    compare_lstms,
    compiled_lstm,
    padded,
    step_errors,
)
from engine.validator.experiments.sweep import PADDINGS

STEPS = 9


@pytest.fixture(scope="module")
def comparisons() -> tuple[LstmComparison, ...]:
    checkpoint = open_checkpoint()
    return compare_lstms(checkpoint, ValidationRequest(SpeechRequest("Hello.", next(iter(checkpoint.voices)))))


def result(comparison: LstmComparison, run: LstmRun) -> LstmRunResult:
    return next(one for one in comparison.runs if one.run is run)


def test_both_lstms_are_compared_in_three_ways(comparisons: tuple[LstmComparison, ...]) -> None:
    assert [(one.lstm, one.stage) for one in comparisons] == [(lstm.path, lstm.stage) for lstm in LSTMS]
    for comparison in comparisons:
        assert [one.run for one in comparison.runs] == list(LstmRun)
        assert comparison.paddings == PADDINGS
        assert comparison.step_count > 2
        for one in comparison.runs:
            assert len(one.errors) == comparison.step_count
            assert len(one.metrics_by_padding) == len(PADDINGS)
            assert one.metrics == one.metrics_by_padding[PADDINGS.index(comparison.padding)]
            assert one.metrics.tail_energy == 0


@pytest.mark.parametrize("run", [LstmRun.PACKED, LstmRun.COMPILED])
@pytest.mark.parametrize("index", range(len(LSTMS)))
def test_packing_and_the_kernel_are_exact_at_every_padding(
    comparisons: tuple[LstmComparison, ...], index: int, run: LstmRun
) -> None:
    one = result(comparisons[index], run)
    assert max(one.errors) < 1e-5
    assert all(metrics.relative_l2 < 1e-6 and metrics.pearson > 1 - 1e-9 for metrics in one.metrics_by_padding)


@pytest.mark.parametrize("index", range(len(LSTMS)))
def test_without_packing_the_error_grows_with_padding(comparisons: tuple[LstmComparison, ...], index: int) -> None:
    none, *more = (metrics.relative_l2 for metrics in result(comparisons[index], LstmRun.NO_PACK).metrics_by_padding)
    assert none < 1e-6
    assert more == sorted(more)
    assert more[0] > 0.01


def test_without_packing_the_text_encoder_correlates_below_99_percent(comparisons: tuple[LstmComparison, ...]) -> None:
    one = result(comparisons[1], LstmRun.NO_PACK)
    assert one.metrics.pearson < 0.99
    assert max(one.errors) > 1


def test_results_are_json(comparisons: tuple[LstmComparison, ...]) -> None:
    values = json.loads(json.dumps([asdict(one) for one in comparisons], allow_nan=False))
    assert values[0]["runs"][1]["run"] == "no-pack"
    assert values[1]["runs"][1]["errors"] == list(result(comparisons[1], LstmRun.NO_PACK).errors)


@pytest.mark.parametrize("lstm", LSTMS, ids=lambda lstm: lstm.stage)
def test_a_kernel_that_is_not_told_the_length_would_be_caught(lstm: ComparedLstm, tiny_config: ModelConfig) -> None:
    torch_lstm = SingleLstm(network_with(tiny_config, random_weights(tiny_config, 0)), lstm.path)
    run = compiled_lstm(lstm, torch_lstm, tiny_config)
    channels = lstm.channels.extent(tiny_config, {})
    x = np.random.default_rng(0).standard_normal((1, STEPS, channels), np.float32)
    exact, longer = torch_lstm.exact(x), padded(x, 1.0)
    assert max(step_errors(run(longer, STEPS), exact)) < 1e-5
    whole = run(longer, longer.shape[1])
    assert max(step_errors(whole, exact)) > 0.05
    np.testing.assert_allclose(whole[:, :STEPS], torch_lstm.without_packing(longer, STEPS)[:, :STEPS], atol=1e-6)


@pytest.mark.parametrize("wrong", [{"padding": -1.0}, {"speech": SpeechRequest(" ", "af_heart", speed=9.0)}])
def test_bad_input_is_reported_before_any_work(wrong: dict[str, object]) -> None:
    checkpoint = replace(open_checkpoint(), load_weights=lambda: pytest.fail("weights were loaded"))
    request = ValidationRequest(SpeechRequest("Hello.", next(iter(checkpoint.voices))))
    with pytest.raises(InvalidRequest, match="out of range"):
        compare_lstms(checkpoint, replace(request, **wrong))


def test_padded_is_followed_by_zeros() -> None:
    x = np.ones((1, 4, 3), np.float32)
    assert padded(x, 0.3).sum(axis=2).tolist() == [[3, 3, 3, 3, 0, 0]]


def test_step_errors_are_relative_to_the_rms_of_the_exact_output() -> None:
    exact = np.array([[[2.0, -2.0], [2.0, 2.0]]])
    output = np.array([[[2.0, -1.0], [2.5, 2.25], [9.0, 9.0]]], np.float32)
    assert step_errors(output, exact) == (0.5, 0.25)
