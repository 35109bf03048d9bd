import os
import threading
from pathlib import Path

import pytest
from filelock import FileLock

from engine.errors import Cancelled, DamagedFile, StorageError
from engine.models.installation import MANIFEST_NAME, Installation, ModelManifest
from engine.models.store import alone, building, require_space


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    installation = Installation(tmp_path / "m")
    install(installation, tmp_path, b"weights", b"voices")
    return installation


def install(installation: Installation, folder: Path, weights: bytes, voices: bytes) -> ModelManifest:
    (folder / "model.safetensors").write_bytes(weights)
    (folder / "voices.safetensors").write_bytes(voices)
    taken = [installation.take(folder / name) for name in ("model.safetensors", "voices.safetensors")]
    manifest = ModelManifest("somewhere", False, taken[0], taken[1], ("af_x",))
    installation.commit(manifest)
    return manifest


def names(installation: Installation) -> list[str]:
    return sorted(path.name.split("-")[0] for path in installation.folder.iterdir())


def test_nothing_is_installed_at_first(tmp_path: Path) -> None:
    assert Installation(tmp_path / "m").opened() is None


def test_what_is_installed_is_found_whole(installation: Installation) -> None:
    manifest = installation.opened()
    assert manifest is not None
    assert installation.path(manifest.weights).read_bytes() == b"weights"
    assert manifest.voices == ("af_x",)


def test_the_next_one_takes_its_place(installation: Installation, tmp_path: Path) -> None:
    manifest = install(installation, tmp_path, b"others", b"voices")
    assert installation.opened() == manifest
    assert names(installation) == [MANIFEST_NAME, "model", "voices"]


def test_files_without_a_manifest_are_no_model_and_are_tidied_away(installation: Installation, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"new")
    installation.take(tmp_path / "model.safetensors")  # and then the process ends
    manifest = installation.opened()
    assert manifest is not None
    assert installation.path(manifest.weights).read_bytes() == b"weights"
    installation.tidy()
    assert names(installation) == [MANIFEST_NAME, "model", "voices"]


@pytest.mark.parametrize("content", [b"weightS", b"weight", b""])
def test_a_changed_file_is_damaged(installation: Installation, content: bytes) -> None:
    manifest = installation.manifest()
    assert manifest is not None
    installation.path(manifest.weights).write_bytes(content)
    with pytest.raises(DamagedFile, match=r"model-.*is damaged or missing.*Download or import"):
        installation.opened()


def test_a_missing_file_is_damaged(installation: Installation) -> None:
    manifest = installation.manifest()
    assert manifest is not None
    installation.path(manifest.voices_file).unlink()
    for look in (installation.opened, installation.checked):
        with pytest.raises(DamagedFile, match=r"voices-.*is damaged or missing"):
            look()


def test_a_copy_with_other_time_stamps_is_read_through_and_right(installation: Installation) -> None:
    for path in installation.folder.iterdir():
        os.utime(path, (1, 1))
    assert installation.opened() is not None


def test_verifying_finds_what_size_and_time_hide(installation: Installation) -> None:
    manifest = installation.manifest()
    assert manifest is not None
    path = installation.path(manifest.weights)
    path.write_bytes(b"weightS")
    os.utime(path, ns=(manifest.weights.modified_ns, manifest.weights.modified_ns))
    assert installation.opened() == manifest
    with pytest.raises(DamagedFile):
        installation.verify(manifest, lambda count: None)


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"weights": {}}', pytest.param("[" * 100_000, id="deep")])
def test_a_damaged_manifest_is_said_and_can_be_replaced(
    installation: Installation, tmp_path: Path, content: str
) -> None:
    (installation.folder / MANIFEST_NAME).write_text(content)
    with pytest.raises(DamagedFile, match=r"manifest\.json is damaged"):
        installation.opened()
    installation.tidy()
    assert install(installation, tmp_path, b"a", b"b") == installation.opened()


def test_removed_is_gone(installation: Installation) -> None:
    installation.remove()
    installation.remove()
    assert not installation.folder.exists()


def never() -> None:
    """Nobody is waited for."""
    raise AssertionError


def test_another_process_is_waited_for(tmp_path: Path) -> None:
    other = FileLock(tmp_path / ".m.lock", thread_local=False)
    other.acquire()
    with alone(tmp_path, "m", other.release), alone(tmp_path, "another", never):
        assert other.lock_file == str(tmp_path / ".m.lock")


def test_waiting_can_be_cancelled(tmp_path: Path) -> None:
    cancel = threading.Event()
    with FileLock(tmp_path / ".m.lock"), pytest.raises(Cancelled), alone(tmp_path, "m", cancel.set, cancel):
        pass


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), OSError(28, "No space left on device")])
def test_what_goes_wrong_with_files_is_one_sentence(tmp_path: Path, error: OSError) -> None:
    with (
        pytest.raises(StorageError, match=rf"cannot be written \({error.strerror}\).*free some space"),
        alone(tmp_path, "m", never),
    ):
        raise error
    with alone(tmp_path, "m", never):
        pass


def test_a_folder_for_building_is_empty_and_goes_away(tmp_path: Path) -> None:
    (tmp_path / ".build-m").mkdir()
    (tmp_path / ".build-m" / "left").touch()
    with building(tmp_path, "m") as folder:
        assert list(folder.iterdir()) == []
        (folder / "made").touch()
    assert list(tmp_path.iterdir()) == []


def test_space_is_asked_for(tmp_path: Path) -> None:
    require_space(tmp_path, 0)
    with pytest.raises(StorageError, match=r"MB of free space are needed in .*MB are free.*Free some space"):
        require_space(tmp_path, 1 << 60)
