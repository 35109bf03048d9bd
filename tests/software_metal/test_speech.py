"""The bundled model's speech on the software device: every stage, and the waveform, against the reference.

Kernels are compiled exactly, and then as by Apple's compiler; long command buffers are killed.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import numpy as np
import pytest

from engine.__main__ import main
from engine.compiler.artifacts.manifest import Variant
from engine.compiler.metal_passes import MAX_LAUNCHES
from engine.models.checkpoints import model_config
from engine.runtime.pipeline import Observer, ignore
from engine.runtime.preparation import modules
from engine.runtime.preparation.modules import ensure_modules
from engine.runtime.synthesizer import Synthesizer
from engine.speech import STARTER, Event, FallbackEvent, Samples, SpeechRequest
from engine.validator.data.results import InputSource, Regime, Report, Row, ValidationRequest
from engine.validator.runs.validation import Validator
from tests.software_metal.loader import SoftwareMetal
from tests.starter_voices import MALE

SHORT = SpeechRequest("Hi.", MALE)
REGIMES = (Regime.UPSTREAM, Regime.COMPILED)
MIN_STAGE_CORRELATION = 0.9999
MIN_WAVEFORM_CORRELATION = 0.99


@pytest.fixture(scope="module")
def fresh_copy(
    software_metal: SoftwareMetal,
    compiling: Callable[[], AbstractContextManager[None]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """A copy of the starter's modules, whose kernels no test has had compiled in a different mode."""
    kept = ensure_modules(STARTER, model_config(STARTER), Variant("metal-host"), lambda _: None)
    folder = tmp_path_factory.mktemp("built")
    shutil.copytree(kept, folder / kept.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(modules, "built_modules_folder", lambda: folder)
        yield


@pytest.fixture(scope="module")
def report(
    software_metal: SoftwareMetal, compiling: Callable[[], AbstractContextManager[None]], fresh_copy: None
) -> Iterator[Report]:
    validator = Validator()
    software_metal.count_anew()
    request = ValidationRequest(SpeechRequest("Hello world.", MALE), regimes=REGIMES, device="metal")
    with compiling(), software_metal.behaving(max_buffer_launches=MAX_LAUNCHES):
        yield validator.validate(request)
        assert software_metal.launches() > 0
        validator.close()


def rows(report: Report, regime: Regime, reading: InputSource) -> list[Row]:
    return [row for row in report.rows if row.regime == regime and row.reading is reading]


def waveform_correlation(report: Report, regime: Regime) -> float:
    (row,) = [row for row in rows(report, regime, InputSource.END_TO_END) if row.output == "audio"]
    assert row.metrics is not None
    assert row.metrics.pearson is not None
    return row.metrics.pearson


def test_every_stage_fed_by_the_reference_is_the_reference(report):
    compared = [row for row in rows(report, Regime.COMPILED, InputSource.ISOLATED) if row.durations is None]
    assert {row.stage for row in compared} >= {"bert", "duration", "f0n", "text_encoder", "source", "decoder", "istft"}
    for row in compared:
        assert row.metrics is not None
        assert row.metrics.pearson is not None
        assert row.metrics.pearson >= MIN_STAGE_CORRELATION, (row.stage, row.output)


def test_durations_are_equal(report):
    counted = [row.durations for row in report.rows if row.durations is not None and row.regime == Regime.COMPILED]
    assert counted
    assert [durations.differing_tokens for durations in counted] == [0] * len(counted)


def test_the_waveform_is_closer_to_the_reference_than_upstream(report):
    ours = waveform_correlation(report, Regime.COMPILED)
    assert ours >= MIN_WAVEFORM_CORRELATION
    assert ours >= waveform_correlation(report, Regime.UPSTREAM)


def spoken(synthesizer: Synthesizer, observe: Observer = ignore) -> Samples:
    return np.concatenate([chunk.samples for chunk in synthesizer.synthesize(SHORT, observe)])


@pytest.fixture
def on_metal(software_metal: SoftwareMetal) -> Iterator[Synthesizer]:
    synthesizer = Synthesizer(device="metal")
    with software_metal.fast():
        synthesizer.prepare()
        software_metal.count_anew()
        yield synthesizer
    synthesizer.close()


def test_a_request_failing_on_the_gpu_is_spoken_and_the_gpu_resumes(software_metal, on_metal, starter):
    events: list[Event] = []
    with software_metal.behaving(fail_launch=1, failures=2):
        by_processor = spoken(on_metal, events.append)
        assert on_metal.device == "cpu"
        (told,) = [event.message for event in events if isinstance(event, FallbackEvent)]
        assert "told to fail" in told
        assert "CPU" in told
        np.testing.assert_array_equal(by_processor, spoken(starter))  # with the same noise
        by_gpu = spoken(on_metal)
    assert on_metal.device == "metal"
    assert np.corrcoef(by_gpu, by_processor)[0, 1] > MIN_WAVEFORM_CORRELATION
    assert not np.array_equal(by_gpu, by_processor)
    assert software_metal.counts().aborts == 0


def test_a_stage_at_which_the_gpu_fails_once_is_done_again(software_metal, on_metal):
    events: list[Event] = []
    with software_metal.behaving(fail_launch=100):
        again = spoken(on_metal, events.append)
    assert software_metal.counts().resets >= 1
    assert on_metal.device == "metal"
    assert not any(isinstance(event, FallbackEvent) for event in events)
    np.testing.assert_array_equal(again, spoken(on_metal))


def test_the_command_line_notes_the_fallback_to_the_cpu(software_metal, tmp_path, capsys):
    command = ["speak", SHORT.text, "--device", "metal", "--out", str(tmp_path / "a.wav"), "--json"]
    with software_metal.fast(), software_metal.behaving(fail_launch=1, failures=2):
        assert main(command) == 0
    output = capsys.readouterr()
    (note,) = [line for line in output.err.splitlines() if line.startswith("note: The GPU failed")]
    assert "Using the CPU" in note
    assert json.loads(output.out)["device"] == "cpu"
    assert (tmp_path / "a.wav").stat().st_size > 10_000
