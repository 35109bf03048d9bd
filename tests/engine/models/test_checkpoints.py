import hashlib
import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.errors import DamagedFile, InvalidRequest, MissingModel, UnknownModel
from engine.models import checkpoints
from engine.models.catalogue import entry_named
from engine.models.checkpoints import default_model, model_config, model_stamp, open_checkpoint, starter_voices
from engine.models.store import ModelState, ModelStatus, ModelStore
from engine.system.paths import starter_folder


@pytest.fixture
def copied_starter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "starter"
    shutil.copytree(starter_folder(), folder)
    monkeypatch.setattr(checkpoints, "starter_folder", lambda: folder)
    return folder


def test_the_bundled_model_has_a_male_and_a_female_voice() -> None:
    assert {"male", "female"} <= {voice.gender for voice in starter_voices()}


def test_the_bundled_model_is_small_and_complete() -> None:
    checkpoint = open_checkpoint("starter")
    weights = checkpoint.load_weights()
    assert all(array.dtype == np.float32 and np.isfinite(array).all() for array in weights.values())
    assert (starter_folder() / "model.safetensors").stat().st_size <= 12_000_000
    assert {voice.name for voice in starter_voices()} == set(checkpoint.voices)


def test_voices_have_the_style_width_of_the_model() -> None:
    checkpoint = open_checkpoint("starter")
    for voice in checkpoint.voices.values():
        style = voice.style(10)
        assert style.timbre.shape == style.prosody.shape == (checkpoint.config.style_dim,)


@pytest.mark.parametrize("name", ["model.safetensors", "voices.safetensors"])
def test_a_damaged_file_is_found_by_its_checksum(copied_starter: Path, name: str) -> None:
    content = bytearray((copied_starter / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copied_starter / name).write_bytes(content)
    with pytest.raises(DamagedFile, match=rf"{name} is damaged or missing.*Restore"):
        open_checkpoint("starter")


def test_a_missing_file_is_named(copied_starter: Path) -> None:
    (copied_starter / "manifest.json").unlink()
    with pytest.raises(DamagedFile, match=r"manifest\.json"):
        starter_voices()


def test_unknown_models_are_refused_by_name() -> None:
    with pytest.raises(UnknownModel, match="Known models: starter, kokoro-82m"):
        model_config("kokoro")


def test_the_compact_model_has_the_architecture_of_the_full_size() -> None:
    assert model_config("kokoro-82m-8bit").fingerprint() == model_config("kokoro-82m").fingerprint()


@pytest.mark.parametrize(
    ("installed", "best"),
    [
        ((), "starter"),
        (("kokoro-82m-8bit",), "kokoro-82m-8bit"),
        (("kokoro-82m", "kokoro-82m-8bit"), "kokoro-82m"),
        (("kokoro-82m",), "kokoro-82m"),
    ],
)
def test_the_default_is_the_best_model_that_is_here(
    monkeypatch: pytest.MonkeyPatch, installed: tuple[str, ...], best: str
) -> None:
    def status(self: ModelStore, name: str) -> ModelStatus:
        state = ModelState.INSTALLED if name in installed else ModelState.DAMAGED
        return ModelStatus(entry_named(name, self.catalogue()), state)

    monkeypatch.setattr(ModelStore, "status", status)
    assert default_model() == best


def test_missing_weights_say_what_else_to_do() -> None:
    with pytest.raises(MissingModel, match="--weights random:0"):
        open_checkpoint("kokoro-82m")


@pytest.mark.parametrize("weights", ["random", "random:", "random:x", "file.pth"])
def test_what_names_no_weights_is_refused(weights: str) -> None:
    with pytest.raises(InvalidRequest, match="random:SEED"):
        open_checkpoint("kokoro-82m", weights)


def test_random_weights_have_a_name_and_bring_a_voice_of_their_own() -> None:
    checkpoint = open_checkpoint("kokoro-82m", "random:3")
    assert (checkpoint.name, checkpoint.weights_name) == ("kokoro-82m", "random:3")
    assert open_checkpoint().weights_name is None
    assert tuple(checkpoint.voices) == ("af_random",)


def test_the_identity_of_a_file_of_weights_is_its_digest() -> None:
    content = (starter_folder() / "model.safetensors").read_bytes()
    assert open_checkpoint("starter").identity == hashlib.sha256(content).hexdigest()


def test_random_weights_are_told_apart_by_seed_and_architecture() -> None:
    opened = [open_checkpoint("kokoro-82m", "random:3"), open_checkpoint("kokoro-82m", "random:4")]
    opened += [open_checkpoint("starter", "random:3"), open_checkpoint("kokoro-82m", "random:3")]
    identities = [checkpoint.identity for checkpoint in opened]
    assert len(set(identities)) == 3
    assert identities[0] == identities[3]


def test_an_exchanged_file_gives_another_stamp(copied_starter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ModelStore, "model_folder", lambda store, name: copied_starter)
    before = model_stamp("starter")
    assert model_stamp("starter") == before
    weights = copied_starter / "model.safetensors"
    other = copied_starter / "other"
    shutil.copy(weights, other)
    other.replace(weights)
    assert model_stamp("starter") != before
    assert model_stamp("starter", "random:0") == model_stamp("starter", "random:0")
