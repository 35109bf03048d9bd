"""Medians and ratios of given numbers."""

import pytest

from engine.benchmark.peers import KOKORO_ONNX_INT8, ONNX_RUNTIME, OPENVINO_BFLOAT16, OURS, PYTORCH
from tests.engine.benchmark.example_measurement import ROUNDS, alone, at, with_lossy_peers


def test_seconds_are_medians_of_a_stage_or_of_the_sum() -> None:
    assert at().seconds(OURS, "decoder") == 0.1
    assert at().seconds(OURS) == pytest.approx(0.112)
    assert at().real_time_factor(PYTORCH) == pytest.approx(0.334 / 2)


def test_ratios_are_medians_of_pairs_not_ratios_of_medians() -> None:
    assert at().times_as_long(PYTORCH, "bert") == pytest.approx(3)
    uneven = at(rounds=(ROUNDS[0], ROUNDS[1], {**ROUNDS[2], PYTORCH: ROUNDS[1][PYTORCH]}))
    assert uneven.times_as_long(PYTORCH, "decoder") == pytest.approx(3)  # of 3, 2.5 and 5
    assert uneven.seconds(PYTORCH, "decoder") / uneven.seconds(OURS, "decoder") == pytest.approx(5)


def test_the_best_peer_is_the_one_that_takes_the_least() -> None:
    assert at().best_peer() == ONNX_RUNTIME
    assert at().times_faster_than_best_peer() == pytest.approx(0.25 / 0.112)
    assert at().times_faster_than_best_peer("decoder") == pytest.approx(2.4)


def test_stages_slower_by_more_than_a_tenth_are_named() -> None:
    assert at().slower_stages() == ("bert",)
    nearly = at(rounds=({OURS: {"bert": 0.0109}, PYTORCH: {"bert": 0.010}},))
    assert nearly.slower_stages() == ()


def test_alone_there_is_nothing_to_compare_with() -> None:
    assert alone().peers == ()
    assert alone().best_peer() is None
    assert alone().times_faster_than_best_peer("bert") is None
    assert alone().slower_stages() == ()


def test_lossy_peers_are_there_but_never_the_best() -> None:
    lossy = with_lossy_peers()
    assert lossy.lossy_peers == (OPENVINO_BFLOAT16, KOKORO_ONNX_INT8)
    assert lossy.times_as_long(OPENVINO_BFLOAT16) < 1
    assert lossy.best_peer() == ONNX_RUNTIME
    assert lossy.times_faster_than_best_peer() == at().times_faster_than_best_peer()
    assert lossy.slower_stages() == ("bert",)
    only = at(rounds=({OURS: ROUNDS[0][OURS], OPENVINO_BFLOAT16: ROUNDS[0][PYTORCH]},))
    assert only.best_peer() is None


def test_a_whole_model_has_a_total_but_no_stages() -> None:
    lossy = with_lossy_peers()
    assert lossy.stages == ("bert", "decoder", "istft")
    assert lossy.has(KOKORO_ONNX_INT8)
    assert not lossy.has(KOKORO_ONNX_INT8, "bert")
    assert lossy.times_as_long(KOKORO_ONNX_INT8) == pytest.approx(0.5)


def test_rates_are_of_what_the_mathematics_needs() -> None:
    assert at().flop_per_second(OURS, "decoder") == pytest.approx(400e9)
    assert at().flop_per_second(OURS) == pytest.approx(41e9 / 0.112)
    assert at().flop_per_second(OURS, "istft") is None
