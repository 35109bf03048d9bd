"""The menu of what predicts the prosody: what it offers, ticks and changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.models.prosody_menu import MEANINGS, NEWS
from engine.model_store.installed_voices import ModelVoices
from engine.speech import Prosody
from tests.app.fake_library import FULL_SIZE, STARTER
from tests.app.fakes import TWO_MODELS
from tests.app.models.desk import Desk

OBSTACLE = "No Transformer for the prosody of this model is installed."


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, qapp, tmp_path)
    yield desk
    desk.close()


def models(obstacle: str = "") -> tuple[ModelVoices, ...]:
    """Two models, of which the full-size one has students unless there is an obstacle."""
    full_size, starter = TWO_MODELS
    return replace(full_size, students_obstacle=obstacle), starter


def action(desk: Desk, prosody: Prosody) -> QAction:
    return next(each for each in desk.models.prosody.actions.actions() if each.data() == prosody)


def ticked(desk: Desk) -> list[Prosody]:
    return [each.data() for each in desk.models.prosody.actions.actions() if each.isChecked()]


def test_it_stands_with_the_models(desk: Desk) -> None:
    titles = [each.text() for each in desk.window.menu.speech_menu.actions()]
    assert titles.index("Prosody") == titles.index("Models…") + 1 == titles.index("Device") - 1


def test_a_model_without_students_says_why_there_is_no_choice(desk: Desk) -> None:
    desk.voices.show_models(models(OBSTACLE), STARTER)
    assert not action(desk, Prosody.TRANSFORMER).isEnabled()
    assert action(desk, Prosody.TRANSFORMER).toolTip() == OBSTACLE
    assert ticked(desk) == [Prosody.LSTM]


def test_a_choice_is_kept_told_and_speaks_next(desk: Desk) -> None:
    desk.voices.show_models(models(), STARTER)
    desk.models.use(FULL_SIZE)
    desk.engines_wanted.clear()
    transformer = action(desk, Prosody.TRANSFORMER)
    assert (transformer.isEnabled(), transformer.toolTip()) == (True, MEANINGS[Prosody.TRANSFORMER])
    transformer.trigger()
    assert (desk.settings.prosody, ticked(desk)) == (Prosody.TRANSFORMER, [Prosody.TRANSFORMER])
    assert desk.engines_wanted == [FULL_SIZE]
    assert desk.page.status.label.text() == NEWS[Prosody.TRANSFORMER]
    transformer.trigger()
    assert desk.engines_wanted == [FULL_SIZE]
    action(desk, Prosody.LSTM).trigger()
    assert (desk.settings.prosody, ticked(desk)) == (Prosody.LSTM, [Prosody.LSTM])
    assert desk.engines_wanted == [FULL_SIZE, FULL_SIZE]


def test_the_wish_counts_for_the_models_that_have_students(desk: Desk) -> None:
    desk.settings.prosody = Prosody.TRANSFORMER
    desk.voices.show_models(models(), STARTER)
    assert (desk.voices.speaking_model, ticked(desk)) == (STARTER, [Prosody.LSTM])
    desk.models.use(FULL_SIZE)
    assert ticked(desk) == [Prosody.TRANSFORMER]
    desk.voices.show_models(models(OBSTACLE), STARTER)
    assert ticked(desk) == [Prosody.LSTM]
    assert desk.settings.prosody is Prosody.TRANSFORMER
