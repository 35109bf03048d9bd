"""The texts that the command speaks; a whole benchmark, in test_measuring, shows that it is measured."""

from __future__ import annotations

import pytest

from engine.benchmark.job import Job
from engine.benchmark.measuring import (
    LONG_WORDS,
    MIDDLE_TEXT,
    PHRASES,
    SHORT_TEXT,
    long_text,
    longest_text,
    measure_commands,
    speak_command,
)
from engine.cli.parser import build_parser
from engine.errors import EngineError
from engine.models.checkpoints import open_checkpoint
from engine.runtime.synthesizer import check
from engine.speech import SpeechRequest
from engine.text.g2p import Phonemizer
from engine.text.g2p.split import longest


def test_the_long_text_has_enough_words_and_can_be_spoken():
    assert LONG_WORDS <= len(long_text().split()) < LONG_WORDS + 100
    check(SpeechRequest(long_text(), "anybody"))


def test_the_phrases_have_as_many_words_as_they_say_and_no_mark_inside():
    assert list(PHRASES) == [1, 2, 4, 8, 16, 32]
    for words, text in PHRASES.items():
        assert len(text.split()) == words
        assert text[:-1].replace(" ", "").isalpha()


JOB = Job("starter", None, 1)


def test_the_last_text_is_two_utterances_as_long_as_can_be_and_the_others_one():
    config = open_checkpoint().config
    phonemizer = Phonemizer("en-US", frozenset(config.vocab), config.phoneme_limit)
    plans = (phonemizer.plan(text) for text in (SHORT_TEXT, MIDDLE_TEXT, longest_text(JOB)))
    [short], [middle], last = ([len(utterance.phonemes) for utterance in plan.utterances] for plan in plans)
    assert short < middle < 200
    assert last == 2 * [longest(config.phoneme_limit, speed=1.0)]


@pytest.mark.parametrize("weights", [None, "random:0"])
def test_the_command_exists(weights, tmp_path):
    _, _, _, *words = speak_command(Job("kokoro-82m", weights, 1), SHORT_TEXT, tmp_path)
    options = build_parser().parse_args(words)
    assert (options.text, options.model, options.weights) == (SHORT_TEXT, "kokoro-82m", weights)


def test_the_command_speaks_on_the_device_of_the_job(tmp_path):
    for device in ("cpu", "metal"):
        _, _, _, *words = speak_command(Job("starter", None, 1, device=device), SHORT_TEXT, tmp_path)
        assert build_parser().parse_args(words).device == device


def test_a_command_that_fails_is_told_in_its_own_words(tmp_path):
    with pytest.raises(EngineError, match="The command speak failed: error: “random” does not name weights"):
        measure_commands(Job("kokoro-82m", "random", 1), tmp_path)
