"""Stages compiled for Metal and run on the device of the tests: real Metal kernels, called from this machine's code."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
import tvm
from tvm import relax

from engine.compiler.artifacts.manifest import METAL_DEVICE, Parameter
from engine.compiler.build import weightless_modules
from engine.compiler.export import export_stage
from engine.compiler.kernels.precision import Precision
from engine.compiler.passes import build_executable
from engine.compiler.targets import metal_called_from
from engine.config import ModelConfig
from engine.network.ops.packed_lstm import LstmMethod
from engine.runtime.runners.base import named_outputs
from engine.runtime.runners.tvm_runtime import Runtime
from engine.stages import Stage
from tests.metal_device import MetalDevice


class MetalStage:
    """One stage with its weights; `module` replaces the model's own if given."""

    def __init__(
        self,
        device: MetalDevice,
        stage: Stage,
        config: ModelConfig,
        weights: Mapping[str, np.ndarray],
        lstm_method: LstmMethod = LstmMethod.TIR,
        precision: Precision = Precision.FLOAT32,
        module: torch.nn.Module | None = None,
    ) -> None:
        target = metal_called_from({"kind": "llvm"})
        torch_form = module or weightless_modules(config)[stage.name]
        graph = export_stage(stage, torch_form, config, target, lstm_method, precision)
        self._stage = stage
        self._device = device.device()
        Runtime(METAL_DEVICE)  # gives the machine what it computes in, and what it waits with
        self._machine = relax.VirtualMachine(_linked(build_executable(graph.module, target)), self._device)
        self._weights = self._packed(graph.parameters, weights)

    def run(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The stage's outputs by name."""
        arguments = [self._tensor(inputs[tensor.name]) for tensor in self._stage.inputs]
        outputs = self._machine["main"](*arguments, *self._weights)
        return named_outputs(self._stage, [output.numpy() for output in outputs], (), None)

    def _packed(self, parameters: tuple[Parameter, ...], weights: Mapping[str, np.ndarray]) -> tuple:
        originals = [self._tensor(weights[parameter.name]) for parameter in parameters]
        return tuple(self._machine["main_transform_params"](originals)) if originals else ()

    def _tensor(self, array: np.ndarray) -> tvm.runtime.Tensor:
        return tvm.runtime.tensor(np.ascontiguousarray(array), self._device)


def _linked(executable: relax.VMExecutable) -> tvm.runtime.Module:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "stage.so")
        executable.export_library(path)
        return tvm.runtime.load_module(path)


def arrays_for(stage: Stage, config: ModelConfig, counts: Mapping[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """Inputs of a batch whose sequences have these counts of tokens and frames."""
    generator = np.random.default_rng(0)
    lengths = {name: max(values) for name, values in counts.items()}
    arrays = {}
    for tensor in stage.inputs:
        shape = tensor.shape(config, len(counts["tokens"]), lengths)
        if tensor.name.endswith("_count"):
            arrays[tensor.name] = np.array(counts[tensor.name.removesuffix("_count") + "s"], np.int32)
        elif tensor.name == "f0":
            arrays[tensor.name] = generator.uniform(-20, 400, shape).astype(np.float32)
        elif tensor.dtype == "int32":
            most = config.n_token if tensor.name == "tokens" else min(counts["tokens"])
            arrays[tensor.name] = generator.integers(0, most, shape).astype(np.int32)
        else:
            arrays[tensor.name] = generator.standard_normal(shape, np.float32)
    return arrays
