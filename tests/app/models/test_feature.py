"""Tests from the click to the store, the speech engine and the settings; the last tests have a real store."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.messages import MessageAction
from app.models import feature
from app.models.row import RowButton
from app.models.worker import StoreLibrary
from engine.errors import DownloadError, MissingModel, StorageError
from engine.models.catalog import ModelEntry, PinnedFile
from engine.models.store import ModelState
from tests.app.fake_library import FULL_SIZE, STARTER, FakeLibrary
from tests.app.models.desk import Desk
from tests.engine.models.stand_in_hub import REPOSITORY, REVISION, Fault, stand_in_hub
from tests.patience import PATIENCE_SECONDS


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, qapp, tmp_path)
    yield desk
    desk.close()


def test_the_menu_opens_the_models(desk: Desk) -> None:
    desk.window.menu.models.trigger()
    desk.wait()
    assert desk.dialog.isVisible()
    assert desk.row.button is RowButton.FETCH
    desk.window.close()
    assert not desk.dialog.isVisible()


def test_a_download_leads_from_the_button_to_a_usable_model(desk: Desk) -> None:
    desk.models.open()
    desk.wait()
    desk.library.hold.clear()
    desk.card.button.click()
    desk.wait_for_progress()
    assert desk.card.bar.isVisible()
    assert "MB/s" in desk.card.words.text()
    desk.library.hold.set()
    desk.wait()
    assert desk.card.button.text() == "Use"
    assert desk.page.status.label.text() == f"{desk.row.title} is installed"
    assert not desk.engines_requested
    assert desk.page.banner.message is None


@pytest.mark.parametrize("way", ["dialog", "menu"])
def test_a_newly_chosen_model_is_used_next_with_its_own_voices(desk: Desk, way: str) -> None:
    desk.install()
    if way == "dialog":
        desk.card.button.click()
    else:
        desk.window.menu.model_actions.actions()[1].trigger()
    assert (desk.settings.model, desk.engines_requested) == (FULL_SIZE, [FULL_SIZE])
    assert (desk.voices.voice, desk.settings.voice) == ("af_heart", "af_heart")
    assert desk.card.button.text() == "In Use"
    assert [action.isChecked() for action in desk.window.menu.model_actions.actions()] == [False, True]


def test_choosing_the_model_in_use_changes_nothing(desk: Desk) -> None:
    desk.install()
    desk.models.use(STARTER)
    assert not desk.engines_requested


def test_removing_the_model_in_use_names_its_replacement(desk: Desk) -> None:
    desk.install()
    desk.card.button.click()
    desk.card.remove.trigger()
    desk.dialog.banner.button.click()
    desk.wait()
    assert desk.engines_requested == [FULL_SIZE, STARTER]
    assert "Starter voices" in desk.dialog.banner.label.text()
    assert len(desk.window.menu.model_actions.actions()) == 1


def test_a_model_in_use_that_could_not_be_removed_stays_in_use(desk: Desk) -> None:
    desk.install()
    desk.card.button.click()
    desk.library.error = StorageError("The folder can’t be written.", "Make it writable.")
    desk.models.controller.remove(FULL_SIZE)
    desk.wait()
    assert desk.settings.model == FULL_SIZE
    assert "can’t be written" in desk.dialog.banner.label.text()


def test_more_voices_for_the_model_in_use_are_there_at_once(desk: Desk) -> None:
    desk.install()
    desk.card.button.click()
    desk.dialog.import_requested.emit((Path("af_mine.pt"),), FULL_SIZE)
    desk.wait()
    assert desk.engines_requested == [FULL_SIZE, FULL_SIZE]


def test_verifying_says_that_all_is_well(desk: Desk) -> None:
    desk.install()
    desk.card.verify.trigger()
    desk.wait()
    assert desk.dialog.banner.label.text() == f"{desk.row.title} is intact."


def test_a_failure_is_reported_and_can_be_retried(desk: Desk) -> None:
    desk.models.open()
    desk.wait()
    desk.library.error = DownloadError("The connection failed.", "Try again.")
    desk.card.button.click()
    desk.wait()
    assert desk.dialog.banner.label.text() == "The connection failed. Try again."
    assert desk.page.banner.message is None
    desk.library.error = None
    desk.dialog.banner.button.click()
    desk.wait()
    assert desk.row.status.state is ModelState.INSTALLED


def test_with_the_models_closed_the_window_says_how_it_ended(desk: Desk) -> None:
    desk.look()
    desk.library.error = DownloadError("The connection failed.", "Try again.")
    desk.models.controller.fetch(FULL_SIZE)
    desk.wait()
    message = desk.page.banner.message
    assert message.action is MessageAction.MODELS
    desk.page.banner.button.click()
    desk.wait()
    assert desk.dialog.isVisible()
    desk.dialog.close()


def test_a_missing_model_leads_to_the_models(desk: Desk) -> None:
    desk.window.show_failure(MissingModel("It is not here.", "Fetch it."))
    desk.page.banner.button.click()
    assert desk.dialog.isVisible()
    desk.wait()


def test_a_missing_model_message_ends_once_a_different_model_is_chosen(desk: Desk) -> None:
    desk.install()
    desk.models.use(FULL_SIZE)
    desk.window.show_failure(MissingModel("It is not here.", "Fetch it."))
    desk.models.use(STARTER)
    assert desk.page.banner.message is None
    assert desk.engines_requested == [FULL_SIZE, STARTER]


def test_a_removed_model_of_the_last_session_is_reported_once(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> None:
    Desk(qtbot, qapp, tmp_path, fake=FakeLibrary(states={FULL_SIZE: ModelState.INSTALLED})).choose_and_close()
    desk = Desk(qtbot, qapp, tmp_path)
    desk.look()
    words = "Kokoro-82M is no longer installed, so “Starter voices” is in use."
    assert desk.page.banner.label.text() == words
    desk.page.banner.dismiss()
    desk.look()
    assert desk.page.banner.message is None
    desk.close()


def test_models_found_before_the_first_voices_load_are_shown_afterward(desk: Desk) -> None:
    starter_only = desk.library.voices()
    desk.voices.show_models((), "")
    desk.install()
    assert not desk.voices.known
    desk.voices.show_models(starter_only, STARTER)
    assert [each.model for each in desk.voices.models] == [each.model for each in desk.library.voices()]
    assert FULL_SIZE in [each.model for each in desk.voices.models]
    assert desk.voices.speaking_model == STARTER


def test_a_removed_previous_model_is_reported_even_if_voices_load_late(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    Desk(qtbot, qapp, tmp_path, fake=FakeLibrary(states={FULL_SIZE: ModelState.INSTALLED})).choose_and_close()
    desk = Desk(qtbot, qapp, tmp_path)
    desk.voices.show_models((), "")
    desk.look()
    assert desk.page.banner.message is None
    desk.voices.show_models(desk.library.voices(), STARTER)
    assert desk.page.banner.label.text().startswith("Kokoro-82M is no longer installed")
    desk.close()


def test_a_folder_is_shown_or_named(desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(feature, "reveal", lambda folder: False)
    desk.dialog.reveal_requested.emit(tmp_path)
    assert str(tmp_path) in desk.dialog.banner.label.text()


@pytest.fixture
def fetching(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Desk, StoreLibrary]]:
    """A window in the middle of a real download, from a hub that falls silent."""
    content = bytes(4 << 20)
    pinned = PinnedFile("model.pth", len(content), hashlib.sha256(content).hexdigest())
    entry = ModelEntry(FULL_SIZE, "Some model", "MIT", "hub", tmp_path / "config.json", REPOSITORY, REVISION, pinned)
    with stand_in_hub({pinned.path: content}) as hub:
        hub.faults.append(Fault(pinned.path, stall_after=1 << 20))
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hub_home"))
        monkeypatch.setenv("HF_HUB_DOWNLOAD_TIMEOUT", str(PATIENCE_SECONDS))  # it may be silent this long
        store = StoreLibrary(tmp_path / "models", (entry,))
        desk = Desk(qtbot, qapp, tmp_path, store)
        desk.models.open()
        desk.wait()
        desk.card.button.click()
        desk.wait_for_progress()
        assert store.status(FULL_SIZE).bytes_here > 0
        yield desk, store
    assert not (tmp_path / "hub_home" / "hub").exists()


def test_a_real_download_canceled_from_the_window_leaves_nothing_behind(fetching: tuple[Desk, StoreLibrary]) -> None:
    desk, store = fetching
    desk.card.button.click()
    desk.wait()
    desk.close()
    assert desk.row.status.state is ModelState.ABSENT
    assert desk.card.button.text() == f"{RowButton.FETCH.value} (4 MB)"
    assert desk.dialog.banner.message is None
    left = [path for path in store.folder.rglob("*") if path.suffix != ".lock"]
    assert left == []


def test_closing_the_application_keeps_data_received_by_a_real_download(fetching: tuple[Desk, StoreLibrary]) -> None:
    desk, store = fetching
    desk.close()
    assert store.status(FULL_SIZE).state is ModelState.PARTIAL
    assert store.status(FULL_SIZE).bytes_here > 0
