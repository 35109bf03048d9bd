"""Tests of the stages on the device: the kernels launched and the memory left behind."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.benchmark.estimate.counting import RunSizes, count_for_metal
from engine.compiler.metal_passes import MAX_LAUNCHES
from engine.network.random_weights import random_weights
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.stages import stage_named
from tests.engine.compiler.metal_machine import arrays_for
from tests.engine.tiny_model import TINY
from tests.software_metal.loader import SoftwareMetal

COUNTS = {"tokens": (12,), "frames": (3,)}


@pytest.fixture(scope="module")
def compiled(software_metal: SoftwareMetal, tiny_modules: Path) -> Iterator[CompiledRunner]:
    with software_metal.fast():
        runner = CompiledRunner(tiny_modules, TINY, random_weights(TINY, 0))
        yield runner
        runner.close()


@pytest.mark.parametrize("name", ["source", "text_encoder", "f0n"])
def test_as_many_dispatches_are_counted_as_run(software_metal, compiled, name):
    stage = stage_named(name)
    run = RunSizes(TINY, 1, {length: max(values) for length, values in COUNTS.items()})
    (work,) = count_for_metal([stage], run)
    before = software_metal.launches()
    compiled.run_stage(stage, arrays_for(stage, TINY, COUNTS))
    assert work.dispatches == software_metal.launches() - before


def test_stages_run_on_metal_and_leave_no_memory_behind(software_metal, tiny_modules):
    source = stage_named("source")
    before = software_metal.live_buffers()
    with software_metal.fast():
        runner = CompiledRunner(tiny_modules, TINY, random_weights(TINY, 0), stages=("source", "istft"))
        held = []
        for frames in (4, 2, 3):
            f0 = np.full((1, frames, 2), 200, np.float32)
            noise = np.zeros((1, frames, TINY.samples_per_frame, TINY.harmonic_count), np.float32)
            given = {"f0": f0, "source_noise": noise, "frame_count": np.array([frames], np.int32)}
            outputs = runner.run_stage(source, given)
            assert all(np.isfinite(array).all() for array in outputs.values())
            held.append(software_metal.live_buffers())
        runner.close()
    assert held[1] == held[2]  # with the results of the run before
    assert software_metal.live_buffers() <= before  # closing may free memory of earlier tests in TVM's pools


def test_the_decoder_waits_between_its_kernels_at_any_length(software_metal, compiled):
    decoder = stage_named("decoder")
    with software_metal.behaving(max_buffer_launches=MAX_LAUNCHES):
        for frames in (1, 5):
            software_metal.count_anew()
            compiled.run_stage(decoder, arrays_for(decoder, TINY, {"tokens": (3,), "frames": (frames,)}))
            counts = software_metal.counts()
            assert counts.launches > MAX_LAUNCHES
            assert counts.syncs >= counts.launches // MAX_LAUNCHES
            assert counts.max_buffer_launches <= MAX_LAUNCHES
