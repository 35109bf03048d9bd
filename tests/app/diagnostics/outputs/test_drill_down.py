from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from pytestqt.qtbot import QtBot

from app.diagnostics.outputs.drill_down import VERDICT, DrillDown, OutputList, output_title
from app.diagnostics.outputs.listening import AudioSide
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from engine.stages import stage_named
from engine.validator.data.results import InputSource, NotFinite, Regime, RowEvent, Verdict
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, MemoryArrays, events, finished_run, request, row

SHOWN = Shown(Regime.COMPILED, utterance=0)


@pytest.fixture
def drill_down(qtbot: QtBot) -> DrillDown:
    drill_down = DrillDown()
    qtbot.addWidget(drill_down)
    drill_down.resize(700, 320)
    drill_down.show()
    qtbot.waitExposed(drill_down)
    return drill_down


def shows(qtbot: QtBot, drill_down: DrillDown, page: object) -> None:
    qtbot.waitUntil(lambda: drill_down.stack.currentWidget() is page)


def test_without_a_stage_or_anything_known_of_it_it_says_so(drill_down: DrillDown) -> None:
    assert "Choose a stage" in drill_down.words.text()
    drill_down.show_stage(DiagnosticsRun(request(), CONFIG), SHOWN, "bert")
    assert "No results" in drill_down.words.text()
    assert drill_down.outputs.output is None


def test_signals_are_drawn_as_signals(drill_down: DrillDown, qtbot: QtBot) -> None:
    drill_down.show_stage(finished_run(), SHOWN, "f0n")
    assert drill_down.words.text() == "Drawing…"
    assert drill_down.drawing
    shows(qtbot, drill_down, drill_down.signals)
    qtbot.waitUntil(lambda: not drill_down.drawing)
    assert drill_down.outputs.isVisible()
    assert drill_down.outputs.width() >= 150
    assert drill_down.title.accessibleDescription() == "Pitch and energy: f0 · Compiled against PyTorch · utterance 1"
    assert drill_down.listening.isVisible()  # for any stage
    assert not drill_down.listening.spectrogram_button.isVisible()
    assert drill_down.signals.ours.times[-1] == pytest.approx(drill_down.signals.seconds_in_view[1], abs=0.02)


def test_arrays_are_drawn_as_heat_maps(drill_down: DrillDown, qtbot: QtBot) -> None:
    drill_down.show_stage(finished_run(), SHOWN, "duration")
    shows(qtbot, drill_down, drill_down.heat_maps)
    drill_down.choose("predictor.lstm")
    shows(qtbot, drill_down, drill_down.profile)
    assert drill_down.outputs.output == "predictor.lstm"
    drill_down.choose("prosody_features")
    shows(qtbot, drill_down, drill_down.heat_maps)


def test_the_choice_stays_within_a_stage_only(drill_down: DrillDown) -> None:
    run = finished_run()
    drill_down.show_stage(run, SHOWN, "f0n")
    drill_down.choose("energy")
    drill_down.show_stage(run, replace(SHOWN, reading=InputSource.END_TO_END), "f0n")
    assert drill_down.outputs.output == "energy"
    drill_down.show_stage(run, SHOWN, "decoder")
    drill_down.show_stage(run, SHOWN, "f0n")
    assert drill_down.outputs.output == "f0"


def test_audio_has_spectrograms_and_can_be_played(drill_down: DrillDown, qtbot: QtBot) -> None:
    run = finished_run()
    arrays = run.arrays
    assert isinstance(arrays, MemoryArrays)
    drill_down.show_stage(run, SHOWN, "istft")
    shows(qtbot, drill_down, drill_down.signals)
    drill_down.listening.spectrogram_button.click()
    shows(qtbot, drill_down, drill_down.heat_maps)
    assert drill_down.arrays is arrays
    assert drill_down.sound.reading is InputSource.END_TO_END
    drill_down.listening.alone_button.click()
    assert drill_down.sound.reading is InputSource.ISOLATED
    assert drill_down.sample_rate_hz == CONFIG.sample_rate_hz
    with qtbot.waitSignal(drill_down.listening.part_clicked):
        drill_down.listening.buttons[AudioSide.DIFFERENCE].click()


def test_the_readout_describes_the_point_under_the_mouse(drill_down: DrillDown, qtbot: QtBot) -> None:
    run = finished_run()
    drill_down.show_stage(run, SHOWN, "bert")
    shows(qtbot, drill_down, drill_down.heat_maps)
    pane = drill_down.heat_maps.panes[0]
    middle = pane.view.mapToScene(pane.view.rect().center())
    pane.scene().sigMouseMoved.emit(middle)
    said = drill_down.readout.accessibleDescription()
    assert said.startswith("channel ")
    assert "Compiled" in said
    assert "PyTorch" in said
    qtbot.keyClick(pane, Qt.Key.Key_Up)
    assert drill_down.readout.accessibleDescription() != said


def test_numbers_of_a_picture_about_to_be_replaced_are_not_reported(drill_down: DrillDown, qtbot: QtBot) -> None:
    run = finished_run()
    drill_down.show_stage(run, SHOWN, "bert")
    shows(qtbot, drill_down, drill_down.heat_maps)
    qtbot.waitUntil(lambda: not drill_down.drawing)
    drill_down.show_stage(run, replace(SHOWN, utterance=1), "bert")
    before = drill_down.readout.accessibleDescription()
    pane = drill_down.heat_maps.panes[0]
    pane.scene().sigMouseMoved.emit(pane.view.mapToScene(pane.view.rect().center()))
    assert drill_down.readout.accessibleDescription() == before


def test_a_pane_tells_screen_readers_the_numbers_at_its_cursor(drill_down: DrillDown, qtbot: QtBot) -> None:
    drill_down.show_stage(finished_run(), SHOWN, "bert")
    shows(qtbot, drill_down, drill_down.heat_maps)
    ours, reference, _ = drill_down.heat_maps.panes
    titles = ours.accessibleDescription(), reference.accessibleDescription()
    drill_down.activateWindow()
    ours.setFocus()
    qtbot.keyClick(ours, Qt.Key.Key_Right)
    assert ours.accessibleDescription() == f"{titles[0]}; {drill_down.readout.accessibleDescription()}"
    assert reference.accessibleDescription() == titles[1]


def test_values_that_are_no_numbers_are_counted_and_placed(drill_down: DrillDown) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    broken = NotFinite(3, 1, (7, 2), "tokens", 2, len(UTTERANCES[0].phonemes) + 2)
    for event in events(run.request):
        is_row = isinstance(event, RowEvent) and event.row.output == "text_features"
        run.handle_event(RowEvent(replace(event.row, not_finite=broken)) if is_row else event)
    drill_down.show_stage(run, SHOWN, "bert")
    assert drill_down.broken.isVisible()
    assert drill_down.broken.accessibleDescription().startswith("3 NaN and 1 infinite; the first at [7, 2] · ")
    assert "“The”" in drill_down.broken.accessibleDescription()
    drill_down.show_stage(run, SHOWN, "f0n")
    assert not drill_down.broken.isVisible()


def test_a_new_utterance_reports_changed_sound_and_a_new_stage_does_not(drill_down: DrillDown, qtbot: QtBot) -> None:
    run = finished_run()
    with qtbot.waitSignal(drill_down.sound_changed):
        drill_down.show_stage(run, SHOWN, "istft")
    with qtbot.assertNotEmitted(drill_down.sound_changed):
        drill_down.show_stage(run, SHOWN, "f0n")
    with qtbot.waitSignal(drill_down.sound_changed):
        drill_down.show_stage(run, replace(SHOWN, utterance=1), "istft")


def test_audio_that_arrives_later_becomes_playable(drill_down: DrillDown) -> None:
    run = finished_run()
    arrays = run.arrays
    assert isinstance(arrays, MemoryArrays)
    kept = {name: arrays.arrays.pop(name) for name in tuple(arrays.arrays) if name[-1] == "audio"}
    drill_down.show_stage(run, SHOWN, "f0n")
    assert not drill_down.listening.isVisible()
    ours = (0, Regime.COMPILED, InputSource.ISOLATED, "audio")
    arrays.arrays[ours] = kept.pop(ours)
    drill_down.show_stage(run, SHOWN, "istft")
    assert drill_down.listening.isVisible()
    assert not drill_down.listening.buttons[AudioSide.OURS].isEnabled()  # the end-to-end audio does not exist yet
    arrays.arrays |= kept
    drill_down.show_stage(run, SHOWN, "istft")
    assert drill_down.listening.buttons[AudioSide.OURS].isEnabled()


def test_nothing_is_loaded_twice(drill_down: DrillDown, qtbot: QtBot) -> None:
    run = finished_run()
    arrays = run.arrays
    assert isinstance(arrays, MemoryArrays)
    drill_down.show_stage(run, SHOWN, "f0n")
    shows(qtbot, drill_down, drill_down.signals)
    qtbot.waitUntil(lambda: not drill_down.drawing)
    loaded = arrays.loaded
    for _ in range(5):
        drill_down.show_stage(run, SHOWN, "f0n")
        assert not drill_down.drawing
    assert arrays.loaded == loaded


def test_zooming_shows_more(drill_down: DrillDown, qtbot: QtBot) -> None:
    drill_down.show_stage(finished_run(), SHOWN, "istft")
    shows(qtbot, drill_down, drill_down.signals)
    drill_down.signals.panes[0].view.setXRange(0.4, 0.41, padding=0)

    def close() -> bool:
        times = drill_down.signals.ours.times
        return times[0] >= 0.399 and times[-1] <= 0.412

    qtbot.waitUntil(close)


def test_removed_arrays_are_reported(drill_down: DrillDown, qtbot: QtBot) -> None:
    run = finished_run()
    run.arrays = MemoryArrays()
    drill_down.show_stage(run, SHOWN, "istft")
    shows(qtbot, drill_down, drill_down.profile)
    assert "no longer saved" in drill_down.profile.panes[0].accessibleDescription()


def test_a_crashed_stage_shows_the_available_information(drill_down: DrillDown, qtbot: QtBot) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    run.crash("Gone.")
    drill_down.show_stage(run, Shown(Regime.COMPILED), "istft")
    qtbot.waitUntil(lambda: "weren’t saved" in drill_down.words.text())
    assert "Crashed" in drill_down.figures.label.text()


def test_waveform_and_spectrogram_show_the_same_part(drill_down: DrillDown, qtbot: QtBot) -> None:
    drill_down.show_stage(finished_run(), SHOWN, "istft")
    shows(qtbot, drill_down, drill_down.signals)
    drill_down.signals.panes[0].view.setXRange(0.4, 0.6, padding=0)
    drill_down.listening.spectrogram_button.click()
    shows(qtbot, drill_down, drill_down.heat_maps)
    assert drill_down.heat_maps.seconds_in_view == pytest.approx((0.4, 0.6))
    drill_down.heat_maps.panes[0].view.setXRange(0.5, 0.7, padding=0)
    assert drill_down.signals.seconds_in_view == pytest.approx((0.5, 0.7))
    assert all(pane.view.viewRange()[0] == pytest.approx([0.5, 0.7]) for pane in drill_down.heat_maps.panes)


DURATION = stage_named("duration")
ROWS = (
    row(DURATION, "duration_logits", Regime.COMPILED),
    replace(row(DURATION, "prosody_features", Regime.COMPILED), verdict=Verdict.FAIL),
    row(DURATION, "predictor.text_encoder.lstms.4", Regime.COMPILED, probe=True),
    row(DURATION, "predictor.lstm", Regime.COMPILED, probe=True),
)


@pytest.fixture
def outputs(qtbot: QtBot) -> OutputList:
    outputs = OutputList()
    qtbot.addWidget(outputs)
    outputs.show()
    return outputs


def test_outputs_and_activations_have_titles() -> None:
    titles = [output_title(each) for each in ROWS]
    assert titles == ["duration logits", "prosody features", "Duration encoder layers 4", "Duration LSTM"]
    assert output_title(replace(ROWS[3], output="some.other")) == "some.other"


def test_a_screen_reader_can_name_the_columns(outputs: OutputList) -> None:
    outputs.show_rows(ROWS, "duration_logits")
    table = QAccessible.queryAccessibleInterface(outputs)
    names = [table.child(number).text(QAccessible.Text.Name) for number in range(3)]
    assert names == ["Output", "Correlation", "Verdict"]
    assert outputs.columnWidth(VERDICT) < outputs.fontMetrics().horizontalAdvance("Verdict")


def test_showing_tells_nothing_and_choosing_does(outputs: OutputList, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(outputs.output_chosen):
        outputs.show_rows(ROWS, "prosody_features")
    assert outputs.output == "prosody_features"
    with qtbot.waitSignal(outputs.output_chosen) as chosen:
        qtbot.keyClick(outputs, Qt.Key.Key_Down)
    assert chosen.args == ["predictor.text_encoder.lstms.4"]
