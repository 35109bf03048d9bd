from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.audio.player import AudioPlayer
from app.audio.sound_player import SoundPlayer
from app.diagnostics.faults.fault_drill import FaultDrill
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.runs.run import DiagnosticsOptions, DiagnosticsRun
from app.theme import Appearance, Theme
from engine.validator.data.results import Reading, Regime
from engine.validator.runs.arrays import ArrayFolder
from tests.app.diagnostics.faults.test_drill_words import drill_run
from tests.app.diagnostics_fakes import CONFIG, request
from tests.app.fakes import FakeOutput


class Desk:
    """A panel with its drill, and what it asked for."""

    def __init__(self, qtbot: QtBot, qapp: QApplication) -> None:
        self.theme = Theme(qapp, Appearance.LIGHT)
        self.panel = DiagnosticsPanel()
        qtbot.addWidget(self.panel)
        self.output = FakeOutput()
        self.sounds = SoundPlayer(AudioPlayer(self.output), self.output)
        self.drill = FaultDrill(self.panel, self.sounds, self.theme)
        self.asked: list[DiagnosticsOptions] = []
        self.panel.diagnose_wanted.connect(self.asked.append)
        self.panel.show()


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication) -> Iterator[Desk]:
    made = Desk(qtbot, qapp)
    yield made
    made.sounds.stop()
    made.theme.deleteLater()
    qapp.setStyleSheet("")


def test_planting_diagnoses_with_the_fault(desk: Desk) -> None:
    desk.drill.menu.faults["zeroed-noise"].trigger()
    (options,) = desk.asked
    assert options.fault == "zeroed-noise"
    assert desk.drill.menu.remove.isEnabled()


def test_a_fault_that_shows_on_padding_only_is_looked_at_there(desk: Desk) -> None:
    desk.drill.plant("dropped-length")
    assert Regime.COMPILED_PADDED in desk.asked[0].regimes
    assert desk.panel.shown.regime == Regime.COMPILED_PADDED


def test_later_diagnoses_are_drills_until_the_fault_is_removed(desk: Desk) -> None:
    desk.drill.plant("zeroed-noise")
    desk.panel.controls.to_run.diagnose_button.click()
    desk.drill.strip.remove_button.click()
    assert [options.fault for options in desk.asked] == ["zeroed-noise", "zeroed-noise", ""]
    assert not desk.drill.menu.remove.isEnabled()


def test_the_strip_marks_drills_only(desk: Desk) -> None:
    desk.panel.show_run(drill_run())
    assert desk.drill.strip.isVisible()
    assert "Found" in desk.drill.strip.label.text()
    desk.panel.show_run(DiagnosticsRun(request(), CONFIG))
    assert not desk.drill.strip.isVisible()


def test_the_changed_lines_show_where_they_can_be_read(desk: Desk, qtbot: QtBot) -> None:
    change = desk.drill.strip.change
    desk.panel.resize(920, 800)
    desk.panel.show_run(drill_run())
    qtbot.waitUntil(change.isVisible)
    desk.panel.resize(640, 720)
    qtbot.waitUntil(lambda: not change.isVisible())
    assert desk.drill.strip.label.toolTip() == change.text()


def test_nothing_is_planted_any_more_once_it_is_forgotten(desk: Desk) -> None:
    desk.drill.plant("zeroed-noise")
    desk.drill.forget()
    assert desk.panel.controls.to_run.options.fault == ""


def test_the_speech_with_the_fault_can_be_heard(desk: Desk, tmp_path: Path) -> None:
    run = drill_run()
    desk.panel.show_run(run)
    assert not desk.drill.strip.hear_button.isEnabled()
    arrays = ArrayFolder(tmp_path)
    wave = np.linspace(-0.5, 0.5, 2400, dtype=np.float32)
    utterance = run.utterance_to_show(desk.panel.shown, "istft")
    arrays.save(utterance, Regime.COMPILED, Reading.OWN_FED, "audio", wave[None])
    arrays.save(utterance, Regime.DYNAMIC, Reading.OWN_FED, "audio", wave[None])
    run.arrays = arrays
    desk.panel.refresh()
    desk.drill.strip.hear_button.click()
    assert desk.sounds.playing


def test_events_of_a_drill_do_not_name_the_fault_early(desk: Desk) -> None:
    run = drill_run(ended=False)
    desk.panel.show_run(run)
    assert "noise" not in desk.drill.strip.label.text()
