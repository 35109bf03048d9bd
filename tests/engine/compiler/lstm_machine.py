"""One LSTM compiled alone, by any method, for this machine's CPU or for the software Metal device."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import torch
import tvm
import tvm_ffi
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from tvm import relax

from engine.compiler.export import export_stage
from engine.compiler.passes import build_executable
from engine.compiler.targets import METAL
from engine.config import ModelConfig
from engine.network.exportable.blocks import bidirectional_lstm
from engine.network.ops.packed_lstm import LstmMethod, LstmSemantics
from engine.runtime.runners.buffers import provide_buffers
from engine.stages import TOKENS, Size, Stage, StagePlace, Tensor

STAGE = Stage(
    "lstm",
    "One LSTM",
    StagePlace.DEVICE,
    (Tensor("x", (TOKENS, Size("hidden_dim"))), Tensor("token_count", (), "int32")),
    (Tensor("y", (TOKENS, Size("hidden_dim"))),),
)


class OneLstm(torch.nn.Module):
    """A bidirectional LSTM over `inputs` channels with `hidden_size` units per direction."""

    def __init__(self, inputs: int, hidden_size: int, semantics: LstmSemantics = LstmSemantics.PACKED) -> None:
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(hidden_size)
            self.lstm = torch.nn.LSTM(inputs, hidden_size, batch_first=True, bidirectional=True)
        self._semantics = semantics

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor]:
        return (bidirectional_lstm(self.lstm, x, lengths, self._semantics),)

    def in_torch(self, x: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """The output of torch for packed sequences."""
        counts = torch.from_numpy(lengths).long()
        packed = pack_padded_sequence(torch.from_numpy(x), counts, batch_first=True, enforce_sorted=False)
        with torch.no_grad():
            outputs, _ = self.lstm(packed)
        return pad_packed_sequence(outputs, batch_first=True, total_length=x.shape[1])[0].numpy()


class CompiledLstm:
    """The LSTM as a library; functions that its method calls must be registered before."""

    def __init__(self, module: OneLstm, config: ModelConfig, target: tvm.target.Target, method: LstmMethod) -> None:
        graph = export_stage(STAGE, module, config, target, method)
        self._device = tvm.metal(0) if target.kind.name == METAL else tvm.cpu()
        if target.kind.name == METAL:
            provide_buffers(tvm_ffi, lambda size_bytes: tvm.runtime.empty((size_bytes,), "uint8", self._device))
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "lstm.so")
            build_executable(graph.module, target).export_library(path)
            self._machine = relax.VirtualMachine(tvm.runtime.load_module(path), self._device)
        parameters = dict(module.named_parameters())
        originals = [self._tensor(parameters[parameter.name].detach().numpy()) for parameter in graph.parameters]
        self._weights = tuple(self._machine["main_transform_params"](originals))

    def __call__(self, x: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        return self._machine["main"](self._tensor(x), self._tensor(lengths), *self._weights)[0].numpy()

    def _tensor(self, array: np.ndarray) -> tvm.runtime.Tensor:
        return tvm.runtime.tensor(np.ascontiguousarray(array), self._device)


def batch(lengths: list[int], time: int, channels: int) -> tuple[np.ndarray, np.ndarray]:
    """Sequences of these lengths in `time` steps, zeros beyond them; and the lengths as an array."""
    x = np.random.default_rng(time).standard_normal((len(lengths), time, channels), np.float32)
    for batch_index, length in enumerate(lengths):
        x[batch_index, length:] = 0
    return x, np.array(lengths, np.int32)


def with_padding(x: np.ndarray, lengths: np.ndarray, filling: float | None) -> np.ndarray:
    """The same sequences with this number beyond their lengths, or noise."""
    filled = x.copy()
    for batch_index, length in enumerate(lengths):
        noise = np.random.default_rng(1).standard_normal(filled[batch_index, length:].shape)
        filled[batch_index, length:] = noise if filling is None else filling
    return filled
