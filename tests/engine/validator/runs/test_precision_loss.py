"""One convolution of a compiled stage in lower precision, 100 times further off: its row is worse, and no other is.

The validator's faults have such a convolution in the pitch.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from engine.compiler.artifacts.manifest import CPU, Manifest, expected_identity
from engine.compiler.build import build_stage
from engine.models.checkpoints import open_checkpoint
from engine.network.exportable.blocks import bidirectional_lstm, zero_beyond
from engine.network.exportable.text import TextEncoder
from engine.runtime.runners.base import JoinedRunner
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.speech import SpeechRequest
from engine.stages import stage_named
from engine.validator.data.results import InputSource, Regime, Row, RowEvent, ValidationRequest, Verdict
from engine.validator.runners.regimes import ProbeLog, RegimeRunner, Regimes
from engine.validator.runs.baseline_grader import BaselineGrader
from engine.validator.runs.comparison import Comparison, RegimeChain
from engine.validator.runs.golden import Golden
from engine.validator.runs.versions import circumstances_of
from tests.engine.validator.runs.test_planted_faults import UTTERANCE, weightless
from tests.starter_voices import MALE

STEPS_PER_UNIT = 3000.0


def coarse(x: Tensor) -> Tensor:
    return torch.round(x * STEPS_PER_UNIT) / STEPS_PER_UNIT


class CoarseText(TextEncoder):
    """The text encoder with its last convolution in lower precision."""

    def forward(self, tokens: Tensor, token_count: Tensor) -> tuple[Tensor]:
        encoder: Any = self.text_encoder
        x = encoder.embedding(zero_beyond(tokens, token_count, axis=1)).transpose(1, 2)
        x = zero_beyond(x, token_count, axis=2)
        last = len(encoder.cnn) - 1
        for index, (convolution, norm, activation, _) in enumerate(encoder.cnn):
            y = convolution(coarse(x) if index == last else x).transpose(1, 2)
            y = functional.layer_norm(y, (norm.channels,), norm.gamma, norm.beta, norm.eps).transpose(1, 2)
            x = zero_beyond(activation(y), token_count, axis=2)
        return (bidirectional_lstm(encoder.lstm, x.transpose(1, 2), token_count).transpose(1, 2),)


STAGE, OUTPUT = "text_encoder", "phoneme_features"
"""The output that loses precision; upstream has no error there."""


@pytest.fixture(scope="module")
def regimes() -> Iterator[Regimes]:
    made = Regimes(open_checkpoint())
    yield made
    made.close()


def rows_of(regimes: Regimes, compiled: RegimeRunner, grader: BaselineGrader) -> tuple[Row, ...]:
    truth, floor = (regimes.open(regime, 0, lambda _: None) for regime in (Regime.DYNAMIC, Regime.UPSTREAM))
    chains = [RegimeChain(regime, regimes.pipeline(regime)) for regime in (truth, floor, compiled)]
    style = next(iter(regimes.checkpoint.voices.values())).style(len(UTTERANCE.phonemes))
    grader.begin_utterance(UTTERANCE)
    events = Comparison(chains[0], chains[1:]).events(UTTERANCE, style, 1.0, 0)
    return tuple(grader.rated(event.row) for event in events if isinstance(event, RowEvent))


@pytest.fixture(scope="module")
def golden(regimes: Regimes) -> Golden:
    """The golden run of the modules as they are."""
    rows = rows_of(regimes, regimes.open(Regime.COMPILED, 0, lambda _: None), BaselineGrader(None))
    assert {row.verdict for row in rows if row.regime == Regime.COMPILED} == {Verdict.PASS}
    identity = expected_identity(regimes.checkpoint.config, CPU)
    now = circumstances_of(regimes.checkpoint, ValidationRequest(SpeechRequest(UTTERANCE.text, MALE)), identity)
    return Golden.of(rows, [UTTERANCE], now, date(2026, 3, 4))


def with_loss(regimes: Regimes, folder: Path) -> RegimeRunner:
    """Return the compiled regime with its text encoder rebuilt."""
    config, stage = regimes.checkpoint.config, stage_named(STAGE)
    artifact = build_stage(stage, CoarseText(weightless(config)).eval(), config, CPU, folder)
    Manifest(expected_identity(config, CPU), (artifact,)).save(folder)
    coarser = CompiledRunner(folder, config, regimes.checkpoint.load_weights())
    healthy = regimes.open(Regime.COMPILED, 0, lambda _: None).runner
    return RegimeRunner(Regime.COMPILED, JoinedRunner({STAGE: coarser}, healthy), ProbeLog())


def test_its_row_turns_amber_and_every_other_stays_green(regimes: Regimes, golden: Golden, tmp_path: Path) -> None:
    rows = rows_of(regimes, with_loss(regimes, tmp_path), BaselineGrader(golden))
    compiled = [row for row in rows if row.regime == Regime.COMPILED]
    itself = [row for row in compiled if (row.stage, row.output) == (STAGE, OUTPUT)]
    assert {row.verdict for row in itself if row.reading is InputSource.ISOLATED} == {Verdict.WORSE}
    assert {row.verdict for row in compiled if row not in itself} == {Verdict.PASS}
    for row in itself:
        assert 50 < (row.times_golden or 0) < 200, row
        assert row.times_floor is None
    assert all(row.times_floor is not None for row in compiled if row.output == "f0")
    assert all(row.times_golden < 2 for row in compiled if row.stage == "bert" and row.times_golden is not None)


def test_the_same_modules_again_are_as_good_as_golden(regimes: Regimes, golden: Golden) -> None:
    rows = rows_of(regimes, regimes.open(Regime.COMPILED, 0, lambda _: None), BaselineGrader(golden))
    compiled = [row for row in rows if row.regime == Regime.COMPILED]
    assert {row.verdict for row in compiled} == {Verdict.PASS}
    assert all(row.times_golden <= 1 for row in compiled if row.times_golden is not None)
    assert sum(row.times_golden is not None for row in compiled) == sum(row.metrics is not None for row in compiled)
