"""One checkpoint in Kokoro's own layout, run by Kokoro's own model and by ours: tokens, style row, durations, audio.

First that of the bundled model, then the trained one of the full size.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import kokoro.model
import numpy as np
import pytest
import torch
from kokoro import KModel, KPipeline
from safetensors.torch import load_file

from engine.cli.validate import ENGLISH_SENTENCES
from engine.config import ModelConfig
from engine.models import store
from engine.models.checkpoints import Checkpoint, open_checkpoint
from engine.models.store import ModelStore
from engine.network.architecture import NetworkDecoder
from engine.network.reference import InjectedNoise
from engine.runtime.pipeline import Pipeline, encode, noise_seed, source_noise
from engine.speech import Array, Style, Utterance
from engine.text.g2p import Phonemizer
from engine.text.g2p.analysis import load_offline_analyzer
from engine.validator.data.results import Regime
from engine.validator.experiments.text_parity import sentences_of
from engine.validator.runners.regimes import Regimes
from tests.engine.exactness import correlation
from tests.engine.models.conftest import call_here
from tests.engine.models.published import CHECKPOINT_NAME, VOICE_NAMES, publish, published_state, saved
from tests.trained import CHECKPOINT, FOLDER, needs_trained

UTTERANCES = 20
SPOKEN = 3
VOICE = VOICE_NAMES[0]
TRAINED_UTTERANCES = 200
PARTS = 10
"""The number of parts into which the long test splits its utterances, since a test may take ten minutes at most."""
SPEEDS = (0.8, 1.0, 1.3)
NEAR_THE_TRUTH = 0.999
NEAR_UPSTREAM = 0.99


@dataclass(frozen=True)
class Both:
    """The same files, opened by Kokoro and imported by us."""

    kokoro: KModel
    pack: torch.Tensor
    ours: Checkpoint
    utterances: tuple[Utterance, ...]

    def style(self, utterance: Utterance) -> Style:
        return self.ours.voices[VOICE].style(len(utterance.phonemes))


class AnyDecoder(NetworkDecoder):
    """Replaces Kokoro's own decoder, which has only one width; accepts the argument that it does not use."""

    def __init__(self, dim_out: int, **sizes: object) -> None:
        super().__init__(**sizes)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("upstream")
    starter = open_checkpoint("starter")
    state = published_state(starter.config, starter.load_weights())
    published = publish(starter.config, folder / "resources", checkpoint=saved(state))
    files = published.write(folder / "files")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        patch.setattr(store, "call", call_here)
        models = ModelStore(entries=(published.entry,))
        models.import_from(files, published.entry.name)
        installed = models.open(published.entry.name)
        assert installed is not None
        with patch.context() as narrow:
            narrow.setattr(kokoro.model, "Decoder", AnyDecoder)
            config = starter.config.to_dict()
            upstream = KModel("hexgrad/Kokoro-82M", config, str(files / CHECKPOINT_NAME)).eval()
        pack = KPipeline("e", "hexgrad/Kokoro-82M", model=False).load_voice(str(files / f"voices/{VOICE}.pt"))
        ours = Checkpoint("starter", starter.config, installed.voices, installed.load_weights, installed.identity)
        yield Both(upstream, pack, ours, utterances(starter.config, UTTERANCES))


@pytest.fixture(scope="module")
def trained_both(trained: Checkpoint, tmp_path_factory: pytest.TempPathFactory) -> Both:
    """The published files of the full size, in the formats that Kokoro reads; Kokoro is unchanged."""
    folder, config = tmp_path_factory.mktemp("trained"), trained.config
    parts: dict[str, dict[str, torch.Tensor]] = {}
    for name, tensor in load_file(CHECKPOINT).items():
        part, _, rest = name.partition(".")
        parts.setdefault(part, {})[rest] = tensor
    torch.save(parts, folder / CHECKPOINT_NAME)
    table = np.fromfile(FOLDER / f"voices/{VOICE}.bin", np.float32).reshape(config.phoneme_limit, 1, -1)
    torch.save(torch.from_numpy(table), folder / f"{VOICE}.pt")
    upstream = KModel("hexgrad/Kokoro-82M", str(FOLDER / "config.json"), str(folder / CHECKPOINT_NAME)).eval()
    pack = KPipeline("e", "hexgrad/Kokoro-82M", model=False).load_voice(str(folder / f"{VOICE}.pt"))
    return Both(upstream, pack, trained, utterances(config, TRAINED_UTTERANCES))


def utterances(config: ModelConfig, count: int) -> tuple[Utterance, ...]:
    """Return some of every kind of sentence, as they are spoken."""
    sentences = sentences_of(ENGLISH_SENTENCES)
    phonemizer = Phonemizer("en-US", config.vocab, config.phoneme_limit, load_analyzer=load_offline_analyzer)
    chosen = sentences[:: len(sentences) // count][:count]
    spoken = [phonemizer.plan(text).utterances[0].phonemes for text in chosen]
    return tuple(Utterance(index, "", phonemes, 0, 0, 0.0) for index, phonemes in enumerate(spoken))


def kokoros(both: Both, utterance: Utterance, speed: float, noise: Array) -> KModel.Output:
    """Run Kokoro's pipeline on phonemes, with our noise."""
    with InjectedNoise(torch.from_numpy(noise).flatten(1, 2)):
        return KPipeline.infer(both.kokoro, utterance.phonemes, both.pack, speed)


def spoken(pipeline: Pipeline, both: Both, utterance: Utterance, speed: float) -> dict[str, Array]:
    values: dict[str, Array] = {}
    for step in pipeline.steps(utterance, both.style(utterance), speed, seed=0):
        values |= step.outputs
    return values


def test_tokens_and_style_rows_are_equal(both, monkeypatch):
    assert_equal_tokens(both, monkeypatch)


@needs_trained
def test_tokens_and_style_rows_of_the_trained_model_are_equal(trained_both, monkeypatch):
    assert_equal_tokens(trained_both, monkeypatch)


def assert_equal_tokens(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[torch.Tensor, torch.Tensor]] = []

    def forward(self: KModel, ids: torch.Tensor, style: torch.Tensor, speed: float) -> tuple[torch.Tensor, None]:
        given.append((ids, style))
        return torch.zeros(1), None

    monkeypatch.setattr(KModel, "forward_with_tokens", forward)
    longest = Utterance(0, "", "a" * both.ours.config.phoneme_limit, 0, 0, 0.0)
    for utterance in (*both.utterances, longest):
        KPipeline.infer(both.kokoro, utterance.phonemes, both.pack)
        tokens, row = given.pop()
        style = both.style(utterance)
        assert encode(utterance.phonemes, both.ours.config.vocab).tolist() == tokens[0].tolist()
        assert np.array_equal(np.concatenate([style.timbre, style.prosody]), row[0].numpy())


def test_durations_are_equal_and_the_audio_is_closer_to_the_reference(both):
    assert_equal_durations_and_audio(both, both.utterances[::4], SPOKEN)


@needs_trained
def test_the_trained_model_matches_kokoro(trained_both):
    by_length = sorted(trained_both.utterances, key=lambda utterance: len(utterance.phonemes))
    assert_equal_durations_and_audio(trained_both, by_length[:: TRAINED_UTTERANCES // PARTS][:2], 1)


@needs_trained
@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_the_trained_model_matches_kokoro_on_many_sentences(trained_both, part):
    assert_equal_durations_and_audio(trained_both, trained_both.utterances[part::PARTS], 1)


def assert_equal_durations_and_audio(both: Both, chosen: Sequence[Utterance], spoken_count: int) -> None:
    """Compare durations and audio of all; the first ones must be nearer to the reference than Kokoro's."""
    regimes = Regimes(both.ours, device="cpu")
    truth, ours = (
        regimes.pipeline(regimes.open(each, 0.0, lambda _: None)) for each in (Regime.DYNAMIC, Regime.COMPILED)
    )
    for number, utterance in enumerate(chosen):
        speed = SPEEDS[number % len(SPEEDS)]
        made = spoken(ours, both, utterance, speed)
        noise = source_noise(both.ours.config, int(made["frame_count"][0]), noise_seed(0, utterance.phonemes))
        upstream = kokoros(both, utterance, speed, noise)
        assert np.bincount(made["frame_token"][0]).tolist() == upstream.pred_dur.tolist()
        assert correlation(made["audio"][0], upstream.audio.numpy()) > NEAR_UPSTREAM
        if number < spoken_count:
            true = spoken(truth, both, utterance, speed)["audio"][0]
            near = correlation(made["audio"][0], true)
            assert near > max(NEAR_THE_TRUTH, correlation(upstream.audio.numpy(), true))
    regimes.close()
