from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from pytestqt.qtbot import QtBot

from app.diagnostics.outputs.drill_down import AGREEMENT, TITLE, VERDICT, OutputList, output_title
from app.theme import DARK, Appearance, Theme
from engine.stages import stage_named
from engine.validator.data.results import Regime, Verdict
from tests.app.diagnostics_fakes import row

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


def test_outputs_and_inner_values_have_titles() -> None:
    titles = [output_title(each) for each in ROWS]
    assert titles == ["duration logits", "prosody features", "Duration encoder layers 4", "Duration LSTM"]
    assert output_title(replace(ROWS[3], output="some.other")) == "some.other"


def test_each_has_its_correlation_and_verdict(outputs: OutputList, theme: Theme) -> None:
    outputs.show_rows(ROWS, "duration_logits")
    theme.choose(Appearance.DARK)
    item = outputs.topLevelItem(1)
    assert item is not None
    assert (item.text(AGREEMENT), item.text(VERDICT)) == ("1 - 8e-10", "✗")
    assert item.toolTip(VERDICT) == item.data(VERDICT, Qt.ItemDataRole.AccessibleTextRole) == "Fail"
    assert item.foreground(VERDICT).color().name() == DARK.error
    assert "prosody_features" in item.toolTip(TITLE)


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


def test_the_choice_is_the_same_after_more_rows(outputs: OutputList) -> None:
    outputs.show_rows(ROWS[:1], "duration_logits")
    outputs.show_rows(ROWS, "duration_logits")
    assert outputs.output == "duration_logits"
    assert outputs.topLevelItemCount() == len(ROWS)
    outputs.show_rows((), "")
    assert outputs.output is None


def test_the_alignment_shows_durations(outputs: OutputList) -> None:
    outputs.show_rows((row(stage_named("alignment"), "frame_token", Regime.COMPILED),), "frame_token")
    item = outputs.topLevelItem(0)
    assert item is not None
    assert item.text(AGREEMENT) == "equal"
