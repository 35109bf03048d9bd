"""What the command is asked to speak; that it is measured is shown by a whole benchmark, in test_measuring."""

import pytest

from engine.__main__ import build_parser
from engine.benchmark.job import Job
from engine.benchmark.requests import SHORT_TEXT
from engine.benchmark.speak_command import MIDDLE_TEXT, longest_text, measure_commands, speak_command
from engine.checkpoints import open_checkpoint
from engine.errors import EngineError
from engine.g2p import Phonemizer
from engine.g2p.split import longest

JOB = Job("starter", None, 1)


def test_each_text_is_one_utterance_and_the_last_is_as_long_as_can_be():
    config = open_checkpoint().config
    phonemizer = Phonemizer("en-US", frozenset(config.vocab), config.phoneme_limit)
    counts = []
    for text in (SHORT_TEXT, MIDDLE_TEXT, longest_text(JOB)):
        (utterance,) = phonemizer.plan(text).utterances
        counts.append(len(utterance.phonemes))
    assert counts == sorted(counts)
    assert counts[-1] == longest(config.phoneme_limit, speed=1.0)


@pytest.mark.parametrize("weights", [None, "random:0"])
def test_the_command_exists(weights, tmp_path):
    _, _, _, *words = speak_command(Job("kokoro-82m", weights, 1), SHORT_TEXT, tmp_path)
    options = build_parser().parse_args(words)
    assert (options.text, options.model, options.weights) == (SHORT_TEXT, "kokoro-82m", weights)


def test_a_command_that_fails_is_told_in_its_own_words(tmp_path):
    with pytest.raises(EngineError, match="The command speak failed: error: “random” names no weights"):
        measure_commands(Job("kokoro-82m", "random", 1), tmp_path)
