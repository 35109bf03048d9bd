"""The contract of `engine benchmark --json`."""

import json

import pytest

from engine.benchmark.comparison_data import as_data
from engine.benchmark.peers import ONNX_RUNTIME, PYTORCH
from tests.engine.benchmark.example_measurement import alone, measurement


def test_lengths_have_ours_peers_and_how_many_times_faster():
    first, second = as_data(measurement())["lengths"]
    assert (first["audio_seconds"], second["audio_seconds"]) == (2.0, 10.0)
    assert first["ours"]["seconds"] == pytest.approx(0.112)
    assert first["ours"]["rtf"] == pytest.approx(0.056)
    assert first["ours"]["stages"]["decoder"]["share_of_peak"] == pytest.approx(2.0)
    assert first["ours"]["stages"]["istft"]["gflop_per_second"] is None
    assert first["peers"][PYTORCH]["stages"]["bert"]["times_as_long"] == pytest.approx(3)
    assert first["best_peer"] == ONNX_RUNTIME
    assert first["times_faster_than_best_peer"] == pytest.approx(0.25 / 0.112)
    assert first["stages_times_faster_than_best_peer"]["bert"] == pytest.approx(0.8)


def test_all_of_it_is_json():
    data = as_data(measurement())
    assert json.loads(json.dumps(data, allow_nan=False))["left_out"] == dict(measurement().left_out)
    assert (data["warm_up_seconds"], data["stage_seconds"]) == (10, 0.5)
    assert data["requests"]["cold_seconds"] == 2.25
    (memory,) = data["memory"]
    assert (memory["utterance_seconds"], memory["peak_bytes"]) == (1.56, 560_000_000)
    assert data["compile_seconds"]["total"] == 35.5
    assert data["processes"][PYTORCH]["peak_bytes"] == 1_500_000_000


def test_alone_there_are_no_peers():
    (length,) = as_data(measurement(lengths=(alone(),)))["lengths"]
    assert length["peers"] == {}
    assert length["times_faster_than_best_peer"] is None
