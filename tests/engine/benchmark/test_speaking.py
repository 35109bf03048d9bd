import pytest

from engine.benchmark.job import Job
from engine.benchmark.speaking import SPEAK, Speaking


def test_a_request_is_timed_until_its_first_audio():
    answer = Speaking(Job("starter", None, 1)).answer(SPEAK, {"text": "Hi."})
    assert answer["seconds_to_first_audio"] > 0


def test_other_questions_are_refused():
    with pytest.raises(ValueError, match="sing"):
        Speaking(Job("starter", None, 1)).answer("sing", {})
