from __future__ import annotations

from dataclasses import fields, replace

import pytest

from engine.artifacts.manifest import CPU, expected_identity
from engine.models.checkpoints import open_checkpoint
from engine.speech import SpeechRequest
from engine.validator.data.circumstances import (
    Build,
    Circumstances,
    Subject,
    builds_apart,
    subjects_apart,
)
from engine.validator.data.results import ValidationRequest
from engine.validator.runs.versions import circumstances_of
from tests.starter_voices import MALE


@pytest.fixture(scope="module")
def now() -> Circumstances:
    checkpoint = open_checkpoint()
    request = ValidationRequest(SpeechRequest("Say it.  Or not.", MALE, start=8))
    return circumstances_of(checkpoint, request, expected_identity(checkpoint.config, CPU))


def test_only_what_is_spoken_counts(now: Circumstances) -> None:
    assert now.subject.text == "Or not."
    assert now.subject.weights == open_checkpoint().identity
    assert (now.subject.device, now.subject.lstm_method, now.subject.precision) == ("cpu", "tir", "float32")


@pytest.mark.parametrize("name", [field.name for field in fields(Subject)])
def test_each_difference_has_a_name(now: Circumstances, name: str) -> None:
    value = getattr(now.subject, name)
    other = replace(now.subject, **{name: value + 1 if isinstance(value, float | int) else "other"})
    assert subjects_apart(now.subject, now.subject) == ""
    assert subjects_apart(now.subject, other).startswith("another ")


def test_two_differences_are_both_told(now: Circumstances) -> None:
    assert subjects_apart(now.subject, replace(now.subject, text="No.", seed=1)) == "another text and another seed"


def test_builds_differ_by_sources_compiler_and_processor(now: Circumstances) -> None:
    build = now.build
    assert build.processor
    assert builds_apart(build, build) == ""
    assert builds_apart(replace(build, compiler_source_hash="0"), build) == "other compiler sources"
    assert (
        builds_apart(Build("0", "0.1", "abacus"), build)
        == "other compiler sources and TVM 0.1 and the processor abacus"
    )
