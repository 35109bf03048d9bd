import re

import numpy as np
import pytest
import torch
import tvm
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from engine.compiler.artifacts.runtime_functions import BUFFERS_FUNCTION, WORKSPACE_FUNCTION
from engine.compiler.buffer_plan import lend_buffers
from engine.compiler.export import export_stage
from engine.compiler.memory_plan import LiveRange, begin_at_offset, placements, share_workspace
from engine.compiler.passes import all_passes, apply
from engine.compiler.targets import host_cpu, metal_host
from engine.stages import TOKENS, Size, Stage, StagePlace, Tensor
from tests.engine.compiler.metal_machine import MetalStage
from tests.engine.tiny_model import TINY
from tests.metal_device import metal_device

ROWS = Tensor("rows", (TOKENS, Size("hidden_dim")))


@st.composite
def live_ranges(draw):
    first = draw(st.integers(0, 20))
    return LiveRange(64 * draw(st.integers(1, 9)), first, first + draw(st.integers(0, 9)))


@given(st.lists(live_ranges(), max_size=12))
def test_arrays_needed_at_the_same_step_are_apart(arrays):
    placed = list(zip(arrays, placements(arrays), strict=True))
    assert all(start >= 0 and start % 64 == 0 for _, start in placed)
    for index, (one, start) in enumerate(placed):
        for other, other_start in placed[:index]:
            assert not one.overlaps(other) or start + one.size <= other_start or other_start + other.size <= start


@given(st.integers(1, 9), st.integers(1, 30))
def test_a_chain_takes_no_more_than_two_arrays(units, length):
    arrays = [LiveRange(64 * units, step, step + 1) for step in range(length)]
    assert set(placements(arrays)) <= {0, 64 * units}


def test_a_small_array_takes_the_gap_between_two():
    arrays = [LiveRange(128, 0, 9), LiveRange(64, 0, 2), LiveRange(128, 0, 9), LiveRange(64, 3, 9)]
    assert placements(arrays) == [0, 256, 128, 256]


def test_a_view_begins_at_its_address():
    machine = tvm.compile(
        tvm.IRModule({"begin": begin_at_offset.with_attr("global_symbol", "begin")}), target=host_cpu()
    )
    whole = tvm.runtime.tensor(np.arange(64, dtype=np.uint8))
    view = tvm_ffi.get_global_func("runtime.TVMTensorCreateView")(
        whole, tvm_ffi.Shape((8,)), tvm_ffi.dtype("uint8"), 16
    )
    machine["begin"](view)
    assert view.data_ptr() == whole.data_ptr() + 16
    np.testing.assert_array_equal(view.numpy(), np.arange(16, 24))
    machine["begin"](view)
    assert view.data_ptr() == whole.data_ptr() + 16


class Forks(nn.Module):
    """Layers whose results are needed at different times, one of them under another shape."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(32, 32) for _ in range(5))

    def forward(self, x):
        kept = self.layers[0](x)
        shaped = kept.reshape(kept.shape[0], -1)
        for layer in self.layers:
            x = layer(x)
        return shaped.reshape(x.shape) * x


def test_views_of_an_array_keep_its_place(compiled):
    rng = np.random.default_rng(0)
    made = compiled(Forks(), ROWS)
    for batch, tokens in ((1, 1), (2, 7), (3, 40)):
        x = rng.standard_normal((batch, tokens, 32)).astype(np.float32)
        np.testing.assert_allclose(made(x), made.eager(x), rtol=1e-4, atol=1e-5)


def test_all_that_is_not_a_result_is_in_one_piece_of_memory(compiled):
    made = compiled(Forks(), ROWS)
    script = _before_lowering(made).script()
    assert script.count("alloc_storage") == 1  # the result's
    assert script.count(WORKSPACE_FUNCTION) == 1
    # the array that is needed to the end, and two used alternately: 3 arrays of 32 floats per token
    assert f"{3 * 32 * 4}" in script.split(WORKSPACE_FUNCTION, 1)[1].splitlines()[0]


def test_an_array_of_quadratic_size_gets_separate_memory(compiled):
    class Scores(nn.Module):
        def forward(self, x):
            scores = torch.matmul(x, x.transpose(1, 2))
            return torch.matmul(scores, x)

    made = compiled(Scores(), ROWS)
    script = _before_lowering(made).script()
    assert script.count("alloc_storage") == 2  # for scores and result
    assert script.count(WORKSPACE_FUNCTION) == 1  # for the transposed rows
    x = np.full((1, 3, 32), 0.5, np.float32)
    np.testing.assert_allclose(made(x), made.eager(x), rtol=1e-5)


def _before_lowering(made):
    passes = all_passes(host_cpu())
    last = next(place for place, step in enumerate(passes) if step.info.name == share_workspace.info.name)
    return apply(made.graph.module, passes[: last + 1], host_cpu())["main"]


STAGE = Stage("probe", "Probe", StagePlace.DEVICE, (ROWS,), (Tensor("y", ()),))


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


def test_only_the_result_has_dedicated_storage(script):
    assert script.count("alloc_storage") == 1


def test_one_call_borrows_all_buffers_and_arrays_of_equal_size_share_them(script):
    assert script.count(BUFFERS_FUNCTION) == 1
    sizes = re.search(rf'{BUFFERS_FUNCTION}", R.shape\(\[(.*?)\]\)', script)[1].split(", ")
    assert len(sizes) == 5  # of 8 arrays: 3 of 32 floats a token, used alternately, one of 50, one of 1
    assert len(set(sizes)) == 3


@pytest.mark.parametrize(("batch", "tokens"), [(1, 1), (2, 7), (3, 40), (1, 2)])
def test_arrays_in_borrowed_buffers_hold_the_right_values(batch, tokens):
    device, module = metal_device(), Branches()
    weights = {name: value.detach().numpy() for name, value in module.named_parameters()}
    x = np.random.default_rng(0).standard_normal((batch, tokens, 32), np.float32)
    with device.fast():
        y = MetalStage(device, STAGE, TINY, weights, module=module).run({"rows": x})["y"]
    with torch.no_grad():
        np.testing.assert_allclose(y, module(torch.from_numpy(x))[0].numpy(), rtol=1e-4, atol=1e-4)
