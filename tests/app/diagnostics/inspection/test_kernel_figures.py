from pytestqt.qtbot import QtBot

from app.diagnostics.inspection.kernel_figures import CHOOSE, KernelFigures
from app.theme import DARK
from engine.inspection.results import KernelEvent
from tests.app.inspection_fakes import FINDING, STAGE, inspected, measurement


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
