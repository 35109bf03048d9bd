from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from app.diagnostics.colors import ColorTone
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.stage_rows import (
    COLUMNS,
    STAGE_ROLE,
    Column,
    StageEntry,
    StageTableModel,
    WorstFirstProxy,
    explanation_of,
    sort_key,
    tone_of,
    words_of,
)
from app.theme import DARK, Appearance, Theme
from engine.stages import STAGE_NAMES, STAGES, stage_named
from engine.validator.data.results import DurationMetrics, InputSource, Regime, RowEvent, Verdict
from engine.validator.data.wording import magnitude
from tests.app.diagnostics_fakes import CONFIG, finished_run, metrics, request, row

DECODER = stage_named("decoder")
ROW = replace(row(DECODER, "phase", Regime.COMPILED, error=1e-4), times_floor=0.1)
ENTRY = StageEntry(DECODER, 6, ROW, floor=replace(ROW, metrics=metrics(1e-3)))


def test_every_column_says_something() -> None:
    said = {column: words_of(replace(ENTRY, earlier=ROW), column) for column in Column}
    assert said == {
        Column.STAGE: "Decoder",
        Column.CORRELATION: "1 - 5e-9",
        Column.TIMES_FLOOR: "0.1 ×",
        Column.FLOOR: "1 - 5e-7",
        Column.MAX_ERROR: "4e-4",
        Column.SQNR: "80.0 dB",
        Column.STAGE_MS: "58.8",
        Column.REFERENCE_MS: "152",
        Column.VERDICT: "✓ Pass",
        Column.CHANGE: "same",
        Column.STRIP: f"largest error {magnitude(max(ROW.profile.errors))} of the rms",
    }
    assert set(COLUMNS) == set(Column)


def test_color_tones_match_the_words() -> None:
    tones = {verdict: tone_of(replace(ENTRY, row=replace(ROW, verdict=verdict)), Column.VERDICT) for verdict in Verdict}
    assert tones[Verdict.PASS] is ColorTone.GOOD
    assert tones[Verdict.FAIL] is tones[Verdict.CRASHED] is ColorTone.ERROR
    assert tone_of(ENTRY, Column.MAX_ERROR) is ColorTone.PLAIN
    assert tone_of(ENTRY, Column.FLOOR) is tone_of(StageEntry(DECODER, 6), Column.STAGE) is ColorTone.FAINT


def test_more_than_ten_times_is_amber() -> None:
    worse = replace(ENTRY, row=replace(ROW, times_floor=10.5, verdict=Verdict.WORSE))
    assert tone_of(worse, Column.TIMES_FLOOR) is ColorTone.WARNING
    assert tone_of(ENTRY, Column.TIMES_FLOOR) is ColorTone.PLAIN
    assert sort_key(worse, Column.TIMES_FLOOR) > sort_key(ENTRY, Column.TIMES_FLOOR)
    assert tone_of(worse, Column.VERDICT) is ColorTone.WARNING
    assert words_of(worse, Column.VERDICT) == "≫ Worse"
    assert "10 times" in explanation_of(worse, Column.VERDICT)


@pytest.mark.parametrize(
    ("regime", "worker"),
    [
        (Regime.COMPILED, "the compiled module"),
        (Regime.COMPILED_PADDED, "the compiled module"),
        (Regime.STATIC_PACKED, "PyTorch"),
        ("compiled+decoder=dynamic", "PyTorch"),
        ("compiled+bert=dynamic", "the compiled module"),
    ],
)
def test_no_time_is_called_ours_that_is_pytorchs(regime: str, worker: str) -> None:
    entry = replace(ENTRY, row=replace(ROW, regime=regime))
    assert explanation_of(entry, Column.STAGE_MS) == f"Decoder: milliseconds of {worker}"
    assert explanation_of(entry, Column.REFERENCE_MS) == "Decoder: milliseconds of PyTorch"
    assert "ours" not in COLUMNS[Column.STAGE_MS].title.lower()


def test_a_row_says_why_it_has_no_floor() -> None:
    exact = replace(ENTRY, floor=replace(ROW, metrics=metrics(0)))
    for column in (Column.FLOOR, Column.TIMES_FLOOR):
        assert "No baseline" in explanation_of(exact, column)
        assert "No baseline" not in explanation_of(ENTRY, column)


def test_the_alignment_shows_durations() -> None:
    alignment = stage_named("alignment")
    known = row(alignment, "frame_token", Regime.COMPILED)
    entry = StageEntry(alignment, 2, known, token_count=42)
    assert words_of(entry, Column.CORRELATION) == "equal"
    differing = replace(entry, row=replace(known, durations=DurationMetrics(3, 1, 60, 61)))
    assert words_of(differing, Column.CORRELATION) == "3 of 42 differ"
    assert words_of(differing, Column.MAX_ERROR) == "–"
    assert "durations of tokens" in explanation_of(differing, Column.CORRELATION)
    assert explanation_of(entry, Column.STAGE_MS).endswith("numpy, as in every configuration")


@pytest.mark.parametrize("column", list(Column))
def test_unknown_values_sort_first(column: Column) -> None:
    assert column is Column.STAGE or sort_key(StageEntry(DECODER, 6), column) < sort_key(
        replace(ENTRY, earlier=ROW), column
    )


def test_numbers_are_sorted_as_numbers() -> None:
    small, large = replace(ENTRY, row=replace(ROW, seconds=0.009)), replace(ENTRY, row=replace(ROW, seconds=0.1))
    assert words_of(small, Column.STAGE_MS) == "9"
    assert words_of(large, Column.STAGE_MS) == "100"
    assert sort_key(small, Column.STAGE_MS) < sort_key(large, Column.STAGE_MS)
    exact = replace(ENTRY, row=replace(ROW, metrics=metrics(0)))
    assert sort_key(exact, Column.SQNR) > sort_key(ENTRY, Column.SQNR)
    failing = replace(ENTRY, row=replace(ROW, verdict=Verdict.FAIL))
    assert sort_key(failing, Column.VERDICT) > sort_key(ENTRY, Column.VERDICT)


def test_changes_are_sorted_by_decibels() -> None:
    better = replace(ENTRY, earlier=replace(ROW, metrics=metrics(1e-2)))
    worse = replace(ENTRY, earlier=replace(ROW, metrics=metrics(1e-6)))
    assert sort_key(worse, Column.CHANGE) < (0,) < sort_key(better, Column.CHANGE)
    exact = replace(ROW, metrics=metrics(0))
    assert sort_key(replace(ENTRY, row=exact, earlier=exact), Column.CHANGE) == (0,)


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
    model.show(DiagnosticsRun(request(), CONFIG), Shown(Regime.STATIC_PACKED))
    assert words(model, Column.VERDICT) == [""] * len(STAGES)
    assert model.rowCount(model.index(0, 0)) == model.columnCount(model.index(0, 0)) == 0


def test_only_the_row_that_is_new_changes(model: StageTableModel, qtbot: QtBot) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    model.show(run, COMPILED)
    changed: list[tuple[int, int, int, int]] = []
    model.dataChanged.connect(lambda a, b: changed.append((a.row(), b.row(), a.column(), b.column())))
    run.handle_event(RowEvent(row(stage_named("f0n"), "f0", Regime.COMPILED)))
    model.refresh()
    number = STAGE_NAMES.index("f0n")
    assert changed == [(number, number, 0, len(Column) - 1)]
    with qtbot.assertNotEmitted(model.dataChanged):
        model.refresh()
    run.handle_event(RowEvent(row(stage_named("f0n"), "f0", Regime.COMPILED, InputSource.END_TO_END)))
    with qtbot.assertNotEmitted(model.dataChanged):
        model.refresh()


def test_verdicts_have_color_and_words(model: StageTableModel, theme: Theme) -> None:
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
        run.handle_event(RowEvent(row(stage_named(stage), output, Regime.COMPILED, error=error)))
        model.refresh()
    assert order(proxy)[:3] == ["istft", "bert", "source"]
    assert run.stage_summary(COMPILED, "istft").verdict is Verdict.FAIL
    assert proxy.index_of("bert").row() == 1


def test_a_stuck_process_is_reported_in_the_rows_waiting_for_it(model: StageTableModel) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    run.handle_event(RowEvent(row(stage_named("bert"), "text_features", Regime.COMPILED)))
    run.stall(20)
    model.show(run, COMPILED)
    assert words(model, Column.VERDICT) == ["✓ Pass", *["no answer"] * (len(STAGES) - 1)]
    run.stall(0)
    model.refresh()
    assert words(model, Column.VERDICT)[1:] == ["waiting"] * (len(STAGES) - 1)
