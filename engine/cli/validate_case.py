"""The options of `engine validate` for failing cases: save one, reduce it, rerun a saved one."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.cli.command import Outcome
from engine.errors import InvalidRequest
from engine.validator.cases.case import CaseFacts, FailingCase, save_case
from engine.validator.cases.case_run import describe_case, describe_case_run, describe_reduction, run_case
from engine.validator.cases.reduction import REDUCTION_SECONDS, check_stage, failing_case, failure_in, reduce_failure
from engine.validator.data.results import Report, ValidationRequest
from engine.validator.data.wire import Wire
from engine.validator.measures.element_errors import ElementErrors
from engine.validator.runs.validation import ValidationObserver, Validator

NOTHING_FAILED = "No stage fails by itself, so there’s no failing case to save or reduce."


def add_case_options(parser: Any) -> None:
    """Add the options for failing cases."""
    parser.add_argument(
        "--case", type=Path, metavar="FILE", help="run a saved failing case; exits with an error if it still fails"
    )
    parser.add_argument("--save-case", type=Path, metavar="FILE", help="save the first failing stage with its inputs")
    parser.add_argument("--reduce", action="store_true", help="find the shortest text on which the stage fails")
    parser.add_argument("--case-stage", metavar="STAGE", help="save or reduce this stage instead of the first")
    parser.add_argument(
        "--reduce-seconds",
        type=float,
        default=REDUCTION_SECONDS,
        metavar="N",
        help="the time that --reduce may take (default: 60)",
    )


def check_case(options: argparse.Namespace) -> None:
    """Raise `InvalidRequest` for an unknown stage, or no time for a reduction."""
    check_stage(options.case_stage)
    if not options.reduce_seconds > 0:
        raise InvalidRequest(f"--reduce-seconds {options.reduce_seconds:g} is too small.", "Use a number above zero.")


def wants_case(options: argparse.Namespace) -> bool:
    """Return whether a failure is to be saved or reduced."""
    return options.save_case is not None or options.reduce


def rerun(options: argparse.Namespace, observe: ValidationObserver) -> Outcome:
    """Rerun the saved case; the outcome has not passed if it still fails."""
    with closing(Validator()) as validator:
        run = run_case(validator, options.case, observe)
    data = {
        **_facts(run.case.facts),
        "fails": run.fails,
        "now": Wire().row_to_dict(run.row),
        "elements": _elements(run.elements),
        "built_otherwise": list(run.built_otherwise),
    }
    return Outcome(data, describe_case_run(run), not run.fails)


def case_of(
    options: argparse.Namespace,
    validator: Validator,
    request: ValidationRequest,
    report: Report,
    observe: ValidationObserver,
) -> tuple[dict[str, Any], str]:
    """Reduce or save the failure in a report as requested; return data and words, with empty data if nothing failed."""
    stage = options.case_stage
    if failure_in(report, stage) is None:
        return {}, NOTHING_FAILED
    file = str(options.save_case or "")
    if not options.reduce:
        case = failing_case(validator, request, report, stage, observe)
        _save(options, case)
        words = describe_case(case.facts, file)
        return {**_facts(case.facts), "file": file, "words": describe_case(case.facts)}, words
    reduction = reduce_failure(validator, request, report, stage, observe, seconds=options.reduce_seconds)
    _save(options, reduction.case)
    words = describe_reduction(reduction, file)
    data = {
        **_facts(reduction.case.facts),
        "file": file,
        "words": describe_reduction(reduction),
        "elements": _elements(reduction.elements),
        "original_phonemes": reduction.original_phonemes,
        "tries": reduction.tries,
        "seconds": reduction.seconds,
        "complete": reduction.complete,
    }
    return data, words


def _save(options: argparse.Namespace, case: FailingCase) -> None:
    if options.save_case is not None:
        save_case(options.save_case, case)


def _facts(facts: CaseFacts) -> dict[str, Any]:
    return {
        "stage": facts.row.stage,
        "regime": facts.row.regime,
        "phonemes": facts.utterance.phonemes,
        "inputs": list(facts.steps),
        "row": Wire().row_to_dict(facts.row),
        "build": dict(facts.build),
    }


def _elements(elements: ElementErrors | None) -> dict[str, Any] | None:
    return None if elements is None else asdict(elements)
