"""What is fused into convolutions on every target, with results that equal PyTorch's."""

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from tvm import relax

from engine.compiler.export import export_stage
from engine.compiler.passes import build_executable
from engine.compiler.targets import host_cpu, metal_macos
from engine.errors import CompileError
from engine.runners.workspace import WORKSPACE_FUNCTION
from engine.stages import TOKENS, Place, Size, Stage, Tensor
from tests.engine.compiler.metal_machine import MetalStage
from tests.metal_device import metal_device
from tests.software_metal.loader import SoftwareMetal

CHANNELS = 32
NO_KERNELS = ("vm.", "shape_func", "runtime.", "begin_at_offset", WORKSPACE_FUNCTION)
"""Prefixes of the functions called for memory and shapes."""
FACTOR = 0.7071
STAGE = Stage("probe", "Probe", Place.DEVICE, (Tensor("x", (Size("hidden_dim"), TOKENS)),), (Tensor("y", ()),))


class Joined(nn.Module):
    """Two convolutions and what is done with their results."""

    def __init__(self, epilogue):
        super().__init__()
        self.first = nn.Conv1d(CHANNELS, CHANNELS, 3, padding=1)
        self.second = nn.Conv1d(CHANNELS, CHANNELS, 1, bias=False)
        self.epilogue = epilogue

    def forward(self, x):
        return self.epilogue(self, x)


EPILOGUES = {
    "sum": (lambda self, x: self.first(x) + x, 1),
    "without bias": (lambda self, x: self.second(x) + x, 1),
    "sum the other way round": (lambda self, x: x + self.first(x), 1),
    "scaled sum of two": (lambda self, x: (self.first(x) + self.second(x)) * FACTOR, 2),
    "chain": (lambda self, x: self.second(self.first(x) + x) + x, 2),
    "read twice": (lambda self, x: _with_itself(self.first(x), x), 2),
    "broadcast": (lambda self, x: self.first(x) + x[:, :1], 2),
    "scalar": (lambda self, x: self.first(x) + 1, 2),
    "scaled tensor": (lambda self, x: (self.first(x) + x) * x, 2),
}


def _with_itself(y, x):
    return (y + x) * y


def launches_of(device):
    """Those of the software device; a Mac's own counts none."""
    return device.launches() if isinstance(device, SoftwareMetal) else 0


@pytest.mark.parametrize("name", EPILOGUES)
def test_what_follows_a_convolution_is_joined_on_metal(tiny_config, name):
    epilogue, launches = EPILOGUES[name]
    module = Joined(epilogue)
    weights = {key: value.detach().numpy() for key, value in module.named_parameters()}
    software = metal_device()
    x = np.random.default_rng(0).standard_normal((2, CHANNELS, 21), np.float32)
    with software.fast():
        compiled = MetalStage(software, STAGE, tiny_config, weights, module=module)
        before = launches_of(software)
        (result,) = compiled.run({"x": x}).values()
    with torch.no_grad():
        np.testing.assert_allclose(result, module(torch.from_numpy(x)), atol=2e-5, rtol=1e-4)
    assert launches_of(software) - before == (launches if isinstance(software, SoftwareMetal) else 0)


@pytest.mark.parametrize("name", EPILOGUES)
def test_what_follows_a_convolution_is_joined_on_processors(tiny_config, name):
    epilogue, calls = EPILOGUES[name]
    module = Joined(epilogue)
    graph = export_stage(STAGE, module, tiny_config, host_cpu())
    x = np.random.default_rng(0).standard_normal((2, CHANNELS, 21), np.float32)
    weights = {key: value.detach().numpy() for key, value in module.named_parameters()}
    originals = [tvm.runtime.tensor(weights[parameter.name]) for parameter in graph.parameters]
    machine = relax.VirtualMachine(build_executable(graph.module, host_cpu()), tvm.cpu())
    packed = machine["main_transform_params"](originals)
    called = []
    machine.set_instrument(lambda _, name, before, *rest: called.append(name) if before else None)
    (result,) = machine["main"](tvm.runtime.tensor(x), *packed)
    with torch.no_grad():
        np.testing.assert_allclose(result.numpy(), module(torch.from_numpy(x)), atol=2e-5, rtol=1e-4)
    assert len([name for name in called if not name.startswith(NO_KERNELS)]) == calls


def test_a_sum_with_a_factor_in_it_is_an_error(tiny_config):
    with pytest.raises(CompileError, match="sum with a factor"):
        export_stage(STAGE, Joined(lambda self, x: torch.add(self.first(x), x, alpha=2)), tiny_config, metal_macos())


def test_a_convolution_in_groups_is_an_error(tiny_config):
    grouped = Joined(lambda self, x: self.first(x))
    grouped.first = nn.Conv1d(CHANNELS, CHANNELS, 3, padding=1, groups=2)
    with pytest.raises(CompileError, match="in groups"):
        export_stage(STAGE, grouped, tiny_config, host_cpu())
