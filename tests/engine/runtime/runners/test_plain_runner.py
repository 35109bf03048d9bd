import numpy as np
import pytest
import torch

from engine.benchmark.job import Length
from engine.benchmark.utterances import inputs_of, make_utterance
from engine.network.plain_stages import CompilableDecoder
from engine.network.random_weights import network_with, random_weights
from engine.network.reference import Arithmetic, Reference
from engine.runtime.runners.plain_runner import COMPILED_STAGE, PlainRunner
from engine.stages import DEVICE_STAGES


@pytest.fixture(scope="module")
def weights(tiny_config):
    return random_weights(tiny_config, 0)


def test_every_stage_is_the_references(tiny_config, weights):
    runner = PlainRunner(tiny_config, weights, 1)
    values = make_utterance(tiny_config, Length(14, 5, 0.35), runner)
    reference = Reference(network_with(tiny_config, weights), Arithmetic.UPSTREAM)
    for stage in DEVICE_STAGES:
        expected = reference.run_stage(stage.name, inputs_of(stage, values))
        for tensor in stage.outputs:
            np.testing.assert_allclose(values[tensor.name], expected[tensor.name], rtol=1e-5, atol=1e-5)
            assert values[tensor.name].dtype == tensor.dtype


def test_the_decoder_is_compiled_for_any_length(tiny_config, weights, monkeypatch):
    asked = []
    monkeypatch.setattr(torch, "compile", lambda module, **options: asked.append((type(module), options)) or module)
    PlainRunner(tiny_config, weights, 1)
    assert asked == []
    PlainRunner(tiny_config, weights, 1, compiled=True).close()
    assert asked == [(CompilableDecoder, {"dynamic": True})]
    assert COMPILED_STAGE in {stage.name for stage in DEVICE_STAGES}
