"""Runs a failing case again, and says whether it still fails and was built as it is here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.config import ModelConfig
from engine.errors import DamagedFile, InvalidRequest
from engine.runners.base import check_inputs
from engine.speech import Array
from engine.stages import TOKENS, Stage
from engine.validator.cases.case import FailingCase, load_case
from engine.validator.cases.stage_trial import StageTrials
from engine.validator.data.results import Row
from engine.validator.measures.element_errors import ElementErrors
from engine.validator.runs.build_identity import build_identity, differences
from engine.validator.runs.validation import ValidationObserver, Validator, ignore

_FRAME_TOKEN = "frame_token"


@dataclass(frozen=True)
class CaseRun:
    """A case that was run again: its row of then and its row of now, and what it was built with that is otherwise here.

    `elements` is None where ours and the reference's shapes differ.
    """

    case: FailingCase
    row: Row
    fails: bool
    elements: ElementErrors | None
    built_otherwise: tuple[str, ...]


def run_case(validator: Validator, path: Path, observe: ValidationObserver = ignore) -> CaseRun:
    """Run the case in a file against the reference.

    Raises `EngineError` for a missing file, `DamagedFile` for one that is no case, and the errors of
    `Validator.prepare`, such as `MissingModel`.
    """
    case = load_case(path)
    facts = case.facts
    regimes = validator.prepare(facts.request)
    _check(path, case, regimes.checkpoint.config)
    trials = StageTrials(regimes, facts.request, facts.row.regime, facts.stage, observe)
    trial = trials.on_inputs(case.inputs)
    row = next(row for row in trial.rows if row.output == facts.row.output)
    row = trial.worst if trial.fails else row
    otherwise = differences(build_identity(regimes, facts.row.stage, facts.row.regime), facts.build)
    return CaseRun(case, row, trial.fails, trial.elements(), otherwise)


def _check(path: Path, case: FailingCase, config: ModelConfig) -> None:
    """Raise `DamagedFile` for inputs that the stage does not take: compiled code reads memory by tokens and places."""
    try:
        check_inputs(config, case.facts.stage, case.inputs)
        _check_places(case.facts.stage, case.inputs, config)
    except ValueError as error:
        raise DamagedFile(path, f"The case in {path} cannot be run: {error}", "Save the case again.") from error
    if len(next(iter(case.inputs.values()))) != 1:
        raise InvalidRequest(f"The case in {path} is a batch of several.", "Save a case of one utterance.")


def _check_places(stage: Stage, inputs: Mapping[str, Array], config: ModelConfig) -> None:
    limits = {"tokens": config.n_token}
    extents = [inputs[each.name].shape[each.axes.index(TOKENS) + 1] for each in stage.inputs if TOKENS in each.axes]
    if extents:
        limits[_FRAME_TOKEN] = extents[0]
    for name, limit in limits.items():
        if name in inputs and not set(inputs[name].ravel().tolist()) <= set(range(limit)):
            raise ValueError(f"{name} must lie in 0 to {limit - 1}.")
