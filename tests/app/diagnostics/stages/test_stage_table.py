import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.diagnostics.runs.run import Shown
from app.diagnostics.stages.stage_rows import Column, StageTableModel
from app.diagnostics.stages.stage_table import GIVE_WAY, StageTable
from app.diagnostics.stages.strip import Strip
from app.theme import LIGHT
from engine.stages import STAGE_NAMES
from engine.validator.data.results import Regime
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, alignment, finished_run

SHOWN = Shown(Regime.COMPILED, utterance=1)
LENGTH = sum(alignment(UTTERANCES[1])) / CONFIG.frames_per_second


@pytest.fixture
def table(qtbot: QtBot) -> StageTable:
    model = StageTableModel()
    table = StageTable(model, Strip())
    table.strip.setParent(table)
    model.setParent(table)
    model.show(finished_run(), SHOWN)
    table.strip.show_run(finished_run(), SHOWN, None)
    qtbot.addWidget(table)
    table.resize(900, 300)
    table.show()
    qtbot.waitExposed(table)
    return table


def test_selecting_tells_once(table: StageTable, qtbot: QtBot) -> None:
    assert table.stage is None
    with qtbot.waitSignal(table.stage_selected) as selected:
        table.select("decoder")
    assert selected.args == ["decoder"]
    assert table.stage == "decoder"
    with qtbot.assertNotEmitted(table.stage_selected):
        table.select("decoder")


def test_arrows_choose_and_return_looks_into(table: StageTable, qtbot: QtBot) -> None:
    table.select("bert")
    with qtbot.waitSignal(table.stage_selected) as selected:
        qtbot.keyClick(table, Qt.Key.Key_Down)
    assert selected.args == ["duration"]
    with qtbot.waitSignal(table.stage_activated) as activated:
        qtbot.keyClick(table, Qt.Key.Key_Return)
    assert activated.args == ["duration"]


def test_a_click_selects_and_a_double_click_looks_into(table: StageTable, qtbot: QtBot) -> None:
    place = table.visualRect(table.proxy.index_of("f0n")).center()
    with qtbot.waitSignal(table.stage_selected):
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert table.stage == "f0n"
    with qtbot.waitSignal(table.stage_activated) as activated:
        qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert activated.args == ["f0n"]


def in_strip(table: StageTable, seconds: float, stage: str) -> QPoint:
    x = table.strip.scale.x_of(seconds, table.header.strip_area)
    return QPoint(round(x), table.visualRect(table.proxy.index_of(stage)).center().y())


def test_a_click_in_a_strip_chooses_stage_and_moment(table: StageTable, qtbot: QtBot) -> None:
    with qtbot.waitSignal(table.moment_chosen) as chosen:
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=in_strip(table, 0.4, "source"))
    assert table.stage == "source"
    assert chosen.args == [pytest.approx(0.4, abs=0.01)]
    assert table.strip.cursor == pytest.approx(0.4, abs=0.01)
    assert "Harmonic source, 0.4" in table.accessibleDescription()


def test_a_click_on_the_waveform_keeps_the_stage(table: StageTable, qtbot: QtBot) -> None:
    table.select("f0n")
    place = QPoint(in_strip(table, 0.6, "f0n").x(), 8)
    with qtbot.waitSignal(table.moment_chosen) as chosen:
        qtbot.mouseClick(table.header.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen.args == [pytest.approx(0.6, abs=0.01)]
    assert table.stage == "f0n"


def test_keys_choose_moments(table: StageTable, qtbot: QtBot) -> None:
    table.strip.show_moment(0.5)
    for key, seconds in (
        (Qt.Key.Key_Right, 0.5 + LENGTH / 50),
        (Qt.Key.Key_Left, 0.5),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_End, LENGTH),
    ):
        with qtbot.waitSignal(table.moment_chosen) as chosen:
            qtbot.keyClick(table, key)
        assert chosen.args == [pytest.approx(seconds)]


def test_keys_zoom_around_the_moment_and_a_double_click_shows_all_again(table: StageTable, qtbot: QtBot) -> None:
    table.strip.show_moment(0.5)
    qtbot.keyClick(table, Qt.Key.Key_Plus)
    start, end = table.strip.scale.in_view
    assert end - start == pytest.approx(LENGTH * 0.8)
    assert start < 0.5 < end
    qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=in_strip(table, 0.5, "f0n"))
    assert table.strip.scale.in_view == pytest.approx((0, LENGTH))


def test_dragging_moves_along_time_where_there_is_more(table: StageTable, qtbot: QtBot) -> None:
    for _ in range(4):
        qtbot.keyClick(table, Qt.Key.Key_Plus)
    before = table.strip.scale.in_view
    place = in_strip(table, before[1] * 0.9, "f0n")
    qtbot.mousePress(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseMove(table.viewport(), place - QPoint(40, 0))
    qtbot.mouseRelease(table.viewport(), Qt.MouseButton.LeftButton, pos=place - QPoint(40, 0))
    assert table.strip.scale.in_view[0] > before[0]
    assert table.stage == "f0n"


def test_the_wheel_zooms_strips_only(table: StageTable) -> None:
    for place, zoomed in ((QPoint(20, 40), False), (in_strip(table, 0.5, "f0n"), True)):
        wheel = QWheelEvent(
            QPointF(place), QPointF(place), QPoint(), QPoint(0, 120),
            Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(table.viewport(), wheel)
        start, end = table.strip.scale.in_view
        assert (end - start < LENGTH * 0.9) is zoomed


def test_tooltips_describe_the_point_under_the_mouse(table: StageTable, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda place, words, *others: told.append(words))
    place = in_strip(table, 0.2, "f0n")
    for part, where in ((table, place), (table.header, QPoint(place.x(), 8))):
        help_event = QHelpEvent(QEvent.Type.ToolTip, where, part.viewport().mapToGlobal(where))
        QApplication.sendEvent(part.viewport(), help_event)
    assert told[0].startswith("Pitch and energy, 0.20 s “Everything”: error ")
    assert told[1] == "0.20 s “Everything”"


@pytest.mark.parametrize("width", [600, 900, 1400])
def test_every_row_has_room_for_its_strip(table: StageTable, width: int) -> None:
    table.resize(width, 300)
    assert table.header.strip_area.width() >= 0.4 * table.viewport().width()
    assert table.header.strip_area.right() <= table.viewport().width()


def test_the_playhead_is_drawn_over_all_rows(table: StageTable) -> None:
    x = in_strip(table, 0.5, "f0n").x()
    ratio = table.devicePixelRatio()

    def accents() -> int:
        image = table.viewport().grab().toImage()
        return sum(image.pixelColor(int(x * ratio), y).name() == LIGHT.accent for y in range(image.height()))

    assert not accents()
    table.strip.show_playhead(0.5)
    assert accents() > 0.9 * table.viewport().height() * ratio
    table.strip.show_playhead(None)
    assert not accents()


def test_columns_give_way_one_after_the_other(table: StageTable, qtbot: QtBot) -> None:
    hidden = []
    for width in range(1500, 200, -10):
        table.resize(width, 300)
        now = tuple(column for column in Column if table.isColumnHidden(column) and column is not Column.CHANGE)
        if not hidden or hidden[-1] != now:
            hidden.append(now)
    assert [set(now) for now in hidden] == [set(GIVE_WAY[:count]) for count in range(len(GIVE_WAY) + 1)]


def test_no_cell_is_cut_short(table: StageTable) -> None:
    for column in Column:
        for stage in STAGE_NAMES:
            index = table.proxy.index_of(stage).siblingAtColumn(column)
            if column is Column.STRIP:
                continue  # its words are for screen readers
            needed = table.fontMetrics().horizontalAdvance(str(index.data()))
            assert table.columnWidth(column) >= needed or table.isColumnHidden(column)
