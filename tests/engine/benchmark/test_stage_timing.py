"""Tests of timing one runner's stages, here those of a tiny model in PyTorch."""

from types import SimpleNamespace

import numpy as np
import pytest

from engine.benchmark import stage_timing
from engine.benchmark.job import BenchmarkJob, Length, exact_length, natural_length, utterance_path
from engine.benchmark.stage_timing import RUN, WARM_UP, TimedPart, Timing, stage_parts
from engine.benchmark.utterances import even_alignment, inputs_of, load_utterance, make_utterance, save_utterance
from engine.errors import InvalidRequest
from engine.models.checkpoints import model_config
from engine.network.random_weights import random_weights
from engine.runtime.runners.base import check_inputs
from engine.runtime.runners.plain_runner import PlainRunner
from engine.stages import DEVICE_STAGES
from engine.system.aligned_arrays import is_aligned

LENGTHS = (Length(8, 3, 0.2), Length(12, 4, 0.3))
JOB = BenchmarkJob("starter", None, 1, stage_seconds=6.5, warm_up_seconds=4.5)


@pytest.fixture(scope="module")
def runner(tiny_config):
    return PlainRunner(tiny_config, random_weights(tiny_config, 0), 1)


@pytest.fixture
def folder(tiny_config, runner, tmp_path):
    for length in LENGTHS:
        save_utterance(utterance_path(tmp_path, length.frames), make_utterance(tiny_config, length, runner))
    return tmp_path


def test_every_stage_is_timed_at_every_length(runner, folder):
    timing = Timing(BenchmarkJob("starter", None, 1, stage_seconds=0), folder, stage_parts(runner))
    for length in LENGTHS:
        answer = timing.answer(RUN, {"frames": length.frames})
        assert list(answer["stages"]) == [stage.name for stage in DEVICE_STAGES]
        assert all(seconds > 0 for seconds in answer["stages"].values())
        assert answer["peak_bytes"] > 0
        assert answer["rest_seconds"] >= 0
        assert answer["rest_processor_seconds"] >= 0
        assert answer["preparation_seconds"] >= 0


def test_preparing_happens_once_for_a_length_and_is_reported_separately(runner, folder, monkeypatch):
    now = Now()
    monkeypatch.setattr(stage_timing, "time", SimpleNamespace(perf_counter=now, process_time=now))
    frames = []

    def prepare(values):
        frames.append(values["frame_token"].shape[1])
        now.seconds += len(frames)

    job = BenchmarkJob("starter", None, 1, stage_seconds=0, warm_up_seconds=0)
    timing = Timing(job, folder, stage_parts(runner, prepare), clock=now)
    for length, seconds in ((LENGTHS[0], 1), (LENGTHS[0], 1), (LENGTHS[1], 2)):
        assert timing.answer(WARM_UP, {"frames": length.frames}) == {"first_run_seconds": 0}
        assert timing.answer(RUN, {"frames": length.frames})["preparation_seconds"] == seconds
    assert frames == [length.frames for length in LENGTHS]


class Now:
    """A clock that stands still while stages run."""

    seconds = 0.0

    def __call__(self):
        return self.seconds


def test_times_are_of_the_work_that_was_asked_for(folder):
    readings = iter(lasting(3.0))
    parts = {"whole": TimedPart(lambda: None, times_the_work=1.5)}
    job = BenchmarkJob("starter", None, 1, stage_seconds=0)
    timing = Timing(job, folder, lambda _: parts, clock=lambda: next(readings))
    assert timing.answer(RUN, {"frames": LENGTHS[0].frames})["stages"] == {"whole": 2.0}


def test_a_stage_that_takes_little_is_run_again_and_gives_its_median(runner, folder):
    readings = iter([*lasting(1.0, 3.0, 2.0, 1.0), *lasting(9.0) * (len(DEVICE_STAGES) - 1)])
    timing = Timing(JOB, folder, stage_parts(runner), clock=lambda: next(readings))
    first, *others = timing.answer(RUN, {"frames": LENGTHS[0].frames})["stages"].values()
    assert (first, set(others)) == (1.5, {9.0})
    assert next(readings, None) is None


def test_getting_warm_takes_so_long_after_the_first_run_which_may_compile(runner, folder):
    once = len(DEVICE_STAGES)
    readings = iter([*lasting(9.0) * once, 10.0, 10.0, *lasting(0.5) * once, 14.0, *lasting(0.5) * once, 15.0])
    timing = Timing(JOB, folder, stage_parts(runner), clock=lambda: next(readings))
    answer = timing.answer(WARM_UP, {"frames": LENGTHS[0].frames})
    assert answer == {"first_run_seconds": 9.0 * once}
    assert next(readings, None) is None


def lasting(*seconds):
    """Return clock readings before and after runs of these durations."""
    return [reading for one in seconds for reading in (0.0, one)]


LENGTH = Length(frames=14, tokens=5, seconds=0.35)


@pytest.fixture(scope="module")
def values(tiny_config):
    return make_utterance(tiny_config, LENGTH, PlainRunner(tiny_config, random_weights(tiny_config, 0), 1))


def test_every_stage_gets_its_declared_inputs_at_the_exact_length(tiny_config, values):
    for stage in DEVICE_STAGES:
        lengths = check_inputs(tiny_config, stage, inputs_of(stage, values))
        assert lengths.get("frames", LENGTH.frames) == LENGTH.frames
        assert lengths.get("tokens", LENGTH.tokens) == LENGTH.tokens
    assert values["audio"].shape == (1, LENGTH.frames * tiny_config.samples_per_frame)


def test_the_same_arrays_come_back_from_the_file(tmp_path, values):
    save_utterance(tmp_path / "x.npz", values)
    loaded = load_utterance(tmp_path / "x.npz")
    assert loaded.keys() == values.keys()
    for name, array in loaded.items():
        np.testing.assert_array_equal(array, values[name])
        assert array.dtype == values[name].dtype
    assert is_aligned(loaded["source_noise"])


def test_tokens_last_equally_long():
    alignment = even_alignment(LENGTH)
    counts = np.bincount(alignment["frame_token"][0])
    assert len(counts) == LENGTH.tokens
    assert counts.max() - counts.min() <= 1
    assert alignment["frame_count"].tolist() == [LENGTH.frames]


CONFIG = model_config("kokoro-82m")


@pytest.mark.parametrize("seconds", [0.1, 1, 2, 10, 30, 60])
def test_lengths_are_exact(seconds):
    length = exact_length(seconds, CONFIG)
    assert length.frames == round(40 * seconds)
    assert length.seconds == pytest.approx(seconds)
    assert 2 <= length.tokens <= min(CONFIG.token_limit, length.frames)


@pytest.mark.parametrize("seconds", [0, -1, 0.05, 1000, float("nan"), float("inf")])
def test_impossible_utterance_durations_are_refused(seconds):
    with pytest.raises(InvalidRequest, match="An utterance can’t be"):
        exact_length(seconds, CONFIG)


@pytest.mark.parametrize("seconds", [0.0, -1.0, 60.0])
def test_no_utterance_is_that_long(seconds):
    with pytest.raises(InvalidRequest, match="An utterance can’t be"):
        natural_length(seconds, CONFIG)
