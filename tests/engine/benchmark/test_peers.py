"""Tests of the peers that can run here; a whole benchmark, in test_measuring, shows that they run."""

import importlib.util
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save_file

from engine.benchmark import peer_runners
from engine.benchmark.job import BenchmarkJob, exact_length, kokoro_onnx_path, weights_path
from engine.benchmark.peer_runners import (
    NEAR_ENOUGH,
    WHOLE_MODEL,
    HibariModel,
    fitted_speed,
    frames_of,
    our_runner,
    pytorch_runner,
    whole_model_parts,
)
from engine.benchmark.peers import (
    HIBARI,
    KOKORO_ONNX_INT8,
    ONNX_RUNTIME,
    OPENVINO,
    OPENVINO_BFLOAT16,
    OPENVINO_STATIC,
    PEER_NAMES,
    PYTORCH,
    TORCH_COMPILE,
    PeerEnvironment,
    choose_peers,
)
from engine.benchmark.utterances import inputs_of, make_utterance
from engine.compiler.artifacts.packed_weights import PackedWeights
from engine.errors import EngineError, InvalidRequest
from engine.models.checkpoints import FULL_SIZE, STARTER, open_checkpoint
from engine.runtime.preparation.files import ensure_files
from engine.runtime.runners import tvm_runner
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.stages import stage_named


def everything(name):
    return name


def nothing(name):
    return None


EMPTY = PeerEnvironment(nothing, nothing, frozenset, lambda: kokoro_onnx_path() / "missing")


@pytest.fixture
def complete(tmp_path):
    path = tmp_path / "model.onnx"
    path.touch()
    return PeerEnvironment(everything, everything, lambda: frozenset({"avx2", "avx512_bf16"}), lambda: path)


@pytest.mark.parametrize(("model", "excluded"), [(FULL_SIZE, HIBARI), (STARTER, KOKORO_ONNX_INT8)])
def test_all_available_peers_run_except_models_of_a_different_size(complete, model, excluded):
    selection = choose_peers([], model, complete)
    assert selection.names == tuple(name for name in PEER_NAMES if name != excluded)
    assert list(selection.left_out) == [excluded]
    assert f"not with {model}" in selection.left_out[excluded]


def test_a_peer_that_cannot_run_is_left_out_with_the_reason():
    selection = choose_peers([], FULL_SIZE, EMPTY)
    assert selection.names == (PYTORCH,)
    assert "extra “bench”" in selection.left_out[ONNX_RUNTIME]
    assert "openvino" in selection.left_out[OPENVINO]
    assert "openvino" in selection.left_out[OPENVINO_STATIC]
    assert "C++ compiler" in selection.left_out[TORCH_COMPILE]


def test_bfloat16_requires_a_cpu_with_bfloat16_multiplication():
    selection = choose_peers(
        [], FULL_SIZE, PeerEnvironment(package=everything, features=lambda: frozenset({"avx512f"}))
    )
    assert OPENVINO in selection.names
    assert "avx512_bf16 or amx_bf16" in selection.left_out[OPENVINO_BFLOAT16]


@pytest.mark.parametrize("feature", ["avx512_bf16", "amx_bf16"])
def test_either_feature_will_do(feature):
    environment = PeerEnvironment(package=everything, features=lambda: frozenset({feature}))
    assert OPENVINO_BFLOAT16 in choose_peers([], FULL_SIZE, environment).names


def test_a_whole_model_needs_its_file(tmp_path):
    path = tmp_path / "model.onnx"
    selection = choose_peers([], FULL_SIZE, PeerEnvironment(package=everything, file=lambda: path))
    assert str(path) in selection.left_out[KOKORO_ONNX_INT8]


@pytest.mark.parametrize("missing", ["hibari", "onnxruntime", "scipy"])
def test_a_small_model_needs_all_that_makes_it_fast(missing):
    environment = PeerEnvironment(package=lambda name: None if name == missing else name)
    assert missing in choose_peers([], STARTER, environment).left_out[HIBARI]


@pytest.mark.parametrize("model", [FULL_SIZE, STARTER])
@pytest.mark.parametrize("name", [name for name in PEER_NAMES if name != PYTORCH])
def test_a_named_peer_that_cannot_run_is_an_error(name, model):
    with pytest.raises(EngineError, match=f"{name} can’t run here: .*\\. Fix that"):
        choose_peers([name], model, EMPTY)


def test_names_may_be_separated_by_commas(complete):
    selection = choose_peers(["pytorch,onnxruntime", "pytorch"], STARTER, complete)
    assert selection.names == (PYTORCH, ONNX_RUNTIME)


def test_an_unknown_peer_is_refused(complete):
    with pytest.raises(InvalidRequest, match="Unknown peer “tensorflow”"):
        choose_peers(["tensorflow"], FULL_SIZE, complete)


@pytest.fixture
def job(tmp_path):
    save_file(open_checkpoint("starter").load_weights(), weights_path(tmp_path))
    return BenchmarkJob("starter", None, 1)


def test_ours_has_the_weights_that_speak(job, monkeypatch):
    given = []

    def runner(modules, config, weights, threads):
        given.append(weights)
        return CompiledRunner(modules, config, weights, threads)

    monkeypatch.setattr(tvm_runner, "CompiledRunner", runner)
    our_runner(job).close()
    assert isinstance(given[0], PackedWeights)


def test_ours_runs_on_the_device_of_the_job(job, monkeypatch):
    asked = []

    def files(checkpoint, device, observe, lstm_method):
        asked.append(device)
        return ensure_files(checkpoint, "cpu", observe)

    monkeypatch.setattr(peer_runners, "ensure_files", files)
    on_metal = replace(job, device="metal")
    our_runner(on_metal).close()
    our_runner(on_metal.on_processor).close()
    assert asked == ["metal", "cpu"]


def test_ours_and_the_original_compute_the_same(job, tmp_path):
    runner = our_runner(job)
    values = make_utterance(job.config, exact_length(0.25, job.config), runner)
    original = pytorch_runner(job, tmp_path)
    for name in ("bert", "text_encoder", "istft"):
        stage = stage_named(name)
        for output, array in original.run_stage(stage, inputs_of(stage, values)).items():
            np.testing.assert_allclose(array, values[output], atol=1e-4)
    runner.close()


@pytest.mark.skipif(importlib.util.find_spec("hibari") is None, reason="needs hibari")
def test_a_small_peer_generates_equally_long_audio_for_the_same_symbols(job):
    length = exact_length(2, job.config)
    with closing(our_runner(job)) as runner:
        values = make_utterance(job.config, length, runner)
    part = whole_model_parts(HibariModel(1), job.config)(values)[WHOLE_MODEL]
    audio = part.run()
    assert audio.size / job.config.sample_rate_hz == pytest.approx(length.seconds * part.times_the_work, abs=0.02)
    assert np.abs(audio).max() > 0.01
    np.testing.assert_array_equal(part.run(), audio)


def frames_at(natural, tokens):
    """Round durations as the model does: tokens of different lengths, each at least a frame."""
    durations = np.random.default_rng(0).uniform(0.2, 1.8, tokens) * natural

    def count(speed):
        return int(np.maximum(1, np.round(durations / speed)).sum())

    return count


@pytest.mark.parametrize("natural", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("wanted", [200, 400])
def test_a_speed_is_found_for_a_length(natural, wanted):
    count = frames_at(natural, tokens=67)
    speed, frames = fitted_speed(count, wanted)
    assert frames == count(speed)
    assert abs(frames - wanted) <= NEAR_ENOUGH * wanted


def test_a_model_that_cannot_speak_for_so_long_is_an_error():
    with pytest.raises(EngineError, match=r"50 frames .* 100"):
        fitted_speed(lambda speed: 50, 100)


class Speaking:
    """Stands in for the model: a frame more than requested at speed 1."""

    def __init__(self, samples_per_frame):
        self.samples_per_frame = samples_per_frame
        self.given = []

    def speak_tokens(self, tokens, style, speed):
        self.given.append((tokens, style, speed))
        return np.zeros(51 * self.samples_per_frame, np.float32)


def test_a_whole_model_is_a_single_part_that_reports_its_work(tiny_config):
    model = Speaking(tiny_config.samples_per_frame)
    values = {
        "tokens": np.ones((1, 17), np.int32),
        "timbre": np.full((1, 8), 1, np.float32),
        "prosody": np.full((1, 8), 2, np.float32),
        "frame_count": np.array([50], np.int32),
    }
    parts = whole_model_parts(model, tiny_config)(values)
    assert list(parts) == [WHOLE_MODEL]
    assert parts[WHOLE_MODEL].times_the_work == 51 / 50
    before = len(model.given)
    parts[WHOLE_MODEL].run()
    ((tokens, style, _),) = model.given[before:]
    assert tokens.shape == (1, 17)
    assert style.tolist() == [[1.0] * 8 + [2.0] * 8]


@pytest.mark.parametrize("audio", [np.zeros(0), np.full(6000, np.nan)])
def test_empty_or_nonfinite_audio_is_an_error(tiny_config, audio):
    with pytest.raises(EngineError, match="empty, or not finite"):
        frames_of(audio, tiny_config)
