"""A model's students: found beside it, refused with a sentence, gone with the model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.errors import DamagedFile, MissingModel, StorageError, UnusableModel
from engine.models.checkpoints import (
    NO_STUDENTS,
    STARTER,
    DistilledCheckpoint,
    install_students,
    model_config,
    model_stamp,
    open_checkpoint,
    open_with,
    students_obstacle,
    students_of,
    teacher_of,
    with_students,
)
from engine.models.installation import STUDENTS_NAME, Installation
from engine.models.store import ModelStore
from engine.network.student_file import Students
from engine.speech import Prosody
from tests.engine.students import save_random


@pytest.fixture(autouse=True)
def store_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("engine.models.store.data_folder", lambda: tmp_path)
    return tmp_path / "models"


@pytest.fixture
def students() -> Students:
    path = ModelStore().students_file(STARTER)
    return save_random(path, model_config(STARTER), open_checkpoint().identity)


def test_a_model_has_no_students_unless_they_lie_beside_it(students: Students, store_folder: Path) -> None:
    assert students.path == store_folder / STARTER / STUDENTS_NAME
    assert students_of(STARTER) == students
    assert students_obstacle(STARTER) == ""
    students.path.unlink()
    with pytest.raises(MissingModel, match="for the prosody of the model starter is installed"):
        open_with(Prosody.TRANSFORMER, STARTER)
    assert students_obstacle(STARTER) == NO_STUDENTS


def test_weights_and_identity_are_of_both(students: Students) -> None:
    checkpoint = open_checkpoint()
    distilled = with_students(checkpoint)
    assert (distilled.prosody, checkpoint.prosody) == (Prosody.TRANSFORMER, Prosody.LSTM)
    assert teacher_of(distilled).identity == checkpoint.identity == teacher_of(checkpoint).identity
    assert distilled.identity == f"{checkpoint.identity} {students.content}"
    ours, theirs, own = distilled.load_weights(), checkpoint.load_weights(), students.load_weights()
    assert ours.keys() == {*theirs, *own}
    assert all(np.array_equal(ours[name], own[name]) for name in own)


def test_the_prosody_that_is_asked_for_is_opened(students: Students) -> None:
    assert isinstance(open_with(Prosody.TRANSFORMER, STARTER), DistilledCheckpoint)
    assert not isinstance(open_with(Prosody.LSTM, STARTER), DistilledCheckpoint)


def test_students_of_other_weights_are_refused(students: Students) -> None:
    save_random(students.path, model_config(STARTER), "another teacher")
    with pytest.raises(UnusableModel, match="taught by another model than the installed starter"):
        with_students(open_checkpoint())
    assert "another model" in students_obstacle(STARTER)


def test_random_weights_have_no_students_of_trained_ones(students: Students) -> None:
    other = ModelStore().students_file("kokoro-82m")
    save_random(other, model_config(STARTER), students.teacher)
    with pytest.raises(UnusableModel):
        open_with(Prosody.TRANSFORMER, "kokoro-82m", "random:0")


def test_a_damaged_file_is_named(students: Students) -> None:
    students.path.write_bytes(students.path.read_bytes()[:100])
    with pytest.raises(DamagedFile, match=r"prosody\.safetensors cannot be read"):
        with_students(open_checkpoint())
    assert "damaged" in students_obstacle(STARTER)


def test_students_are_installed_whole_or_not_at_all(students: Students, tmp_path: Path) -> None:
    elsewhere = tmp_path / "exported.safetensors"
    students.path.rename(elsewhere)
    assert install_students(elsewhere, STARTER) == students_of(STARTER) == students
    content = bytearray(elsewhere.read_bytes())
    content[-1] ^= 1
    elsewhere.write_bytes(content)
    with pytest.raises(DamagedFile):
        install_students(elsewhere, STARTER)
    save_random(elsewhere, model_config(STARTER), "another teacher")
    with pytest.raises(UnusableModel):
        install_students(elsewhere, STARTER)
    assert students_of(STARTER) == students


def test_a_place_that_cannot_be_written_is_named(students: Students, store_folder: Path, tmp_path: Path) -> None:
    elsewhere = students.path.rename(tmp_path / "exported.safetensors")
    (store_folder / STARTER).rmdir()
    (store_folder / STARTER).write_text("a file in the way", encoding="utf-8")
    with pytest.raises(StorageError, match="cannot be written"):
        install_students(elsewhere, STARTER)


def test_exchanged_students_give_another_stamp(students: Students) -> None:
    before = model_stamp(STARTER)
    students.path.unlink()
    assert model_stamp(STARTER) != before


def test_students_stay_while_a_model_is_there_and_go_with_it(students: Students, store_folder: Path) -> None:
    installation = Installation(store_folder / STARTER)
    (store_folder / STARTER / "left.safetensors").touch()
    installation.tidy()
    assert [path.name for path in (store_folder / STARTER).iterdir()] == [STUDENTS_NAME]
    installation.remove()
    assert not students.path.exists()
