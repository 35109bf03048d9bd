"""Runs stages in PyTorch: kokoro's own modules, or the exportable ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import torch
from torch import nn

from engine.config import ModelConfig
from engine.network.architecture import Network
from engine.network.exportable import exportable_stages
from engine.network.exportable.probing import ProbedModule
from engine.network.ops.packed_lstm import LstmSemantics
from engine.network.reference import Arithmetic, Reference
from engine.runtime.runners.base import COUNTS, check_inputs, cropped, named_outputs
from engine.speech import Array
from engine.stages import ProbeObserver, Stage


class ReferenceRunner:
    """Runs the reference on batches: each sequence alone, without its padding, then zeros beyond its length.

    `observe`, if given, receives the probes of every sequence in turn.
    """

    def __init__(self, reference: Reference, observe: ProbeObserver | None = None) -> None:
        self._reference = reference
        self._observe = observe

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `Runner.run_stage`."""
        config = self._reference.config
        lengths = check_inputs(config, stage, inputs)
        result: dict[str, Array] = {
            tensor.name: np.zeros(tensor.shape(config, lengths["batch"], lengths), tensor.dtype)
            for tensor in stage.outputs
        }
        for batch_index, alone in enumerate(self._sequences(stage, inputs, lengths["batch"])):
            outputs = self._reference.run_stage(stage.name, alone, self._observe)
            valid = _valid_lengths(inputs, batch_index)
            for tensor in stage.outputs:
                cropped(config, tensor, result[tensor.name][batch_index], valid)[...] = outputs[tensor.name][0]
        return result

    def arithmetic_of(self, stage: Stage, inputs: Mapping[str, Array]) -> Arithmetic:
        """See `Reference.arithmetic_of`."""
        return self._reference.arithmetic_of(stage.name, inputs)

    def close(self) -> None:
        """Do nothing: there are no resources to release."""

    def _sequences(self, stage: Stage, inputs: Mapping[str, Array], batch: int) -> Iterator[dict[str, Array]]:
        for batch_index in range(batch):
            valid = _valid_lengths(inputs, batch_index)
            yield {
                tensor.name: cropped(self._reference.config, tensor, inputs[tensor.name][batch_index], valid)[None]
                for tensor in stage.inputs
            }


class StagesRunner:
    """Runs stages that are torch modules, by name, in eager PyTorch on batches of any lengths.

    `observe`, if given, receives the probes of the whole batch; beyond a sequence's length their values are finite but
    arbitrary.
    """

    def __init__(
        self, config: ModelConfig, stages: Mapping[str, nn.Module], observe: ProbeObserver | None = None
    ) -> None:
        self._config = config
        self._observe = observe
        self._stages = stages

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `Runner.run_stage`."""
        check_inputs(self._config, stage, inputs)
        module = self._stages[stage.name]
        with torch.no_grad():
            values = module(*(torch.tensor(inputs[tensor.name]) for tensor in stage.inputs))
        paths = module.paths if isinstance(module, ProbedModule) else ()
        return named_outputs(stage, [np.ascontiguousarray(value) for value in values], paths, self._observe)

    def close(self) -> None:
        """Do nothing: there are no resources to release."""


class ExportableRunner(StagesRunner):
    """Runs the exportable stages of a network; see `StagesRunner`."""

    def __init__(
        self,
        network: Network,
        semantics: LstmSemantics = LstmSemantics.PACKED,
        observe: ProbeObserver | None = None,
    ) -> None:
        stages = exportable_stages(network, semantics, probed=observe is not None)
        super().__init__(network.config, stages, observe)


def _valid_lengths(inputs: Mapping[str, Array], batch_index: int) -> dict[str, int]:
    return {axis: int(inputs[count][batch_index]) for axis, count in COUNTS.items() if count in inputs}
