import errno
import os
from pathlib import Path

import numpy as np
import pytest

from app.audio.sample_file import SampleFile
from engine.speech import Samples
from tests.engine.memory import private_bytes

PARTS = [np.random.default_rng(seed).standard_normal(1000 + seed).astype(np.float32) for seed in range(4)]
ALL: Samples = np.concatenate(PARTS)


def filled(folder: Path) -> SampleFile:
    file = SampleFile(folder)
    for part in PARTS:
        file.append(part)
    return file


@pytest.mark.parametrize(("start", "end"), [(0, 10), (995, 1010), (0, 9000), (4005, 5000), (4006, 5000), (7, 7)])
def test_samples_come_back_as_they_were(tmp_path: Path, start: int, end: int) -> None:
    np.testing.assert_array_equal(filled(tmp_path).read(start, end), ALL[start:end])


def test_nothing_is_left_whatever_becomes_of_the_process(tmp_path: Path) -> None:
    file = filled(tmp_path / "speech")
    assert not list((tmp_path / "speech").iterdir())
    assert file.length == len(ALL)


def test_an_empty_one_has_no_file(tmp_path: Path) -> None:
    assert not len(SampleFile(tmp_path / "speech").read(0, 10))
    assert not (tmp_path / "speech").exists()


def test_samples_that_were_cut_make_room_for_others(tmp_path: Path) -> None:
    file = filled(tmp_path)
    file.cut(1500)
    file.append(PARTS[2])
    np.testing.assert_array_equal(file.read(0, 9000), np.concatenate([ALL[:1500], PARTS[2]]))


def test_on_a_full_disk_the_rest_stays_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = SampleFile(tmp_path)
    file.append(PARTS[0])

    def no_room(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", no_room)
    for part in PARTS[1:]:
        file.append(part)
    assert file.kept_in_memory == len(ALL) - 1000
    for start, end in ((0, 9000), (990, 1010), (1500, 2500), (0, 10)):
        np.testing.assert_array_equal(file.read(start, end), ALL[start:end])
    file.cut(1700)
    np.testing.assert_array_equal(file.read(0, 9000), ALL[:1700])


def test_an_hour_of_speech_takes_no_memory(tmp_path: Path) -> None:
    file, minute = SampleFile(tmp_path), np.ones(60 * 24_000, np.float32)
    file.append(minute)
    before = private_bytes()
    for _ in range(59):
        file.append(minute)
        file.read(file.length - 24_000, file.length)
    assert private_bytes() - before < 10_000_000
