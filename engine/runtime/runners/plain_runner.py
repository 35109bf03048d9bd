"""Runs stages in PyTorch in the usual way: kokoro's own modules in inference mode, arrays shared with NumPy.

Batches of one, without padding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from engine.config import ModelConfig
from engine.network.plain_stages import CompilableDecoder, PlainStage
from engine.network.random_weights import network_with
from engine.network.weights import Weights
from engine.runtime.runners.base import named_outputs
from engine.speech import Array
from engine.stages import DEVICE_STAGES, Stage

COMPILED_STAGE = "decoder"
"""The only stage that torch.compile can translate completely; it has nearly all of the arithmetic."""


class PlainRunner:
    """Runs kokoro's modules with these weights on `threads` threads of this process.

    With `compiled`, `torch.compile` translates the decoder, for any length, at its first run.
    """

    def __init__(self, config: ModelConfig, weights: Weights, threads: int, compiled: bool = False) -> None:
        torch.set_num_threads(threads)
        network = network_with(config, weights)
        self._stages: dict[str, Callable[..., Any]] = {
            stage.name: PlainStage(network, stage.name) for stage in DEVICE_STAGES
        }
        if compiled:
            decoder = CompilableDecoder(network_with(config, weights))
            self._stages[COMPILED_STAGE] = torch.compile(decoder, dynamic=True)

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `Runner.run_stage`; the inputs are not checked."""
        with torch.inference_mode():
            values = self._stages[stage.name](*(torch.from_numpy(inputs[tensor.name]) for tensor in stage.inputs))
        return named_outputs(stage, [np.asarray(value) for value in values])

    def close(self) -> None:
        """Do nothing: there are no resources to release."""
