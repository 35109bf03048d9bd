import numpy as np
import pytest
import torch
import tvm
from torch import nn
from tvm.ir.transform import module_pass
from tvm.tirx import PrimFunc

from engine.compiler import passes
from engine.compiler.passes import all_passes, apply, build_executable, first_line, graph_passes, weight_passes
from engine.compiler.targets import host_cpu
from engine.errors import CompileError
from engine.stages import TOKENS, Size, Tensor

ROWS = Tensor("rows", (TOKENS, Size("hidden_dim")))


@module_pass(opt_level=0, name="Broken")
def broken(module, _):
    raise ValueError("no such thing\nand pages of internals")


def test_a_failing_pass_is_an_error_that_names_it():
    with pytest.raises(CompileError, match=r"Compiler pass Broken failed: .*no such thing"):
        apply(tvm.IRModule(), [broken], host_cpu())


def test_an_error_is_told_in_one_line():
    assert first_line(ValueError("\nfirst\nsecond")) == "first"
    assert first_line(KeyError()) == "KeyError"


def test_code_generation_that_fails_is_an_error(monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("no registers left\nand pages of internals")

    monkeypatch.setattr(passes.relax, "build", fail)
    with pytest.raises(CompileError, match="Code generation failed: no registers left"):
        build_executable(tvm.IRModule(), host_cpu())


def test_what_depends_on_weights_alone_runs_when_they_are_loaded(compiled):
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


def test_neighbouring_operators_become_one_loop(compiled):
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
