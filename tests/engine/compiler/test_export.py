import inspect
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import nn
from tvm.script import tirx as T
from tvm_ffi import structural_equal

from engine.compiler.build import weightless_modules
from engine.compiler.export import dynamic_shapes, example_inputs, export_stage, parameters_of, trace, translate
from engine.compiler.script_parsing import quick_parsing
from engine.compiler.targets import host_cpu
from engine.compiler.traced_graph import example_shapes, number_of, numbers_of, operator_name, shape_of
from engine.errors import CompileError
from engine.network.random_weights import random_weights
from engine.stages import DEVICE_STAGES, FRAMES, TOKENS, Size, Stage, StagePlace, Tensor, stage_named

ROWS = Tensor("rows", (TOKENS, Size("hidden_dim")))


def probe(*inputs):
    return Stage("probe", "Probe", StagePlace.DEVICE, inputs, ())


@pytest.mark.parametrize("stage", DEVICE_STAGES, ids=lambda stage: stage.name)
def test_examples_have_the_declared_shapes_and_no_constant_like_length(tiny_config, stage):
    for tensor, example in zip(stage.inputs, example_inputs(stage, tiny_config), strict=True):
        assert str(example.dtype) == f"torch.{tensor.dtype}"
        assert len(example.shape) == 1 + len(tensor.axes)
        assert example.shape[0] > 1


def test_derived_lengths_follow_the_length_that_some_input_has(tiny_config):
    *_, frame_count, harmonics = dynamic_shapes(stage_named("decoder"), tiny_config)
    assert set(frame_count) == {0}
    assert set(harmonics) == {0, 2}
    assert str(harmonics[2]) == f"{tiny_config.stft_frames_per_frame}*frames + 1"


def test_a_derived_length_stands_for_itself_where_no_input_has_the_length(tiny_config):
    magnitude, phase, _ = dynamic_shapes(stage_named("istft"), tiny_config)
    assert magnitude[2].__name__ == phase[2].__name__ == f"frames_{tiny_config.stft_frames_per_frame}_1"
    assert magnitude[2].min == tiny_config.stft_frames_per_frame + 1


def test_a_graph_takes_inputs_then_parameters_and_no_values(tiny_config):
    class Shifted(nn.Module):
        def __init__(self):
            super().__init__()
            self.shift = nn.Parameter(torch.full((32,), 7.0))

        def forward(self, x):
            return x + self.shift

    graph = export_stage(probe(ROWS), Shifted(), tiny_config, host_cpu())
    assert [(p.name, p.shape, p.dtype) for p in graph.parameters] == [("shift", (32,), "float32")]
    assert len(graph.module["main"].params) == 2
    assert "params" not in graph.module["main"].attrs
    assert "tir_var_upper_bound" not in graph.module["main"].attrs


@pytest.fixture(scope="module")
def programs(tiny_config):
    """All stages as traced, by name."""
    modules = weightless_modules(tiny_config)
    return {stage.name: trace(stage, modules[stage.name], tiny_config) for stage in DEVICE_STAGES}


def test_the_parameters_of_all_stages_are_weights_by_their_folded_names(programs, tiny_config):
    weights = random_weights(tiny_config, 0)
    names = set()
    for program in programs.values():
        for parameter in parameters_of(program):
            assert weights[parameter.name].shape == parameter.shape
            names.add(parameter.name)
    unused = {name for name in weights if name not in names}
    assert all(name.startswith("bert.pooler") or "position_ids" in name for name in unused), unused


def test_a_probed_stage_takes_the_same_parameters_and_gives_more(programs, tiny_config):
    stage, plain = stage_named("text_encoder"), programs["text_encoder"]
    probed = export_stage(stage, weightless_modules(tiny_config, True)[stage.name], tiny_config, host_cpu())
    assert probed.parameters == parameters_of(plain)
    modules = translate(stage, plain, host_cpu()), probed.module
    assert [len(module["main"].ret_ty.fields) for module in modules] == [1, 1 + tiny_config.n_layer + 1]


def test_random_numbers_are_an_error(tiny_config):
    class Noisy(nn.Module):
        def forward(self, x):
            return x + torch.randn_like(x)

    with pytest.raises(CompileError, match=r"probe draws random numbers \(randn_like"):
        export_stage(probe(ROWS), Noisy(), tiny_config, host_cpu())


def test_an_operator_without_converter_is_an_error(tiny_config):
    class Strange(nn.Module):
        def forward(self, x):
            return torch.special.bessel_j0(x)

    with pytest.raises(CompileError, match="probe can’t be translated"):
        export_stage(probe(ROWS), Strange(), tiny_config, host_cpu())


def test_a_module_for_one_length_only_is_an_error(tiny_config):
    class Fixed(nn.Module):
        def forward(self, x):
            return x + torch.ones(x.shape[0], 7, 32)

    with pytest.raises(CompileError, match="probe can’t be traced"):
        export_stage(probe(ROWS), Fixed(), tiny_config, host_cpu())


def test_lengths_are_independent_of_each_other(compiled):
    class Both(nn.Module):
        def forward(self, tokens, frames):
            return torch.cat([tokens.sum(1, keepdim=True), frames.sum(1, keepdim=True)], dim=1)

    made = compiled(Both(), Tensor("a", (TOKENS,)), Tensor("b", (FRAMES,)))
    for tokens, frames in ((1, 1), (5, 5), (3, 40)):
        result = made(np.ones((2, tokens), np.float32), np.ones((2, frames), np.float32))
        np.testing.assert_array_equal(result, [[tokens, frames]] * 2)


def test_a_value_that_is_not_a_node_has_no_operator():
    assert operator_name(None) == operator_name(3) == ""


def test_stage_outputs_have_the_lengths_of_the_run(programs, tiny_config):
    stage, program = stage_named("f0n"), programs["f0n"]
    shapes = [tensor.shape(tiny_config, 3, {"tokens": 7, "frames": 20}) for tensor in stage.inputs]
    assert [len(shape) for shape in example_shapes(program)] == [len(shape) for shape in shapes]
    numbers = numbers_of(program, shapes)
    *_, output = program.graph.nodes
    f0, _ = output.args[0]
    assert [number_of(extent, numbers) for extent in shape_of(f0)] == [3, 20, 2]


PYTHONS_OWN = inspect.getouterframes  # while tests run, all of them parse quickly


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(inspect, "getouterframes", PYTHONS_OWN)
    yield
    assert inspect.getouterframes is PYTHONS_OWN


@T.inline
def copy(x, y, position):
    y[position] = x[position]


def copying(extent):
    @T.prim_func(s_tir=True)
    def copying(x: T.Buffer((extent,), "float32"), y: T.Buffer((extent,), "float32")):
        for position in T.serial(extent):
            copy(x, y, position)

    return copying


@pytest.mark.usefixtures("unhurried")
def test_frames_are_the_same_without_their_source():
    here = inspect.currentframe()
    full = inspect.getouterframes(here)
    with quick_parsing():
        quick = inspect.getouterframes(here)
    assert [(info.frame, info.filename, info.function) for info in quick] == [
        (info.frame, info.filename, info.function) for info in full
    ]
    assert full[0].code_context is not None
    assert [info.code_context for info in quick] == [None] * len(full)


@pytest.mark.usefixtures("unhurried")
def test_a_kernel_is_the_same():
    expected = copying(4)
    with quick_parsing():
        assert structural_equal(copying(4), expected)
        assert not structural_equal(copying(5), expected)


@pytest.mark.usefixtures("unhurried")
def test_a_failure_is_still_told():
    with pytest.raises(Exception, match="missing"), quick_parsing():

        @T.prim_func(s_tir=True)
        def wrong(x: T.Buffer((4,), "float32")):
            x[0] = missing  # noqa: F821
