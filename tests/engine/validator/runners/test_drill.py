"""Drills on the starter model: what is said of them, and that healthy modules come back."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.speech import SpeechRequest
from engine.validator.data.results import Regime, ValidationRequest
from engine.validator.faults.catalogue import fault_named
from engine.validator.runners.drill import drill_regimes, drill_text, verdict_words
from engine.validator.runs.validation import Validator
from tests.starter_voices import MALE

TEXT = "Hello there, how are you today?"


@pytest.fixture(scope="module")
def validator() -> Iterator[Validator]:
    made = Validator()
    yield made
    made.close()


@pytest.fixture(scope="module")
def report(validator):
    """Of a drill with a wrong epsilon in a layer norm of the text encoder."""
    fault = fault_named("norm-epsilon")
    request = ValidationRequest(SpeechRequest(TEXT, MALE), regimes=drill_regimes(fault), fault=fault.name)
    return validator.validate(request)


def test_after_a_drill_the_modules_are_healthy_again(validator, report):
    assert not report.passed
    healthy = validator.validate(ValidationRequest(SpeechRequest(TEXT, MALE), regimes=(Regime.COMPILED,)))
    assert healthy.passed
    assert healthy.planted is None
    assert drill_text(healthy) == ""


def test_the_words_name_the_kernel_and_show_what_was_changed(report):
    words = drill_text(report)
    assert "Kernel: layer_norm of stage text_encoder" in words
    assert "+ T.float64(0.1))" in words


def test_a_fault_in_another_stage_than_the_one_blamed_is_missed(report):
    assert verdict_words(report, replace(report.planted, stage="bert")) == "Missed: it is in Text features."


def test_where_no_stage_is_wrong_nothing_was_found(report):
    assert verdict_words(replace(report, rows=()), report.planted).startswith("Nothing was found")
