from dataclasses import asdict

import pytest
from safetensors.numpy import load_file

from engine.benchmark.job import Job, exact_length, utterance_path, weights_path
from engine.benchmark.preparing import ARRAYS, COUNT, WEIGHTS, Preparing
from engine.benchmark.utterances import load_utterance
from engine.models.checkpoints import open_checkpoint

JOB = Job("starter", None, 1)


@pytest.fixture
def preparing(tmp_path):
    return Preparing(JOB, tmp_path)


def test_all_runners_are_given_the_weights_of_the_model(preparing, tmp_path):
    answer = preparing.answer(WEIGHTS, {})
    written, own = load_file(weights_path(tmp_path)), open_checkpoint("starter").load_weights()
    assert written.keys() == own.keys()
    assert all((written[name] == own[name]).all() for name in own)
    assert answer["bytes"] == sum(array.nbytes for array in own.values())


def test_all_runners_are_given_the_same_arrays(preparing, tmp_path):
    lengths = [exact_length(seconds, JOB.config) for seconds in (0.25, 0.5)]
    assert preparing.answer(ARRAYS, {"lengths": [asdict(length) for length in lengths]}) == {}
    for length in lengths:
        arrays = load_utterance(utterance_path(tmp_path, length.frames))
        assert arrays["audio"].shape == (1, length.frames * JOB.config.samples_per_frame)


def test_without_lengths_nothing_is_counted(preparing):
    assert preparing.answer(COUNT, {"lengths": []}) == {"flop": []}


def test_other_questions_are_refused(preparing):
    with pytest.raises(ValueError, match="sing"):
        preparing.answer("sing", {})
