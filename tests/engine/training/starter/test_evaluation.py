"""Scores must be those of the requested package, and bad requests must be refused."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.config import ModelConfig
from engine.errors import EngineError, InvalidRequest
from engine.models.checkpoints import FULL_SIZE, STARTER
from engine.network.architecture import build_network
from engine.runtime.synthesizer import Synthesizer
from engine.speech import SpeechRequest
from engine.system.paths import resources_folder
from engine.training.starter.batches import TrainingItem
from engine.training.starter.corpus import HELD_OUT, Shard, save_examples
from engine.training.starter.evaluation import evaluate, sound_figures, speak, speak_as
from engine.training.starter.measures import DnsmosScore, Recognizer, WordCount, edit_distance
from engine.training.starter.package import write_package
from engine.training.starter.training import CORPUS_FOLDER
from engine.training.starter.voices import STARTER_VOICES, TeacherParts
from tests.engine.exactness import correlation

SYMBOLS = frozenset(" .,!?abkzɑˈ")
LONG_ENOUGH = 12
"""Frames per token, so that STOI has the half second that it needs."""


@pytest.mark.parametrize("sentences", [0, -1, 101])
def test_number_of_sentences_is_checked(sentences: int) -> None:
    with pytest.raises(InvalidRequest, match="held-out sentences"):
        evaluate(sentences)


def test_a_package_with_a_voice_of_no_teacher_is_refused(
    narrow_config: ModelConfig, parts: TeacherParts, tmp_path: Path
) -> None:
    others = dataclasses.replace(parts, packs={"jf_other": parts.packs["af_heart"]})
    write_package(tmp_path, build_network(narrow_config), others, SYMBOLS)
    with pytest.raises(InvalidRequest, match="an unknown voice: jf_other"):
        evaluate(1, tmp_path)


def test_speaking_as_the_teacher_keeps_its_length_and_repeats(
    narrow_config: ModelConfig, items: tuple[TrainingItem, ...]
) -> None:
    network = build_network(narrow_config)
    first, second = (speak_as(network, items[0]) for _ in range(2))
    assert first.shape == items[0].sound.samples.shape
    assert np.array_equal(first, second)
    assert np.array_equal(speak(network, items[0]), speak(network, items[0]))


def test_the_teacher_itself_is_at_no_distance(
    narrow_config: ModelConfig, items: tuple[TrainingItem, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.training.starter.evaluation.speak_as", lambda network, item: item.sound.samples)
    figures = sound_figures(build_network(narrow_config), longer(items[0]))
    assert figures == pytest.approx({"log_mel": 0.0, "distortion_db": 0.0, "intelligibility": 1.0}, abs=1e-6)


def test_every_voice_of_a_package_is_scored_on_the_available_examples(
    narrow_config: ModelConfig, parts: TeacherParts, items: tuple[TrainingItem, ...], tmp_path: Path
) -> None:
    torch.manual_seed(0)
    available = dict(zip(STARTER_VOICES, (1, 2), strict=False))
    few = dataclasses.replace(parts, packs={voice: parts.packs[voice] for voice in available})
    write_package(tmp_path / "package", build_network(narrow_config), few, SYMBOLS)
    for voice, count in available.items():
        examples = [longer(item).example for item in items[:count]]
        save_examples(tmp_path / CORPUS_FOLDER / Shard(voice, HELD_OUT).path, examples)
    lines: list[str] = []
    scores = evaluate(2, tmp_path / "package", tmp_path, lines.append)
    assert [score.voice for score in scores] == list(available)
    assert lines == [f"scoring {voice}" for voice in available]
    for score in scores:
        assert score.sentences == score.words == available[score.voice]
        assert score.log_mel > 0
        assert score.duration_frames > 0
        assert 1 <= score.teacher_opinion <= 5


def longer(item: TrainingItem) -> TrainingItem:
    """Return an item with its example repeated, as audio of a longer utterance."""
    example, sound = item.example, item.sound
    long = dataclasses.replace(
        example,
        durations_frames=example.durations_frames * LONG_ENOUGH,
        f0_hz=np.tile(example.f0_hz, LONG_ENOUGH),
        energy=np.tile(example.energy, LONG_ENOUGH),
        sound=dataclasses.replace(
            sound,
            pcm=np.tile(sound.pcm, LONG_ENOUGH),
            harmonics=np.concatenate([np.tile(sound.harmonics[:-1], (LONG_ENOUGH, 1)), sound.harmonics[-1:]]),
        ),
    )
    return dataclasses.replace(item, example=long)


RATE_HZ = 24_000


def test_speech_is_better_than_the_same_speech_in_noise() -> None:
    synthesizer = Synthesizer()
    voice = synthesizer.voices()[0].name
    speech = np.concatenate([chunk.samples for chunk in synthesizer.synthesize(SpeechRequest("Read it again.", voice))])
    synthesizer.close()
    noise = 0.05 * np.random.default_rng(0).standard_normal(len(speech)).astype(np.float32)
    score = DnsmosScore()
    clean, noisy = score.overall(speech, RATE_HZ), score.overall(speech + noise, RATE_HZ)
    assert 1 < noisy < clean - 0.5 < 5


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EngineError, match=r"DNSMOS.*\.venv/bin/python -m pip install '\.\[train\]'"):
        DnsmosScore()


sentences = st.lists(st.sampled_from("abc"), max_size=8)


@given(sentences, sentences)
def test_distance_is_symmetric_and_bounded(left: list[str], right: list[str]) -> None:
    distance = edit_distance(left, right)
    assert distance == edit_distance(right, left)
    assert abs(len(left) - len(right)) <= distance <= max(len(left), len(right))
    assert (distance == 0) == (left == right)


def test_every_word_is_missed_in_silence() -> None:
    counted = Recognizer().count("Help the woman.", np.zeros(24_000, np.float32), 24_000)
    assert counted == WordCount(3, 3)


def test_a_missing_recognizer_is_named_with_its_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pocketsphinx", None)
    with pytest.raises(EngineError, match=r"pocketsphinx.*\.venv/bin/python -m pip install '\.\[train\]'"):
        Recognizer()


SENTENCE = "Bring a warm scarf, because the wind is sharp."
MIN_CORRELATION = 0.99
"""Durations that round the other way on a different CPU, or a different starter, would give far less."""


def sample(voice: str, model: str) -> tuple[np.ndarray, int]:
    samples, rate_hz = soundfile.read(resources_folder() / "samples" / f"{voice}-{model}.wav", dtype="float32")
    return samples, rate_hz


@pytest.mark.parametrize("voice", STARTER_VOICES)
def test_a_stored_sample_matches_the_starters_audio(starter: Synthesizer, voice: str) -> None:
    spoken = np.concatenate([chunk.samples for chunk in starter.synthesize(SpeechRequest(SENTENCE, voice))])
    kept, rate_hz = sample(voice, STARTER)
    assert (rate_hz, len(kept)) == (starter.sample_rate_hz, len(spoken))
    assert correlation(spoken, kept) > MIN_CORRELATION


@pytest.mark.parametrize("voice", STARTER_VOICES)
def test_the_teacher_says_it_in_the_same_time(voice: str) -> None:
    """Within a tenth: the starter learned its durations from the teacher."""
    ours, theirs = (len(sample(voice, model)[0]) for model in (STARTER, FULL_SIZE))
    assert ours == pytest.approx(theirs, rel=0.1)
