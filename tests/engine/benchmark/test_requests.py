"""How requests are measured; that they are is shown by a whole benchmark, in test_measuring."""

from engine.benchmark.requests import LONG_WORDS, long_text
from engine.speech import SpeechRequest
from engine.synthesizer import check


def test_the_long_text_has_so_many_words_and_can_be_spoken():
    assert LONG_WORDS <= len(long_text().split()) < LONG_WORDS + 100
    check(SpeechRequest(long_text(), "anybody"))
