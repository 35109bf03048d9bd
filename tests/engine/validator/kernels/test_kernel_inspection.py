"""Tests of requests about kernels: the stages inspected, their arrays, and the kernels replaced."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from engine.errors import InvalidRequest
from engine.models.checkpoints import model_config
from engine.speech import SpeechRequest
from engine.stages import stage_named
from engine.validator.data.results import (
    FinishedEvent,
    InputSource,
    KernelRequest,
    Regime,
    Replacement,
    RowEvent,
    Substitute,
    ValidationRequest,
    Verdict,
)
from engine.validator.inspection.results import GraphEvent, InspectedEvent, KernelEvent, KernelsEvent
from engine.validator.kernels.kernel_inspection import KernelInspection, valid_shapes
from engine.validator.runs.validation import Validator
from tests.starter_voices import MALE


@pytest.fixture(scope="module")
def validator() -> Iterator[Validator]:
    made = Validator()
    yield made
    made.close()


@pytest.fixture(scope="module")
def kernels(validator: Validator) -> KernelInspection:
    return KernelInspection(validator)


def asked(fault: str = "", **options: object) -> ValidationRequest:
    options = {"regimes": (Regime.COMPILED,), "device": "cpu", **options}
    return ValidationRequest(SpeechRequest("Hi.", MALE), fault=fault, **options)


def test_a_named_stage_is_looked_into_although_it_is_right(kernels: KernelInspection) -> None:
    events: list[object] = []
    assert kernels.inspect(KernelRequest(asked(), stages=("istft",)), events.append) == ()
    stages = [event.graph.stage for event in events if isinstance(event, GraphEvent)]
    assert stages == ["istft"]
    assert events[-2:] == [InspectedEvent("istft", ()), KernelsEvent(())]


def test_padded_arrays_are_looked_at_too_when_they_are_asked_for(kernels: KernelInspection) -> None:
    events: list[object] = []
    padded = asked(regimes=(Regime.COMPILED, Regime.COMPILED_PADDED))
    kernels.inspect(KernelRequest(padded, stages=("istft",)), events.append)
    shapes = [event.graph.nodes[-2].shape for event in events if isinstance(event, GraphEvent)]
    assert shapes[1][1] > 1.5 * shapes[0][1]


def test_nothing_is_looked_into_where_nothing_is_wrong(kernels: KernelInspection) -> None:
    events: list[object] = []
    assert kernels.inspect(KernelRequest(asked()), events.append) == ()
    assert not [event for event in events if isinstance(event, (GraphEvent, KernelEvent))]


def test_replacing_a_faulty_kernel_with_pytorch_yields_right_results(kernels: KernelInspection) -> None:
    replaced = (Replacement("istft", "000 inverse_stft"),)
    for name, replacements in (("kernel", replaced), ("stage", (Replacement("istft"),))):
        events: list[object] = []
        request = KernelRequest(asked("shifted-frame"), replacements=replacements)
        kernels.answer(request, events.append)
        rows = [event.row for event in events if isinstance(event, RowEvent)]
        (audio,) = [row for row in rows if row.output == "audio" and row.reading is InputSource.ISOLATED]
        assert audio.verdict is Verdict.PASS, name
        assert audio.decides
        assert isinstance(events[-1], FinishedEvent)


def test_a_faulty_kernels_own_loops_stay_wrong(kernels: KernelInspection) -> None:
    replacement = Replacement("istft", "000 inverse_stft", Substitute.PLAIN_LOOPS)
    report = kernels.compare_replaced(KernelRequest(asked("shifted-frame"), replacements=(replacement,)))
    assert {row.regime for row in report.rows} == {"compiled+istft 000 inverse_stft=plain-loops"}
    assert not report.passed


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stages": ("decode",)}, "Unknown stage with kernels “decode”"),
        ({"stages": ("alignment",)}, "Unknown stage with kernels “alignment”"),
        ({"utterance": 1}, "Utterance 2 doesn’t exist"),
        ({"replacements": (Replacement("istft", "001 conv1d"),)}, "no kernel “001 conv1d”"),
        (
            {"replacements": (Replacement("duration", "001 x"), Replacement("loud"))},
            "Unknown stage with kernels “loud”",
        ),
    ],
)
def test_nonexistent_stages_utterances_and_kernels_are_reported(
    kernels: KernelInspection, options: dict[str, object], words: str
) -> None:
    with pytest.raises(InvalidRequest, match=words):
        kernels.answer(KernelRequest(asked(), **options))


def test_padding_is_no_part_of_the_valid_shapes() -> None:
    config, stage = model_config("starter"), stage_named("istft")
    shape = (1, config.frequency_bins, 10 * config.stft_frames_per_frame + 1)
    spectrum = np.zeros(shape, np.float32)
    inputs = {"magnitude": spectrum, "phase": spectrum, "frame_count": np.array([6], np.int32)}
    *two, count = valid_shapes(config, stage, inputs)
    assert two == [(*shape[:2], 6 * config.stft_frames_per_frame + 1)] * 2
    assert count == (1,)
