from pytestqt.qtbot import QtBot

from app.diagnostics.kernels.kernel_details import CHOOSE, KernelDetails
from engine.validator.inspection.results import KernelEvent
from tests.app.inspection_fakes import FINDING, STAGE, inspected, measurement


def test_everything_about_a_node(qtbot: QtBot) -> None:
    details = KernelDetails()
    qtbot.addWidget(details)
    known = inspected().stage(STAGE)
    assert known is not None
    details.show_node(STAGE, known, known.node("b1"))
    assert FINDING.words in details.figures.accessibleDescription()
    assert details.source.replace.plain_loops.isEnabled()
    details.show_node(STAGE, known, known.node("in"))
    assert not details.source.replace.plain_loops.isEnabled()


def test_a_line_of_source_chooses_a_node(qtbot: QtBot) -> None:
    details, chosen = KernelDetails(), []
    qtbot.addWidget(details)
    details.node_chosen.connect(chosen.append)
    details.source.node_chosen.emit("m")
    assert chosen == ["m"]


def test_a_right_kernel_has_no_finding(qtbot: QtBot) -> None:
    details, known = KernelDetails(), inspected().stage(STAGE)
    qtbot.addWidget(details)
    assert known is not None
    details.show_node(STAGE, known, known.node("m"))
    assert FINDING.words not in details.figures.accessibleDescription()


def test_numbers_that_come_in_are_shown(qtbot: QtBot) -> None:
    details, inspection = KernelDetails(), inspected(measurement("a1"), finished=False)
    qtbot.addWidget(details)
    known = inspection.stage(STAGE)
    assert known is not None
    details.show_node(STAGE, known, known.node("m"))
    assert "Time per call" not in details.figures.label.text()
    inspection.take(KernelEvent(measurement("m")))
    details.refresh()
    assert "250 µs" in details.figures.label.text()


def test_what_is_read_and_what_reads_it_are_links(qtbot: QtBot) -> None:
    details, known = KernelDetails(), inspected().stage(STAGE)
    qtbot.addWidget(details)
    assert known is not None
    details.show_node(STAGE, known, known.node("b1"))
    assert {"href='m'", "href='b2'"} <= set(details.figures.label.text().split())
    with qtbot.waitSignal(details.node_chosen) as chosen:
        details.figures.label.linkActivated.emit("m")
    assert chosen.args == ["m"]


def test_without_a_node_it_says_what_to_do(qtbot: QtBot) -> None:
    details = KernelDetails()
    qtbot.addWidget(details)
    assert details.figures.accessibleDescription() == CHOOSE
