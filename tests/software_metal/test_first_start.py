"""All kernels are compiled when a model is loaded, with progress; speaking requires no others."""

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.compiler.artifacts.manifest import METAL_DEVICE, Variant
from engine.errors import Canceled, GpuFailed
from engine.network.ops.packed_lstm import LstmMethod
from engine.network.random_weights import random_weights
from engine.runtime.preparation import weights as preparation_weights
from engine.runtime.preparation.devices import DeviceChoice
from engine.runtime.preparation.files import KERNELS_PER_EVENT, WARMING_UP, ModelFiles, load_stages
from engine.runtime.preparation.lstm_methods import MethodChoice
from engine.runtime.preparation.weights import pack
from engine.runtime.synthesizer import Synthesizer
from engine.speech import Event, PreparationEvent, SpeechRequest
from engine.stages import DEVICE_STAGES
from tests.engine.compiler.metal_machine import arrays_for
from tests.engine.tiny_model import TINY
from tests.patience import PATIENCE_SECONDS
from tests.software_metal.loader import SoftwareMetal
from tests.starter_voices import MALE

COUNTS = [{"tokens": tokens, "frames": frames} for tokens, frames in [((1,), (1,)), ((9,), (30,)), ((5, 3), (4, 2))]]


@pytest.fixture
def files(tiny_modules: Path, tmp_path: Path) -> ModelFiles:
    """Modules that no test has loaded: a library caches the kernels that it has found while the process lives."""
    modules = shutil.copytree(tiny_modules, tmp_path / "modules")
    choice = DeviceChoice(METAL_DEVICE, Variant("metal-host"), "requested")
    return ModelFiles(choice, MethodChoice(LstmMethod.TIR, "requested"), modules, random_weights(TINY, 0))


@pytest.fixture
def metal(software_metal: SoftwareMetal) -> Iterator[SoftwareMetal]:
    with software_metal.fast():
        yield software_metal


def told(events: list[PreparationEvent]) -> list[int]:
    """Return the numbers of kernels done, from the events."""
    return [event.done for event in events if event.title == WARMING_UP]


def test_loaded_stages_request_no_new_kernel_for_any_length_or_batch(metal, files):
    stages = load_stages(TINY, files, None, lambda _: None)
    metal.count_anew()
    for stage in DEVICE_STAGES:
        for counts in COUNTS:
            stages.run_stage(stage, arrays_for(stage, TINY, counts))
    assert metal.counts().kernels == 0
    assert metal.launches() > stages.kernel_count
    stages.close()


def test_only_kernels_that_speaking_needs_are_compiled_ahead(metal, files):
    from engine.runtime.runners.tvm_runner import CompiledRunner

    compiled = CompiledRunner(files.modules, TINY, files.weights)
    metal.count_anew()
    for stage in DEVICE_STAGES:
        compiled.run_stage(stage, arrays_for(stage, TINY, COUNTS[-1]))
    assert metal.counts().kernels == compiled.kernel_count
    compiled.close()


def test_progress_is_reported_from_the_first_kernel_to_the_last(metal, files):
    events: list[PreparationEvent] = []
    stages = load_stages(TINY, files, None, events.append)
    count = stages.kernel_count
    assert told(events) == [*range(0, count, KERNELS_PER_EVENT), count]
    assert {event.total for event in events if event.title == WARMING_UP} == {count}
    stages.close()


def test_stages_are_compiled_at_once(metal, files, monkeypatch):
    """The first two threads wait for each other at their first kernels, so the stages must be compiled in parallel."""
    from engine.runtime.runners.tvm_runtime import LoadedLibrary

    both, compile_kernel = threading.Barrier(2, timeout=PATIENCE_SECONDS), LoadedLibrary.compile_kernel
    met: set[int] = set()

    def meets(library: LoadedLibrary, name: str) -> None:
        if threading.get_ident() not in met and len(met) < 2:
            met.add(threading.get_ident())
            both.wait()
        compile_kernel(library, name)

    monkeypatch.setattr(LoadedLibrary, "compile_kernel", meets)
    load_stages(TINY, files, None, lambda _: None).close()
    assert len(met) == 2


def test_preparing_can_be_canceled_between_kernels(metal, files):
    cancel = threading.Event()
    events: list[PreparationEvent] = []

    def observe(event: PreparationEvent) -> None:
        events.append(event)
        if event.title == WARMING_UP:
            cancel.set()

    before = metal.live_buffers()
    with pytest.raises(Canceled):
        load_stages(TINY, files, None, observe, cancel)
    assert told(events) == [0]
    assert metal.live_buffers() <= before


def test_a_refused_kernel_is_known_before_anything_is_spoken(metal, files):
    with (
        metal.behaving(refuse=["overlap_add_kernel"]),
        pytest.raises(GpuFailed, match="cannot get state: for function overlap_add_kernel"),
    ):
        load_stages(TINY, files, None, lambda _: None)


def test_speech_with_the_prepared_starter_needs_no_new_kernel(metal, monkeypatch, tmp_path):
    def run_engine(arguments: list[str], observe: Callable[..., None], cancel: object) -> None:
        pack("starter", None, Path(arguments[-1]), observe)

    monkeypatch.setattr(preparation_weights, "packed_weights_folder", lambda: tmp_path)
    monkeypatch.setattr(preparation_weights, "run_engine", run_engine)
    events: list[Event] = []
    synthesizer = Synthesizer("starter", "metal")
    metal.count_anew()
    synthesizer.prepare(events.append)
    requested = metal.counts().kernels
    seconds = sum(chunk.seconds for chunk in synthesizer.synthesize(SpeechRequest("Hello.", MALE)))
    synthesizer.close()
    assert 0.3 < seconds < 3
    assert metal.launches() > 100
    assert metal.counts().kernels == requested
    compiled = told([event for event in events if isinstance(event, PreparationEvent)])
    assert compiled[0] == 0
    assert 100 < compiled[-1] <= requested
