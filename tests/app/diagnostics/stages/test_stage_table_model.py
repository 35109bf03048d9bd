import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.stage_rows import STAGE_ROLE, Column, StageTableModel, WorstFirstProxy
from app.theme import DARK, Appearance, Theme
from engine.stages import STAGE_NAMES, STAGES, stage_named
from engine.validator.data.results import Reading, Regime, RowEvent, Verdict
from tests.app.diagnostics_fakes import CONFIG, finished_run, request, row

COMPILED = Shown(Regime.COMPILED)


@pytest.fixture
def model(qtbot: QtBot) -> StageTableModel:
    model = StageTableModel()
    model.tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    return model


def words(model: StageTableModel, column: Column) -> list[object]:
    return [model.index(number, column).data() for number in range(model.rowCount())]


def test_there_is_a_row_per_stage_from_the_start(model: StageTableModel) -> None:
    assert words(model, Column.STAGE) == [stage.title for stage in STAGES]
    assert words(model, Column.VERDICT) == [""] * len(STAGES)
    model.show(DiagnosticsRun(request(), CONFIG), COMPILED)
    assert words(model, Column.VERDICT) == ["waiting"] * len(STAGES)
    assert model.rowCount(model.index(0, 0)) == model.columnCount(model.index(0, 0)) == 0


def test_nothing_is_awaited_of_a_regime_that_is_not_run(model: StageTableModel) -> None:
    model.show(DiagnosticsRun(request(), CONFIG), Shown(Regime.STATIC_PACKED))
    assert words(model, Column.VERDICT) == [""] * len(STAGES)


def test_only_the_row_that_is_new_changes(model: StageTableModel, qtbot: QtBot) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    model.show(run, COMPILED)
    changed: list[tuple[int, int, int, int]] = []
    model.dataChanged.connect(lambda a, b: changed.append((a.row(), b.row(), a.column(), b.column())))
    run.take(RowEvent(row(stage_named("f0n"), "f0", Regime.COMPILED)))
    model.refresh()
    number = STAGE_NAMES.index("f0n")
    assert changed == [(number, number, 0, len(Column) - 1)]
    with qtbot.assertNotEmitted(model.dataChanged):
        model.refresh()
    run.take(RowEvent(row(stage_named("f0n"), "f0", Regime.COMPILED, Reading.OWN_FED)))
    with qtbot.assertNotEmitted(model.dataChanged):
        model.refresh()


def test_verdicts_have_colour_and_words(model: StageTableModel, theme: Theme) -> None:
    theme.choose(Appearance.DARK)
    model.show(finished_run((Regime.STATIC_NO_PACK,)), Shown(Regime.STATIC_NO_PACK))
    verdict = model.index(0, Column.VERDICT)
    assert verdict.data() == verdict.data(Qt.ItemDataRole.AccessibleTextRole) == "✗ Fail"
    assert verdict.data(Qt.ItemDataRole.ForegroundRole).name() == DARK.error
    assert model.index(2, Column.VERDICT).data(Qt.ItemDataRole.ForegroundRole).name() == DARK.good
    assert model.index(0, Column.CORRELATION).data(Qt.ItemDataRole.ForegroundRole) is None


def test_the_noise_floor_stands_beside_every_other_regime(model: StageTableModel) -> None:
    run = finished_run()
    model.show(run, COMPILED)
    floors = words(model, Column.FLOOR)
    model.show(run, Shown(Regime.UPSTREAM))
    assert words(model, Column.CORRELATION) == floors
    assert words(model, Column.FLOOR) == [""] * len(STAGES)


def test_headers_have_titles_and_meanings(model: StageTableModel) -> None:
    across = Qt.Orientation.Horizontal
    titles = [model.headerData(column, across) for column in Column]
    assert titles[0] == "Stage"
    assert len(set(titles)) == len(Column)
    assert all(model.headerData(column, across, Qt.ItemDataRole.ToolTipRole) for column in Column)
    assert model.headerData(0, Qt.Orientation.Vertical) is None


def test_an_invalid_index_has_nothing(model: StageTableModel) -> None:
    assert model.data(QModelIndex()) is None


@pytest.fixture
def proxy(model: StageTableModel) -> WorstFirstProxy:
    return WorstFirstProxy(model)


def order(proxy: WorstFirstProxy) -> list[str]:
    return [proxy.index(number, 0).data(STAGE_ROLE) for number in range(proxy.rowCount())]


def test_any_column_sorts_by_its_numbers(model: StageTableModel, proxy: WorstFirstProxy) -> None:
    model.show(finished_run(), COMPILED)
    proxy.sort(Column.STAGE_MS, Qt.SortOrder.DescendingOrder)
    assert order(proxy) == list(reversed(STAGE_NAMES))
    proxy.sort(Column.STAGE, Qt.SortOrder.AscendingOrder)
    assert order(proxy) == list(STAGE_NAMES)


def test_the_worst_comes_first_even_while_rows_arrive(model: StageTableModel, proxy: WorstFirstProxy) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    model.show(run, COMPILED)
    proxy.sort(Column.VERDICT, Qt.SortOrder.DescendingOrder)
    for stage, error in (("source", 1e-6), ("bert", 1e-5), ("istft", 0.5)):
        output = stage_named(stage).outputs[0].name
        run.take(RowEvent(row(stage_named(stage), output, Regime.COMPILED, error=error)))
        model.refresh()
    assert order(proxy)[:3] == ["istft", "bert", "source"]
    assert run.stage_summary(COMPILED, "istft").verdict is Verdict.FAIL
    assert proxy.index_of("bert").row() == 1


def test_a_process_that_is_stuck_is_said_in_the_rows_that_wait_for_it(model: StageTableModel) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    run.take(RowEvent(row(stage_named("bert"), "text_features", Regime.COMPILED)))
    run.stall(20)
    model.show(run, COMPILED)
    assert words(model, Column.VERDICT) == ["✓ Pass", *["no answer"] * (len(STAGES) - 1)]
    run.stall(0)
    model.refresh()
    assert words(model, Column.VERDICT)[1:] == ["waiting"] * (len(STAGES) - 1)
