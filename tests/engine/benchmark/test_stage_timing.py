import pytest

from engine.benchmark.job import utterance_path
from engine.benchmark.lengths import Length
from engine.benchmark.stage_timing import MAKE, RUN, StageTiming
from engine.model.random_weights import random_weights
from engine.runners.plain_runner import PlainRunner
from engine.stages import DEVICE_STAGES

LENGTHS = (Length(8, 3, 0.2), Length(12, 4, 0.3))


@pytest.fixture(scope="module")
def runner(tiny_config):
    return PlainRunner(tiny_config, random_weights(tiny_config, 0), 1)


def make(timing, length):
    return timing.answer(MAKE, {"frames": length.frames, "tokens": length.tokens, "seconds": length.seconds})


def test_every_stage_is_timed_at_every_length_that_was_made(tiny_config, runner, tmp_path):
    timing = StageTiming(tiny_config, tmp_path, runner, turn_seconds=0)
    for length in LENGTHS:
        assert make(timing, length) == {}
        assert utterance_path(tmp_path, length.frames).is_file()
    for length in LENGTHS:
        answer = timing.answer(RUN, {"frames": length.frames})
        assert list(answer["stages"]) == [stage.name for stage in DEVICE_STAGES]
        assert all(seconds > 0 for seconds in answer["stages"].values())
        assert answer["peak_bytes"] > 0
        assert answer["rest_seconds"] >= 0
        assert answer["rest_processor_seconds"] >= 0


def test_a_turn_of_several_runs_gives_their_medians(tiny_config, runner, tmp_path):
    readings = iter([0.0, *(reading for end in (1.0, 2.0, 3.0) for reading in (*readings_of_a_run(end), end))])
    timing = StageTiming(tiny_config, tmp_path, runner, turn_seconds=2.5, clock=lambda: next(readings))
    make(timing, LENGTHS[0])
    stages = timing.answer(RUN, {"frames": LENGTHS[0].frames})["stages"]
    assert set(stages.values()) == {2.0}
    assert next(readings, None) is None


def readings_of_a_run(seconds):
    """Clock readings before and after each stage, all of which take so long."""
    return [reading for _ in DEVICE_STAGES for reading in (0.0, seconds)]


def test_other_questions_are_refused(tiny_config, runner, tmp_path):
    with pytest.raises(ValueError, match="sing"):
        StageTiming(tiny_config, tmp_path, runner, 0).answer("sing", {})
