import re

import numpy as np
import pytest
import torch
from torch import nn

from engine.compiler.buffer_plan import lend_buffers
from engine.compiler.export import export_stage
from engine.compiler.passes import all_passes, apply
from engine.compiler.targets import metal_host
from engine.runners.buffers import BUFFERS_FUNCTION
from engine.stages import TOKENS, Place, Size, Stage, Tensor
from tests.engine.compiler.metal_machine import MetalStage
from tests.engine.tiny_model import TINY
from tests.metal_device import metal_device

ROWS = Tensor("rows", (TOKENS, Size("hidden_dim")))
STAGE = Stage("probe", "Probe", Place.DEVICE, (ROWS,), (Tensor("y", ()),))


class Branches(nn.Module):
    """Layers whose results are needed at different times, one of them under another shape."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(32, 32) for _ in range(5))
        self.wide = nn.Linear(32, 50)

    def forward(self, x):
        kept = self.layers[0](x)
        shaped = kept.reshape(kept.shape[0], -1)
        for layer in self.layers:
            x = layer(x)
        return (shaped.reshape(x.shape) * x + self.wide(x).sum(2, keepdim=True),)


@pytest.fixture(scope="module")
def script():
    """The function `main` as it is once its buffers are lent."""
    passes = all_passes(metal_host())
    last = next(place for place, step in enumerate(passes) if step.info.name == lend_buffers.info.name)
    graph = export_stage(STAGE, Branches(), TINY, metal_host())
    return apply(graph.module, passes[: last + 1], metal_host())["main"].script()


def test_only_the_result_has_storage_of_its_own(script):
    assert script.count("alloc_storage") == 1


def test_all_buffers_are_borrowed_at_once_and_arrays_of_equal_size_share_them(script):
    assert script.count(BUFFERS_FUNCTION) == 1
    sizes = re.search(rf'{BUFFERS_FUNCTION}", R.shape\(\[(.*?)\]\)', script)[1].split(", ")
    assert len(sizes) == 5  # of 8 arrays: 3 of 32 floats a token, used alternately, one of 50, one of 1
    assert len(set(sizes)) == 3


@pytest.mark.parametrize(("batch", "tokens"), [(1, 1), (2, 7), (3, 40), (1, 2)])
def test_arrays_in_borrowed_buffers_hold_what_they_should(batch, tokens):
    device, module = metal_device(), Branches()
    weights = {name: value.detach().numpy() for name, value in module.named_parameters()}
    x = np.random.default_rng(0).standard_normal((batch, tokens, 32), np.float32)
    with device.fast():
        y = MetalStage(device, STAGE, TINY, weights, module=module).run({"rows": x})["y"]
    with torch.no_grad():
        np.testing.assert_allclose(y, module(torch.from_numpy(x))[0].numpy(), rtol=1e-4, atol=1e-4)
