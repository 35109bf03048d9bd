from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSystemTrayIcon

from app.settings_window import pages
from app.speech.activity import Activity
from app.widgets.combo_box import ComboBox
from engine.runtime.preparation.devices import DEVICES
from engine.speech import DeviceEvent, Prosody
from tests.app.fakes import TWO_MODELS
from tests.app.settings_window.desk import Desk, choose

STARTER, FULL_SIZE = "starter", "kokoro-82m"
OBSTACLE = "No Transformer for the prosody of this model is installed."


def allowed(box: ComboBox) -> list[object]:
    model = box.model()
    return [
        value
        for number, value in enumerate(box.values)
        if model.flags(model.index(number, 0)) & Qt.ItemFlag.ItemIsEnabled
    ]


def show_models(desk: Desk, obstacle: str = "") -> None:
    """Two models, of which the full-size one has a Transformer unless there is an obstacle."""
    full_size, starter = TWO_MODELS
    desk.header.voices.show_models((replace(full_size, students_obstacle=obstacle), starter), STARTER)


@pytest.mark.parametrize("obstacle", [None, "Metal needs a Mac"])
def test_what_is_not_here_is_not_offered_and_says_why(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, obstacle: str | None
) -> None:
    monkeypatch.setattr(pages, "metal_obstacle", lambda: obstacle)
    desk.settings.device = "cpu"
    page = desk.open().advanced
    assert page.device.value == "cpu"
    assert page.device.values == DEVICES
    assert ("metal" in allowed(page.device)) == (obstacle is None)
    assert page.lstm_method.isEnabled() == (obstacle is None)
    tip = page.device.itemData(page.device.values.index("metal"), Qt.ItemDataRole.ToolTipRole)
    assert (tip == obstacle) == (obstacle is not None)


def test_a_device_is_stored_and_wants_an_engine(desk: Desk) -> None:
    page = desk.open().advanced
    choose(page.device, "cpu")
    assert (desk.settings.device, desk.engines_wanted) == ("cpu", [STARTER])


def test_what_computes_is_told_where_it_is_chosen(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "metal_obstacle", lambda: None)
    page = desk.open().advanced
    titles = [page.lstm_method.itemText(number) for number in range(page.lstm_method.count())]
    device = DeviceEvent("cpu (why)", "tir (faster)", {"tir": 0.004, "mps": 0.0051})
    desk.speech.activity_changed.emit(Activity(device=device))
    told = {label.text() for label in page.findChildren(type(page.add_row("", page.diagnose)))}
    assert any("cpu (why)" in words for words in told)
    assert any("tir (faster)" in words for words in told)
    timed = [page.lstm_method.itemText(number) for number in range(page.lstm_method.count())]
    assert timed == [titles[0], f"{titles[1]} (4.0 ms)", f"{titles[2]} (5.1 ms)"]
    desk.speech.activity_changed.emit(Activity(device=replace(device, lstm_seconds={})))
    assert [page.lstm_method.itemText(number) for number in range(page.lstm_method.count())] == titles


def test_a_model_without_a_transformer_has_no_choice(desk: Desk) -> None:
    page = desk.open().advanced
    assert not page.prosody.isEnabled()
    show_models(desk, OBSTACLE)
    desk.header.voices.choose_model(FULL_SIZE)
    assert page.prosody.isEnabled()
    assert allowed(page.prosody) == [Prosody.LSTM]
    show_models(desk)
    assert allowed(page.prosody) == [Prosody.LSTM, Prosody.TRANSFORMER]


def test_a_prosody_is_stored_told_and_speaks_next(desk: Desk) -> None:
    page = desk.open().advanced
    show_models(desk)
    desk.header.voices.choose_model(FULL_SIZE)
    told: list[bool] = []
    desk.feature.prosody_changed.connect(lambda: told.append(True))
    for prosody, times in ((Prosody.TRANSFORMER, 1), (Prosody.TRANSFORMER, 1), (Prosody.LSTM, 2)):
        choose(page.prosody, prosody)
        assert (desk.settings.prosody, page.prosody.value) == (prosody, prosody)
        assert desk.engines_wanted == [FULL_SIZE] * times
        assert len(told) == times


def test_the_wish_counts_for_the_models_that_have_a_transformer(desk: Desk) -> None:
    desk.settings.prosody = Prosody.TRANSFORMER
    page = desk.open().advanced
    show_models(desk)
    assert (desk.header.voices.speaking_model, page.prosody.value) == (STARTER, Prosody.LSTM)
    desk.header.voices.choose_model(FULL_SIZE)
    assert page.prosody.value is Prosody.TRANSFORMER
    show_models(desk, OBSTACLE)
    assert page.prosody.value is Prosody.LSTM
    assert desk.settings.prosody is Prosody.TRANSFORMER


def test_switches_are_stored_and_follow(desk: Desk) -> None:
    page = desk.open().advanced
    assert (page.tray_icon.isChecked(), page.diagnose.isChecked()) == (True, False)
    page.tray_icon.click()
    page.diagnose.click()
    assert (desk.settings.tray_icon, desk.settings.diagnose_while_speaking) == (False, True)
    desk.settings.tray_icon, desk.settings.diagnose_while_speaking = True, False
    assert (page.tray_icon.isChecked(), page.diagnose.isChecked()) == (True, False)


@pytest.mark.parametrize("available", [True, False])
def test_a_tray_icon_is_offered_where_there_is_a_tray(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, *, available: bool
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: available)
    dialog = desk.open()
    dialog.list.setCurrentRow(6)
    assert dialog.advanced.tray_icon.isVisible() is available
