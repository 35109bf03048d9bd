from pytestqt.qtbot import QtBot

from app.diagnostics.kernels.kernel_details import CHOOSE, KernelDetails, KernelFigures
from app.theme import DARK
from engine.inspection.results import KernelEvent
from tests.app.inspection_fakes import FINDING, STAGE, inspected, measurement


def test_everything_about_a_node(qtbot: QtBot) -> None:
    details = KernelDetails()
    qtbot.addWidget(details)
    known = inspected().stage(STAGE)
    assert known is not None
    details.show_node(STAGE, known, known.node("b1"))
    assert FINDING.words in details.figures.label.accessibleName()
    assert details.source.replace.plain_loops.isEnabled()
    details.set_colours(DARK)
    details.show_node(STAGE, known, known.node("in"))
    assert not details.source.replace.plain_loops.isEnabled()


def test_a_line_of_source_chooses_a_node(qtbot: QtBot) -> None:
    details, chosen = KernelDetails(), []
    qtbot.addWidget(details)
    details.node_chosen.connect(chosen.append)
    details.source.node_chosen.emit("m")
    assert chosen == ["m"]


def test_a_wrong_kernel_says_so_first_and_shows_its_numbers(qtbot: QtBot) -> None:
    figures = KernelFigures()
    qtbot.addWidget(figures)
    known = inspected().stage(STAGE)
    assert known is not None
    figures.show_node(known, known.node("b1"))
    assert figures.label.accessibleName().startswith(FINDING.words)
    assert "3.&#8203;1e4 × float32" in figures.label.text()
    figures.set_colours(DARK)
    assert DARK.error in figures.label.text()


def test_a_right_kernel_has_no_finding(qtbot: QtBot) -> None:
    figures = KernelFigures()
    qtbot.addWidget(figures)
    known = inspected().stage(STAGE)
    assert known is not None
    figures.show_node(known, known.node("m"))
    assert FINDING.words not in figures.label.text()


def test_numbers_that_come_in_are_shown(qtbot: QtBot) -> None:
    figures = KernelFigures()
    qtbot.addWidget(figures)
    inspection = inspected(measurement("a1"), finished=False)
    known = inspection.stage(STAGE)
    assert known is not None
    figures.show_node(known, known.node("m"))
    assert "Time per call" not in figures.label.text()
    inspection.take(KernelEvent(measurement("m")))
    figures.refresh()
    assert "250 µs" in figures.label.text()


def test_what_is_read_and_what_reads_it_are_links(qtbot: QtBot) -> None:
    figures = KernelFigures()
    qtbot.addWidget(figures)
    known = inspected().stage(STAGE)
    assert known is not None
    figures.show_node(known, known.node("b1"))
    assert {"href='m'", "href='b2'"} <= set(figures.label.text().split())
    with qtbot.waitSignal(figures.node_chosen) as chosen:
        figures.label.linkActivated.emit("m")
    assert chosen.args == ["m"]


def test_without_a_node_it_says_what_to_do(qtbot: QtBot) -> None:
    figures = KernelFigures()
    qtbot.addWidget(figures)
    figures.show_node(None, None)
    assert figures.label.text() == CHOOSE
