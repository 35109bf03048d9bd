"""Tests of a comparison of LSTMs with students, on the smallest stage of a tiny model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.export import ExportedProgram

from engine.benchmark.estimate.roofline import CHIPS
from engine.models.checkpoints import Checkpoint, DistilledCheckpoint
from engine.network.random_weights import random_weights
from engine.network.student_file import Students
from engine.speech import PreparationEvent, Prosody
from engine.training.distillation.comparison import (
    MEASURED,
    TARGETS,
    ProsodyComparison,
    compare_prosody,
    comparison_text,
)
from tests.engine.students import architectures, own_weights
from tests.engine.tiny_model import TINY

TOKENS = (2, 9)
PLACES = {MEASURED, *(chip.name for chip in CHIPS)}


@pytest.fixture(scope="module")
def events() -> list[PreparationEvent]:
    return []


@pytest.fixture(scope="module")
def each_module_is_traced_once() -> Iterator[None]:
    """The two targets and the counting share the graph of a stage; tracing it each time is half of the work."""
    export, graphs = torch.export.export, dict[torch.nn.Module, ExportedProgram]()

    def traced(module: torch.nn.Module, *arguments: Any, **options: Any) -> ExportedProgram:
        if module not in graphs:
            graphs[module] = export(module, *arguments, **options)
        return graphs[module]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.export, "export", traced)
        yield


@pytest.fixture(scope="module")
def comparison(events: list[PreparationEvent], each_module_is_traced_once: None) -> ProsodyComparison:
    students = Students(Path("none"), "teacher", architectures(TINY, "text_encoder.*", corrections=1), {}, "")
    weights = {**random_weights(TINY, 0), **own_weights(students.architectures)}
    teacher = Checkpoint("tiny", TINY, {}, lambda: weights, "teacher")
    taught = DistilledCheckpoint("tiny", TINY, {}, lambda: weights, "both", students=students, teacher=teacher)
    return compare_prosody(taught, events.append, TOKENS, rounds=1)


def test_each_stage_is_built_both_ways_for_each_target(comparison: ProsodyComparison) -> None:
    built = [(one.target, one.prosody, one.stage) for one in comparison.built]
    assert built == [(target, prosody, "text_encoder") for target in TARGETS for prosody in Prosody]
    assert all(one.seconds > 0 and one.library_bytes > 0 and one.kernels > 0 for one in comparison.built)


def test_students_are_built_instead_of_lstms(comparison: ProsodyComparison) -> None:
    for target in TARGETS:
        lstm, transformer = (one for one in comparison.built if one.target == target)
        assert transformer.operations > lstm.operations
        assert transformer.kernels != lstm.kernels


def test_every_length_is_measured_here_and_estimated_on_every_chip(comparison: ProsodyComparison) -> None:
    for prosody in Prosody:
        found = {(one.place, one.tokens) for one in comparison.times if one.prosody is prosody}
        assert found == {(place, tokens) for place in PLACES for tokens in TOKENS}
    for one in comparison.times:
        assert 0 < one.least_ms <= one.most_ms
        assert (one.least_ms == one.most_ms) or one.place != MEASURED


def test_a_student_does_not_wait_for_every_step_on_a_chip(comparison: ProsodyComparison) -> None:
    def growth(prosody: Prosody) -> float:
        short, long = (one.most_ms for one in comparison.times if (one.place, one.prosody) == (CHIPS[0].name, prosody))
        return long / short

    assert growth(Prosody.TRANSFORMER) < growth(Prosody.LSTM)


def test_the_tables_show_every_figure(comparison: ProsodyComparison) -> None:
    text = comparison_text(comparison)
    assert all(f"{one.library_bytes / 1e3:.0f}" in text for one in comparison.built)
    assert sum(line.startswith((MEASURED, "M")) for line in text.splitlines()) >= len(PLACES) * len(TOKENS)
