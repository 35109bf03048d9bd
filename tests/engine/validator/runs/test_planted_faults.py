"""Faults that have each passed other tests, injected into a copy of one compiled stage: each is found there.

Swapped LSTM gates and zeroed noise are among the validator's own faults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from engine.compiler.artifacts.manifest import CPU, Manifest, expected_identity
from engine.compiler.build import build_stage
from engine.config import ModelConfig
from engine.models.checkpoints import STARTER, open_checkpoint
from engine.network.architecture import Network, build_network
from engine.network.exportable.blocks import padded_lengths
from engine.network.exportable.prosody import PitchAndEnergy
from engine.network.exportable.speech import Source
from engine.network.exportable.styles import NormStyles
from engine.network.exportable.text import TextEncoder
from engine.network.ops.packed_lstm import LstmSemantics
from engine.network.random_weights import without_weight_norm
from engine.runtime.runners.base import JoinedRunner
from engine.runtime.runners.padded import PaddedRunner
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.speech import Utterance
from engine.stages import stage_named
from engine.validator.data.results import InputSource, Regime, Row, RowEvent, Verdict
from engine.validator.data.verdicts import findings
from engine.validator.runners.regimes import ProbeLog, RegimeRunner, Regimes
from engine.validator.runs.comparison import Comparison
from engine.validator.runs.end_to_end_run import RegimeChain
from tests.trained import needs_trained

UTTERANCE = Utterance(0, "hello there", "həlˈO ðˈɛɹ.", 0, 11)
PADDING = 3.0
NEARLY_PI = 3.1415


class Turned(Source):
    """The harmonic source with -pi for pi in the first column of its spectrum, where the sign of a zero decides."""

    def forward(self, f0: Tensor, source_noise: Tensor, frame_count: Tensor) -> tuple[Tensor]:
        (harmonics,) = super().forward(f0, source_noise, frame_count)
        _, channels, columns = harmonics.shape
        is_phase = torch.arange(channels, dtype=torch.int32) >= channels // 2
        is_first = torch.arange(columns, dtype=torch.int32) == 0
        turned = torch.where(harmonics > NEARLY_PI, -harmonics, harmonics)
        return (torch.where(is_phase[:, None] & is_first, turned, harmonics),)


class Unmasked(PitchAndEnergy):
    """Pitch and energy whose normalizations include the padding."""

    def _curve(self, name: str, x: Tensor, styles: NormStyles, frame_count: Tensor) -> Tensor:
        return super()._curve(name, x, styles, padded_lengths(x.shape[2], frame_count))


def weightless(config: ModelConfig) -> Network:
    with torch.device("meta"):
        network = without_weight_norm(build_network(config))
    return network.to_empty(device="cpu")


@dataclass(frozen=True)
class Fault:
    """A fault in the module of a stage."""

    stage: str
    module: Callable[[Network], nn.Module]


FAULTS = {
    "lengths ignored": Fault("text_encoder", partial(TextEncoder, semantics=LstmSemantics.NO_PACK)),
    "sign of pi at the STFT border": Fault("source", Turned),
    "unmasked statistics": Fault("f0n", Unmasked),
}


TRAINED = "trained"


@pytest.fixture(scope="module")
def regimes(request: pytest.FixtureRequest) -> Iterator[Regimes]:
    checkpoint = open_checkpoint() if request.param == STARTER else request.getfixturevalue("trained")
    made = Regimes(checkpoint)
    yield made
    made.close()


def rows_of(regimes: Regimes, other: RegimeRunner) -> list[Row]:
    truth = regimes.open(Regime.DYNAMIC, PADDING, lambda _: None)
    chains = [RegimeChain(regime, regimes.pipeline(regime)) for regime in (truth, other)]
    style = next(iter(regimes.checkpoint.voices.values())).style(len(UTTERANCE.phonemes))
    events = Comparison(chains[0], chains[1:]).events(UTTERANCE, style, 1.0, 0)
    return [event.row for event in events if isinstance(event, RowEvent)]


def planted(regimes: Regimes, fault: Fault, folder: Path) -> RegimeRunner:
    """Return the compiled regime on padded arrays, with one of its stages rebuilt with the fault."""
    config, stage = regimes.checkpoint.config, stage_named(fault.stage)
    artifact = build_stage(stage, fault.module(weightless(config)).eval(), config, CPU, folder)
    Manifest(expected_identity(config, CPU), (artifact,)).save(folder)
    faulty = CompiledRunner(folder, config, regimes.checkpoint.load_weights())
    healthy = regimes.open(Regime.COMPILED, 0, lambda _: None).runner
    padded = PaddedRunner(config, JoinedRunner({fault.stage: faulty}, healthy), PADDING)
    return RegimeRunner(Regime.COMPILED_PADDED, padded, ProbeLog(), padded)


@pytest.mark.parametrize(
    ("regimes", "name"),
    [
        *((STARTER, name) for name in FAULTS),
        pytest.param(TRAINED, "lengths ignored", marks=needs_trained),  # the fault that once broke all speech
    ],
    indirect=["regimes"],
)
def test_an_injected_fault_is_found_only_in_its_stage(regimes: Regimes, name: str, tmp_path: Path) -> None:
    fault = FAULTS[name]
    rows = rows_of(regimes, planted(regimes, fault, tmp_path))
    failed = {row.stage for row in rows if row.reading is InputSource.ISOLATED and row.verdict is Verdict.FAIL}
    assert failed == {fault.stage}
    assert [finding.stage for finding in findings(rows)] == [fault.stage]


@pytest.mark.parametrize("regimes", [STARTER, pytest.param(TRAINED, marks=needs_trained)], indirect=True)
def test_without_a_fault_nothing_is_found(regimes: Regimes) -> None:
    assert findings(rows_of(regimes, regimes.open(Regime.COMPILED_PADDED, PADDING, lambda _: None))) == ()
