"""What speaking copies to the GPU and holds there, utterance by utterance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from engine.compiler.metal_passes import MOST_LAUNCHES
from engine.network.random_weights import random_weights
from engine.runners import buffers
from engine.stages import DEVICE_STAGES, Stage
from tests.engine.compiler.metal_machine import arrays_for
from tests.engine.tiny_model import TINY
from tests.software_metal.loader import Counts, SoftwareMetal
from tests.software_metal.speaking import TinySpeaker

LENGTHS = [(symbols, speed) for symbols in (1, 4, 2) for speed in (1.0, 2.0)]
QUICK_STAGES = [stage for stage in DEVICE_STAGES if stage.name not in ("f0n", "decoder")]
MOST_INPUTS = max(len(stage.inputs) for stage in DEVICE_STAGES)
READ_LATER = {tensor.name for stage in DEVICE_STAGES for tensor in stage.outputs}


@pytest.fixture
def speaker(software_metal: SoftwareMetal, tiny_modules: Path) -> Iterator[TinySpeaker]:
    with software_metal.fast():
        speaker = TinySpeaker(tiny_modules, random_weights(TINY, 0))
        software_metal.count_anew()
        yield speaker
        speaker.close()


def counted(metal: SoftwareMetal, speaker: TinySpeaker, symbols: int = 4) -> Counts:
    metal.count_anew()
    speaker.speak(symbols)
    return metal.counts()


def test_staging_buffers_stay_few_and_flat_over_a_hundred_utterances(
    software_metal: SoftwareMetal, speaker: TinySpeaker
) -> None:
    def speak(tokens: int, frames: int, stages: Sequence[Stage] = DEVICE_STAGES) -> Counts:
        for stage in stages:  # all of whose inputs are copied, even those that other stages make
            speaker.compiled.run(stage, arrays_for(stage, TINY, {"tokens": (tokens,), "frames": (frames,)}))
        return software_metal.counts()

    with ThreadPoolExecutor(1) as thread:  # a new one has no staging buffers yet
        longest = thread.submit(speak, 6, 6).result()
        assert longest.staging_buffers == MOST_INPUTS
        for number, (tokens, frames) in enumerate(np.random.default_rng(0).integers(1, 6, (100, 2)), 1):
            stages = QUICK_STAGES if number % 10 else DEVICE_STAGES
            counts = thread.submit(speak, int(tokens), int(frames), stages).result()
            assert counts.staging_buffers == longest.staging_buffers
            assert counts.staging_bytes == longest.staging_bytes


def test_what_a_stage_made_is_not_copied_to_the_device_again(
    software_metal: SoftwareMetal, speaker: TinySpeaker
) -> None:
    software_metal.count_anew()
    given = [array for step in speaker.steps(4) if step.stage in DEVICE_STAGES for array in _from_the_host(step)]
    counts = software_metal.counts()
    assert (counts.uploads, counts.uploaded_bytes) == (len(given), sum(array.nbytes for array in given))


def _from_the_host(step) -> list[np.ndarray]:
    return [array for name, array in step.inputs.items() if name not in READ_LATER]


def test_each_result_is_read_once_and_its_stage_waits_once_more(
    software_metal: SoftwareMetal, speaker: TinySpeaker
) -> None:
    speaker.speak(4)
    counts = counted(software_metal, speaker)
    assert counts.readings == sum(len(stage.outputs) for stage in DEVICE_STAGES)
    between_kernels = counts.launches // MOST_LAUNCHES
    # What is freed at the end of a stage, is freed without another wait.
    assert len(DEVICE_STAGES) <= counts.syncs <= len(DEVICE_STAGES) + between_kernels


def test_a_changed_copy_of_a_result_is_copied_to_the_device(speaker: TinySpeaker) -> None:
    *_, last = speaker.steps(4)
    louder = {**last.inputs, "magnitude": last.inputs["magnitude"] * 2}
    audio = speaker.compiled.run(last.stage, louder)["audio"]
    np.testing.assert_allclose(audio, 2 * last.outputs["audio"], rtol=1e-5, atol=1e-6)


def test_memory_for_computing_is_kept_within_its_budget(
    software_metal: SoftwareMetal, speaker: TinySpeaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = software_metal.live_bytes()
    results = sum(array.nbytes for step in speaker.steps(5) for array in step.outputs.values())
    unlimited = software_metal.live_bytes() - held
    budget = (unlimited - results) // 2
    assert budget > results / 10
    monkeypatch.setattr(buffers, "KEPT_BYTES", budget)
    for length in [*LENGTHS, (5, 1.0)]:
        speaker.speak(*length)
        assert software_metal.live_bytes() - held <= budget + results


def test_an_utterance_of_a_length_like_before_allocates_results_only(
    software_metal: SoftwareMetal, speaker: TinySpeaker
) -> None:
    speaker.speak(6)
    before = software_metal.live_buffers()
    for symbols in (5, 2, 6):
        speaker.speak(symbols)
        assert software_metal.live_buffers() == before
