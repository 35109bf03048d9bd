"""Scheduled functions compute what unscheduled ones do; what cannot be scheduled is left alone."""

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from tvm import relax, tirx
from tvm.ir.transform import module_pass
from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler import passes
from engine.compiler.elementwise import SCHEDULED, schedule_elementwise
from engine.compiler.passes import all_passes, apply, build_executable, first_line, graph_passes, weight_passes
from engine.compiler.targets import host_cpu
from engine.errors import CompileError
from engine.stages import TOKENS, Size, Tensor
from tests.engine.compiler.kernels.cpu.running import host

ROWS = Tensor("rows", (TOKENS, Size("hidden_dim")))


@module_pass(opt_level=0, name="Broken")
def broken(module, _):
    raise ValueError("no such thing\nand pages of internals")


def test_a_failing_pass_is_an_error_that_names_it():
    with pytest.raises(CompileError, match=r"Compiler pass Broken failed: .*no such thing"):
        apply(tvm.IRModule(), [broken], host_cpu())


def test_an_error_is_summarized_in_one_line():
    assert first_line(ValueError("\nfirst\nsecond")) == "first"
    assert first_line(KeyError()) == "KeyError"


def test_code_generation_that_fails_is_an_error(monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("no registers left\nand pages of internals")

    monkeypatch.setattr(passes.relax, "build", fail)
    with pytest.raises(CompileError, match="Code generation failed: no registers left"):
        build_executable(tvm.IRModule(), host_cpu())


def test_computations_on_weights_alone_run_at_load_time(compiled):
    class Summed(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Parameter(torch.arange(32.0))
            self.second = nn.Parameter(torch.ones(32))

        def forward(self, x):
            return x * torch.exp(self.first + self.second)

    made = compiled(Summed(), ROWS)
    passed = apply(made.graph.module, (*weight_passes(), *graph_passes()), host_cpu())
    assert "exp" in passed["main_transform_params"].script()
    assert "exp" not in passed["main"].script()
    x = np.full((2, 3, 32), 1e-9, np.float32)
    np.testing.assert_allclose(made(x), made.eager(x), rtol=1e-6)


def test_neighboring_operators_become_one_loop(compiled):
    class Chain(nn.Module):
        def forward(self, x):
            return torch.sin(x * 2 + 1).abs()

    made = compiled(Chain(), ROWS)
    passed = apply(made.graph.module, graph_passes(), host_cpu())
    assert passed["main"].script().count("call_tir") == 1


def test_no_function_keeps_the_others_from_telling_their_arguments_apart(compiled):
    class Flat(nn.Module):
        def forward(self, x):
            return (x.reshape(-1) * 2).reshape(x.shape)

    made = compiled(Flat(), ROWS)
    passed = apply(made.graph.module, all_passes(host_cpu()), host_cpu())
    functions = {
        name.name_hint: function for name, function in passed.functions.items() if isinstance(function, PrimFunc)
    }
    assert "shape_func" in functions
    assert all("tirx.noalias" in function.attrs for function in functions.values())


BATCH, LENGTH = 2, 37


def fused(build, *shapes, dtypes=None) -> tirx.PrimFunc:
    """The one loop function that Relax makes of an expression of inputs with these shapes."""
    builder = relax.BlockBuilder()
    kinds = dtypes or ["float32"] * len(shapes)
    inputs = [
        relax.Var(f"x{index}", relax.TensorType(shape, dtype))
        for index, (shape, dtype) in enumerate(zip(shapes, kinds, strict=True))
    ]
    with builder.function("main", inputs):
        with builder.dataflow():
            output = builder.emit_output(builder.emit(build(*inputs)))
        builder.emit_func_output(output)
    passes = (
        relax.transform.LegalizeOps(),
        relax.transform.AnnotateTIROpPattern(),
        relax.transform.FuseOps(),
        relax.transform.FuseTIR(),
    )
    module = tvm.ir.transform.Sequential(passes)(builder.get())
    (function,) = (found for found in module.functions.values() if isinstance(found, tirx.PrimFunc))
    return function


def symbols() -> tuple[tirx.Var, tirx.Var]:
    return tirx.Var("batch", "int64"), tirx.Var("length", "int64")


def run(function: tirx.PrimFunc, shape: tuple[int, ...], *inputs: np.ndarray) -> np.ndarray:
    module = tvm.IRModule({"main": function.with_attr("global_symbol", "main")})
    output = tvm.runtime.tensor(np.full(shape, np.nan, np.float32))
    tvm.compile(module, target=host())["main"](*(tvm.runtime.tensor(value) for value in inputs), output)
    return output.numpy()


def assert_same(function: tirx.PrimFunc, shape: tuple[int, ...], *inputs: np.ndarray) -> tirx.PrimFunc:
    scheduled = schedule_elementwise(function)
    assert scheduled.attrs[SCHEDULED]
    assert np.array_equal(run(scheduled, shape, *inputs), run(function, shape, *inputs))
    return scheduled


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape, np.float32)


def is_parallel(function: tirx.PrimFunc) -> bool:
    return "T.parallel" in str(function)


def test_a_chain_becomes_one_parallel_loop():
    batch, length = symbols()
    shape = (batch, 6, length)
    function = fused(lambda x, y: relax.op.nn.leakyrelu((x + y) * relax.const(0.5), 0.1), shape, shape)
    values = (numbers(BATCH, 6, LENGTH), numbers(BATCH, 6, LENGTH))
    scheduled = assert_same(function, (BATCH, 6, LENGTH), *values)
    assert is_parallel(scheduled)
    assert "sblock_alloc_buffer" not in str(scheduled)


def test_transposes_and_joins():
    batch, length = symbols()
    function = fused(
        lambda x, y: relax.op.concat([relax.op.permute_dims(x, [0, 2, 1]), y], axis=2),
        (batch, 5, length),
        (batch, length, 3),
    )
    inputs = (numbers(BATCH, 5, LENGTH), numbers(BATCH, LENGTH, 3))
    assert is_parallel(assert_same(function, (BATCH, LENGTH, 8), *inputs))


def test_rows_of_a_table():
    batch, length = symbols()
    function = fused(
        lambda table, tokens: relax.op.take(table, tokens, axis=0, mode="clip"),
        (11, 32),
        (batch, length),
        dtypes=["float32", "int32"],
    )
    tokens = np.random.default_rng(1).integers(0, 11, (BATCH, LENGTH), np.int32)
    assert is_parallel(assert_same(function, (BATCH, LENGTH, 32), numbers(11, 32), tokens))


def test_short_rows_stay_together():
    batch, length = symbols()
    function = fused(
        lambda x: relax.op.broadcast_to(relax.op.expand_dims(x, 3), (batch, 5, length, 2)), (batch, 5, length)
    )
    scheduled = assert_same(function, (BATCH, 5, LENGTH, 2), numbers(BATCH, 5, LENGTH))
    assert "T.parallel(batch * T.int64(5))" in str(scheduled)


def test_sums_stay_whole():
    batch, length = symbols()
    function = fused(lambda x: relax.op.sum(relax.op.exp(x), axis=3), (batch, 4, length, 9))
    assert is_parallel(assert_same(function, (BATCH, 4, LENGTH), numbers(BATCH, 4, LENGTH, 9)))


def test_small_arrays_do_not_wake_other_threads():
    batch, _ = symbols()
    function = fused(lambda x: x + relax.const(1.0), (batch, 128))
    assert not is_parallel(assert_same(function, (BATCH, 128), numbers(BATCH, 128)))


def test_a_scheduled_function_is_left_alone():
    @T.prim_func(s_tir=True)
    def kernel(x: T.Buffer((4,), "float32")) -> None:
        T.func_attr({"tirx.is_scheduled": True})
        for index in T.serial(4):
            x[index] = T.float32(0)

    assert schedule_elementwise(kernel) is kernel


@pytest.mark.parametrize("extent", [1, 4])
def test_a_function_without_blocks_is_left_alone(extent):
    @T.prim_func(s_tir=True)
    def loop(x: T.Buffer((extent,), "float32")) -> None:
        for index in T.serial(extent):
            x[index] = x[index] + T.float32(1)

    scheduled = schedule_elementwise(loop)
    tvm.ir.assert_structural_equal(scheduled.without_attr(SCHEDULED) if scheduled is not loop else loop, loop)
