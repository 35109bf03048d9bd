"""The table of two runs compared."""

from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.diagnostics.runs.pair_table_model import TITLES, PairColumn, PairTableModel, words_of
from engine.validator.data.results import Reading, Row, Verdict
from engine.validator.reports.run_comparison import RowPair
from tests.app.fake_service import row_of

ROW: Row = row_of(0)
PAIR = RowPair(0, ROW.stage, ROW.output, Reading.REFERENCE_FED, ROW, ROW, 1.0)


def test_every_cell_has_words() -> None:
    assert words_of(PAIR, PairColumn.STAGE) == "Text features"
    assert words_of(PAIR, PairColumn.OUTPUT) == "text_features"
    assert words_of(PAIR, PairColumn.FIRST) == words_of(PAIR, PairColumn.SECOND) != "–"
    assert words_of(PAIR, PairColumn.RATIO) == "1 ×"
    assert words_of(PAIR, PairColumn.VERDICT) == "✓ Pass"


def test_what_cannot_be_compared_says_why() -> None:
    alone = replace(PAIR, second=None, ratio=None, obstacle="only in the first run")
    assert words_of(alone, PairColumn.SECOND) == "–"
    assert words_of(alone, PairColumn.RATIO) == "only in the first run"
    assert words_of(replace(PAIR, ratio=None), PairColumn.RATIO) == "–"


def test_two_verdicts_are_both_named() -> None:
    worse = replace(PAIR, second=replace(ROW, verdict=Verdict.FAIL))
    assert words_of(worse, PairColumn.VERDICT) == "✓ Pass, other ✗ Fail"


def test_only_what_changes_is_drawn_again(qtbot: QtBot) -> None:
    model = PairTableModel()
    with qtbot.waitSignal(model.modelReset):
        model.show((PAIR,))
    with qtbot.assertNotEmitted(model.dataChanged):
        model.show((PAIR,))
    with qtbot.waitSignal(model.dataChanged):
        model.show((replace(PAIR, ratio=2.0),))
    assert (model.rowCount(), model.columnCount()) == (1, len(PairColumn))
    assert model.headerData(PairColumn.RATIO, Qt.Orientation.Horizontal) == TITLES[PairColumn.RATIO][0]
    assert model.index(0, PairColumn.RATIO).data() == "2 ×"
