"""Runs single LSTMs in three ways: PyTorch with packing, PyTorch without, and the compiled kernel.

Each runs on the real input that text gives it, padded with zeros, and is compared with the LSTM in float64 on the
unpadded sequence.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.config import ModelConfig
from engine.models.checkpoints import Checkpoint
from engine.models.voices.blends import SavedVoices
from engine.runtime.pipeline import initial_values
from engine.runtime.planning import check_request
from engine.runtime.runners.padded import padded_length
from engine.speech import Array, Utterance
from engine.stages import TOKENS, Size, Stage, StagePlace, Tensor
from engine.validator.data.results import Metrics, ValidationRequest
from engine.validator.experiments.sweep import PADDINGS
from engine.validator.measures.metrics import compare
from engine.validator.runners.regimes import check_choices
from engine.validator.runs.validation import phonemizer

if TYPE_CHECKING:
    from engine.network.lstm_activations import SingleLstm


class LstmRun(StrEnum):
    """A way of running one LSTM on a padded sequence."""

    PACKED = "packed"
    """PyTorch with `pack_padded_sequence`, as in Kokoro."""
    NO_PACK = "no-pack"
    """PyTorch over the padding, masked afterwards, as in a static export without packing."""
    COMPILED = "compiled"
    """The compiled kernel, which is given the length."""


@dataclass(frozen=True)
class ComparedLstm:
    """An LSTM of Kokoro's network: `channels` is the extent of its input, by the config's name for it."""

    path: str
    title: str
    stage: str
    channels: Size


LSTMS = (
    ComparedLstm(
        "predictor.text_encoder.lstms.0", "Duration encoder’s first LSTM", "duration", Size("prosody_channels")
    ),
    ComparedLstm("text_encoder.lstm", "Text encoder’s LSTM", "text_encoder", Size("hidden_dim")),
)


@dataclass(frozen=True)
class LstmRunResult:
    """The error of one way of running an LSTM against the exact one.

    `errors` holds, for each valid timestep at the request's padding, the largest absolute error over channels, relative
    to the exact output's rms; `metrics` is at the same padding, `metrics_by_padding` at each of the comparison's
    `paddings`.
    """

    run: LstmRun
    errors: tuple[float, ...]
    metrics: Metrics
    metrics_by_padding: tuple[Metrics, ...]


@dataclass(frozen=True)
class LstmComparison:
    """One LSTM on one utterance of `step_count` valid timesteps, run in every way."""

    utterance: int
    lstm: str
    title: str
    stage: str
    step_count: int
    padding: float
    paddings: tuple[float, ...]
    runs: tuple[LstmRunResult, ...]


def compare_lstms(checkpoint: Checkpoint, request: ValidationRequest) -> tuple[LstmComparison, ...]:
    """Compare one LSTM of the duration encoder and the one of the text encoder on every utterance of the request.

    Raises `InvalidRequest` children before any work, `CompileError` if the kernel cannot be built.
    """
    check_request(request.speech)
    check_choices(request)
    config = checkpoint.config
    voice, _ = SavedVoices().choose(request.speech.voice, checkpoint.voices)
    plan = phonemizer(checkpoint, voice, request.speech.language).plan(request.speech.text, request.speech.speed)
    from engine.network.lstm_activations import SingleLstm, captured_inputs
    from engine.network.random_weights import network_with

    network = network_with(config, checkpoint.load_weights())
    cases = [_LstmCase(lstm, SingleLstm(network, lstm.path), config) for lstm in LSTMS]
    comparisons = []
    for utterance in plan.utterances:
        style = voice.style(len(utterance.phonemes))
        values = initial_values(config, utterance.phonemes, style, request.speech.speed)
        inputs = captured_inputs(network, [lstm.path for lstm in LSTMS], values)
        comparisons += [one.compared(utterance, inputs[one.lstm.path], request.padding) for one in cases]
    return tuple(comparisons)


class _LstmCase:
    """One LSTM with every way of running it."""

    def __init__(self, lstm: ComparedLstm, torch_lstm: SingleLstm, config: ModelConfig) -> None:
        self.lstm = lstm
        self._exact = torch_lstm.exact
        self._runs: dict[LstmRun, Callable[[Array, int], Array]] = {
            LstmRun.PACKED: torch_lstm.packed,
            LstmRun.NO_PACK: torch_lstm.without_packing,
            LstmRun.COMPILED: compiled_lstm(lstm, torch_lstm, config),
        }

    def compared(self, utterance: Utterance, x: Array, padding: float) -> LstmComparison:
        """Run it in every way on `x` [1, steps, channels], at the given padding and at all of `PADDINGS`."""
        exact = self._exact(x)
        runs = tuple(_result(run, compute, x, exact, padding) for run, compute in self._runs.items())
        lstm = self.lstm
        return LstmComparison(utterance.index, lstm.path, lstm.title, lstm.stage, x.shape[1], padding, PADDINGS, runs)


def compiled_lstm(lstm: ComparedLstm, torch_lstm: SingleLstm, config: ModelConfig) -> Callable[[Array, int], Array]:
    """Compile the single LSTM for this machine, with symbolic batch and length: (padded x, step count) -> output."""
    from engine.compiler.artifacts.manifest import CPU, Manifest, expected_identity
    from engine.compiler.build import build_stage
    from engine.runtime.runners.tvm_runner import CompiledRunner

    stage = _stage(lstm)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        artifact = build_stage(stage, torch_lstm.module, config, CPU, folder)
        Manifest(expected_identity(config, CPU), (artifact,)).save(folder)
        runner = CompiledRunner(folder, config, torch_lstm.weights)
    x, lengths = (tensor.name for tensor in stage.inputs)

    def outputs_of(padded: Array, step_count: int) -> Array:
        return runner.run_stage(stage, {x: padded, lengths: np.array([step_count], np.int32)})[stage.outputs[0].name]

    return outputs_of


def _stage(lstm: ComparedLstm) -> Stage:
    """Declare the LSTM as a separate stage over tokens."""
    x, lengths = Tensor("x", (TOKENS, lstm.channels)), Tensor("token_count", (), "int32")
    hidden = Tensor("hidden", (TOKENS, Size("hidden_dim")))
    return Stage("lstm", lstm.title, StagePlace.DEVICE, (x, lengths), (hidden,))


def _result(
    run: LstmRun, compute: Callable[[Array, int], Array], x: Array, exact: Array, padding: float
) -> LstmRunResult:
    outputs = {amount: compute(padded(x, amount), x.shape[1]) for amount in {padding, *PADDINGS}}
    metrics = {amount: _metrics(output, exact) for amount, output in outputs.items()}
    return LstmRunResult(
        run, step_errors(outputs[padding], exact), metrics[padding], tuple(metrics[amount] for amount in PADDINGS)
    )


def padded(x: Array, padding: float) -> Array:
    """Return `x` [1, steps, channels] followed by zeros, `padding` times its length."""
    result = np.zeros((1, padded_length(x.shape[1], padding), x.shape[2]), x.dtype)
    result[:, : x.shape[1]] = x
    return result


def step_errors(output: Array, exact: Array) -> tuple[float, ...]:
    """Return for each step of `exact` [1, steps, channels] the largest absolute error over the rms of `exact`.

    `output` may be longer.
    """
    errors = np.abs(output[0, : exact.shape[1]].astype(np.float64) - exact[0]).max(axis=1)
    return tuple((errors / np.sqrt(np.square(exact.astype(np.float64)).mean())).tolist())


def _metrics(output: Array, exact: Array) -> Metrics:
    step_count = exact.shape[1]
    return compare(output[:, :step_count], exact, output[:, step_count:])
