import pytest
import torch

from engine.benchmark.job import Length
from engine.benchmark.utterances import inputs_of, make_utterance
from engine.network.plain_stages import CompilableDecoder, PlainStage, with_real_stft
from engine.network.random_weights import network_with, random_weights
from engine.network.real_stft import RealStft
from engine.network.reference import Arithmetic, Reference
from engine.runtime.runners.plain_runner import PlainRunner
from engine.stages import DEVICE_STAGES, Stage, stage_named


@pytest.fixture(scope="module")
def weights(tiny_config):
    return random_weights(tiny_config, 0)


@pytest.fixture(scope="module")
def values(tiny_config, weights):
    return make_utterance(tiny_config, Length(14, 5, 0.35), PlainRunner(tiny_config, weights, 1))


def tensors(stage: Stage, values) -> list[torch.Tensor]:
    return [torch.tensor(array) for array in inputs_of(stage, values).values()]


def test_the_stages_are_the_references_with_upstreams_source(tiny_config, weights, values):
    network = network_with(tiny_config, weights)
    reference = Reference(network, Arithmetic.UPSTREAM)
    for stage in DEVICE_STAGES:
        with torch.no_grad():
            outputs = PlainStage(network, stage.name)(*tensors(stage, values))
        expected = reference.run_stage(stage.name, inputs_of(stage, values))
        for tensor, output in zip(stage.outputs, outputs, strict=True):
            assert (output.numpy() == expected[tensor.name]).all()


def test_the_compilable_decoder_is_the_decoder_at_every_call(tiny_config, weights, values):
    decoder = stage_named("decoder")
    module = CompilableDecoder(network_with(tiny_config, weights))
    plain = PlainStage(network_with(tiny_config, weights), decoder.name)
    quieter = {**values, "harmonics": values["harmonics"] / 2}
    for given in (values, quieter):
        with torch.inference_mode():
            outputs, expected = module(*tensors(decoder, given)), plain(*tensors(decoder, given))
        for output, wanted in zip(outputs, expected, strict=True):
            torch.testing.assert_close(output, wanted)


def test_the_transform_in_real_numbers_replaces_torchs(tiny_config, weights):
    network = with_real_stft(network_with(tiny_config, weights))
    assert isinstance(network.decoder.generator.stft, RealStft)
