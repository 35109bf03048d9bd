import pytest

from engine.benchmark.job import Length, exact_length, natural_length
from engine.errors import InvalidRequest
from engine.models.checkpoints import model_config

CONFIG = model_config("kokoro-82m")


@pytest.mark.parametrize("seconds", [0.1, 1, 2, 10, 30, 60])
def test_lengths_are_exact(seconds):
    length = exact_length(seconds, CONFIG)
    assert length.frames == round(40 * seconds)
    assert length.seconds == pytest.approx(seconds)
    assert 2 <= length.tokens <= min(CONFIG.token_limit, length.frames)


def test_tokens_last_three_frames_until_there_are_no_more():
    assert exact_length(10, CONFIG).tokens == 133
    assert exact_length(60, CONFIG).tokens == CONFIG.token_limit


@pytest.mark.parametrize("seconds", [0, -1, 0.05, 1000, float("nan"), float("inf")])
def test_what_no_utterance_lasts_is_refused(seconds):
    with pytest.raises(InvalidRequest, match="not a possible length of an utterance"):
        exact_length(seconds, CONFIG)


def test_a_natural_length_is_whole_frames_of_tokens():
    assert natural_length(10.01, CONFIG) == Length(400, 133, 10.0)


@pytest.mark.parametrize("seconds", [0.0, -1.0, 60.0])
def test_no_utterance_is_that_long(seconds):
    with pytest.raises(InvalidRequest, match="not a possible length"):
        natural_length(seconds, CONFIG)
