"""Single LSTMs of kokoro's network: their inputs for an utterance, and their outputs in PyTorch.

Outputs are computed exactly, and on padded arrays with packing and without.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from engine.network.architecture import Network
from engine.network.exportable.blocks import bidirectional_lstm, zero_beyond
from engine.network.reference import Arithmetic, Reference
from engine.network.weights import Weights
from engine.speech import Array

_READING_STAGES = ("bert", "duration", "text_encoder")
"""The stages that run over tokens; all others need frames."""


class SingleLstm:
    """One bidirectional LSTM of kokoro's network, by its path in the module tree; arrays are batches of one."""

    def __init__(self, network: Network, path: str) -> None:
        self._lstm: Any = network.get_submodule(path)

    @property
    def module(self) -> nn.Module:
        """The LSTM as a torch module of x [batch, steps, channels] and lengths [batch], with packed semantics."""
        return _Packed(self._lstm)

    @property
    def weights(self) -> Weights:
        """The parameters of `module`, by name."""
        return {name: value.detach().numpy() for name, value in self.module.named_parameters()}

    def exact(self, x: Array) -> Array:
        """The output [1, steps, 2 hidden] for the unpadded sequence [1, steps, channels], in float64."""
        with torch.no_grad():
            return _array(copy.deepcopy(self._lstm).double()(torch.tensor(x, dtype=torch.float64))[0])

    def packed(self, padded: Array, step_count: int) -> Array:
        """Torch's output with `pack_padded_sequence`, zeros beyond `step_count`."""
        with torch.no_grad():
            sequence = pack_padded_sequence(torch.tensor(padded), torch.tensor([step_count]), batch_first=True)
            hidden, _ = self._lstm(sequence)
            return _array(pad_packed_sequence(hidden, batch_first=True, total_length=padded.shape[1])[0])

    def without_packing(self, padded: Array, step_count: int) -> Array:
        """Torch's output over the whole length, set to zero beyond `step_count` afterwards."""
        with torch.no_grad():
            return _array(zero_beyond(self._lstm(torch.tensor(padded))[0], torch.tensor([step_count]), axis=1))


class _Packed(nn.Module):
    """The LSTM as the stages call it, as a module that can be exported alone."""

    def __init__(self, lstm: nn.Module) -> None:
        super().__init__()
        self.lstm = lstm

    def forward(self, x: Tensor, lengths: Tensor) -> tuple[Tensor]:
        return (bidirectional_lstm(self.lstm, x, lengths),)


def captured_inputs(network: Network, paths: Sequence[str], values: Mapping[str, Array]) -> dict[str, Array]:
    """The inputs [1, tokens, channels] of these LSTMs, by path, when upstream reads one utterance.

    `values` are those of `engine.runtime.pipeline.initial_values`; only LSTMs over tokens are run.
    """
    known, reference = dict(values), Reference(network, Arithmetic.UPSTREAM)
    with _captured(network, paths) as inputs:
        for name in _READING_STAGES:
            known.update(reference.run_stage(name, known))
    return inputs


@contextmanager
def _captured(network: nn.Module, paths: Sequence[str]) -> Iterator[dict[str, Array]]:
    """Collect the inputs of these modules while the context lasts."""
    inputs: dict[str, Array] = {}
    with ExitStack() as handles:
        for path in paths:
            handle = network.get_submodule(path).register_forward_pre_hook(_keeping(inputs, path))
            handles.callback(handle.remove)
        yield inputs


def _keeping(inputs: dict[str, Array], path: str) -> Any:
    def hook(_: nn.Module, arguments: tuple[Tensor | PackedSequence, ...]) -> None:
        (x,) = arguments
        inputs[path] = _array(x.data[None] if isinstance(x, PackedSequence) else x)

    return hook


def _array(tensor: Tensor) -> Array:
    return np.ascontiguousarray(tensor.detach().numpy())
