import threading
from pathlib import Path

import pytest
from filelock import FileLock

from engine.errors import Cancelled, StorageError
from engine.model_store.build_folder import alone, building, require_space


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
