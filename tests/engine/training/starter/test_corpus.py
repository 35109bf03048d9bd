"""Training examples must be complete, unchanged when read back, and recorded once."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.config import ModelConfig
from engine.errors import DamagedFile
from engine.models.checkpoints import model_config
from engine.text.g2p import Phonemizer
from engine.text.g2p.split import sentences
from engine.training.starter import corpus
from engine.training.starter.batches import BucketSampler, TrainingItem, collate
from engine.training.starter.corpus import (
    ARRAYS,
    HELD_OUT,
    SENTENCES_PER_SHARD,
    SOUND,
    SOUND_ARRAYS,
    TEXT,
    Shard,
    load_examples,
    record,
    save_examples,
    shards,
    texts_of,
)
from engine.training.starter.texts import HELD_OUT_SENTENCES, load_lexicon
from engine.training.starter.training_example import TrainingExample

VOICES = ("af_heart", "bf_emma")


class ParrotTeacher:
    """Speaks each text twice, as if it were cut into two utterances."""

    def __init__(self, example: TrainingExample) -> None:
        self._lesson = example
        self.asked: list[tuple[str, str, bool]] = []

    def examples(self, text: str, voice: str, with_sound: bool) -> list[TrainingExample]:
        self.asked.append((text, voice, with_sound))
        return [dataclasses.replace(self._lesson, text=f"{text} {part}") for part in "ab"]


def test_held_out_sentences_come_first_and_rounds_take_turns() -> None:
    found = list(shards(VOICES, 2))
    assert [shard.kind for shard in found[:2]] == [HELD_OUT, HELD_OUT]
    assert [(shard.voice, shard.kind, shard.number) for shard in found[2:6]] == [
        ("af_heart", SOUND, 0),
        ("af_heart", TEXT, 0),
        ("bf_emma", SOUND, 0),
        ("bf_emma", TEXT, 0),
    ]
    assert len({shard.path for shard in found}) == len(found) == 2 + 2 * 4


def test_texts_are_repeatable_differ_between_shards_and_are_not_held_out() -> None:
    lexicon = load_lexicon()
    first, second = (texts_of(Shard("af_heart", SOUND, number), lexicon) for number in (0, 1))
    assert first == texts_of(Shard("af_heart", SOUND, 0), lexicon)
    assert not set(first) & (set(second) | set(HELD_OUT_SENTENCES))
    assert texts_of(Shard("af_heart", HELD_OUT), lexicon) == HELD_OUT_SENTENCES


def test_texts_of_the_text_side_lead_to_short_and_to_long_utterances() -> None:
    config = model_config("starter")
    plan = Phonemizer("en-us", frozenset(config.vocab), config.phoneme_limit).plan
    texts = texts_of(Shard("af_heart", TEXT), load_lexicon())
    assert sum(len(list(sentences(text))) for text in texts) >= SENTENCES_PER_SHARD[TEXT]
    lengths = [len(utterance.phonemes) for text in texts for utterance in plan(text).utterances]
    assert sum(length < 60 for length in lengths) >= 60
    assert sum(length > 120 for length in lengths) >= 20


def test_recording_requests_missing_shards_and_saves_every_utterance(
    items: tuple[TrainingItem, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "texts_of", lambda shard, lexicon: ("One.", "Two."))
    teacher, done = ParrotTeacher(items[0].example), list[Shard]()
    wanted = [Shard("af_heart", SOUND), Shard("af_heart", TEXT)]
    record(tmp_path, wanted, teacher, done.append)
    assert done == wanted
    assert [example.text for example in load_examples(tmp_path / wanted[0].path)] == [
        "One. a",
        "One. b",
        "Two. a",
        "Two. b",
    ]
    assert [with_sound for _, _, with_sound in teacher.asked] == [True] * 2 + [False] * 2
    record(tmp_path, wanted, teacher, done.append)
    assert len(teacher.asked) == 4


@pytest.mark.parametrize("with_sound", [True, False])
def test_saved_examples_load_unchanged(items: tuple[TrainingItem, ...], tmp_path: Path, with_sound: bool) -> None:
    examples = [item.example for item in items]
    save_examples(tmp_path / "folder" / "shard.safetensors", examples)
    read = load_examples(tmp_path / "folder" / "shard.safetensors", with_sound)
    assert [example.text for example in read] == [example.text for example in examples]
    for before, after in zip(examples, read, strict=True):
        assert_equal(before, after, ARRAYS)
        assert (after.sound is not None) == with_sound
        if with_sound:
            assert_equal(before.sound, after.sound, SOUND_ARRAYS)


@pytest.mark.parametrize("kept_bytes", [0, 5, 500])
def test_a_damaged_shard_is_named(items: tuple[TrainingItem, ...], tmp_path: Path, kept_bytes: int) -> None:
    path = tmp_path / "shard.safetensors"
    save_examples(path, [item.example for item in items])
    path.write_bytes(path.read_bytes()[:kept_bytes])
    with pytest.raises(DamagedFile, match=r"shard.safetensors is damaged"):
        load_examples(path)


def assert_equal(before: object, after: object, names: tuple[str, ...]) -> None:
    for name in names:
        assert np.array_equal(getattr(before, name), getattr(after, name)), name
        assert getattr(before, name).dtype == getattr(after, name).dtype


def test_padding_marks_positions_beyond_the_end(items: tuple[TrainingItem, ...]) -> None:
    shorter = dataclasses.replace(
        items[0].example, tokens=items[0].example.tokens[:5], durations_frames=items[0].example.durations_frames[:5]
    )
    mixed = (dataclasses.replace(items[0], example=shorter), items[2])
    batch = collate(mixed)
    assert batch.tokens.shape == batch.padding.shape
    for row, item in enumerate(mixed):
        count = len(item.example.tokens)
        assert batch.tokens[row, :count].tolist() == item.example.tokens.tolist()
        assert (~batch.padding[row]).sum() == count


def test_span_cuts_all_curves_at_the_same_place(items: tuple[TrainingItem, ...], narrow_config: ModelConfig) -> None:
    batch = collate(items, random.Random(1))
    assert batch.frames == min(item.example.frames for item in items)
    samples = batch.samples(narrow_config)
    for row, (item, start) in enumerate(zip(items, batch.starts, strict=True)):
        begin = start * narrow_config.samples_per_frame
        assert np.array_equal(samples[row], item.sound.samples[begin : begin + samples.shape[1]])
        assert torch.equal(batch.f0_hz()[row], torch.full((2 * batch.frames,), float(item.example.f0_hz[0])))


def test_excitation_is_cut_where_the_samples_are(items: tuple[TrainingItem, ...], narrow_config: ModelConfig) -> None:
    batch = collate(items[:2])
    per_frame = narrow_config.stft_frames_per_frame
    cut = batch.harmonics(narrow_config, 3, 5)
    assert cut.shape == (2, narrow_config.harmonics_channels, 5 * per_frame + 1)
    whole = items[1].sound.harmonics.astype(np.float32)
    assert np.array_equal(cut[1].numpy(), whole[3 * per_frame : 8 * per_frame + 1].T)


def test_a_text_side_example_has_no_sound(items: tuple[TrainingItem, ...], narrow_config: ModelConfig) -> None:
    silent = dataclasses.replace(items[0], example=dataclasses.replace(items[0].example, sound=None))
    with pytest.raises(ValueError, match="without sound"):
        collate([silent]).samples(narrow_config)


def test_sampler_omits_items_that_are_too_short(items: tuple[TrainingItem, ...]) -> None:
    assert len(BucketSampler(items)) == 4
    longest = max(item.example.frames for item in items)
    assert len(BucketSampler(items, longest)) == 2


@pytest.mark.parametrize("size", [1, 3, 9])
def test_draw_returns_at_most_the_available_items(items: tuple[TrainingItem, ...], size: int) -> None:
    assert len(BucketSampler(items).draw(random.Random(0), size).items) == min(size, 4)
