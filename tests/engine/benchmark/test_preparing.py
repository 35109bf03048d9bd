import pytest
from safetensors.numpy import load_file

from engine.benchmark.job import Job, weights_path
from engine.benchmark.preparing import COUNT, WEIGHTS, Preparing
from engine.checkpoints import open_checkpoint


@pytest.fixture
def preparing(tmp_path):
    return Preparing(Job("starter", None, 1), tmp_path)


def test_everybody_is_given_the_weights_of_the_model(preparing, tmp_path):
    answer = preparing.answer(WEIGHTS, {})
    written, own = load_file(weights_path(tmp_path)), open_checkpoint("starter").load_weights()
    assert written.keys() == own.keys()
    assert all((written[name] == own[name]).all() for name in own)
    assert answer["bytes"] == sum(array.nbytes for array in own.values())


def test_without_lengths_nothing_is_counted(preparing):
    assert preparing.answer(COUNT, {"lengths": []}) == {"flop": []}


def test_other_questions_are_refused(preparing):
    with pytest.raises(ValueError, match="sing"):
        preparing.answer("sing", {})
