"""How requests are measured; that they are is shown by a whole benchmark, in test_measuring."""

import pytest

from engine.__main__ import build_parser
from engine.benchmark.job import Job
from engine.benchmark.requests import LONG_WORDS, SHORT_TEXT, long_text, speak_command
from engine.speech import SpeechRequest
from engine.synthesizer import check


def test_the_long_text_has_so_many_words_and_can_be_spoken():
    assert LONG_WORDS <= len(long_text().split()) < LONG_WORDS + 100
    check(SpeechRequest(long_text(), "anybody"))


@pytest.mark.parametrize("weights", [None, "random:0"])
def test_the_command_exists(weights, tmp_path):
    _, _, _, *words = speak_command(Job("kokoro-82m", weights, 1), tmp_path)
    options = build_parser().parse_args(words)
    assert (options.text, options.model, options.weights) == (SHORT_TEXT, "kokoro-82m", weights)
