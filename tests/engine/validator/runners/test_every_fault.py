"""Every fault in the catalog, injected into the starter: found, shown, and with its kernel named.

Building a stage with a fault takes most of the time, so all checks of one fault run in turn, and the faults of a stage
share the kernels without them.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from operator import attrgetter
from pathlib import Path

import pytest

from engine.speech import SpeechRequest
from engine.validator.cases.case import save_case
from engine.validator.cases.case_run import run_case
from engine.validator.cases.reduction import reduce_failure
from engine.validator.data.results import InputSource, KernelRequest, Report, ValidationRequest, Verdict
from engine.validator.faults.catalog import FAULTS
from engine.validator.faults.fault import Fault
from engine.validator.kernels.kernel_inspection import KernelInspection
from engine.validator.runners.fault_injection import describe_fault_verdict, fault_injection_regimes
from engine.validator.runs.validation import Validator
from tests.engine.compiler.kernels.cpu.running import host_microkernel
from tests.starter_voices import MALE

pytestmark = pytest.mark.usefixtures("kernels_are_compiled_once")

TEXT = "Hello there, how are you today?"
FEWEST_PHONEMES = 5
OF_CERTAIN_LENGTHS = ("softmax-multiple",)
WITHIN_TOLERANCE = ("half-precision",)
ONLY_IN_LONG_TEXTS = ("gelu-constant",)
INSPECTED = ("norm-epsilon", "softmax-multiple", "dropped-length", "zeroed-noise")
"""An epsilon; a fault for certain lengths only, one for padded arrays only; one in a stage of one kernel."""


class Drills:
    """Injects one fault after the other, and validates each once."""

    def __init__(self) -> None:
        self.validator = Validator()
        self.report = cache(self._validated)

    def request(self, fault: Fault) -> ValidationRequest:
        return ValidationRequest(
            SpeechRequest(fault.text or TEXT, MALE), regimes=fault_injection_regimes(fault), fault=fault.name
        )

    def _validated(self, fault: Fault) -> Report:
        return self.validator.validate(self.request(fault))


@pytest.fixture(scope="module")
def drills() -> Iterator[Drills]:
    made = Drills()
    yield made
    made.validator.close()


def wrong_stages(report: Report, verdict: Verdict) -> set[str]:
    fed = [row for row in report.rows if row.reading is InputSource.ISOLATED and row.decides]
    return {row.stage for row in fed if row.verdict is verdict}


def is_found_in_its_stage_and_nowhere_else(drills: Drills, fault: Fault, folder: Path) -> None:
    report = drills.report(fault)
    assert report.planted.name == fault.name
    assert wrong_stages(report, Verdict.FAIL) == {fault.stage}
    assert describe_fault_verdict(report, report.planted).startswith("Found: the fault is in")
    assert not report.passed


def turns_its_stage_amber_and_no_other(drills: Drills, fault: Fault, folder: Path) -> None:
    report = drills.report(fault)
    assert report.planted is not None
    assert wrong_stages(report, Verdict.FAIL) == set()
    assert wrong_stages(report, Verdict.WORSE) == {fault.stage} == {"f0n"}
    assert "Pitch and energy is within its tolerance" in describe_fault_verdict(report, report.planted)
    assert report.passed


def is_not_there_at_other_lengths(drills: Drills, fault: Fault, folder: Path) -> None:
    other = replace(drills.request(fault), speech=SpeechRequest("No.", MALE))
    assert drills.validator.validate(other).passed


def is_shown_by_the_shortest_of_its_lengths(drills: Drills, fault: Fault, folder: Path) -> None:
    reduction = reduce_failure(drills.validator, drills.request(fault), drills.report(fault))
    assert len(reduction.case.facts.utterance.phonemes) + 2 == host_microkernel().lanes < reduction.original_phonemes


def is_shown_by_few_phonemes_which_fail_again_with_it_alone(drills: Drills, fault: Fault, folder: Path) -> None:
    file = folder / "case.safetensors"
    reduction = reduce_failure(drills.validator, drills.request(fault), drills.report(fault))
    facts = reduction.case.facts
    assert reduction.complete
    assert facts.row.stage == fault.stage
    assert len(facts.utterance.phonemes) <= FEWEST_PHONEMES < reduction.original_phonemes
    assert reduction.elements.first is not None
    save_case(file, reduction.case)
    again = run_case(drills.validator, file)
    assert again.fails
    assert again.elements == reduction.elements
    assert again.built_otherwise == ()
    save_case(file, replace(reduction.case, facts=replace(facts, request=replace(facts.request, fault=""))))
    assert not run_case(drills.validator, file).fails


def is_named_down_to_its_kernel(drills: Drills, fault: Fault, folder: Path) -> None:
    request = drills.request(fault)
    findings = KernelInspection(drills.validator).inspect(KernelRequest(request))
    planted = drills.validator.prepare(request).planted
    assert {(finding.stage, finding.kernel) for finding in findings} == {(planted.stage, planted.kernel)}


Question = Callable[[Drills, Fault, Path], None]


def asked_of(fault: Fault) -> Iterator[Question]:
    if fault.name in WITHIN_TOLERANCE:
        yield turns_its_stage_amber_and_no_other
    else:
        yield is_found_in_its_stage_and_nowhere_else
    if fault.name in INSPECTED:
        yield is_named_down_to_its_kernel
    if fault.name in OF_CERTAIN_LENGTHS:
        yield is_not_there_at_other_lengths
        yield is_shown_by_the_shortest_of_its_lengths
    elif fault.name not in (*WITHIN_TOLERANCE, *ONLY_IN_LONG_TEXTS):
        yield is_shown_by_few_phonemes_which_fail_again_with_it_alone


@pytest.mark.parametrize(
    ("fault", "question"),
    [
        pytest.param(fault, question, id=f"{fault.name} {question.__name__.replace('_', ' ')}")
        for fault in sorted(FAULTS, key=attrgetter("stage"))
        for question in asked_of(fault)
    ],
)
def test_every_fault(drills: Drills, fault: Fault, question: Question, tmp_path: Path) -> None:
    question(drills, fault, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.name not in INSPECTED], ids=attrgetter("name"))
def test_every_other_fault_is_named_down_to_its_kernel(drills: Drills, fault: Fault, tmp_path: Path) -> None:
    is_named_down_to_its_kernel(drills, fault, tmp_path)
