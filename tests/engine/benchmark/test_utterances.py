import numpy as np
import pytest

from engine.benchmark.job import Length
from engine.benchmark.utterances import even_alignment, inputs_of, load_utterance, make_utterance, save_utterance
from engine.network.random_weights import random_weights
from engine.runners.base import check_inputs
from engine.runners.plain_runner import PlainRunner
from engine.stages import DEVICE_STAGES
from engine.system.aligned_arrays import is_aligned

LENGTH = Length(frames=14, tokens=5, seconds=0.35)


@pytest.fixture(scope="module")
def values(tiny_config):
    return make_utterance(tiny_config, LENGTH, PlainRunner(tiny_config, random_weights(tiny_config, 0), 1))


def test_every_stage_gets_what_it_declares_at_the_exact_length(tiny_config, values):
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
