"""The teacher's examples must equal the outputs of its stages; the bundled model stands in for the large one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest

from engine.config import ModelConfig
from engine.errors import EngineError
from engine.models.checkpoints import model_config, open_checkpoint
from engine.runtime.runners.host import durations
from engine.text.g2p import Phonemizer
from engine.training.starter import teacher as teacher_module
from engine.training.starter.teacher import KokoroTeacher, open_teacher
from engine.training.starter.texts import load_lexicon, prompts

TEXT = "Glue the sheet."


@pytest.fixture(scope="module")
def voice() -> str:
    return next(iter(open_checkpoint().voices))


@pytest.fixture(scope="module")
def teacher() -> Iterator[KokoroTeacher]:
    teacher = KokoroTeacher(open_checkpoint())
    yield teacher
    teacher.close()


def test_every_value_is_on_the_frame_grid(teacher: KokoroTeacher, voice: str) -> None:
    (example,) = teacher.examples(TEXT, voice, with_sound=True)
    config = teacher.checkpoint.config
    assert len(example.tokens) == len(example.durations_frames) == len(example.phonemes) + 2
    assert example.duration_logits.shape == (len(example.tokens), config.max_dur)
    assert len(example.f0_hz) == len(example.energy) == example.frames * config.f0_values_per_frame
    assert len(example.sound.pcm) == example.frames * config.samples_per_frame
    assert example.sound.harmonics.shape == (
        example.frames * config.stft_frames_per_frame + 1,
        config.harmonics_channels,
    )
    assert np.array_equal(durations(example.duration_logits.astype(np.float32), 1.0), example.durations_frames)


def test_examples_repeat_and_their_text_side_does_not_depend_on_sound(teacher: KokoroTeacher, voice: str) -> None:
    first, second = (next(teacher.examples(TEXT, voice, with_sound)) for with_sound in (True, False))
    assert second.sound is None
    assert np.array_equal(first.f0_hz, second.f0_hz)
    (again,) = teacher.examples(TEXT, voice, with_sound=True)
    assert np.array_equal(again.sound.pcm, first.sound.pcm)


def test_every_utterance_of_a_text_becomes_an_example(teacher: KokoroTeacher, voice: str) -> None:
    text = " ".join(prompts(30, 0, load_lexicon()))
    config = teacher.checkpoint.config
    plan = Phonemizer("en-us", frozenset(config.vocab), config.phoneme_limit).plan(text)
    examples = list(teacher.examples(text, voice, with_sound=False))
    assert [example.phonemes for example in examples] == [utterance.phonemes for utterance in plan.utterances]
    assert [example.text for example in examples] == [utterance.text for utterance in plan.utterances]
    assert len(examples[0].phonemes) < 100 < max(len(example.phonemes) for example in examples)


def test_a_teacher_of_a_different_architecture_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teacher_module, "open_checkpoint", lambda model: open_checkpoint())
    student: ModelConfig = dataclasses.replace(model_config("starter"), max_dur=49)
    with pytest.raises(EngineError, match="differs from its students’: max_dur"):
        open_teacher(student)
