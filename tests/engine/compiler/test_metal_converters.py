"""Whole stages on the Metal device, against PyTorch."""

import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch

from engine.artifacts.manifest import Variant
from engine.compiler.export import export_stage
from engine.compiler.metal_passes import kernel_sources
from engine.compiler.passes import build_executable
from engine.compiler.targets import metal_macos
from engine.kernels.precision import Precision
from engine.network.random_weights import network_with, random_weights
from engine.runners.torch_runner import ExportableRunner
from engine.runners.tvm_runner import CompiledRunner
from engine.stages import DEVICE_STAGES, TOKENS, Axis, Place, Size, Stage, Tensor, stage_named
from tests.engine.compiler.metal_machine import MetalStage, arrays_for
from tests.engine.kept_modules import kept_modules
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
    """The same inputs with NaN, or a huge number, beyond the length of each sequence."""
    spoilt = {name: array.copy() for name, array in arrays.items()}
    for tensor in stage.inputs:
        for place, axis in enumerate(tensor.axes):
            for batch_index in range(len(counts["tokens"])) if isinstance(axis, Axis) else ():
                valid = {name: values[batch_index] for name, values in counts.items()}
                array = np.moveaxis(spoilt[tensor.name][batch_index], place, 0)
                array[axis.extent(config, valid) :] = np.nan if array.dtype == np.float32 else 2**30
    return spoilt


def test_a_float16_decoder_keeps_its_tolerance(tiny_config):
    """The tolerance is for libraries fed by the reference, as that of every stage; weights are random."""
    stage, software = stage_named("decoder"), metal_device()
    generator = replace(
        tiny_config.istftnet,
        upsample_initial_channel=128,
        decoder_dim=96,
        asr_res_dim=64,
        resblock_kernel_sizes=(3,),
        resblock_dilation_sizes=((1, 3, 5),),
    )
    config = replace(tiny_config, hidden_dim=64, istftnet=generator)
    weights = random_weights(config, 0)
    arrays = arrays_for(stage, config, {"tokens": (9,), "frames": (4,)})
    expected = ExportableRunner(network_with(config, weights)).run(stage, arrays)
    with software.fast():
        float16 = MetalStage(software, stage, config, weights, precision=Precision.FLOAT16)
        result = float16.run(arrays)
    for output, array in result.items():
        correlation = np.corrcoef(array.ravel(), expected[output].ravel())[0, 1]
        assert stage.float16_tolerance <= correlation < 1 - 1e-9


@pytest.fixture(scope="module")
def compiled(tiny_config, weights, tmp_path_factory):
    """Every access is looked at while weights are packed; nothing has loaded this copy, and so its kernels, before."""
    metal_device()
    kept = kept_modules(tiny_config, Variant("metal-host"))
    runner = CompiledRunner(shutil.copytree(kept, tmp_path_factory.mktemp("modules") / "copy"), tiny_config, weights)
    yield runner
    runner.close()


@pytest.mark.parametrize("name", [stage.name for stage in DEVICE_STAGES])
def test_stages_on_metal_equal_the_exportable_ones(tiny_config, compiled, exportable, name):
    stage, metal = stage_named(name), metal_device()
    for counts in COUNTS:
        arrays = arrays_for(stage, tiny_config, counts)
        expected = exportable.run(stage, arrays)
        with metal.fast():
            result = compiled.run(stage, arrays)
            spoilt = compiled.run(stage, with_spoilt_padding(tiny_config, stage, arrays, counts))
        for output, array in result.items():
            np.testing.assert_array_equal(spoilt[output], array)
            assert np.isfinite(array).all()
            if name == "source":  # phases of bins that hardly sound differ, as they do between any two computations
                assert np.corrcoef(array.ravel(), expected[output].ravel())[0, 1] > LEAST_CORRELATION
            else:
                np.testing.assert_allclose(array, expected[output], atol=5e-5, rtol=1e-3)


def test_sines_and_exponentials_are_ours_and_join_their_neighbours(tiny_config):
    class Both(torch.nn.Module):
        def forward(self, x):
            return torch.exp(torch.sin(x) + 1)

    stage = Stage("probe", "Probe", Place.DEVICE, (Tensor("rows", (TOKENS, Size("hidden_dim"))),), ())
    graph = export_stage(stage, Both(), tiny_config, metal_macos())
    (source,) = kernel_sources(build_executable(graph.module, metal_macos()).mod).values()
    assert not re.search(r"\b(fast::)?(sin|exp|exp2)\(", source)
