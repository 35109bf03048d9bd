"""Data is the same however often its making was interrupted."""

import numpy as np
import pytest

from engine.models.checkpoints import STARTER, open_checkpoint
from engine.training.distillation import data
from engine.training.distillation.data import make_data
from engine.training.distillation.options import DistillOptions
from engine.training.distillation.shards import ShardFolder
from engine.training.distillation.teacher import Teacher


@pytest.fixture(scope="module")
def starter():
    return Teacher(open_checkpoint(STARTER))


def test_goes_on_where_it_was_interrupted(tmp_path, starter, monkeypatch):
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
