"""Runs a failing case again and describes it: whether it still fails, where it is wrong, and what has changed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from engine.config import ModelConfig
from engine.errors import DamagedFile, InvalidRequest
from engine.runtime.runners.base import check_inputs
from engine.speech import Array
from engine.stages import TOKENS, Stage, stage_named
from engine.validator.cases.as_command import COMMAND, PROGRAM, as_command
from engine.validator.cases.case import CaseFacts, FailingCase, load_case
from engine.validator.cases.reduction import Reduction
from engine.validator.cases.stage_trial import StageTrials
from engine.validator.data import wording
from engine.validator.data.results import Row
from engine.validator.measures.element_errors import ElementErrors
from engine.validator.runs.validation import ValidationObserver, Validator, ignore
from engine.validator.runs.versions import build_identity, differences

_FRAME_TOKEN = "frame_token"


@dataclass(frozen=True)
class CaseRun:
    """A case that was run again: its saved row, its new row, and how this build differs from the one that saved it.

    `elements` is None if the shapes of ours and the reference differ.
    """

    case: FailingCase
    row: Row
    fails: bool
    elements: ElementErrors | None
    built_otherwise: tuple[str, ...]


def run_case(validator: Validator, path: Path, observe: ValidationObserver = ignore) -> CaseRun:
    """Run the case in a file against the reference.

    Raises `EngineError` for a missing file, `DamagedFile` for a file that is not a case, and the errors of
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
    """Raise `DamagedFile` for inputs unfit for the stage: compiled code uses tokens and places as memory indices."""
    try:
        check_inputs(config, case.facts.stage, case.inputs)
        _check_places(case.facts.stage, case.inputs, config)
    except ValueError as error:
        raise DamagedFile(path, f"The case in {path} can’t be run: {error}", "Save the case again.") from error
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


BAR_CHARACTERS = 40
_DIGITS = 9


def describe_reduction(reduction: Reduction, file: str = "") -> str:
    """Describe a reduced failure, and how to run it again if it is in a file."""
    facts = reduction.case.facts
    phonemes = len(facts.utterance.phonemes)
    lines = [
        f"Reduced to {wording.counted(phonemes, 'phoneme')} of {reduction.original_phonemes}: "
        f"{facts.utterance.phonemes} ({wording.counted(reduction.tries, 'try', 'tries')}, {reduction.seconds:.1f} s)",
        *case_lines(facts),
        *element_lines(reduction.elements),
    ]
    if not reduction.complete:
        lines.append("Timed out: a smaller case may exist.")
    lines.append(f"The text alone: {text_command(facts)}")
    return "\n".join([*lines, *_again(file)])


def text_command(facts: CaseFacts) -> str:
    """Return the command that validates the phonemes of a case through all stages, rather than its inputs alone."""
    speech = replace(facts.request.speech, text="", voice=facts.utterance.voice or facts.request.speech.voice)
    return as_command(replace(facts.request, speech=speech, phonemes=facts.utterance.phonemes))


def describe_case(facts: CaseFacts, file: str = "") -> str:
    """Describe a case that was saved without reduction, and how to run it again if it is in a file."""
    phonemes = wording.counted(len(facts.utterance.phonemes), "phoneme")
    return "\n".join([f"Saved with {phonemes}: {facts.utterance.phonemes}", *case_lines(facts), *_again(file)])


def _again(file: str) -> tuple[str, ...]:
    return (f"Run it again: {shlex.join([*PROGRAM, COMMAND, '--case', file])}",) if file else ()


def describe_case_run(run: CaseRun) -> str:
    """Describe whether a saved case still fails, by how much, and how this build differs from the one that saved it."""
    verdict = "It still fails." if run.fails else "It no longer fails."
    lines = [verdict, *case_lines(run.case.facts), *measured_lines(run), *element_lines(run.elements)]
    if run.built_otherwise:
        lines.append("It was built differently:")
        lines += [f"  {difference}" for difference in run.built_otherwise]
    else:
        lines.append("It was built the same way as here.")
    return "\n".join(lines)


def case_lines(facts: CaseFacts) -> Iterator[str]:
    """Yield lines on the stage and its inputs."""
    row = facts.row
    yield f"{stage_named(row.stage).title} ({row.stage}) in {row.regime} against {row.reference}: {row.output}"
    if facts.request.fault:
        yield f"Fault injection: {facts.request.fault}"
    if facts.steps:
        yield f"Inputs: {'; '.join(facts.steps)}"


def measured_lines(run: CaseRun) -> Iterator[str]:
    """Yield a line with the saved and the new correlation."""
    then, now = wording.row_correlation(run.case.facts.row), wording.row_correlation(run.row)
    yield f"Correlation {now}, when it was saved {then}"


def element_lines(elements: ElementErrors | None) -> Iterator[str]:
    """Yield the first wrong element, and a histogram of all errors."""
    if elements is None:
        yield "The compiled and reference arrays have different shapes."
        return
    yield f"{elements.wrong:,} of {wording.counted(elements.size, 'element')} wrong by more than {elements.limit:.2g}"
    if elements.first is not None:
        first = elements.first
        place = ", ".join(map(str, first.index))
        distance = "" if first.ulps is None else f", {first.ulps:,} ULPs apart"
        yield f"First wrong: [{place}] ours {_value(first.ours)}, reference {_value(first.reference)}{distance}"
    yield "Errors over the reference’s root mean square:"
    yield from _histogram(elements)


def _value(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.{_DIGITS}g}"


def _histogram(elements: ElementErrors) -> Iterator[str]:
    """Yield a bar for each size of error; counts differ by orders of magnitude, so even a count of one gets a mark."""
    most = max([elements.exact, elements.not_finite, *(decade.count for decade in elements.decades)])
    if elements.exact:
        yield _bar("none", elements.exact, most)
    for decade in elements.decades:
        yield _bar(f"from 1e{decade.exponent:+03d}", decade.count, most)
    if elements.not_finite:
        yield _bar("not finite", elements.not_finite, most)


def _bar(title: str, count: int, most: int) -> str:
    length = 0 if not count else max(1, round(BAR_CHARACTERS * count / most))
    return f"  {title:<10} {count:>9,} {'#' * length}".rstrip()
