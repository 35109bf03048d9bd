"""Compares modules that were just built with PyTorch, each stage in isolation.

Stages that were not built run in PyTorch. Those with students are compared with the same students in PyTorch.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from engine.compiler.artifacts.manifest import Variant
from engine.errors import CompileError, RecoveryAction
from engine.models.checkpoints import Checkpoint, DistilledCheckpoint, teacher_of
from engine.runtime.pipeline import Observer
from engine.runtime.runners.base import JoinedRunner
from engine.system.paths import sample_text_path
from engine.validator.data import wording
from engine.validator.data.results import InputSource, Regime, Row, RowEvent, Verdict
from engine.validator.runners.regimes import ProbeLog, RegimeRunner, Regimes
from engine.validator.runs.comparison import Comparison
from engine.validator.runs.end_to_end_run import RegimeChain
from engine.validator.runs.validation import phonemizer


def compare_built(
    checkpoint: Checkpoint, folder: Path, stages: Collection[str], variant: Variant, observe: Observer
) -> tuple[Row, ...]:
    """Return rows of these stages from the modules of `variant` in `folder`, on a sample text in the first voice.

    Raises `EngineError` children if the modules cannot be loaded here.
    """
    voice = next(iter(checkpoint.voices.values()))
    text = sample_text_path().read_text(encoding="utf-8")
    utterance = phonemizer(checkpoint, voice).plan(text).utterances[0]
    distilled = isinstance(checkpoint, DistilledCheckpoint)
    with closing(Regimes(teacher_of(checkpoint), variant.probed)) as regimes:
        reference = regimes.open(Regime.STATIC_DISTILLED if distilled else Regime.DYNAMIC, 0, observe)
        with closing(_Built(checkpoint, folder, variant.probed)) as built:
            runner = JoinedRunner(dict.fromkeys(stages, built.runner), reference.runner)
            compiled = RegimeRunner(Regime.COMPILED, runner, built.log, tolerance_of=variant.tolerance_of)
            chains = [RegimeChain(one, regimes.pipeline(one)) for one in (reference, compiled)]
            events = Comparison(chains[0], chains[1:]).events(utterance, voice.style(len(utterance.phonemes)), 1.0, 0)
            rows = [event.row for event in events if isinstance(event, RowEvent)]
    return tuple(row for row in rows if row.stage in stages and row.reading is InputSource.ISOLATED)


class _Built:
    """The loaded modules, with the activations that they report."""

    def __init__(self, checkpoint: Checkpoint, folder: Path, probed: bool) -> None:
        from engine.runtime.runners.tvm_runner import CompiledRunner  # loads tvm

        self.log = ProbeLog()
        seen = self.log.observe if probed else None
        self.runner = CompiledRunner(folder, checkpoint.config, checkpoint.load_weights(), observe=seen)

    def close(self) -> None:
        """Release the modules."""
        self.runner.close()


def rows_to_text(rows: Collection[Row]) -> str:
    """Return a line for each row: stage, output, correlation, verdict."""
    return "\n".join(
        f"{row.stage:<14} {row.output:<28} {wording.row_correlation(row):>12}  {row.verdict}" for row in rows
    )


def verdict_error(rows: Collection[Row]) -> CompileError | None:
    """Return an error that names the outputs beyond their stages' tolerances; None if all are within."""
    failed = [row for row in rows if row.verdict is not Verdict.PASS]
    if not failed:
        return None
    named = ", ".join(f"{row.stage}’s {row.output} ({wording.row_correlation(row)})" for row in failed)
    return CompileError(
        f"The compiled stages differ from PyTorch: {named}.",
        "Run “kokoro-desk validate --probes” to find where.",
        RecoveryAction.EXAMINE,
    )
