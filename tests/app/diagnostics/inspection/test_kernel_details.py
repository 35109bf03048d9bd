from pytestqt.qtbot import QtBot

from app.diagnostics.inspection.kernel_details import NO_CODE, KernelDetails
from app.theme import DARK
from engine.inspection.results import CodeEvent
from tests.app.inspection_fakes import CODES, STAGE, inspected, measurement


def test_everything_about_a_node(qtbot: QtBot) -> None:
    details = KernelDetails()
    qtbot.addWidget(details)
    known = inspected().stage(STAGE)
    assert known is not None
    details.show_node(STAGE, known, known.node("b1"))
    assert details.code.toPlainText() == CODES[0].tir
    assert details.schedule.text() == "fused_conv1d: direct, tiles of 8 × 32"
    assert details.switches.plain_loops.isEnabled()
    details.set_colours(DARK)
    details.show_node(STAGE, known, known.node("in"))
    assert details.code.toPlainText() == ""
    assert details.schedule.isHidden()


def test_code_that_is_still_to_come_is_announced(qtbot: QtBot) -> None:
    details = KernelDetails()
    qtbot.addWidget(details)
    inspection = inspected(measurement("a1"), finished=False)
    known = inspection.stage(STAGE)
    assert known is not None
    details.show_node(STAGE, known, known.node("a1"))
    assert details.code.toPlainText() == NO_CODE
    inspection.take(CodeEvent(CODES[0]))
    details.refresh()
    assert details.code.toPlainText() == CODES[0].tir


def test_a_line_of_source_chooses_a_node(qtbot: QtBot) -> None:
    details, chosen = KernelDetails(), []
    qtbot.addWidget(details)
    details.node_chosen.connect(chosen.append)
    details.source.node_chosen.emit("m")
    assert chosen == ["m"]
