import threading
import weakref
from collections.abc import Mapping

import numpy as np
import pytest

from engine.config import ModelConfig
from engine.errors import Canceled
from engine.models.checkpoints import model_config
from engine.runtime.pipeline import Pipeline, encode, initial_values, noise_seed, phoneme_edges, source_noise
from engine.speech import Array, StageEvent, Style, Utterance
from engine.stages import STAGE_NAMES, Stage, StagePlace
from engine.system.aligned_arrays import is_aligned

FRAMES = 4
UTTERANCE = Utterance(2, "Hi.", "hI.", 0, 3)


class NullRunner:
    """Computes nothing: zeros of the declared shapes, four frames per utterance, the noise as audio."""

    def __init__(self, config: ModelConfig) -> None:
        self.config = config
        self.seen: dict[str, Mapping[str, Array]] = {}
        self.closed = False

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        self.seen[stage.name] = dict(inputs)
        lengths = {"tokens": self.seen["bert"]["tokens"].shape[1], "frames": FRAMES}
        outputs = {t.name: np.zeros(t.shape(self.config, 1, lengths), t.dtype) for t in stage.outputs}
        if "frame_count" in outputs:
            outputs["frame_count"][0] = FRAMES
        if "audio" in outputs:
            outputs["audio"][0] = self.seen["source"]["source_noise"][..., 0].ravel()
        return outputs

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def config() -> ModelConfig:
    return model_config("kokoro-82m")


@pytest.fixture
def style(config: ModelConfig) -> Style:
    return Style(np.full(config.style_dim, 1, np.float32), np.full(config.style_dim, 2, np.float32))


def pipeline_over(runner: NullRunner) -> Pipeline:
    return Pipeline(runner.config, {StagePlace.DEVICE: runner, StagePlace.HOST: runner})


def test_tokens_have_a_border_at_both_ends(config):
    tokens = encode("ab", config.vocab)
    assert tokens.tolist() == [0, config.vocab["a"], config.vocab["b"], 0]
    assert tokens.dtype == np.int32


def test_the_first_stages_get_a_batch_of_one(config, style):
    values = initial_values(config, "hI.", style, 1.5)
    assert values["tokens"].shape == (1, 5)
    assert values["token_count"].tolist() == [5]
    assert values["speed"].tolist() == [1.5]


def test_phoneme_edges_match_the_frames_of_their_tokens(config):
    frame_token = np.array([0, 0, 1, 2, 2, 2, 3], np.int32)
    assert phoneme_edges(config, frame_token, 2).tolist() == [frames * config.samples_per_frame for frames in (2, 3, 6)]


def test_stages_run_in_order_with_an_event_each(config, style):
    events: list[StageEvent] = []
    runner = NullRunner(config)
    pipeline_over(runner).speak(UTTERANCE, style, 1.0, 0, events.append)
    assert tuple(event.stage for event in events) == STAGE_NAMES == tuple(runner.seen)
    assert all(event.utterance_index == 2 and event.seconds >= 0 for event in events)


def test_outputs_in_events_cannot_be_changed(config, style):
    events: list[StageEvent] = []
    pipeline_over(NullRunner(config)).speak(UTTERANCE, style, 1.0, 0, events.append)
    with pytest.raises(ValueError, match="read-only"):
        events[-1].arrays["audio"][0, 0] = 1


def test_the_same_seed_gives_the_same_samples(config, style):
    pipeline = pipeline_over(NullRunner(config))
    first, again, other = (pipeline.speak(UTTERANCE, style, 1.0, seed).samples for seed in (7, 7, 8))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_noise_is_standard_normal_and_differs_between_utterances(config):
    noise = source_noise(config, 40, noise_seed(0, "a"))
    assert noise.shape == (1, 40, config.samples_per_frame, config.harmonic_count)
    assert is_aligned(noise)
    assert abs(float(noise.mean())) < 0.01
    assert float(noise.std()) == pytest.approx(1, abs=0.01)
    for seed in (noise_seed(0, "b"), noise_seed(1, "a")):
        assert not np.array_equal(noise, source_noise(config, 40, seed))


def test_a_cancel_takes_effect_between_stages(config, style):
    cancel = threading.Event()
    heard: list[str] = []

    def stop_after_duration(event: StageEvent) -> None:
        heard.append(event.stage)
        if event.stage == "duration":
            cancel.set()

    with pytest.raises(Canceled):
        pipeline_over(NullRunner(config)).speak(UTTERANCE, style, 1.0, 0, stop_after_duration, cancel)
    assert heard == ["bert", "duration"]


def test_closing_closes_the_runners(config):
    runner = NullRunner(config)
    pipeline_over(runner).close()
    assert runner.closed


def test_the_noise_goes_once_the_source_has_run(config, style):
    kept: list[bool] = []

    class Watcher(NullRunner):
        def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
            if stage.name == "source":
                self.noise = weakref.ref(inputs["source_noise"])
            elif stage.name == "decoder":
                kept.append(self.noise() is not None)
            outputs = super().run_stage(stage, inputs)
            self.seen["source"] = {"source_noise": np.zeros((1, FRAMES, config.samples_per_frame, 1), np.float32)}
            return outputs

    pipeline_over(Watcher(config)).speak(UTTERANCE, style, 1.0, 0)
    assert kept == [False]
