import os
from pathlib import Path

import pytest

from engine.errors import DamagedFile, InvalidRequest, MissingModel, RecoveryAction, StorageError, UnknownVoice
from engine.models import store
from engine.models.installation import MANIFEST_NAME, Installation, ModelManifest
from engine.models.installed_voices import ModelVoices, installed_voices, model_of, require_installed, require_voice
from engine.models.store import alone, building
from engine.models.voices import blends
from engine.models.voices.packs import describe
from tests.starter_voices import FEMALE


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    installation = Installation(tmp_path / "m")
    install(installation, tmp_path, b"weights", b"voices")
    return installation


def install(installation: Installation, folder: Path, weights: bytes, voices: bytes) -> ModelManifest:
    (folder / "model.safetensors").write_bytes(weights)
    (folder / "voices.safetensors").write_bytes(voices)
    taken = [installation.add_file(folder / name) for name in ("model.safetensors", "voices.safetensors")]
    manifest = ModelManifest("somewhere", False, taken[0], taken[1], ("af_x",))
    installation.commit(manifest)
    return manifest


def names(installation: Installation) -> list[str]:
    return sorted(path.name.split("-")[0] for path in installation.folder.iterdir())


def test_nothing_is_installed_at_first(tmp_path):
    assert Installation(tmp_path / "m").opened() is None


def test_an_installed_model_is_found_complete(installation):
    manifest = installation.opened()
    assert installation.path(manifest.weights).read_bytes() == b"weights"
    assert manifest.voices == ("af_x",)


def test_the_next_one_takes_its_place(installation, tmp_path):
    manifest = install(installation, tmp_path, b"others", b"voices")
    assert installation.opened() == manifest
    assert names(installation) == [MANIFEST_NAME, "model", "voices"]


def test_files_without_a_manifest_are_no_model_and_are_tidied_away(installation, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"new")
    installation.add_file(tmp_path / "model.safetensors")  # and then the process ends
    manifest = installation.opened()
    assert installation.path(manifest.weights).read_bytes() == b"weights"
    installation.tidy()
    assert names(installation) == [MANIFEST_NAME, "model", "voices"]


@pytest.mark.parametrize("content", [b"weightS", b"weight", b""])
def test_a_changed_file_is_damaged(installation, content):
    manifest = installation.manifest()
    installation.path(manifest.weights).write_bytes(content)
    with pytest.raises(DamagedFile, match=r"model-.*is damaged or missing.*Download or import"):
        installation.opened()


def test_a_missing_file_is_damaged(installation):
    manifest = installation.manifest()
    installation.path(manifest.voices_file).unlink()
    for look in (installation.opened, installation.checked):
        with pytest.raises(DamagedFile, match=r"voices-.*is damaged or missing"):
            look()


def test_a_copy_with_other_time_stamps_is_read_through_and_right(installation):
    for path in installation.folder.iterdir():
        os.utime(path, (1, 1))
    assert installation.opened() is not None


def test_verification_finds_changes_that_size_and_time_hide(installation):
    manifest = installation.manifest()
    path = installation.path(manifest.weights)
    path.write_bytes(b"weightS")
    os.utime(path, ns=(manifest.weights.modified_ns, manifest.weights.modified_ns))
    assert installation.opened() == manifest
    with pytest.raises(DamagedFile):
        installation.verify(manifest, lambda count: None)


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"weights": {}}', pytest.param("[" * 100_000, id="deep")])
def test_a_damaged_manifest_is_reported_and_can_be_replaced(installation, tmp_path, content):
    (installation.folder / MANIFEST_NAME).write_text(content)
    with pytest.raises(DamagedFile, match=r"manifest\.json is damaged"):
        installation.opened()
    installation.tidy()
    assert install(installation, tmp_path, b"a", b"b") == installation.opened()


def never() -> None:
    """Fail: there is nothing to wait for."""
    raise AssertionError


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), OSError(28, "No space left on device")])
def test_a_file_error_is_reported_in_one_sentence(tmp_path, error):
    with (
        pytest.raises(StorageError, match=rf"\({error.strerror}\).*free up some space"),
        alone(tmp_path, "m", never),
    ):
        raise error
    with alone(tmp_path, "m", never):
        pass


def test_a_folder_for_building_is_empty_and_goes_away(tmp_path):
    (tmp_path / ".build-m").mkdir()
    (tmp_path / ".build-m" / "left").touch()
    with building(tmp_path, "m") as folder:
        assert list(folder.iterdir()) == []
        (folder / "made").touch()
    assert list(tmp_path.iterdir()) == []


def _model(name: str, *voices: str) -> ModelVoices:
    return ModelVoices(name, name.title(), tuple(map(describe, voices)))


MODELS = (_model("best", "af_heart", "am_adam"), _model("small", "af_heart"), _model("starter", "af_sally"))


@pytest.mark.parametrize(
    ("voice", "preferred", "model"),
    [
        ("af_heart", "best", "best"),
        ("af_heart", "small", "small"),
        ("af_heart", "starter", "best"),
        ("heart", "starter", "best"),
        ("am_adam", "small", "best"),
        ("sally", "best", "starter"),
        ("af_heart(2)+am_adam(1)", "small", "best"),
        ("heart:60,heart:40", "small", "small"),
    ],
)
def test_a_voice_brings_its_model_and_the_preferred_one_comes_first(voice, preferred, model):
    assert model_of(voice, preferred, MODELS) == model


@pytest.mark.parametrize("voice", ["af_hart", "af_heart+af_sally"])
def test_a_voice_that_no_model_has_names_those_of_all(voice):
    with pytest.raises(UnknownVoice, match="Known voices: af_heart, am_adam, af_sally"):
        model_of(voice, "starter", MODELS)


@pytest.mark.parametrize(
    ("voice", "named"),
    [("af_heart+nobody", "nobody"), ("af_heart:60,nobody:40", "nobody"), ("heart+sally", "heart+sally")],
)
def test_of_a_blend_the_voice_that_is_unknown_is_named(voice, named):
    with pytest.raises(UnknownVoice) as caught:
        model_of(voice, "starter", MODELS)
    assert caught.value.name == named


def test_a_bad_recipe_is_refused():
    with pytest.raises(InvalidRequest, match="isn’t a valid blend"):
        model_of("af_heart(-1)", "best", MODELS)


@pytest.mark.parametrize(("voice", "having"), [("heart", "best"), ("af_heart+am_adam", "best"), ("sally", "starter")])
def test_a_named_model_without_the_voice_hears_which_model_has_it(voice, having):
    other = "starter" if having == "best" else "best"
    with pytest.raises(InvalidRequest, match=f"{other} doesn’t include “.*”, but {having} does.*--model {having}"):
        require_voice(voice, other, MODELS)


@pytest.mark.parametrize(("voice", "model"), [("af_heart", "small"), ("nobody", "small"), ("af_heart", "not here")])
def test_a_voice_is_accepted_if_no_other_model_can_help(voice, model):
    require_voice(voice, model, MODELS)


@pytest.mark.usefixtures("compact_model_installed")
def test_an_obtainable_voice_names_the_smallest_model_that_includes_it():
    with pytest.raises(
        MissingModel, match=r"“ef_dora” belongs to Kokoro-82M, which.*models fetch kokoro-82m”"
    ) as caught:
        require_installed("ef_dora")
    assert caught.value.recovery_action is RecoveryAction.GET_MODEL
    for here_or_unknown in ("af_heart", "heart", "nobody"):
        require_installed(here_or_unknown)


def test_the_compact_model_is_enough_for_its_voices(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "data_folder", lambda: tmp_path)
    with pytest.raises(MissingModel, match=r"Kokoro-82M Compact.*models fetch kokoro-82m-8bit"):
        require_installed("heart")


@pytest.mark.usefixtures("compact_model_installed")
def test_models_are_listed_best_first_each_with_its_voices():
    listed = installed_voices()
    assert [each.model for each in listed] == ["kokoro-82m-8bit", "starter"]
    assert [voice.name for voice in listed[0].voices] == ["af_heart", "am_adam", "bm_george"]
    assert FEMALE in [voice.name for voice in listed[1].voices]


@pytest.mark.usefixtures("compact_model_installed")
def test_a_damaged_blend_list_leaves_voices_available_and_is_reported_once(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(blends, "data_folder", lambda: tmp_path)
    (tmp_path / "voices.json").write_text("{", encoding="utf-8")
    assert [voice.name for voice in installed_voices()[0].voices] == ["af_heart", "am_adam", "bm_george"]
    assert [str(tmp_path / "voices.json") in message for message in caplog.messages] == [True]
