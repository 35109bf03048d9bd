"""Drills on the starter model: every fault in the catalogue is found in its stage, and nothing else is blamed."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.faults.catalogue import FAULTS, fault_named
from engine.speech import SpeechRequest
from engine.validator.data.results import Reading, Regime, ValidationRequest, Verdict
from engine.validator.runners.drill import drill_regimes, drill_text, verdict_words
from engine.validator.runs.validation import Validator
from tests.starter_voices import MALE

TEXT = "Hello there, how are you today?"
UNHEARD = ("half-precision",)
"""Within every stage's tolerance."""


@pytest.fixture(scope="module")
def validator() -> Iterator[Validator]:
    made = Validator()
    yield made
    made.close()


def drilled(validator, name, text=""):
    fault = fault_named(name)
    speech = SpeechRequest(text or fault.text or TEXT, MALE)
    return validator.validate(ValidationRequest(speech, regimes=drill_regimes(fault), fault=name))


def wrong_stages(report, verdict):
    fed = [row for row in report.rows if row.reading is Reading.REFERENCE_FED and row.decides]
    return {row.stage for row in fed if row.verdict is verdict}


@pytest.mark.parametrize("name", [fault.name for fault in FAULTS if fault.name not in UNHEARD])
def test_every_fault_is_found_in_its_stage_and_nowhere_else(validator, name):
    report = drilled(validator, name)
    assert wrong_stages(report, Verdict.FAIL) == {fault_named(name).stage}
    assert report.planted.name == name
    assert verdict_words(report, report.planted).startswith("Found: it is in")
    assert not report.passed


def test_a_hundred_times_less_precision_turns_one_stage_amber_and_no_other(validator):
    report = drilled(validator, "half-precision")
    assert wrong_stages(report, Verdict.FAIL) == set()
    assert wrong_stages(report, Verdict.WORSE) == {"f0n"}
    assert "Pitch and energy, which is within its tolerance" in verdict_words(report, report.planted)
    assert report.passed


def test_a_fault_of_certain_lengths_is_not_there_at_others(validator):
    assert drilled(validator, "softmax-multiple", "No.").passed


def test_after_a_drill_the_modules_are_healthy_again(validator):
    drilled(validator, "zeroed-noise")
    healthy = validator.validate(ValidationRequest(SpeechRequest(TEXT, MALE), regimes=(Regime.COMPILED,)))
    assert healthy.passed
    assert healthy.planted is None
    assert drill_text(healthy) == ""


def test_the_words_name_the_kernel_and_show_what_was_changed(validator):
    words = drill_text(drilled(validator, "norm-epsilon"))
    assert "Kernel: layer_norm of stage text_encoder" in words
    assert "+ T.float64(0.1))" in words


def test_a_fault_in_another_stage_than_the_one_blamed_is_missed(validator):
    report = drilled(validator, "norm-epsilon")
    assert verdict_words(report, replace(report.planted, stage="bert")) == "Missed: it is in Text features."


def test_where_no_stage_is_wrong_nothing_was_found(validator):
    report = drilled(validator, "norm-epsilon")
    assert verdict_words(replace(report, rows=()), report.planted).startswith("Nothing was found")
