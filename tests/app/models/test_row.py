from pathlib import Path

import pytest

from app.models.jobs import JobProgress, Task
from app.models.row import ModelRow, RowButton, fraction_of
from engine.model_store import Activity, ModelProgress, ModelState, ModelStatus
from engine.model_store.catalogue import catalogue
from engine.speech import PreparationEvent

STARTER, FULL_SIZE = catalogue()[:2]
VOICES = tuple(voice.info.name for voice in FULL_SIZE.voices)


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
def test_the_state_decides_what_comes_next(state: ModelState, button: RowButton) -> None:
    assert row(state).button is button
    assert row(state).button_enabled
    assert row(state, idle=False).button_enabled == (button is RowButton.USE)
    assert row(state, task=Task.VERIFY, idle=False).button is RowButton.CANCEL


def test_what_is_being_made_ready_can_be_used_already() -> None:
    assert row(ModelState.INSTALLED, task=Task.PREPARE, idle=False).button is RowButton.USE
    assert row(ModelState.INSTALLED, task=Task.PREPARE, idle=False).button_enabled
    assert not row(ModelState.INSTALLED, task=Task.PREPARE, idle=False).can_remove


@pytest.mark.parametrize(
    ("progress", "fraction"),
    [
        (None, None),
        (ModelProgress("m", Activity.WAITING, 0, 100), None),
        (ModelProgress("m", Activity.FETCHING, 0, 100), None),
        (ModelProgress("m", Activity.FETCHING, 25, 100), 0.25),
        (PreparationEvent("Compiling decoder", 5, 7), 0.6),
    ],
)
def test_how_much_is_done(progress: JobProgress | None, fraction: float | None) -> None:
    assert fraction_of(progress, 0.6 if progress else None) == fraction


def test_the_model_in_use_says_so_unless_it_cannot_be_used() -> None:
    assert row(ModelState.INSTALLED, in_use=True).button is RowButton.IN_USE
    assert not row(ModelState.INSTALLED, in_use=True).button_enabled
    assert row(ModelState.DAMAGED, in_use=True).button is RowButton.FETCH_AGAIN


def test_what_is_stopping_or_removing_cannot_be_stopped() -> None:
    assert row(ModelState.ABSENT, task=Task.FETCH).button_enabled
    assert not row(ModelState.ABSENT, task=Task.FETCH, stopping=True).button_enabled
    assert not row(ModelState.INSTALLED, task=Task.REMOVE).button_enabled


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
def test_what_the_menu_offers(state: ModelState, verify: bool, remove: bool) -> None:
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
