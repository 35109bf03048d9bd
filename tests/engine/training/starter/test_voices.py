"""What is kept of the teacher must come back unchanged, and give each length of text its style."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.errors import DamagedFile
from engine.training.starter.voices import STARTER_VOICES, TeacherParts, load_parts, save_parts


def test_parts_come_back(parts: TeacherParts, tmp_path: Path) -> None:
    save_parts(tmp_path / "folder" / "teacher.safetensors", parts)
    read = load_parts(tmp_path / "folder" / "teacher.safetensors")
    assert read.identity == parts.identity
    for before, after in ((parts.packs, read.packs), (parts.merging, read.merging)):
        assert set(before) == set(after)
        assert all(np.array_equal(before[name], after[name]) for name in before)


def test_damaged_parts_are_named(parts: TeacherParts, tmp_path: Path) -> None:
    path = tmp_path / "teacher.safetensors"
    save_parts(path, parts)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DamagedFile, match="is damaged"):
        load_parts(path)


@pytest.mark.parametrize(("phonemes", "row"), [(0, 0), (1, 0), (5, 4), (8, 7), (400, 7)])
def test_style_is_the_row_for_the_number_of_phonemes(parts: TeacherParts, phonemes: int, row: int) -> None:
    for voice in STARTER_VOICES:
        assert np.array_equal(parts.style(voice, phonemes), parts.packs[voice][row, 0])


def test_two_languages_have_a_male_and_a_female_voice_each() -> None:
    assert sorted(voice[:2] for voice in STARTER_VOICES) == ["af", "am", "bf", "bm"]
