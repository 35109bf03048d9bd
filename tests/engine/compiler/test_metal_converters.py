"""Whole stages on the Metal device, against PyTorch."""

import numpy as np
import pytest

from engine.model.random_weights import network_with, random_weights
from engine.runners.torch_runner import ExportableRunner
from engine.stages import DEVICE_STAGES, Axis, stage_named
from tests.engine.compiler.metal_machine import MetalStage, arrays_for
from tests.metal_device import metal_device

COUNTS = ({"tokens": (1,), "frames": (1,)}, {"tokens": (12, 2, 5), "frames": (3, 2, 1)})
LEAST_CORRELATION = 0.9999999


@pytest.fixture(scope="module")
def weights(tiny_config):
    return random_weights(tiny_config, 0)


@pytest.fixture(scope="module")
def exportable(tiny_config, weights):
    return ExportableRunner(network_with(tiny_config, weights))


def with_spoilt_padding(config, stage, arrays, counts):
    """The same inputs with NaN, or a huge number, beyond each member's length."""
    spoilt = {name: array.copy() for name, array in arrays.items()}
    for tensor in stage.inputs:
        for place, axis in enumerate(tensor.axes):
            for member in range(len(counts["tokens"])) if isinstance(axis, Axis) else ():
                valid = {name: values[member] for name, values in counts.items()}
                array = np.moveaxis(spoilt[tensor.name][member], place, 0)
                array[axis.extent(config, valid) :] = np.nan if array.dtype == np.float32 else 2**30
    return spoilt


@pytest.mark.parametrize("name", [stage.name for stage in DEVICE_STAGES])
def test_stages_on_metal_equal_the_exportable_ones(tiny_config, weights, exportable, name):
    stage, metal = stage_named(name), metal_device()
    compiled = MetalStage(metal, stage, tiny_config, weights)
    for counts in COUNTS:
        arrays = arrays_for(stage, tiny_config, counts)
        expected = exportable.run(stage, arrays)
        with metal.fast():
            result = compiled.run(arrays)
            spoilt = compiled.run(with_spoilt_padding(tiny_config, stage, arrays, counts))
        for output, array in result.items():
            np.testing.assert_array_equal(spoilt[output], array)
            assert np.isfinite(array).all()
            if name == "source":  # phases of bins that hardly sound differ, as they do between any two computations
                assert np.corrcoef(array.ravel(), expected[output].ravel())[0, 1] > LEAST_CORRELATION
            else:
                np.testing.assert_allclose(array, expected[output], atol=5e-5, rtol=1e-3)
