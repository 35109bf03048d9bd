"""The page that compares two runs."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.runs.comparison_page import CHOOSE, COMPARABLE, ComparisonPage
from app.diagnostics.runs.pair_table_model import PairColumn
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.runs.run_history import RunHistory
from engine.validator.data.results import Reading, Regime
from tests.app.diagnostics_fakes import CONFIG, events, finished_run, request

SHOWN = Shown(Regime.COMPILED, Reading.REFERENCE_FED, 0)


class Page:
    def __init__(self, qtbot: QtBot, *runs: DiagnosticsRun) -> None:
        self.history = RunHistory()
        for run in runs:
            self.history.add(run)
        self.page = ComparisonPage(self.history)
        qtbot.addWidget(self.page)
        self.page.resize(900, 300)
        self.page.show()

    def column(self, column: PairColumn) -> list[str]:
        model = self.page.model
        return [model.index(row, column).data() for row in range(model.rowCount())]


def other_speech(**changes: object) -> DiagnosticsRun:
    asked = request((Regime.UPSTREAM, Regime.COMPILED))
    run = DiagnosticsRun(replace(asked, speech=replace(asked.speech, **changes)), CONFIG)
    for event in events(run.request):
        run.take(event)
    return run


def test_without_a_run_it_says_what_to_do(qtbot: QtBot) -> None:
    page = Page(qtbot)
    page.page.show_stage(None, SHOWN, None)
    assert page.page.words.text() == CHOOSE
    assert page.page.model.rowCount() == 0


def test_two_equal_runs_have_the_same_values(qtbot: QtBot) -> None:
    first, second = finished_run(), finished_run()
    page = Page(qtbot, first, second)
    page.page.show_stage(second, SHOWN, None)
    assert page.page.other.value is first
    assert page.page.words.text() == COMPARABLE
    assert page.column(PairColumn.FIRST) == page.column(PairColumn.SECOND)
    assert set(page.column(PairColumn.RATIO)) <= {"1 ×", "–"}
    assert page.column(PairColumn.STAGE)[0] == "Text features"


def test_regimes_of_one_run_are_compared(qtbot: QtBot) -> None:
    run = finished_run((Regime.UPSTREAM, Regime.STATIC_NO_PACK, Regime.COMPILED))
    page = Page(qtbot, run)
    page.page.show_stage(run, SHOWN, None)
    page.page.regime.choose(Regime.STATIC_NO_PACK)
    page.page.regime.chosen.emit(Regime.STATIC_NO_PACK)
    assert "They differ in: regime: compiled and static-no-pack." in page.page.words.text()
    assert any("other ✗ Fail" in words for words in page.column(PairColumn.VERDICT))
    ratios = [float(words.removesuffix(" ×")) for words in page.column(PairColumn.RATIO) if words.endswith(" ×")]
    assert min(ratios) < 1 / 1000


@pytest.mark.parametrize(
    ("changes", "words"), [({"text": "Another."}, "They speak different texts."), ({"speed": 2.0}, "different lengths")]
)
def test_runs_that_cannot_be_compared_say_why(qtbot: QtBot, changes: dict, words: str) -> None:
    first, second = other_speech(**changes), finished_run()
    page = Page(qtbot, first, second)
    page.page.show_stage(second, SHOWN, None)
    assert page.page.words.text().startswith("These runs cannot be compared.")
    assert words in page.page.words.text()
    assert page.page.words.accessibleName() == page.page.words.text()
    assert not any(words.endswith(" ×") for words in page.column(PairColumn.RATIO))
    assert page.column(PairColumn.FIRST)[0] != "–"


def test_a_new_name_shows_at_once(qtbot: QtBot) -> None:
    first, second = finished_run(), finished_run()
    page = Page(qtbot, first, second)
    page.page.show_stage(second, SHOWN, None)
    page.history.rename(first, "Before the change")
    assert page.page.other.currentText().endswith("Before the change")


def test_nothing_is_compared_twice(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = finished_run(), finished_run()
    page = Page(qtbot, first, second)
    page.page.show_stage(second, SHOWN, None)
    monkeypatch.setattr(
        "app.diagnostics.runs.comparison_page.compare_runs", lambda *runs: pytest.fail("compared again")
    )
    page.page.show_stage(second, SHOWN, "bert")


def test_a_row_that_is_activated_shows_its_stage(qtbot: QtBot) -> None:
    run = finished_run()
    page = Page(qtbot, run)
    page.page.show_stage(run, SHOWN, None)
    with qtbot.waitSignal(page.page.part_wanted) as wanted:
        page.page.table.activated.emit(page.page.model.index(1, 0))
    assert wanted.args == [SHOWN, "duration"]
