"""Operators are fused into convolutions on every target, with results that equal PyTorch's."""

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from torch.nn import functional
from tvm import relax
from tvm.target import Target
from tvm.tirx import PrimFunc

from engine.benchmark.estimate.counting import products
from engine.benchmark.estimate.roofline import Family
from engine.compiler import convolution_runs
from engine.compiler.artifacts.runtime_functions import WORKSPACE_FUNCTION
from engine.compiler.build import weightless_modules
from engine.compiler.convolution_layers import ConvolutionLayer, convolution_layers
from engine.compiler.convolution_runs import Convolution, convolution
from engine.compiler.export import export_stage, trace
from engine.compiler.kernels.convolution import ConvWorkload, transposed
from engine.compiler.kernels.cpu.conv_choice import choice_for, choices
from engine.compiler.kernels.cpu.register_tile import AVX512
from engine.compiler.passes import build_executable
from engine.compiler.targets import host_cpu, metal_macos
from engine.compiler.tuning import RUNS, Search, as_text, best, convolutions, seconds_of
from engine.errors import CompileError
from engine.stages import TOKENS, Size, Stage, StagePlace, Tensor, stage_named
from tests.engine.compiler.kernels.cpu.running import host, host_microkernel
from tests.engine.compiler.metal_machine import MetalStage
from tests.metal_device import metal_device
from tests.software_metal.loader import SoftwareMetal

CHANNELS = 32
NO_KERNELS = ("vm.", "shape_func", "runtime.", "begin_at_offset", WORKSPACE_FUNCTION)
"""Prefixes of the functions called for memory and shapes."""
FACTOR = 0.7071
STAGE = Stage("probe", "Probe", StagePlace.DEVICE, (Tensor("x", (Size("hidden_dim"), TOKENS)),), (Tensor("y", ()),))


class Joined(nn.Module):
    """Two convolutions and the operators on their results."""

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
def test_operations_after_a_convolution_are_fused_on_metal(tiny_config, name):
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
def test_operations_after_a_convolution_are_fused_on_cpus(tiny_config, name):
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


LENGTHS = {"tokens": 7, "frames": 20}


@pytest.fixture(scope="module")
def traced(tiny_config):
    """A function of the name of a stage: its graph and the shapes of its inputs, which its convolutions are found from.

    Each is traced once.
    """
    modules = weightless_modules(tiny_config)

    @functools.cache
    def make(name):
        stage = stage_named(name)
        return trace(stage, modules[name], tiny_config), [
            tensor.shape(tiny_config, 1, LENGTHS) for tensor in stage.inputs
        ]

    return make


@pytest.mark.parametrize("stage_name", ["text_encoder", "f0n", "decoder"])
def test_the_flop_of_all_layers_add_up_to_the_convolution_total(traced, stage_name):
    program, shapes = traced(stage_name)
    layers = convolution_layers(program, shapes)
    depthwise = [weight for name, weight in program.state_dict.items() if name.endswith("pool.weight")]
    apart = sum(2 * weight.numel() * LENGTHS["frames"] for weight in depthwise)
    of_layers = sum(layer.flop * count for layer, count in layers.items())
    assert of_layers + apart == products(program, shapes)[Family.CONVOLUTIONS]


def test_all_kinds_of_convolutions_are_distinguished(traced):
    layers = convolution_layers(*traced("decoder"))
    assert {layer.is_transposed for layer in layers} == {False, True}
    assert {layer.dilation for layer in layers} == {1, 3, 5}
    assert max(layer.stride for layer in layers if not layer.is_transposed) > 1
    assert max(layers.values()) > 1


def test_a_multiplication_and_an_addition_count_per_weight_and_output():
    layer = ConvolutionLayer(3, 5, 4, stride=2, padding=1, dilation=3, is_transposed=False, length=20)
    assert layer.flop == 2 * 3 * 5 * 4 * 7


def test_a_transposed_one_uses_every_weight_at_every_input():
    layer = ConvolutionLayer(3, 5, 4, stride=2, padding=1, dilation=1, is_transposed=True, length=20)
    assert layer.flop == 2 * 3 * 5 * 4 * 20


@pytest.mark.parametrize(
    "sizes",
    [
        ConvWorkload(3, 4, 4, stride=2, padding=1),
        ConvWorkload(32, 33, 3, dilation=5, padding=5),
        transposed(6, 5, 12, 6, 3),
        transposed(32, 33, 12, 6, 3),
    ],
    ids=str,
)
def test_a_convolution_runs_as_often_as_wanted(sizes, monkeypatch):
    given: dict[str, tuple[Any, ...]] = {}
    compile_kernels = convolution_runs._library

    def noting(target: Target, **kernels: PrimFunc) -> dict[str, Callable[..., None]]:
        library = compile_kernels(target, **kernels)

        def run_kernel(name: str, *arrays: Any) -> None:
            given[name] = arrays
            library[name](*arrays)

        return {name: functools.partial(run_kernel, name) for name in kernels}

    monkeypatch.setattr(convolution_runs, "_library", noting)
    run = convolution(host(), sizes, 50, host_microkernel()).prepared()
    weight, (x, _, bias, y) = given["pack"][0], given["run"]
    expected = by_torch(sizes, *(torch.from_numpy(array.numpy()).double() for array in (x, weight, bias)))
    for _ in range(2):
        y.copyfrom(np.full(y.shape, np.nan, np.float32))
        run()
        np.testing.assert_allclose(y.numpy(), expected, atol=1e-4, rtol=0)


def by_torch(sizes: ConvWorkload, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> np.ndarray:
    if sizes.upsampling > 1:
        made = functional.conv_transpose1d(x, weight, bias, stride=sizes.upsampling, padding=sizes.trim)
    else:
        made = functional.conv1d(x, weight, bias, sizes.stride, sizes.padding, sizes.dilation)
    return made.numpy()


def test_each_preparation_gets_separate_arrays():
    class Library(dict[str, object]):
        """A replacement for kernels that notes the arrays that it gets."""

        def __init__(self) -> None:
            super().__init__(pack=lambda weight, packed: None, run=lambda *arrays: seen.append(arrays))

    seen: list[tuple[object, ...]] = []
    built = Convolution(Library(), packed=(2, 4), weight=(2, 2, 2), source=(1, 2, 9), target=(1, 2, 8))
    built.prepared()
    built.prepared()
    (x, weight, bias, y), (other_x, same_weight, _, other_y) = seen
    assert weight is same_weight
    assert x is not other_x
    assert y is not other_y
    assert [np.shape(array.numpy()) for array in (x, bias, y)] == [(1, 2, 9), (2,), (1, 2, 8)]


LARGE, SMALL = ConvWorkload(64, 64, 3, padding=1), ConvWorkload(16, 16, 1)


class Clock:
    """Time that passes only when something is measured."""

    def __init__(self, seconds_each=0.0):
        self.now = 100.0
        self.seconds_each = seconds_each
        self.asked = []

    def measure(self, faster):
        def seconds(sizes, choice, length):
            self.now += self.seconds_each
            self.asked.append((sizes, choice, length))
            return 1.0 / faster.get((sizes, choice), 1.0)

        return seconds


def search(clock, seconds=60.0, faster=None, report=lambda _: None):
    return Search(seconds, clock.now, clock.measure(faster or {}), report, lambda: clock.now)


@pytest.mark.parametrize(("seconds", "place", "gain"), [((1, 0.5, 2), 1, 2), ((1, 0.98, 2), 0, 1), ((1, 1, 1), 0, 1)])
def test_an_alternative_choice_must_win_by_a_clear_margin(seconds, place, gain):
    given = choices(LARGE, AVX512)[:3]
    assert best(dict(zip(given, seconds, strict=True))) == (given[place], gain)


def test_kernels_use_the_tuned_choices():
    chosen = choices(LARGE, AVX512)[4]
    (finding,) = search(Clock(), faster={(LARGE, chosen): 1.25}).findings({LARGE: 80, SMALL: 80}, AVX512)
    assert (finding.choice, finding.gain) == (chosen, 1.25)
    tuned = type(AVX512)(16, 8, 48, tuned=((finding.sizes, finding.choice),))
    assert choice_for(LARGE, tuned) == chosen != choice_for(LARGE, AVX512)
    assert choice_for(SMALL, tuned) == choice_for(SMALL, AVX512)
    assert "64 to 64 channels, 3 taps" in finding.as_text.convolution
    assert f"tile {chosen.rows} x {chosen.columns}" in finding.as_text.choice


def test_every_choice_is_measured_and_each_convolution_reported():
    clock, events = Clock(), []
    assert search(clock, report=events.append).findings({LARGE: 80, SMALL: 40}, AVX512) == []
    assert [choice for sizes, choice, _ in clock.asked if sizes == LARGE] == list(choices(LARGE, AVX512))
    assert [(event.done, event.total) for event in events] == [(0, 2), (1, 2)]


def test_it_ends_when_the_time_is_up():
    clock = Clock(seconds_each=1.0)
    assert search(clock, seconds=2.5).findings({LARGE: 80, SMALL: 80}, AVX512) == []
    assert [sizes for sizes, _, _ in clock.asked] == [LARGE] * 3


class Layers(torch.nn.Module):
    """Convolutions of different cost."""

    def __init__(self, width):
        super().__init__()
        self.cheap = torch.nn.Conv1d(width, 8, 1, bias=False)
        self.dear = torch.nn.Conv1d(8, 64, 5, padding=4, dilation=2)
        self.longer = torch.nn.ConvTranspose1d(64, 4, 4, 2, padding=1)

    def forward(self, x):
        return self.longer(self.dear(self.cheap(x)))


def test_convolutions_of_a_stage_are_found_costliest_first(tiny_config):
    width = tiny_config.hidden_dim
    stage = Stage("probe", "Probe", StagePlace.DEVICE, (Tensor("x", (Size("hidden_dim"), TOKENS)),), (Tensor("y", ()),))
    found = convolutions(trace(stage, Layers(width), tiny_config))
    dear, longer, cheap = ConvWorkload(8, 64, 5, 2, 1, 4), transposed(64, 4, 4, 2, 1), ConvWorkload(width, 8, 1)
    assert list(found.items()) == [(dear, 140), (longer, 140), (cheap, 140)]
    assert as_text(longer) == "64 to 4 channels, 2 taps, 2 phases"


@pytest.mark.parametrize("sizes", [ConvWorkload(32, 33, 3, padding=1), ConvWorkload(3, 4, 4, stride=2)], ids=str)
def test_every_choice_runs_and_the_middle_time_counts(sizes):
    spans = itertools.cycle([9, 1, 2, 3, 100][:RUNS])
    ticks = itertools.chain.from_iterable((0, span) for span in spans)
    measure = seconds_of(host(), lambda: next(ticks))
    found = choices(sizes, host_microkernel())
    assert [measure(sizes, choice, 100) for choice in (found[0], found[-1])] == [3, 3]
