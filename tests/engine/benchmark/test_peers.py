"""Which peers can run, and what runners compute; a whole benchmark, in test_measuring, shows that all of them run."""

import numpy as np
import pytest
from safetensors.numpy import save_file

from engine.artifacts.packed_weights import PackedWeights
from engine.benchmark.job import Job, weights_path
from engine.benchmark.peers import (
    ONNX_RUNTIME,
    PEER_NAMES,
    PYTORCH,
    TORCH_COMPILE,
    choose_peers,
    our_runner,
    pytorch_runner,
)
from engine.benchmark.utterances import inputs_of, make_utterance
from engine.errors import EngineError, InvalidRequest
from engine.estimate.lengths import exact_length
from engine.model_store.checkpoints import open_checkpoint
from engine.runners import tvm_runner
from engine.runners.tvm_runner import CompiledRunner
from engine.stages import stage_named


def everything(name):
    return name


def nothing(name):
    return None


def test_no_peers_unless_asked_for():
    selection = choose_peers(None, nothing, nothing)
    assert selection.names == ()
    assert selection.left_out == {}


def test_all_peers_that_can_run():
    selection = choose_peers([], everything, everything)
    assert selection.names == PEER_NAMES
    assert selection.left_out == {}


def test_a_peer_that_cannot_run_is_left_out_with_the_reason():
    selection = choose_peers([], nothing, nothing)
    assert selection.names == (PYTORCH,)
    assert "extra “bench”" in selection.left_out[ONNX_RUNTIME]
    assert "C++ compiler" in selection.left_out[TORCH_COMPILE]


@pytest.mark.parametrize("name", [ONNX_RUNTIME, TORCH_COMPILE])
def test_a_named_peer_that_cannot_run_is_an_error(name):
    with pytest.raises(EngineError, match=f"{name} cannot run here: .*\\. Install"):
        choose_peers([name], nothing, nothing)


def test_names_may_be_separated_by_commas():
    assert choose_peers(["pytorch,onnxruntime", "pytorch"], everything, nothing).names == (PYTORCH, ONNX_RUNTIME)


def test_an_unknown_peer_is_refused():
    with pytest.raises(InvalidRequest, match="no peer “tensorflow”"):
        choose_peers(["tensorflow"], everything, everything)


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


def test_ours_and_the_original_compute_the_same(job, tmp_path):
    runner = our_runner(job)
    values = make_utterance(job.config, exact_length(0.25, job.config), runner)
    original = pytorch_runner(job, tmp_path)
    for name in ("bert", "text_encoder", "istft"):
        stage = stage_named(name)
        for output, array in original.run(stage, inputs_of(stage, values)).items():
            np.testing.assert_allclose(array, values[output], atol=1e-4)
    runner.close()
