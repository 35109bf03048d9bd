"""Runs a torch module compiled, in the process, without a file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
import tvm
import tvm_ffi
from tvm import relax

from engine.compiler.export import RelaxStage, export_stage
from engine.compiler.passes import build_executable
from engine.compiler.targets import host_cpu
from engine.config import ModelConfig
from engine.runtime.runners.workspace import provide_workspace
from engine.stages import Stage, StagePlace, Tensor


class Compiled:
    """A module compiled for the host."""

    def __init__(self, graph: RelaxStage, module: torch.nn.Module) -> None:
        self.graph = graph
        self._module = module
        self._machine = relax.VirtualMachine(build_executable(graph.module, host_cpu()), tvm.cpu())
        weights = dict(module.named_parameters())
        originals = [tvm.runtime.tensor(weights[p.name].detach().numpy()) for p in graph.parameters]
        self._weights = self._machine["main_transform_params"](originals)

    def __call__(self, *inputs: np.ndarray) -> np.ndarray:
        """The module's only output, compiled."""
        outputs = self._machine["main"](*(tvm.runtime.tensor(array) for array in inputs), *self._weights)
        return outputs[0].numpy()

    def eager(self, *inputs: np.ndarray) -> np.ndarray:
        """The same from torch."""
        with torch.no_grad():
            return self._module(*(torch.from_numpy(array) for array in inputs)).numpy()


@pytest.fixture(scope="session", autouse=True)
def workspace() -> None:
    """The workspace function that compiled stages call for memory."""
    provide_workspace(tvm_ffi)


@pytest.fixture(scope="session")
def compiled(tiny_config: ModelConfig) -> Callable[..., Compiled]:
    """Compile a module that takes inputs declared as a stage's are."""

    def make(module: torch.nn.Module, *inputs: Tensor) -> Compiled:
        stage = Stage("probe", "Probe", StagePlace.DEVICE, inputs, (Tensor("y", ()),))
        return Compiled(export_stage(stage, module, tiny_config, host_cpu()), module)

    return make
