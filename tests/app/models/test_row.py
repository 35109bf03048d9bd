from dataclasses import replace
from pathlib import Path

import pytest

from app.models.jobs import JobProgress, ModelJob, Task
from app.models.row import (
    ModelRow,
    RowButton,
    completion_words,
    fraction_of,
    progress_words,
    row_words,
    size_words,
    source_words,
    state_words,
)
from engine.models.catalogue import ModelEntry, PinnedFile, catalogue
from engine.models.progress import Activity, ModelProgress
from engine.models.store import ModelState, ModelStatus
from engine.speech import PreparationEvent

STARTER, FULL_SIZE = catalogue()[:2]
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


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0.0 MB"), (52_000, "0.1 MB"), (1_000_000, "1 MB"), (363_400_000, "363 MB"), (1_240_000_000, "1.2 GB")],
)
def test_sizes(count: int, words: str) -> None:
    assert size_words(count) == words


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
    assert state_words(status) == words
    assert row_words(ModelRow(status, Path())) == words


def progress(activity: Activity, done: int = 120_000_000, total: int = 363_000_000, **values: float) -> ModelProgress:
    return ModelProgress("m", activity, done, total, **values)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (progress(Activity.FETCHING), "120 of 363 MB"),
        (progress(Activity.FETCHING, 0), "Connecting…"),
        (progress(Activity.FETCHING, bytes_per_second=4.1e6, seconds_left=59.3), "120 of 363 MB, 4.1 MB/s"),
        (progress(Activity.FETCHING, 120_000_000, 1_500_000_000), "0.1 of 1.5 GB"),
        (progress(Activity.CHECKING), "Checking, 120 of 363 MB"),
        (progress(Activity.CONVERTING), "Preparing, 120 of 363 MB"),
        (PreparationEvent("Compiling decoder", 5, 7), "Compiling decoder, 5 of 7"),
        (PreparationEvent("Preparing the voice model", 0, 1), "Preparing the voice model"),
        (progress(Activity.WAITING, 0), "Waiting for another app that is using this model…"),
    ],
)
def test_progress(said: JobProgress, words: str) -> None:
    assert progress_words(said) == words
    assert row_words(ModelRow(ModelStatus(ENTRY, ModelState.ABSENT), Path(), task=Task.FETCH, progress=said)) == words


def test_the_time_left_follows_the_progress() -> None:
    row = ModelRow(ModelStatus(ENTRY, ModelState.INSTALLED), Path(), task=Task.PREPARE)
    step = PreparationEvent("Compiling decoder", 5, 7)
    going_on = replace(row, progress=step, time_words="about 20 seconds left")
    assert row_words(going_on) == "Compiling decoder, 5 of 7, about 20 seconds left"


def test_a_job_that_begins_or_ends_says_so() -> None:
    status = ModelStatus(ENTRY, ModelState.ABSENT)
    assert row_words(ModelRow(status, Path(), task=Task.FETCH)) == "Connecting…"
    assert row_words(ModelRow(status, Path(), task=Task.FETCH, stopping=True)) == "Stopping…"
    assert completion_words(ModelJob(Task.FETCH, "m"), "Some model") == "Some model is installed"
    assert completion_words(ModelJob(Task.LOOK), "Some model") == ""


def test_the_licence_comes_with_the_source() -> None:
    assert source_words(ENTRY) == "MIT · hub/some"
