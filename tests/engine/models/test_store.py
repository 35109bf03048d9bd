import errno
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from filelock import FileLock

from engine.errors import (
    Canceled,
    DamagedModel,
    DownloadError,
    InvalidRequest,
    MissingModel,
    StorageError,
    UnknownModel,
    UnusableModel,
)
from engine.models import store
from engine.models.progress import ModelActivity, ModelProgress
from engine.models.store import ModelState, ModelStore
from engine.network.random_weights import network_with
from tests.engine.models.conftest import call_here
from tests.engine.models.published import CHECKPOINT_NAME, VOICE_NAMES, Published, saved, voice_table
from tests.engine.models.stand_in_hub import Fault, StandInHub

NAME = "kokoro-82m"


def left_over(models: ModelStore) -> list[str]:
    """Return everything in the folder but the lock and the model."""
    return sorted(path.name for path in models.folder.glob("*") if path.name not in (f".{NAME}.lock", NAME))


@pytest.fixture
def source(published: Published, tmp_path: Path) -> Path:
    return published.write(tmp_path / "source")


@pytest.fixture(scope="module")
def imported(published: Published, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of models into which the published files were imported."""
    folder = tmp_path_factory.mktemp("imported")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "call", call_here)
        ModelStore(folder / "models", (published.entry,)).import_from(published.write(folder / "source"), NAME)
    return folder


@pytest.fixture
def installed(models: ModelStore, imported: Path) -> ModelStore:
    shutil.copytree(imported / "models", models.folder)
    return models


def test_a_downloaded_model_has_its_voices(models: ModelStore, hub: StandInHub, published: Published) -> None:
    assert models.status(NAME).state is ModelState.ABSENT
    seen: list[ModelProgress] = []
    models.fetch(NAME, seen.append)
    status = models.status(NAME)
    assert (status.state, status.voices, status.published) == (ModelState.INSTALLED, VOICE_NAMES, True)
    assert published.entry.revision in status.origin
    opened = models.open(NAME)
    assert opened is not None
    network_with(published.config, opened.load_weights())
    assert np.array_equal(opened.voices["bm_george"].table, voice_table(published.config, 1))
    assert {progress.activity for progress in seen} == {ModelActivity.FETCHING, ModelActivity.CONVERTING}
    assert left_over(models) == []


def test_an_installed_model_is_not_downloaded_again(installed: ModelStore, hub: StandInHub) -> None:
    installed.fetch(NAME)
    assert hub.requests == []


def test_a_damaged_model_is_downloaded_again(installed: ModelStore, hub: StandInHub) -> None:
    opened = installed.open(NAME)
    assert opened is not None
    opened.weights_file.write_bytes(b"x")
    assert installed.status(NAME).state is ModelState.DAMAGED
    with pytest.raises(DamagedModel):
        installed.open(NAME)
    installed.fetch(NAME)
    assert installed.status(NAME).state is ModelState.INSTALLED


def test_an_interrupted_download_is_partial_and_resumes(models: ModelStore, hub: StandInHub) -> None:
    hub.faults.append(Fault(CHECKPOINT_NAME, cut_after=400_000))
    with pytest.raises(DownloadError):
        models.fetch(NAME)
    status = models.status(NAME)
    assert status.state is ModelState.PARTIAL
    assert status.bytes_here > 300_000
    assert models.open(NAME) is None
    hub.faults.clear()
    models.fetch(NAME)
    assert models.status(NAME).state is ModelState.INSTALLED


def test_removing_a_partial_one_leaves_nothing(models: ModelStore, hub: StandInHub) -> None:
    hub.faults.append(Fault(CHECKPOINT_NAME, cut_after=400_000))
    with pytest.raises(DownloadError):
        models.fetch(NAME)
    models.remove(NAME)
    assert models.status(NAME).state is ModelState.ABSENT
    assert left_over(models) == []


def test_a_stalled_download_in_a_separate_process_cancels_immediately_and_resumes_later(
    tmp_path: Path, published: Published, hub: StandInHub
) -> None:
    models = ModelStore(tmp_path / "models", (published.entry,))
    hub.faults.append(Fault(CHECKPOINT_NAME, stall_after=400_000))
    cancel = threading.Event()
    with pytest.raises(Canceled):
        models.fetch(NAME, lambda progress: cancel.set(), cancel)
    received = models.status(NAME).bytes_here
    assert (models.status(NAME).state, received > 0) == (ModelState.PARTIAL, True)
    hub.faults.clear()
    models.fetch(NAME)  # converted by PyTorch, which is not loaded here
    assert models.status(NAME).state is ModelState.INSTALLED
    assert hub.bytes_asked_for(CHECKPOINT_NAME)[-1].startswith(f"bytes={received}-")


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), Canceled("Stopped")])
def test_received_files_stay_until_they_are_discarded(
    models: ModelStore, hub: StandInHub, interruption: BaseException
) -> None:
    def stop(progress: ModelProgress) -> None:
        raise interruption

    with pytest.raises(type(interruption)):
        models.fetch(NAME, stop)
    assert models.status(NAME).state is ModelState.PARTIAL
    models.discard_received(NAME)
    assert models.status(NAME).state is ModelState.ABSENT
    assert left_over(models) == []


def test_files_received_by_a_different_process_are_not_discarded(models: ModelStore, hub: StandInHub) -> None:
    hub.faults.append(Fault(CHECKPOINT_NAME, cut_after=400_000))
    with pytest.raises(DownloadError):
        models.fetch(NAME)
    with FileLock(models.folder / f".{NAME}.lock"):
        models.discard_received(NAME)
    assert models.status(NAME).state is ModelState.PARTIAL


def test_a_failed_conversion_leaves_the_earlier_model(installed: ModelStore, source: Path) -> None:
    before = installed.open(NAME)
    (source / CHECKPOINT_NAME).write_bytes((source / CHECKPOINT_NAME).read_bytes()[:-1000])
    with pytest.raises(UnusableModel, match="incomplete"):
        installed.import_from(source, NAME)
    after = installed.open(NAME)
    assert before is not None
    assert after is not None
    assert (after.identity, left_over(installed)) == (before.identity, [])


@pytest.mark.parametrize("damage", ["code", "bomb", "truncated", "other", "voice"])
def test_an_unusable_source_installs_nothing_and_a_valid_one_then_works(
    models: ModelStore, source: Path, published: Published, damage: str
) -> None:
    spoil(source, damage)
    with pytest.raises(UnusableModel) as caught:
        models.import_from(source, NAME)
    assert caught.value.hint
    assert models.status(NAME).state is ModelState.ABSENT
    assert left_over(models) == []
    models.import_from(published.write(source), NAME)
    assert models.status(NAME).state is ModelState.INSTALLED


@pytest.mark.parametrize("refused", [".", "voices", CHECKPOINT_NAME])
def test_unreadable_sources_are_reported_as_such(
    models: ModelStore, source: Path, refused: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(act: Callable[..., Any]) -> Callable[..., Any]:
        def refuse(path: Path, *arguments: Any, **options: Any) -> Any:
            if path == source / refused:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return act(path, *arguments, **options)

        return refuse

    for name in ("iterdir", "open"):
        monkeypatch.setattr(Path, name, refusing(getattr(Path, name)))
    with pytest.raises(UnusableModel, match=re.escape(str(source / refused))):
        models.import_from(source, models.name_for(source))
    assert models.status(NAME).state is ModelState.ABSENT


def spoil(source: Path, damage: str) -> None:
    path = source / CHECKPOINT_NAME
    content = path.read_bytes()
    voice = source / "voices" / "af_heart.pt"
    spoiled: dict[str, tuple[Path, bytes]] = {
        "code": (path, saved({"bert": Exception("code")})),
        "bomb": (path, content[:4] + b"\xff" * 40 + content[44:]),
        "truncated": (path, content[:-5000]),
        "other": (path, saved({"bert": {"module.weight": torch.ones(3)}})),
        "voice": (voice, saved(torch.ones(3, 1, 16))),
    }
    target, new = spoiled[damage]
    target.write_bytes(new)


def test_an_imported_model_says_where_it_came_from(installed: ModelStore, imported: Path) -> None:
    status = installed.status(NAME)
    assert (status.state, status.origin) == (ModelState.INSTALLED, f"imported from {imported / 'source'}")


def test_the_published_checkpoint_is_recognized(installed: ModelStore) -> None:
    assert installed.status(NAME).published


def test_a_different_checkpoint_is_not_published(models: ModelStore, source: Path, published: Published) -> None:
    path = source / CHECKPOINT_NAME
    state = torch.load(path, weights_only=True)
    state["bert_encoder"]["module.bias"] += 1
    torch.save(state, path)
    models.import_from(source, NAME)
    assert not models.status(NAME).published


def test_voices_are_added_one_by_one(installed: ModelStore, tmp_path: Path, published: Published) -> None:
    before = installed.open(NAME)
    voice_table(published.config, 7).tofile(tmp_path / "am_mine.bin")
    installed.import_from(tmp_path / "am_mine.bin", NAME)
    after = installed.open(NAME)
    assert before is not None
    assert after is not None
    assert list(after.voices) == [*VOICE_NAMES, "am_mine"]
    assert after.identity == before.identity
    assert after.voices["am_mine"].info.gender == "male"
    assert installed.status(NAME).published


def test_a_voice_needs_a_model_and_a_model_needs_a_voice(models: ModelStore, source: Path) -> None:
    with pytest.raises(UnusableModel, match=r"checkpoint first"):
        models.import_from(source / "voices" / "af_heart.pt", NAME)
    shutil.rmtree(source / "voices")
    with pytest.raises(UnusableModel, match=r"no voice pack beside.*“voices”"):
        models.import_from(source / CHECKPOINT_NAME, NAME)
    assert models.status(NAME).state is ModelState.ABSENT


def test_the_description_of_other_models_is_refused(models: ModelStore, source: Path, published: Published) -> None:
    description = source / "config.json"
    shutil.copy(published.entry.config_file, description)
    models.import_from(source, NAME)
    description.write_text(description.read_text().replace('"a": 1', '"a": 2'))
    with pytest.raises(UnusableModel, match="describes a different model"):
        models.import_from(source, NAME)


def test_verifying_reads_all_with_progress(installed: ModelStore) -> None:
    seen: list[ModelProgress] = []
    installed.verify(NAME, seen.append)
    assert seen[-1].bytes_done == seen[-1].bytes_total == installed.status(NAME).bytes_here


def test_damage_that_size_and_time_hide_is_found_remembered_and_repaired(
    installed: ModelStore, hub: StandInHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "packed_weights_folder", lambda: tmp_path)
    packed = tmp_path / f"{NAME}.weights"
    packed.touch()
    opened = installed.open(NAME)
    assert opened is not None
    flip_a_bit(opened.weights_file)
    assert installed.status(NAME).state is ModelState.INSTALLED
    with pytest.raises(DamagedModel, match="Download or import"):
        installed.verify(NAME)
    assert installed.status(NAME).state is ModelState.DAMAGED
    with pytest.raises(DamagedModel):
        installed.open(NAME)
    installed.fetch(NAME)
    assert hub.bytes_asked_for(CHECKPOINT_NAME) == [""]
    installed.verify(NAME)
    assert installed.status(NAME).state is ModelState.INSTALLED
    assert not packed.exists()  # it may contain the damaged ones
    assert len(list(installed.model_folder(NAME).iterdir())) == 3


def flip_a_bit(path: Path) -> None:
    before = path.stat()
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.fixture
def elsewhere(tmp_path: Path, published: Published) -> ModelStore:
    """The empty folder of models of another computer."""
    return ModelStore(tmp_path / "elsewhere", (published.entry,))


def test_a_copy_is_the_same_model(installed: ModelStore, elsewhere: ModelStore) -> None:
    copy = installed.copied(NAME)
    assert copy is not None
    assert elsewhere.copied(NAME) is None
    elsewhere.install_copy(NAME, copy)
    here, there = installed.open(NAME), elsewhere.open(NAME)
    assert here is not None
    assert there is not None
    assert (there.identity, {*there.voices}) == (here.identity, {*here.voices})
    assert there.weights_file.read_bytes() == here.weights_file.read_bytes()
    assert left_over(elsewhere) == []
    elsewhere.verify(NAME)


def test_a_copy_replaces_no_model(installed: ModelStore, tmp_path: Path, published: Published) -> None:
    copy = installed.copied(NAME)
    assert copy is not None
    voice_table(published.config, 7).tofile(tmp_path / "am_mine.bin")
    installed.import_from(tmp_path / "am_mine.bin", NAME)
    installed.install_copy(NAME, copy)
    assert "am_mine" in installed.status(NAME).voices


def test_a_copy_brings_its_students_and_replaces_none(installed: ModelStore, elsewhere: ModelStore) -> None:
    installed.students_file(NAME).write_bytes(b"students")
    copy = installed.copied(NAME)
    assert copy is not None
    for arriving in (copy, replace(copy, students=b"others"), replace(copy, students=b"")):
        elsewhere.install_copy(NAME, arriving)
        assert elsewhere.students_file(NAME).read_bytes() == b"students"


def test_a_copy_that_was_changed_on_the_way_is_not_installed(installed: ModelStore, elsewhere: ModelStore) -> None:
    copy = installed.copied(NAME)
    assert copy is not None
    weights, voices = copy.contents
    with pytest.raises(DamagedModel):
        elsewhere.install_copy(NAME, replace(copy, contents=(weights, voices[:-1] + bytes([voices[-1] ^ 1]))))
    assert elsewhere.open(NAME) is None
    assert left_over(elsewhere) == []
    elsewhere.install_copy(NAME, copy)
    assert elsewhere.status(NAME).state is ModelState.INSTALLED


def test_removal_deletes_a_model_and_its_packed_weights(
    installed: ModelStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "packed_weights_folder", lambda: tmp_path)
    for packed in (f"{NAME}.weights", f"{NAME}-metal.weights", f"{NAME}-8bit.weights"):
        (tmp_path / packed).touch()
    installed.remove(NAME)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".weights"] == [f"{NAME}-8bit.weights"]
    assert installed.status(NAME).state is ModelState.ABSENT
    assert installed.open(NAME) is None
    with pytest.raises(MissingModel, match=r"installed.*models fetch kokoro-82m"):
        installed.verify(NAME)


def test_insufficient_space_is_reported_before_the_download(
    models: ModelStore, hub: StandInHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "SPARE_BYTES", 1 << 60)
    with pytest.raises(StorageError, match=r"MB of free space are needed in .*MB are free.*Free up some space"):
        models.fetch(NAME)
    assert hub.requests == []
    assert left_over(models) == []


def test_an_unwritable_folder_is_reported(published: Published, source: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    models = ModelStore(tmp_path / "file" / "models", (published.entry,))
    assert models.status(NAME).state is ModelState.ABSENT
    for act in (lambda: models.fetch(NAME), lambda: models.import_from(source, NAME), lambda: models.remove(NAME)):
        with pytest.raises(StorageError, match=r"be written.*Make it writable"):
            act()


def test_a_second_process_waits_and_then_finds_it_done(
    models: ModelStore, hub: StandInHub, source: Path, published: Published
) -> None:
    seen: list[ModelActivity] = []
    models.folder.mkdir()
    lock = FileLock(models.folder / f".{NAME}.lock", thread_local=False)
    lock.acquire()

    def observe(progress: ModelProgress) -> None:
        seen.append(progress.activity)
        if progress.activity is ModelActivity.WAITING:
            lock.release()

    models.fetch(NAME, observe)
    assert seen[0] is ModelActivity.WAITING
    assert models.status(NAME).state is ModelState.INSTALLED


def test_waiting_can_be_canceled(models: ModelStore) -> None:
    models.folder.mkdir()
    cancel = threading.Event()
    with FileLock(models.folder / f".{NAME}.lock"), pytest.raises(Canceled):
        models.fetch(NAME, lambda progress: cancel.set(), cancel)


@pytest.mark.parametrize("act", ["fetch", "verify", "remove"])
def test_the_bundled_model_needs_nothing(tmp_path: Path, act: str) -> None:
    models = ModelStore(tmp_path)
    assert models.status("starter").state is ModelState.BUNDLED
    assert models.model_folder("starter").is_dir()
    with pytest.raises(InvalidRequest, match="bundled"):
        getattr(models, act)("starter")


def test_unknown_names_are_refused(models: ModelStore) -> None:
    for act in (models.status, models.open, models.fetch, models.verify, models.remove):
        with pytest.raises(UnknownModel):
            act("nothing")


def test_there_is_room_for_more_models(models: ModelStore, published: Published, source: Path) -> None:
    other = replace(published.entry, name="other", title="Other")
    both = ModelStore(models.folder, (published.entry, other))
    both.import_from(source, "other")
    assert both.status("other").state is ModelState.INSTALLED
    assert both.status(NAME).state is ModelState.ABSENT


def test_loading_brings_neither_torch_nor_the_network_client(installed: ModelStore, published: Published) -> None:
    code = (
        "import sys; from engine.models.installation import Installation\n"
        "from engine.network.mapped_weights import map_weights; from engine.models import checkpoints\n"
        "from pathlib import Path; i = Installation(Path(sys.argv[1])); m = i.opened()\n"
        "assert len(map_weights(i.path(m.weights))) > 100\n"
        "print([name for name in ('torch', 'huggingface_hub', 'httpx2') if name in sys.modules])"
    )
    command: list[Any] = [sys.executable, "-c", code, installed.model_folder(NAME)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "[]"
