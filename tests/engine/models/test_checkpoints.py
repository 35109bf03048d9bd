"""Tests of published checkpoints, and of a model's students beside it."""

import hashlib
import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.errors import DamagedFile, InvalidRequest, MissingModel, StorageError, UnusableModel
from engine.models import checkpoints
from engine.models.catalog import entry_named
from engine.models.checkpoints import (
    NO_STUDENTS,
    STARTER,
    DistilledCheckpoint,
    default_model,
    install_students,
    model_config,
    model_stamp,
    open_checkpoint,
    open_with,
    starter_voices,
    students_of,
    students_unavailable_reason,
    teacher_of,
    with_students,
)
from engine.models.installation import STUDENTS_NAME, Installation
from engine.models.store import ModelState, ModelStatus, ModelStore
from engine.network.student_file import Students
from engine.speech import Prosody
from engine.system.paths import starter_folder
from tests.engine.students import save_random


@pytest.fixture
def copied_starter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "starter"
    shutil.copytree(starter_folder(), folder)
    monkeypatch.setattr(checkpoints, "starter_folder", lambda: folder)
    return folder


def test_the_bundled_model_has_a_male_and_a_female_voice():
    assert {"male", "female"} <= {voice.gender for voice in starter_voices()}


def test_the_bundled_model_is_small_and_complete():
    checkpoint = open_checkpoint("starter")
    weights = checkpoint.load_weights()
    assert all(array.dtype == np.float32 and np.isfinite(array).all() for array in weights.values())
    assert (starter_folder() / "model.safetensors").stat().st_size <= 12_000_000
    assert {voice.name for voice in starter_voices()} == set(checkpoint.voices)


def test_voices_have_the_style_width_of_the_model():
    checkpoint = open_checkpoint("starter")
    for voice in checkpoint.voices.values():
        style = voice.style(10)
        assert style.timbre.shape == style.prosody.shape == (checkpoint.config.style_dim,)


@pytest.mark.parametrize("name", ["model.safetensors", "voices.safetensors"])
def test_a_damaged_file_is_found_by_its_checksum(copied_starter, name):
    content = bytearray((copied_starter / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copied_starter / name).write_bytes(content)
    with pytest.raises(DamagedFile, match=rf"{name} is damaged or missing.*Restore"):
        open_checkpoint("starter")


def test_a_missing_file_is_named(copied_starter):
    (copied_starter / "manifest.json").unlink()
    with pytest.raises(DamagedFile, match=r"manifest\.json"):
        starter_voices()


@pytest.mark.parametrize(
    ("installed", "best"),
    [
        ((), "starter"),
        (("kokoro-82m-8bit",), "kokoro-82m-8bit"),
        (("kokoro-82m", "kokoro-82m-8bit"), "kokoro-82m"),
        (("kokoro-82m",), "kokoro-82m"),
    ],
)
def test_the_default_is_the_best_model_that_is_here(monkeypatch, installed, best):
    def status(self: ModelStore, name: str) -> ModelStatus:
        state = ModelState.INSTALLED if name in installed else ModelState.DAMAGED
        return ModelStatus(entry_named(name, self.catalog()), state)

    monkeypatch.setattr(ModelStore, "status", status)
    assert default_model() == best


def test_the_missing_weights_error_suggests_an_alternative():
    with pytest.raises(MissingModel, match="--weights random:0"):
        open_checkpoint("kokoro-82m")


@pytest.mark.parametrize("weights", ["random", "random:", "random:x", "file.pth"])
def test_invalid_weights_names_are_refused(weights):
    with pytest.raises(InvalidRequest, match="random:SEED"):
        open_checkpoint("kokoro-82m", weights)


def test_random_weights_have_a_name_and_include_a_dedicated_voice():
    checkpoint = open_checkpoint("kokoro-82m", "random:3")
    assert (checkpoint.name, checkpoint.weights_name) == ("kokoro-82m", "random:3")
    assert open_checkpoint().weights_name is None
    assert tuple(checkpoint.voices) == ("af_random",)


def test_the_identity_of_a_file_of_weights_is_its_digest():
    content = (starter_folder() / "model.safetensors").read_bytes()
    assert open_checkpoint("starter").identity == hashlib.sha256(content).hexdigest()


def test_random_weights_are_distinguished_by_seed_and_architecture():
    opened = [open_checkpoint("kokoro-82m", "random:3"), open_checkpoint("kokoro-82m", "random:4")]
    opened += [open_checkpoint("starter", "random:3"), open_checkpoint("kokoro-82m", "random:3")]
    identities = [checkpoint.identity for checkpoint in opened]
    assert len(set(identities)) == 3
    assert identities[0] == identities[3]


def test_a_replaced_file_changes_the_stamp(copied_starter, monkeypatch):
    monkeypatch.setattr(ModelStore, "model_folder", lambda store, name: copied_starter)
    before = model_stamp("starter")
    assert model_stamp("starter") == before
    weights = copied_starter / "model.safetensors"
    other = copied_starter / "other"
    shutil.copy(weights, other)
    other.replace(weights)
    assert model_stamp("starter") != before
    assert model_stamp("starter", "random:0") == model_stamp("starter", "random:0")


@pytest.fixture(autouse=True)
def store_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("engine.models.store.data_folder", lambda: tmp_path)
    return tmp_path / "models"


@pytest.fixture
def students() -> Students:
    path = ModelStore().students_file(STARTER)
    return save_random(path, model_config(STARTER), open_checkpoint().identity)


def test_a_model_has_no_students_unless_they_lie_beside_it(students, store_folder):
    assert students.path == store_folder / STARTER / STUDENTS_NAME
    assert students_of(STARTER) == students
    assert students_unavailable_reason(STARTER) == ""
    students.path.unlink()
    with pytest.raises(MissingModel, match="Transformer prosody is installed for starter"):
        open_with(Prosody.TRANSFORMER, STARTER)
    assert students_unavailable_reason(STARTER) == NO_STUDENTS


def test_weights_and_identity_are_of_both(students):
    checkpoint = open_checkpoint()
    distilled = with_students(checkpoint)
    assert (distilled.prosody, checkpoint.prosody) == (Prosody.TRANSFORMER, Prosody.LSTM)
    assert teacher_of(distilled).identity == checkpoint.identity == teacher_of(checkpoint).identity
    assert distilled.identity == f"{checkpoint.identity} {students.content}"
    ours, theirs, own = distilled.load_weights(), checkpoint.load_weights(), students.load_weights()
    assert ours.keys() == {*theirs, *own}
    assert all(np.array_equal(ours[name], own[name]) for name in own)


def test_the_prosody_that_is_asked_for_is_opened(students):
    assert isinstance(open_with(Prosody.TRANSFORMER, STARTER), DistilledCheckpoint)
    assert not isinstance(open_with(Prosody.LSTM, STARTER), DistilledCheckpoint)


def test_students_of_other_weights_are_refused(students):
    save_random(students.path, model_config(STARTER), "other teacher")
    with pytest.raises(UnusableModel, match="different model than the installed starter"):
        with_students(open_checkpoint())
    assert "a different model" in students_unavailable_reason(STARTER)


def test_random_weights_have_no_students_of_trained_ones(students):
    other = ModelStore().students_file("kokoro-82m")
    save_random(other, model_config(STARTER), students.teacher)
    with pytest.raises(UnusableModel):
        open_with(Prosody.TRANSFORMER, "kokoro-82m", "random:0")


def test_a_damaged_file_is_named(students):
    students.path.write_bytes(students.path.read_bytes()[:100])
    with pytest.raises(DamagedFile, match=r"prosody\.safetensors .*be read"):
        with_students(open_checkpoint())
    assert "damaged" in students_unavailable_reason(STARTER)


def test_students_are_installed_whole_or_not_at_all(students, tmp_path):
    elsewhere = tmp_path / "exported.safetensors"
    students.path.rename(elsewhere)
    assert install_students(elsewhere, STARTER) == students_of(STARTER) == students
    content = bytearray(elsewhere.read_bytes())
    content[-1] ^= 1
    elsewhere.write_bytes(content)
    with pytest.raises(DamagedFile):
        install_students(elsewhere, STARTER)
    save_random(elsewhere, model_config(STARTER), "other teacher")
    with pytest.raises(UnusableModel):
        install_students(elsewhere, STARTER)
    assert students_of(STARTER) == students


def test_a_place_that_cannot_be_written_is_named(students, store_folder, tmp_path):
    elsewhere = students.path.rename(tmp_path / "exported.safetensors")
    (store_folder / STARTER).rmdir()
    (store_folder / STARTER).write_text("a file in the way", encoding="utf-8")
    with pytest.raises(StorageError, match="be written"):
        install_students(elsewhere, STARTER)


def test_changed_students_change_the_stamp(students):
    before = model_stamp(STARTER)
    students.path.unlink()
    assert model_stamp(STARTER) != before


def test_students_stay_while_a_model_is_there_and_go_with_it(students, store_folder):
    installation = Installation(store_folder / STARTER)
    (store_folder / STARTER / "left.safetensors").touch()
    installation.tidy()
    assert [path.name for path in (store_folder / STARTER).iterdir()] == [STUDENTS_NAME]
    installation.remove()
    assert not students.path.exists()
