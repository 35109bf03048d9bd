import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.qtbot import QtBot

from app.diagnostics.divergence_strip import CELLS_TOP, WORDS_TOP, DivergenceStrip
from app.diagnostics.run import DiagnosticsRun, Shown
from app.theme import DARK, LIGHT
from engine.speech import Plan, PlanEvent
from engine.stages import STAGE_NAMES
from engine.validator.results import Regime
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, MemoryArrays, alignment, events, finished_run, request

SHOWN = Shown(Regime.COMPILED, utterance=1)
LENGTH = sum(alignment(UTTERANCES[1])) / CONFIG.frames_per_second


@pytest.fixture
def strip(qtbot: QtBot) -> DivergenceStrip:
    strip = DivergenceStrip()
    qtbot.addWidget(strip)
    strip.resize(600, 300)
    strip.show()
    qtbot.waitExposed(strip)
    return strip


def plot_position(strip: DivergenceStrip, seconds: float, row: float) -> QPoint:
    return strip.mapFromScene(strip.view.mapViewToScene(QPointF(seconds, row)))


def test_a_click_chooses_stage_and_moment(strip: DivergenceStrip, qtbot: QtBot) -> None:
    strip.show_run(finished_run(), SHOWN, None)
    number = STAGE_NAMES.index("source")
    with qtbot.waitSignal(strip.cell_chosen) as chosen:
        place = plot_position(strip, 0.4, CELLS_TOP + number + 0.5)
        qtbot.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen.args[0] == "source"
    assert chosen.args[1] == pytest.approx(0.4, abs=0.01)
    assert strip.seconds == chosen.args[1]


def test_a_click_on_the_waveform_keeps_the_stage(strip: DivergenceStrip, qtbot: QtBot) -> None:
    strip.show_run(finished_run(), SHOWN, "f0n")
    with qtbot.waitSignal(strip.cell_chosen) as chosen:
        qtbot.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=plot_position(strip, 0.6, 1))
    assert chosen.args[0] == "f0n"


def test_a_click_on_nothing_chooses_nothing(strip: DivergenceStrip, qtbot: QtBot) -> None:
    strip.show_run(None, SHOWN, None)
    with qtbot.assertNotEmitted(strip.cell_chosen, wait=50):
        qtbot.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(300, 150))


def test_keys_choose_stages_and_moments(strip: DivergenceStrip, qtbot: QtBot) -> None:
    run = finished_run()
    strip.show_run(run, SHOWN, "f0n")
    strip.show_moment(0.5)
    for key, stage, seconds in (
        (Qt.Key.Key_Down, "text_encoder", 0.5),
        (Qt.Key.Key_Up, "alignment", 0.5),
        (Qt.Key.Key_Right, "f0n", 0.5 + LENGTH / 50),
        (Qt.Key.Key_Left, "f0n", 0.5),
        (Qt.Key.Key_Home, "f0n", 0),
        (Qt.Key.Key_End, "f0n", LENGTH),
    ):
        with qtbot.waitSignal(strip.cell_chosen) as chosen:
            qtbot.keyClick(strip, key)
        assert chosen.args == [stage, pytest.approx(seconds)]
        if key is not Qt.Key.Key_End:
            strip.show_moment(seconds)
    with qtbot.waitSignal(strip.stage_activated) as activated:
        qtbot.keyClick(strip, Qt.Key.Key_Return)
    assert activated.args == ["f0n"]


def test_plus_and_minus_zoom_around_the_moment(strip: DivergenceStrip, qtbot: QtBot) -> None:
    strip.show_run(finished_run(), SHOWN, "f0n")
    strip.show_moment(0.5)
    qtbot.keyClick(strip, Qt.Key.Key_Plus)
    low, high = strip.seconds_in_view()
    assert high - low == pytest.approx(LENGTH * 0.8)
    assert low < 0.5 < high
    for _ in range(3):
        qtbot.keyClick(strip, Qt.Key.Key_Minus)
    assert strip.seconds_in_view() == pytest.approx((0, LENGTH))


def test_a_double_click_shows_all_again(strip: DivergenceStrip, qtbot: QtBot) -> None:
    strip.show_run(finished_run(), SHOWN, "f0n")
    strip.view.setXRange(0.2, 0.4, padding=0)
    qtbot.mouseDClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=plot_position(strip, 0.3, 5))
    assert strip.seconds_in_view() == pytest.approx((0, LENGTH))


def test_what_is_there_is_said(strip: DivergenceStrip) -> None:
    strip.show_run(finished_run(), SHOWN, "f0n")
    strip.show_moment(0.3)
    said = strip.accessibleDescription()
    assert said.startswith("Pitch and energy, 0.30 s “")
    assert "error" in said
    assert strip._words_at(0.3, 1).startswith("0.30 s")
    assert strip._words_at(-1, 1) == ""
    assert "“Everything”" in strip._words_at(0.2, WORDS_TOP + 0.5)


def test_rows_fill_while_it_runs(strip: DivergenceStrip) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    run.take(PlanEvent(Plan(UTTERANCES)))
    strip.show_run(run, Shown(Regime.COMPILED), None)
    assert strip._cells.rows == (None,) * len(STAGE_NAMES)
    for event in events(run.request, probes=False)[3:15]:
        run.take(event)
    strip.show_run(run, Shown(Regime.COMPILED), None)
    kept = strip._cells.rows
    assert [row is not None for row in kept[:2]] == [True, True]
    assert kept[-1] is None
    strip.show_run(run, Shown(Regime.COMPILED), "bert")
    assert strip._cells.rows == kept


def test_a_crash_is_seen(strip: DivergenceStrip) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    run.crash("Gone.")
    strip.show_run(run, Shown(Regime.COMPILED), None)
    assert {row.words for row in strip._cells.rows if row} == {"crashed"}


def test_the_waveform_is_read_once(strip: DivergenceStrip) -> None:
    run = finished_run()
    arrays = run.arrays
    assert isinstance(arrays, MemoryArrays)
    for stage in (None, "f0n", "decoder"):
        strip.show_run(run, SHOWN, stage)
    assert arrays.loaded == 1
    strip.show_run(run, Shown(Regime.COMPILED, utterance=0), None)
    assert arrays.loaded == 2


def test_cells_reach_as_far_as_the_audio(strip: DivergenceStrip) -> None:
    strip.show_run(finished_run(), SHOWN, None)
    assert strip.seconds_in_view() == pytest.approx((0, LENGTH))
    for row in strip._cells.rows:
        assert row is not None
        assert row.edges[-1] == pytest.approx(LENGTH)


def test_it_is_painted_in_any_theme(strip: DivergenceStrip) -> None:
    strip.show_run(finished_run(), SHOWN, "f0n")
    strip.set_colours(DARK)
    image = strip.grab().toImage()
    assert image.pixelColor(3, 100).name() == DARK.surface
    strip.set_colours(LIGHT)
    assert strip.grab().toImage() != image
