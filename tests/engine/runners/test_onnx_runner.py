"""ONNX Runtime computes what PyTorch does: a peer that computes something else would be no fair one."""

import numpy as np
import pytest

from engine.benchmark.utterances import inputs_of, make_utterance
from engine.estimate.lengths import Length
from engine.network.onnx_export import export_to_onnx
from engine.network.random_weights import random_weights
from engine.runners.onnx_runner import OnnxRunner
from engine.runners.plain_runner import PlainRunner
from engine.stages import DEVICE_STAGES, stage_named

LENGTHS = (Length(14, 5, 0.35), Length(61, 20, 1.525))
"""Neither is the one that the files were made with."""


@pytest.fixture(scope="module")
def runners(tiny_config, tmp_path_factory):
    weights, folder = random_weights(tiny_config, 0), tmp_path_factory.mktemp("onnx")
    export_to_onnx(tiny_config, weights, DEVICE_STAGES, folder)
    return PlainRunner(tiny_config, weights, 1), OnnxRunner(folder, 1)


@pytest.fixture(scope="module", params=LENGTHS, ids=lambda length: f"{length.frames} frames")
def values(request, tiny_config, runners):
    return make_utterance(tiny_config, request.param, runners[0])


@pytest.mark.parametrize("name", [stage.name for stage in DEVICE_STAGES if stage.name != "source"])
def test_a_stage_is_the_original(runners, values, name):
    stage = stage_named(name)
    for output, array in runners[1].run(stage, inputs_of(stage, values)).items():
        scale = np.abs(values[output]).max()
        np.testing.assert_allclose(array, values[output], atol=1e-5 * max(scale, 1.0))


def test_the_source_is_the_original_but_for_phases_where_nothing_sounds(tiny_config, runners, values):
    source = stage_named("source")
    (array,) = runners[1].run(source, inputs_of(source, values)).values()
    got, expected = (spectrum(one, tiny_config) for one in (array, values["harmonics"]))
    assert np.abs(got - expected).max() < 1e-3 * np.abs(expected).max()


def spectrum(harmonics, config):
    magnitude, phase = np.split(harmonics.astype(np.float64), [config.frequency_bins], axis=1)
    return magnitude * np.exp(1j * phase)
