"""Data is the same regardless of interruptions while it is generated."""

import errno
import json
import os
from itertools import islice

import numpy as np
import pytest

from engine.errors import DamagedFile, InvalidRequest, OutputError, UnusableModel
from engine.models.checkpoints import STARTER, open_checkpoint
from engine.training.distillation import data
from engine.training.distillation.data import held_out_sentences, make_data, passages
from engine.training.distillation.options import DistillOptions
from engine.training.distillation.shards import ShardFolder
from engine.training.distillation.teacher import DistillationTeacher


@pytest.fixture(scope="module")
def starter():
    return DistillationTeacher(open_checkpoint(STARTER))


def test_data_generation_resumes_after_an_interruption(tmp_path, starter, monkeypatch):
    monkeypatch.setattr(data, "SHARD_EXAMPLES", 2)
    reports = []
    make_data(starter, DistillOptions(STARTER, tmp_path / "once", shards=3), reports.append)
    for shards in (1, 3):
        make_data(starter, DistillOptions(STARTER, tmp_path / "twice", shards=shards), lambda progress: None)
    once, twice = (
        list(ShardFolder(tmp_path / name / "data", starter.identity).examples()) for name in ("once", "twice")
    )
    assert [example.phonemes for example in once] == [example.phonemes for example in twice]
    assert len(once) == 6
    for ours, theirs in zip(once, twice, strict=True):
        np.testing.assert_array_equal(ours.features, theirs.features)
        assert len(ours.features) == len(ours.phonemes) + 2
    assert [report.fraction for report in reports] == pytest.approx([1 / 3, 2 / 3, 1])
    assert reports[-1].remaining_seconds == 0


def test_equal_seeds_give_equal_passages():
    assert list(islice(passages(3), 30)) == list(islice(passages(3), 30))
    assert list(islice(passages(3), 30)) != list(islice(passages(4), 30))


def test_no_passage_has_a_held_out_sentence():
    spoken = " ".join(islice(passages(11), 2000))
    assert not [sentence for sentence in held_out_sentences() if sentence in spoken]


TEACHER = "the teacher"


@pytest.fixture
def folder(tmp_path, examples):
    kept = ShardFolder(tmp_path / "data", TEACHER)
    kept.add(examples[:3])
    kept.add(examples[3:5])
    return tmp_path / "data"


def test_reading_returns_the_written_examples(folder, examples):
    read = list(ShardFolder(folder, TEACHER).examples())
    assert [(example.phonemes, example.language) for example in read] == [
        (example.phonemes, example.language) for example in examples[:5]
    ]
    for ours, theirs in zip(read, examples, strict=False):
        np.testing.assert_array_equal(ours.features, theirs.features)


def test_an_interrupted_shard_is_written_again(folder, examples):
    (folder / "0002.safetensors").write_bytes(b"half of a sh")  # written, but not yet listed
    kept = ShardFolder(folder, TEACHER)
    assert kept.count == 2
    kept.add(examples[5:6])
    assert [example.phonemes for example in ShardFolder(folder, TEACHER).examples()][5] == examples[5].phonemes


@pytest.mark.parametrize("damage", ["a changed byte", "cut off", "missing"])
def test_a_damaged_shard_is_refused_by_name(folder, damage):
    path = folder / "0001.safetensors"
    content = path.read_bytes()
    path.unlink()
    if damage == "a changed byte":
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif damage == "cut off":
        path.write_bytes(content[:-10])
    with pytest.raises(DamagedFile, match="0001"):
        list(ShardFolder(folder, TEACHER).examples())


@pytest.mark.parametrize("content", ["", "[]", '{"teacher": "the teacher"}', "null"])
def test_a_damaged_list_is_refused(folder, content):
    (folder / "shards.json").write_text(content)
    with pytest.raises(DamagedFile, match="list of shards"):
        ShardFolder(folder, TEACHER)


def test_shards_of_a_different_teacher_are_refused(folder):
    with pytest.raises(UnusableModel, match="a different teacher"):
        ShardFolder(folder, "other teacher")


def test_nothing_to_learn_from(tmp_path):
    with pytest.raises(InvalidRequest, match="no training data"):
        list(ShardFolder(tmp_path, TEACHER).examples())


def test_a_full_disk_leaves_the_folder_as_it_was(folder, examples, monkeypatch):
    def refuse(source, target):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = json.loads((folder / "shards.json").read_text())
    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises(OutputError, match="disk is full"):
        ShardFolder(folder, TEACHER).add(examples[:2])
    monkeypatch.undo()
    assert json.loads((folder / "shards.json").read_text()) == before
    assert len(list(ShardFolder(folder, TEACHER).examples())) == 5
