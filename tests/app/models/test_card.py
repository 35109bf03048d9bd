from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.models.card import CardCommand, ModelCard
from app.models.jobs import Task
from app.models.row import ModelRow, RowButton
from app.widgets.progress import BAR_STEPS
from engine.models.catalogue import catalogue
from engine.models.progress import Activity, ModelProgress
from engine.models.store import ModelState, ModelStatus

STARTER, FULL_SIZE = catalogue()[:2]
ABSENT = ModelStatus(FULL_SIZE, ModelState.ABSENT)
INSTALLED = ModelStatus(FULL_SIZE, ModelState.INSTALLED, 340_000_000, ("af_heart",))


def shown(qtbot: QtBot, row: ModelRow) -> ModelCard:
    card = ModelCard(row)
    qtbot.addWidget(card)
    card.resize(500, card.sizeHint().height())
    card.show()
    return card


def test_it_says_what_the_model_is_and_what_it_needs(qtbot: QtBot) -> None:
    card = shown(qtbot, ModelRow(ABSENT, Path("none")))
    assert card.title.text() == FULL_SIZE.title
    assert FULL_SIZE.licence in card.source.text()
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
    card.show_row(ModelRow(ABSENT, Path(), task=Task.FETCH, idle=False))
    assert card.bar.maximum() == 0
    progress = ModelProgress(FULL_SIZE.name, Activity.FETCHING, FULL_SIZE.bytes // 2, FULL_SIZE.bytes, 2e6, 90)
    card.show_row(ModelRow(ABSENT, Path(), task=Task.FETCH, progress=progress, fraction=0.5, idle=False))
    assert card.bar.isVisible()
    assert card.bar.value() == pytest.approx(BAR_STEPS / 2, abs=1)
    assert "2.0 MB/s" in card.words.text()
    assert card.button.text() == "Cancel"
    assert card.heightForWidth(500) == height > 0


def test_what_is_worth_knowing_about_a_model_is_on_its_card(qtbot: QtBot) -> None:
    compact = next(entry for entry in catalogue() if entry.name == "kokoro-82m-8bit")
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
        with qtbot.waitSignal(card.wanted) as emitted:
            act()
        assert emitted.args == [row, command]
