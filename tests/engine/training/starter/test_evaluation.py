"""Scores must be those of the requested package, and bad requests must be refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.network.architecture import build_network
from engine.training.starter.batches import Item
from engine.training.starter.corpus import HELD_OUT, Shard, save_lessons
from engine.training.starter.evaluation import evaluate, sound_figures, speak, speak_as
from engine.training.starter.package import write_package
from engine.training.starter.training import CORPUS_FOLDER
from engine.training.starter.voices import STARTER_VOICES, TeacherParts

SYMBOLS = frozenset(" .,!?abkzɑˈ")
LONG_ENOUGH = 12
"""Frames per token, so that STOI has the half second that it needs."""


@pytest.mark.parametrize("sentences", [0, -1, 101])
def test_number_of_sentences_is_checked(sentences: int) -> None:
    with pytest.raises(InvalidRequest, match="is not a number of held-out sentences"):
        evaluate(sentences)


def test_a_package_with_a_voice_of_no_teacher_is_refused(
    narrow_config: ModelConfig, parts: TeacherParts, tmp_path: Path
) -> None:
    others = dataclasses.replace(parts, packs={"jf_other": parts.packs["af_heart"]})
    write_package(tmp_path, build_network(narrow_config), others, SYMBOLS)
    with pytest.raises(InvalidRequest, match="a voice that is not taught: jf_other"):
        evaluate(1, tmp_path)


def test_speaking_as_the_teacher_keeps_its_length_and_repeats(
    narrow_config: ModelConfig, items: tuple[Item, ...]
) -> None:
    network = build_network(narrow_config)
    first, second = (speak_as(network, items[0]) for _ in range(2))
    assert first.shape == items[0].sound.samples.shape
    assert np.array_equal(first, second)
    assert np.array_equal(speak(network, items[0]), speak(network, items[0]))


def test_the_teacher_itself_is_at_no_distance(
    narrow_config: ModelConfig, items: tuple[Item, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.training.starter.evaluation.speak_as", lambda network, item: item.sound.samples)
    figures = sound_figures(build_network(narrow_config), longer(items[0]))
    assert figures == pytest.approx({"log_mel": 0.0, "distortion_db": 0.0, "intelligibility": 1.0}, abs=1e-6)


def test_every_voice_of_a_package_is_scored_on_what_is_there(
    narrow_config: ModelConfig, parts: TeacherParts, items: tuple[Item, ...], tmp_path: Path
) -> None:
    torch.manual_seed(0)
    write_package(tmp_path / "package", build_network(narrow_config), parts, SYMBOLS)
    for voice in STARTER_VOICES:
        lessons = [longer(item).lesson for item in items[:2]]
        save_lessons(tmp_path / CORPUS_FOLDER / Shard(voice, HELD_OUT).path, lessons)
    lines: list[str] = []
    scores = evaluate(2, tmp_path / "package", tmp_path, lines.append)
    assert [score.voice for score in scores] == list(STARTER_VOICES)
    assert lines == [f"scoring {voice}" for voice in STARTER_VOICES]
    for score in scores:
        assert (score.sentences, score.words) == (2, 2)
        assert score.log_mel > 0
        assert score.duration_frames > 0
        assert 1 <= score.teacher_opinion <= 5


def longer(item: Item) -> Item:
    """The item's lesson several times over, as sound of a longer utterance."""
    lesson, sound = item.lesson, item.sound
    long = dataclasses.replace(
        lesson,
        durations_frames=lesson.durations_frames * LONG_ENOUGH,
        f0_hz=np.tile(lesson.f0_hz, LONG_ENOUGH),
        energy=np.tile(lesson.energy, LONG_ENOUGH),
        sound=dataclasses.replace(
            sound,
            pcm=np.tile(sound.pcm, LONG_ENOUGH),
            harmonics=np.concatenate([np.tile(sound.harmonics[:-1], (LONG_ENOUGH, 1)), sound.harmonics[-1:]]),
        ),
    )
    return dataclasses.replace(item, lesson=long)
