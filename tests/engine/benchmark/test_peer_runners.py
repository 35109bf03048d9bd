"""What ours, PyTorch's and a small model's compute; runners of exported stages are tested with their runtimes."""

import importlib.util
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save_file

from engine.artifacts.packed_weights import PackedWeights
from engine.benchmark import peer_runners
from engine.benchmark.job import Job, exact_length, weights_path
from engine.benchmark.peer_runners import WHOLE_MODEL, HibariModel, our_runner, pytorch_runner, whole_model_parts
from engine.benchmark.utterances import inputs_of, make_utterance
from engine.models.checkpoints import open_checkpoint
from engine.runners import tvm_runner
from engine.runners.tvm_runner import CompiledRunner
from engine.runtime.preparation.files import ensure_files
from engine.stages import stage_named


@pytest.fixture
def job(tmp_path):
    save_file(open_checkpoint("starter").load_weights(), weights_path(tmp_path))
    return Job("starter", None, 1)


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
        for output, array in original.run(stage, inputs_of(stage, values)).items():
            np.testing.assert_allclose(array, values[output], atol=1e-4)
    runner.close()


@pytest.mark.skipif(importlib.util.find_spec("hibari") is None, reason="the extra “bench” is not installed (hibari)")
def test_a_small_model_speaks_the_same_symbols_for_as_long(job):
    length = exact_length(2, job.config)
    with closing(our_runner(job)) as runner:
        values = make_utterance(job.config, length, runner)
    part = whole_model_parts(HibariModel(1), job.config)(values)[WHOLE_MODEL]
    audio = part.run()
    assert audio.size / job.config.sample_rate_hz == pytest.approx(length.seconds * part.times_the_work, abs=0.02)
    assert np.abs(audio).max() > 0.01
    np.testing.assert_array_equal(part.run(), audio)
