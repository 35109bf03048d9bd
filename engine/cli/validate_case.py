"""The options of `engine validate` for failing cases: save one, reduce it, run a saved one."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.cli.command import Outcome
from engine.validator.case import CaseFacts, FailingCase, save_case
from engine.validator.case_run import run_case
from engine.validator.case_words import reduction_words, run_words
from engine.validator.element_errors import ElementErrors
from engine.validator.reduction import REDUCTION_SECONDS, failing_case, failure_in, reduce_failure
from engine.validator.results import Report, ValidationRequest
from engine.validator.validation import ValidationObserver, Validator
from engine.validator.wire import Wire

ANY_STAGE = ""
NOTHING_FAILED = "Nothing is itself wrong there: there is no failing case to save or reduce."


def add_case_options(parser: Any) -> None:
    """Add what is done with a failure."""
    parser.add_argument("--case", type=Path, metavar="FILE", help="run a saved failing case; fails if it still does")
    parser.add_argument("--save-case", type=Path, metavar="FILE", help="save the first failing stage with its inputs")
    parser.add_argument(
        "--reduce",
        nargs="?",
        const=ANY_STAGE,
        metavar="STAGE",
        help="find the shortest text and the smallest inputs on which the first failing stage, or this one, fails",
    )
    parser.add_argument(
        "--reduce-seconds",
        type=float,
        default=REDUCTION_SECONDS,
        metavar="N",
        help="how long that may take (default: 60)",
    )


def wants_case(options: argparse.Namespace) -> bool:
    """Whether a failure is to be saved or reduced."""
    return options.save_case is not None or options.reduce is not None


def rerun(options: argparse.Namespace, observe: ValidationObserver) -> Outcome:
    """Run the saved case again; the outcome has not passed if it still fails."""
    with closing(Validator()) as validator:
        run = run_case(validator, options.case, observe)
    data = {
        **_facts(run.case.facts),
        "fails": run.fails,
        "now": Wire().row_to_dict(run.row),
        "elements": _elements(run.elements),
        "built_otherwise": list(run.built_otherwise),
    }
    return Outcome(data, run_words(run), not run.fails)


def case_of(
    options: argparse.Namespace,
    validator: Validator,
    request: ValidationRequest,
    report: Report,
    observe: ValidationObserver,
) -> tuple[dict[str, Any], str]:
    """Reduce or save what a report found as the options say: data and words, no data where nothing failed."""
    if failure_in(report, options.reduce or None) is None:
        return {}, NOTHING_FAILED
    if options.reduce is None:
        case = failing_case(validator, request, report, None, observe)
        _save(options, case)
        return _facts(case.facts), f"Saved: {options.save_case}"
    stage = options.reduce or None
    reduction = reduce_failure(validator, request, report, stage, observe, seconds=options.reduce_seconds)
    _save(options, reduction.case)
    data = {
        **_facts(reduction.case.facts),
        "elements": _elements(reduction.elements),
        "original_phonemes": reduction.original_phonemes,
        "tries": reduction.tries,
        "seconds": reduction.seconds,
        "complete": reduction.complete,
    }
    return data, reduction_words(reduction, str(options.save_case or ""))


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
