"""The contract of `engine benchmark --json`, its tables and its plot."""

from __future__ import annotations

import io
import json

import matplotlib.image
import pytest

from engine.benchmark.job import BenchmarkJob
from engine.benchmark.measurement import ProcessFigures
from engine.benchmark.peers import (
    KOKORO_ONNX_INT8,
    ONNX_RUNTIME,
    OPENVINO_BFLOAT16,
    OPENVINO_STATIC,
    OURS,
    OURS_ON_PROCESSOR,
    PYTORCH,
)
from engine.benchmark.plot import as_png
from engine.benchmark.report import BEST, to_dict, to_text
from tests.engine.benchmark.example_measurement import ROUNDS, alone, at, beside_a_gpu, measurement, with_lossy_peers


def test_lengths_have_ours_peers_and_how_many_times_faster():
    first, second = to_dict(measurement())["lengths"]
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
    data = to_dict(measurement())
    assert json.loads(json.dumps(data, allow_nan=False))["left_out"] == dict(measurement().left_out)
    assert (data["warm_up_seconds"], data["stage_seconds"]) == (10, 0.5)
    assert data["requests"]["cold_seconds"] == 2.25
    assert json.loads(json.dumps(data["requests"]["seconds_by_words"])) == {"1": 0.03, "3000": 0.4}
    (memory,) = data["memory"]
    assert (memory["utterance_seconds"], memory["peak_bytes"]) == (1.56, 560_000_000)
    assert data["compile_seconds"]["total"] == 35.5
    assert data["modules"].startswith("shipped for x86-64-v3 CPUs")
    assert data["processes"][PYTORCH]["peak_bytes"] == 1_500_000_000


def test_the_table_has_every_stage_and_the_total():
    words = to_text(measurement())
    rows = {line.split()[0]: line.split() for line in words.splitlines() if line.startswith("  ")}
    assert rows["decoder"] == ["decoder", "100.00", "0.0100", "400.0", "200%"]
    assert rows["istft"][3:5] == ["-", "-"]
    assert rows["total"][1] == "112.00"
    assert rows["onnxruntime"] == ["onnxruntime", "float32", "261.00", "2.23", "0.80", "2.40", "1.50"]


def test_a_gpu_stage_has_no_share_of_the_cpu_peak():
    on_metal = measurement(job=BenchmarkJob("kokoro-82m", None, 2, device="metal"), lengths=(beside_a_gpu(),))
    data = json.loads(json.dumps(to_dict(on_metal), allow_nan=False))
    (length,) = data["lengths"]
    assert data["device"] == "metal"
    assert data["machine"]["peak_flop_per_second"] == 200e9
    assert length["ours"]["stages"]["decoder"]["share_of_peak"] is None
    assert length["ours"]["stages"]["decoder"]["gflop_per_second"] == pytest.approx(400)
    assert length["peers"][OURS_ON_PROCESSOR]["times_as_long"] == pytest.approx(5)
    words = to_text(on_metal)
    rows = {line.split()[0]: line.split() for line in words.splitlines() if line.startswith("  ")}
    assert words.splitlines()[0] == "kokoro-82m, ours on metal, 2 threads"
    assert rows["decoder"] == ["decoder", "100.00", "0.0500", "400.0", "-"]
    assert "5.00 times as fast as the best peer in float32, ours-on-cpu" in words


def test_lossy_peers_are_marked_in_words_and_json():
    lossy = measurement(lengths=(with_lossy_peers(),))
    words = to_text(lossy)
    rows = {line.split()[0]: line.split() for line in words.splitlines() if line.startswith("  ")}
    assert rows[KOKORO_ONNX_INT8] == [KOKORO_ONNX_INT8, "int8", "56.00", "0.50", "-", "-", "-"]
    assert "lossy, so never the best peer: openvino-bf16, kokoro-onnx-int8" in words
    assert BEST in words
    data = to_dict(lossy)
    peers = data["lengths"][0]["peers"]
    assert {name: peer["lossy"] for name, peer in peers.items()} == {
        PYTORCH: False,
        ONNX_RUNTIME: False,
        OPENVINO_BFLOAT16: True,
        KOKORO_ONNX_INT8: True,
    }
    assert peers[OPENVINO_BFLOAT16]["precision"] == "bfloat16"
    assert peers[KOKORO_ONNX_INT8]["stages"] == {}
    assert data["lengths"][0]["best_peer"] == ONNX_RUNTIME
    assert data["basis"]["best_peer"] == BEST


def test_compiling_for_a_length_is_reported_separately():
    figures = ProcessFigures(1.0, 0.5, 1_000_000, 0.0, {2.0: 3.5, 10.0: 4.25})
    compiled = measurement(processes={OPENVINO_STATIC: figures})
    assert "openvino-static compiled its stages: 3.50 s for 2 s, 4.25 s for 10 s" in to_text(compiled)
    data = json.loads(json.dumps(to_dict(compiled)))
    assert data["processes"][OPENVINO_STATIC]["preparation_seconds"] == {"2.0": 3.5, "10.0": 4.25}


def test_the_text_report_contains_the_key_findings():
    words = to_text(measurement())
    assert "had run the stages for 10 s before the first round" in words
    assert "2.23 times as fast as the best peer in float32, onnxruntime" in words
    assert "slower than the best peer by more than 10%: bert (0.80)" in words
    assert "Omitted: torch-compile: torch.compile needs a C++ compiler (g++)." in words
    assert "short text 40 ms, long text 400 ms" in words
    assert "by words of the first phrase, the last a long text: 1: 30 ms, 3,000: 400 ms" in words
    assert "peak memory for up to 10 s of speech" in words
    assert "           1.6      2.50       560" in words
    assert "compiled in 35.5 s" in words


def test_the_plot_has_a_line_for_every_runner():
    picture = matplotlib.image.imread(io.BytesIO(as_png(measurement())), format="png")
    assert picture.shape[1] > picture.shape[0] > 300
    colors = {tuple(color) for color in (picture[..., :3] * 255).round().astype(int).reshape(-1, 3).tolist()}
    assert {(31, 119, 180), (255, 127, 14), (44, 160, 44)} <= colors


def test_at_one_length_the_plot_has_a_bar_for_every_runner():
    one = measurement(lengths=measurement().lengths[:1])
    picture = matplotlib.image.imread(io.BytesIO(as_png(one)), format="png")
    middle = (picture[:, picture.shape[1] // 4, :3] * 255).round().astype(int)
    ours, theirs = ((middle == color).all(axis=1) for color in ((90, 80, 214), (185, 182, 196)))
    assert 0 < ours.sum() < theirs.sum()
    assert ours.argmax() < theirs.argmax()  # the fastest on top


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


def test_rates_count_only_the_flop_that_the_mathematics_needs() -> None:
    assert at().flop_per_second(OURS, "decoder") == pytest.approx(400e9)
    assert at().flop_per_second(OURS) == pytest.approx(41e9 / 0.112)
    assert at().flop_per_second(OURS, "istft") is None
