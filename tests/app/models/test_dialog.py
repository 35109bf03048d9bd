from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.messages import MessageAction
from app.models.card import CardCommand, ModelCard
from app.models.dialog import ModelsDialog
from app.models.row import (
    ModelRow,
    RowButton,
    describe_completion,
    describe_state,
    format_progress,
    format_row,
    format_size,
    format_source,
    fraction_of,
)
from app.models.worker import JobProgress, ModelJob, ModelTask
from app.widgets.controls import BAR_STEPS
from engine.errors import DamagedModel, DownloadError
from engine.models.catalog import ModelEntry, PinnedFile, catalog
from engine.models.progress import ModelActivity, ModelProgress
from engine.models.store import ModelState, ModelStatus
from engine.speech import PreparationEvent

STARTER, FULL_SIZE = catalog()[:2]


def rows(state: ModelState, **values: object) -> tuple[ModelRow, ...]:
    starter = ModelRow(ModelStatus(STARTER, ModelState.BUNDLED), Path("s"))
    return starter, ModelRow(ModelStatus(FULL_SIZE, state, 340_000_000), Path("k"), **values)


@pytest.fixture
def dialog(qtbot: QtBot) -> ModelsDialog:
    dialog = ModelsDialog()
    qtbot.addWidget(dialog)
    dialog.show_rows(rows(ModelState.ABSENT))
    dialog.open_window()
    qtbot.waitExposed(dialog)
    return dialog


def test_the_dialog_does_not_block_the_main_window(dialog: ModelsDialog) -> None:
    assert not dialog.isModal()
    assert list(dialog.cards) == [STARTER.name, FULL_SIZE.name]


def test_a_card_stays_the_same_while_its_model_changes(dialog: ModelsDialog) -> None:
    card = dialog.cards[FULL_SIZE.name]
    dialog.show_rows(rows(ModelState.INSTALLED))
    assert dialog.cards[FULL_SIZE.name] is card
    assert card.button.text() == "Use"


@pytest.mark.parametrize(
    ("shown", "signal", "sent"),
    [
        (rows(ModelState.ABSENT), "fetch_requested", [FULL_SIZE.name]),
        (rows(ModelState.PARTIAL), "fetch_requested", [FULL_SIZE.name]),
        (rows(ModelState.INSTALLED), "use_requested", [FULL_SIZE.name]),
        (rows(ModelState.ABSENT, task=ModelTask.FETCH), "cancel_requested", []),
    ],
)
def test_the_button_requests_the_matching_action(
    dialog: ModelsDialog, qtbot: QtBot, shown: tuple[ModelRow, ...], signal: str, sent: list[str]
) -> None:
    dialog.show_rows(shown)
    with qtbot.waitSignal(getattr(dialog, signal)) as wanted:
        dialog.cards[FULL_SIZE.name].button.click()
    assert wanted.args == sent


def test_the_menu_requests_the_matching_action_and_removing_asks_first(dialog: ModelsDialog, qtbot: QtBot) -> None:
    dialog.show_rows(rows(ModelState.INSTALLED))
    card = dialog.cards[FULL_SIZE.name]
    for act, signal in ((card.verify, dialog.verify_requested), (card.complete, dialog.fetch_requested)):
        with qtbot.waitSignal(signal) as wanted:
            act.trigger()
        assert wanted.args == [FULL_SIZE.name]
    with qtbot.assertNotEmitted(dialog.remove_requested):
        card.remove.trigger()
    assert "340 MB" in dialog.banner.label.text()
    with qtbot.assertNotEmitted(dialog.remove_requested):
        qtbot.keyClick(dialog, Qt.Key.Key_Return)
    with qtbot.waitSignal(dialog.remove_requested) as wanted:
        dialog.banner.button.click()
    assert wanted.args == [FULL_SIZE.name]


def test_a_failure_can_be_tried_again(dialog: ModelsDialog, qtbot: QtBot) -> None:
    dialog.show_failure(DownloadError("The connection failed.", "Try again."))
    assert dialog.banner.label.text() == "The connection failed. Try again."
    with qtbot.waitSignal(dialog.retry_requested):
        dialog.banner.button.click()
    assert dialog.banner.isHidden()


def test_a_damaged_model_is_left_to_its_own_button(dialog: ModelsDialog) -> None:
    dialog.show_failure(DamagedModel(Path("model"), "The model is damaged.", "Fetch it again."))
    assert dialog.banner.message.action is None
    dialog.show_rows(rows(ModelState.DAMAGED))
    assert dialog.cards[FULL_SIZE.name].button.text() == f"{RowButton.FETCH_AGAIN.value} (355 MB)"


def test_the_unexpected_can_be_copied(dialog: ModelsDialog) -> None:
    dialog.show_failure(ZeroDivisionError("surprise"))
    assert dialog.banner.message.action is MessageAction.COPY_DETAILS
    dialog.banner.button.click()
    assert "surprise" in QGuiApplication.clipboard().text()


def dropped(dialog: ModelsDialog, urls: list[QUrl], place: QPoint) -> bool:
    data = QMimeData()
    data.setUrls(urls)
    keys, buttons = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(place, Qt.DropAction.CopyAction, data, buttons, keys)
    enter.ignore()
    dialog.dragEnterEvent(enter)
    if enter.isAccepted():
        dialog.dropEvent(QDropEvent(QPointF(place), Qt.DropAction.CopyAction, data, buttons, keys))
    return enter.isAccepted()


def test_dropped_files_are_imported(dialog: ModelsDialog, qtbot: QtBot, tmp_path: Path) -> None:
    paths = (tmp_path / "a.pth", tmp_path / "voices")
    urls = [QUrl.fromLocalFile(str(path)) for path in paths]
    for place in (QPoint(5, 5), dialog.cards[FULL_SIZE.name].mapTo(dialog, QPoint(9, 9))):
        with qtbot.waitSignal(dialog.import_requested) as wanted:
            assert dropped(dialog, urls, place)
        assert wanted.args == [paths, FULL_SIZE.name]


def test_files_not_on_this_machine_are_refused(dialog: ModelsDialog) -> None:
    assert not dropped(dialog, [QUrl("https://example.org/a.pth")], QPoint(5, 5))


@pytest.mark.parametrize("number", [0, 1])
def test_files_and_folders_are_asked_for(dialog: ModelsDialog, qtbot: QtBot, tmp_path: Path, number: int) -> None:
    actions = dialog.import_menu.actions()
    assert all(action.text().startswith(FULL_SIZE.title) for action in actions)
    actions[number].trigger()
    asked = dialog.findChild(QFileDialog)
    with qtbot.waitSignal(dialog.import_requested) as wanted:
        asked.fileSelected.emit(str(tmp_path))
    asked.reject()
    assert wanted.args == [(tmp_path,), FULL_SIZE.name]


def test_it_can_be_small(dialog: ModelsDialog) -> None:
    dialog.resize(440, 300)
    assert (dialog.width(), dialog.height()) == (440, 300)


STARTER, FULL_SIZE = catalog()[:2]
ABSENT = ModelStatus(FULL_SIZE, ModelState.ABSENT)
INSTALLED = ModelStatus(FULL_SIZE, ModelState.INSTALLED, 340_000_000, ("af_heart",))


def shown(qtbot: QtBot, row: ModelRow) -> ModelCard:
    card = ModelCard(row)
    qtbot.addWidget(card)
    card.resize(500, card.sizeHint().height())
    card.show()
    return card


def test_a_card_describes_the_model_and_its_requirements(qtbot: QtBot) -> None:
    card = shown(qtbot, ModelRow(ABSENT, Path("none")))
    assert card.title.text() == FULL_SIZE.title
    assert FULL_SIZE.license in card.source.text()
    assert card.words.text().startswith("Not installed")
    assert (card.button.text(), card.button.accessibleName()) == (
        f"{RowButton.FETCH.value} (355 MB)",
        f"{RowButton.FETCH.value} (355 MB): {FULL_SIZE.title}",
    )
    assert not card.bar.isVisible()
    assert not card.reveal.isEnabled()


def test_progress_has_a_bar_and_nothing_moves_for_it(qtbot: QtBot) -> None:
    card = shown(qtbot, ModelRow(ABSENT, Path()))
    height = card.heightForWidth(500)
    card.show_row(ModelRow(ABSENT, Path(), task=ModelTask.FETCH, idle=False))
    assert card.bar.maximum() == 0
    progress = ModelProgress(FULL_SIZE.name, ModelActivity.FETCHING, FULL_SIZE.bytes // 2, FULL_SIZE.bytes, 2e6, 90)
    card.show_row(ModelRow(ABSENT, Path(), task=ModelTask.FETCH, progress=progress, fraction=0.5, idle=False))
    assert card.bar.isVisible()
    assert card.bar.value() == pytest.approx(BAR_STEPS / 2, abs=1)
    assert "2.0 MB/s" in card.words.text()
    assert card.button.text() == "Cancel"
    assert card.heightForWidth(500) == height > 0


def test_noteworthy_facts_about_a_model_are_on_its_card(qtbot: QtBot) -> None:
    compact = next(entry for entry in catalog() if entry.name == "kokoro-82m-8bit")
    card = shown(qtbot, ModelRow(ModelStatus(compact, ModelState.ABSENT), Path()))
    assert card.note.isVisible()
    assert card.note.text() == compact.note != ""
    assert not shown(qtbot, ModelRow(ABSENT, Path())).note.isVisible()


def test_the_menu_fits_the_model(qtbot: QtBot, tmp_path: Path) -> None:
    card = shown(qtbot, ModelRow(INSTALLED, tmp_path))
    assert card.complete.isVisible()  # one voice of many
    assert all(action.isEnabled() for action in (card.verify, card.remove, card.reveal))
    card.show_row(ModelRow(ModelStatus(STARTER, ModelState.BUNDLED), tmp_path))
    assert [action.isVisible() for action in (card.complete, card.verify, card.remove)] == [False] * 3
    assert card.reveal.isEnabled()


def test_everything_it_emits_carries_the_row(qtbot: QtBot, tmp_path: Path) -> None:
    row = ModelRow(INSTALLED, tmp_path)
    card = shown(qtbot, row)
    for act, command in (
        (card.button.click, CardCommand.BUTTON),
        (card.complete.trigger, CardCommand.COMPLETE),
        (card.verify.trigger, CardCommand.VERIFY),
        (card.remove.trigger, CardCommand.REMOVE),
        (card.reveal.trigger, CardCommand.REVEAL),
    ):
        with qtbot.waitSignal(card.command_requested) as emitted:
            act()
        assert emitted.args == [row, command]


STARTER, FULL_SIZE = catalog()[:2]
VOICES = tuple(voice.info.name for voice in FULL_SIZE.voices)
ENTRY = ModelEntry(
    "m", "Some model", "MIT", "https://hub/some", Path(), "some", "0", PinnedFile("m.pth", 363_000_000, "")
)


def row(state: ModelState, **values: object) -> ModelRow:
    entry = STARTER if state is ModelState.BUNDLED else FULL_SIZE
    return ModelRow(ModelStatus(entry, state, voices=VOICES, published=True), Path(), **values)


@pytest.mark.parametrize(
    ("state", "button"),
    [
        (ModelState.BUNDLED, RowButton.USE),
        (ModelState.INSTALLED, RowButton.USE),
        (ModelState.ABSENT, RowButton.FETCH),
        (ModelState.PARTIAL, RowButton.RESUME),
        (ModelState.DAMAGED, RowButton.FETCH_AGAIN),
    ],
)
def test_the_state_determines_the_next_action(state: ModelState, button: RowButton) -> None:
    assert row(state).button is button
    assert row(state).button_enabled
    assert row(state, idle=False).button_enabled == (button is RowButton.USE)
    assert row(state, task=ModelTask.VERIFY, idle=False).button is RowButton.CANCEL


def test_a_model_being_prepared_can_be_used_already() -> None:
    assert row(ModelState.INSTALLED, task=ModelTask.PREPARE, idle=False).button is RowButton.USE
    assert row(ModelState.INSTALLED, task=ModelTask.PREPARE, idle=False).button_enabled
    assert not row(ModelState.INSTALLED, task=ModelTask.PREPARE, idle=False).can_remove


@pytest.mark.parametrize(
    ("progress", "fraction"),
    [
        (None, None),
        (ModelProgress("m", ModelActivity.WAITING, 0, 100), None),
        (ModelProgress("m", ModelActivity.FETCHING, 0, 100), None),
        (ModelProgress("m", ModelActivity.FETCHING, 25, 100), 0.25),
        (PreparationEvent("Compiling decoder", 5, 7), 0.6),
    ],
)
def test_the_completed_fraction_follows_the_progress(progress: JobProgress | None, fraction: float | None) -> None:
    assert fraction_of(progress, 0.6 if progress else None) == fraction


def test_the_model_in_use_says_so_unless_it_cannot_be_used() -> None:
    assert row(ModelState.INSTALLED, in_use=True).button is RowButton.IN_USE
    assert not row(ModelState.INSTALLED, in_use=True).button_enabled
    assert row(ModelState.DAMAGED, in_use=True).button is RowButton.FETCH_AGAIN


def test_jobs_that_are_stopping_or_removing_cannot_be_stopped() -> None:
    assert row(ModelState.ABSENT, task=ModelTask.FETCH).button_enabled
    assert not row(ModelState.ABSENT, task=ModelTask.FETCH, stopping=True).button_enabled
    assert not row(ModelState.INSTALLED, task=ModelTask.REMOVE).button_enabled


@pytest.mark.parametrize(
    ("state", "verify", "remove"),
    [
        (ModelState.BUNDLED, False, False),
        (ModelState.ABSENT, False, False),
        (ModelState.PARTIAL, False, True),
        (ModelState.DAMAGED, False, True),
        (ModelState.INSTALLED, True, True),
    ],
)
def test_the_menu_offers_actions_that_suit_the_state(state: ModelState, verify: bool, remove: bool) -> None:
    assert (row(state).can_verify, row(state).can_remove) == (verify, remove)
    busy = row(state, idle=False)
    assert not busy.can_verify
    assert not busy.can_remove


def test_an_imported_model_or_one_with_few_voices_can_be_completed() -> None:
    few = ModelStatus(FULL_SIZE, ModelState.INSTALLED, voices=VOICES[:1], published=True)
    own = ModelStatus(FULL_SIZE, ModelState.INSTALLED, voices=VOICES)
    assert ModelRow(few, Path()).can_complete
    assert ModelRow(own, Path()).can_complete
    assert not row(ModelState.INSTALLED).can_complete
    assert not row(ModelState.ABSENT).can_complete


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0.0 MB"), (52_000, "0.1 MB"), (1_000_000, "1 MB"), (363_400_000, "363 MB"), (1_240_000_000, "1.2 GB")],
)
def test_sizes(count: int, words: str) -> None:
    assert format_size(count) == words


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (ModelStatus(ENTRY, ModelState.BUNDLED), "Included"),
        (ModelStatus(ENTRY, ModelState.ABSENT), "Not installed, 363 MB to download"),
        (ModelStatus(ENTRY, ModelState.PARTIAL, 120_000_000), "Paused: 120 MB of 363 MB downloaded"),
        (ModelStatus(ENTRY, ModelState.INSTALLED, 340_000_000, ("a", "b")), "Installed, 2 voices, 340 MB"),
        (ModelStatus(ENTRY, ModelState.INSTALLED, 340_000_000, ("a",)), "Installed, 1 voice, 340 MB"),
        (ModelStatus(ENTRY, ModelState.DAMAGED, problem="It is cut off."), "Damaged: It is cut off."),
    ],
)
def test_states(status: ModelStatus, words: str) -> None:
    assert describe_state(status) == words
    assert format_row(ModelRow(status, Path())) == words


def progress(
    activity: ModelActivity, done: int = 120_000_000, total: int = 363_000_000, **values: float
) -> ModelProgress:
    return ModelProgress("m", activity, done, total, **values)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (progress(ModelActivity.FETCHING), "120 of 363 MB"),
        (progress(ModelActivity.FETCHING, 0), "Connecting…"),
        (progress(ModelActivity.FETCHING, bytes_per_second=4.1e6, seconds_left=59.3), "120 of 363 MB, 4.1 MB/s"),
        (progress(ModelActivity.FETCHING, 120_000_000, 1_500_000_000), "0.1 of 1.5 GB"),
        (progress(ModelActivity.CHECKING), "Checking, 120 of 363 MB"),
        (progress(ModelActivity.CONVERTING), "Preparing, 120 of 363 MB"),
        (PreparationEvent("Compiling decoder", 5, 7), "Compiling decoder, 5 of 7"),
        (PreparationEvent("Preparing the voice model", 0, 1), "Preparing the voice model"),
        (progress(ModelActivity.WAITING, 0), "Waiting for another app that is using this model…"),
    ],
)
def test_progress(said: JobProgress, words: str) -> None:
    assert format_progress(said) == words
    assert (
        format_row(ModelRow(ModelStatus(ENTRY, ModelState.ABSENT), Path(), task=ModelTask.FETCH, progress=said))
        == words
    )


def test_the_time_left_follows_the_progress() -> None:
    row = ModelRow(ModelStatus(ENTRY, ModelState.INSTALLED), Path(), task=ModelTask.PREPARE)
    step = PreparationEvent("Compiling decoder", 5, 7)
    going_on = replace(row, progress=step, format_duration="about 20 seconds left")
    assert format_row(going_on) == "Compiling decoder, 5 of 7, about 20 seconds left"


def test_a_job_that_begins_or_ends_says_so() -> None:
    status = ModelStatus(ENTRY, ModelState.ABSENT)
    assert format_row(ModelRow(status, Path(), task=ModelTask.FETCH)) == "Connecting…"
    assert format_row(ModelRow(status, Path(), task=ModelTask.FETCH, stopping=True)) == "Stopping…"
    assert describe_completion(ModelJob(ModelTask.FETCH, "m"), "Some model") == "Some model is installed"
    assert describe_completion(ModelJob(ModelTask.LOOK), "Some model") == ""


def test_the_license_comes_with_the_source() -> None:
    assert format_source(ENTRY) == "MIT · hub/some"
