import math
import re
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional
from tvm import relax
from tvm.tirx import PrimFunc

from engine.compiler.converters import converters_for
from engine.compiler.export import export_stage
from engine.compiler.passes import apply, kernel_passes
from engine.compiler.targets import host_cpu
from engine.errors import CompileError
from engine.stages import FRAMES, STFT_FRAMES, TOKENS, Size, Stage, StagePlace, Tensor
from tests.engine.compiler.kernels.convolutions import MANY_POINTS_LOSS
from tests.engine.compiler.kernels.cpu.assembly import HASWELL, assembly

ROWS = Tensor("rows", (TOKENS, Size("hidden_dim")))
COLUMNS = Tensor("columns", (Size("hidden_dim"), TOKENS))
CHANNELS = 32
LENGTHS = (1, 2, 17, 300)


ATOL = 2e-5
ATOL_OF_7_TAPS = MANY_POINTS_LOSS / math.sqrt(3)
"""A new layer's weights spread over one over the square root of 3 n, so its sums of n products are of this size."""


def close(made, *inputs, atol=ATOL):
    np.testing.assert_allclose(made(*inputs), made.eager(*inputs), atol=atol, rtol=1e-4)


def columns(length, batch=2):
    return np.random.default_rng(length).standard_normal((batch, CHANNELS, length), np.float32)


def rows(length, batch=2):
    return np.random.default_rng(length).standard_normal((batch, length, CHANNELS), np.float32)


def words(make):
    """The call that creates a layer, as in Python."""
    arguments = [*map(str, make.args), *(f"{name}={value}" for name, value in make.keywords.items())]
    return f"{make.func.__name__}({', '.join(arguments)})"


@pytest.mark.parametrize(
    "make",
    [
        partial(nn.Conv1d, CHANNELS, 20, 5, padding=2),
        partial(nn.Conv1d, CHANNELS, 20, 7, padding=15, dilation=5, bias=False),
        partial(nn.ConvTranspose1d, CHANNELS, 24, 20, stride=10, padding=5),
        partial(nn.ConvTranspose1d, CHANNELS, 24, 12, stride=6, padding=3, bias=False),
        partial(nn.ConvTranspose1d, CHANNELS, CHANNELS, 3, stride=2, padding=1, output_padding=1, groups=CHANNELS),
    ],
    ids=words,
)
def test_convolutions_of_any_length_equal_torch(compiled, make):
    layer = make()
    made = compiled(layer, COLUMNS)
    for length in (6, 17, 300):
        close(made, columns(length), atol=ATOL_OF_7_TAPS if layer.kernel_size == (7,) else ATOL)


@pytest.mark.parametrize("shape", [(12, 6, 3), (1, 1, 0)])
def test_strided_convolutions_of_the_source_equal_torch(compiled, tiny_config, shape):
    kernel_size, stride, padding = shape
    axes = (Size("harmonics_channels"), STFT_FRAMES)
    harmonics = Tensor("harmonics", axes)
    layer = nn.Conv1d(tiny_config.harmonics_channels, 6, kernel_size, stride=stride, padding=padding)

    class First(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = layer

        def forward(self, x, _):
            return self.layer(x)

    made = compiled(First(), harmonics, Tensor("frame_token", (FRAMES,), "int32"))
    for frames in (1, 3):
        extent = STFT_FRAMES.extent(tiny_config, {"frames": frames})
        x = np.random.default_rng(0).standard_normal((2, tiny_config.harmonics_channels, extent), np.float32)
        close(made, x, np.zeros((2, frames), np.int32))


@pytest.mark.parametrize("bias", [True, False])
def test_linear_layers_equal_torch(compiled, bias):
    made = compiled(nn.Linear(CHANNELS, 50, bias=bias), ROWS)
    for length in LENGTHS:
        close(made, rows(length))


def test_a_gelu_joins_the_linear_layer_before_it(compiled):
    made = compiled(nn.Sequential(nn.Linear(CHANNELS, 50), nn.GELU(approximate="tanh")), ROWS)
    close(made, rows(17))
    assert "gelu" not in made.graph.module.script().replace("Epilogue", "")  # TVM's own is not used


def test_a_standalone_gelu_is_translated(compiled):
    class Own(nn.Module):
        def forward(self, x):
            return functional.gelu(x, approximate="tanh")

    close(compiled(Own(), ROWS), rows(17))


@pytest.mark.parametrize("affine", [True, False])
def test_layer_norms_equal_torch(compiled, affine):
    norm = nn.LayerNorm(CHANNELS, elementwise_affine=affine)
    for length in LENGTHS:
        close(compiled(norm, ROWS), rows(length))


def test_a_layer_norm_makes_the_sum_before_it(compiled):
    class Summed(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.norm = nn.Linear(CHANNELS, CHANNELS), nn.LayerNorm(CHANNELS)

        def forward(self, x):
            return self.norm(self.layer(x) + x)

    made = compiled(Summed(), ROWS)
    close(made, rows(17))
    used = relax.transform.DeadCodeElimination()(made.graph.module)["main"].script()
    assert "layer_norm" in used
    assert "R.add" not in used


def test_a_layer_norm_after_a_broadcast_sum_is_translated(compiled):
    class Broadcast(nn.Module):
        def __init__(self):
            super().__init__()
            self.row, self.norm = nn.Parameter(torch.arange(float(CHANNELS))), nn.LayerNorm(CHANNELS)

        def forward(self, x):
            return self.norm(x + self.row)

    close(compiled(Broadcast(), ROWS), rows(17))


def test_shared_weights_are_packed_once(compiled):
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(CHANNELS, CHANNELS)

        def forward(self, x):
            return self.layer(self.layer(x))

    made = compiled(Twice(), ROWS)
    close(made, rows(17))
    assert made.graph.module["main"].script().count("pack_weight") == 1


def test_numbers_beyond_the_table_read_within_it(compiled):
    table = nn.Embedding(20, 8)
    made = compiled(table, Tensor("tokens", (TOKENS,), "int32"))
    numbers = np.array([[0, 3, 19], [5, 2**30, -(2**30)]], np.int32)
    result = made(numbers)
    inside = np.clip(numbers, 0, 19)
    np.testing.assert_array_equal(result, made.eager(inside))


def test_masked_values_never_reach_the_result(compiled):
    class Masked(nn.Module):
        def forward(self, x, count):
            beyond = torch.arange(x.shape[1], dtype=torch.int32) >= count[:, None]
            return x.masked_fill(beyond[:, :, None], 0)

    made = compiled(Masked(), ROWS, Tensor("token_count", (), "int32"))
    x = rows(5)
    x[1, 2:] = np.nan
    result = made(x, np.array([5, 2], np.int32))
    np.testing.assert_array_equal(result[0], x[0])
    np.testing.assert_array_equal(result[1, :2], x[1, :2])
    assert (result[1, 2:] == 0).all()


def test_masks_sines_and_exponentials_are_vectorized_on_cpus(tiny_config):
    class Spectrum(nn.Module):
        def forward(self, x, count):
            beyond = torch.arange(x.shape[2], dtype=torch.int32) >= count[:, None]
            return torch.exp(torch.sin(x) + 1).masked_fill(beyond[:, None], 0)

    target = HASWELL
    stage = Stage("probe", "Probe", StagePlace.DEVICE, (COLUMNS, Tensor("token_count", (), "int32")), ())
    graph = export_stage(stage, Spectrum(), tiny_config, target)
    module = apply(graph.module, kernel_passes(target), target)
    (loop,) = (found for found in module.functions.values() if isinstance(found, PrimFunc))
    lines = assembly(loop.with_attr("global_symbol", "main"), target)
    assert sum("vmulps" in line and "%ymm" in line for line in lines) > 1
    assert not any(re.search(r"\b(expf|sinf)\b", line) for line in lines)


def test_reshapes_of_symbolic_axes_equal_torch(compiled):
    class Pairs(nn.Module):
        def forward(self, curve):
            batch, frames, values = curve.shape
            doubled = curve.unsqueeze(-1).expand(batch, frames, values, 2)
            return doubled.reshape(batch, 1, 2 * values * frames)

    made = compiled(Pairs(), Tensor("curve", (FRAMES, Size("f0_values_per_frame"))))
    for length in (1, 9):
        x = np.random.default_rng(0).standard_normal((3, length, 2), np.float32)
        np.testing.assert_array_equal(made(x), made.eager(x))


def test_repeated_steps_equal_torch(compiled):
    class Repeated(nn.Module):
        def forward(self, x):
            return x.repeat_interleave(2, dim=2)

    np.testing.assert_array_equal(compiled(Repeated(), COLUMNS)(columns(5)), columns(5).repeat(2, axis=2))


def test_one_of_a_fixed_axis_is_selected(compiled):
    class First(nn.Module):
        def forward(self, x):
            return x.select(2, 3)

    x = rows(4)
    np.testing.assert_array_equal(compiled(First(), ROWS)(x), x[:, :, 3])


@pytest.mark.parametrize(
    "make",
    [
        partial(nn.Conv1d, CHANNELS, CHANNELS, 3, padding=1, groups=2),
        partial(nn.ConvTranspose1d, CHANNELS, CHANNELS, 3, groups=2),
        partial(nn.GELU),
    ],
    ids=words,
)
def test_an_operation_without_a_kernel_is_an_error(compiled, make):
    layer = make()
    with pytest.raises(CompileError, match="no kernel"):
        compiled(layer, COLUMNS)


def test_every_hand_written_operator_has_a_converter():
    names = set(converters_for(host_cpu()))
    operators = {f"{name}.default" for name in dir(torch.ops.kokoro) if not name.startswith("_") and name != "name"}
    assert operators <= names
