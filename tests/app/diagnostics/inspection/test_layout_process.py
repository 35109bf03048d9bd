import sys
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.inspection.layout import Drawing, lay_out
from app.diagnostics.inspection.layout_process import NO_LAYOUT, LayoutProcess
from tests.patience import PATIENCE_MS

FIRST = Drawing(((100, 40),) * 2, ((0, 1),))
SECOND = Drawing(((100, 40),) * 3, ((0, 1), (1, 2)))
THIRD = Drawing(((100, 40),) * 3, ((0, 1), (0, 2)))
ONE_THEN_NONE = (
    "import sys; from app.diagnostics.inspection.layout_worker import answer; import json;"
    "answer([sys.stdin.readline()], lambda m: print(json.dumps(m), flush=True)); sys.stdin.readline()"
)


@pytest.fixture
def process(qtbot: QtBot) -> Iterator[LayoutProcess]:
    layouts = LayoutProcess()
    yield layouts
    layouts.shut_down(PATIENCE_MS)


def test_a_layout_is_that_of_its_drawing(process: LayoutProcess, qtbot: QtBot) -> None:
    with qtbot.waitSignal(process.laid_out) as laid_out:
        process.lay_out(FIRST)
    assert laid_out.args == [FIRST, lay_out(FIRST)]
    assert not process.active


def test_only_the_latest_drawing_is_delivered(process: LayoutProcess, qtbot: QtBot) -> None:
    delivered = []
    process.laid_out.connect(lambda drawing, layout: delivered.append(drawing))
    for drawing in (FIRST, SECOND, THIRD):
        process.lay_out(drawing)
    qtbot.waitUntil(lambda: not process.active)
    assert delivered == [THIRD]


@pytest.mark.parametrize("program", ["import sys; sys.exit(1)", "input(); print('nonsense', flush=True); input()"])
def test_a_process_that_fails_is_said_once_and_replaced(qtbot: QtBot, program: str) -> None:
    process = LayoutProcess((sys.executable, "-c", program))
    failures: list[str] = []
    process.failed.connect(failures.append)
    process.lay_out(FIRST)
    qtbot.waitUntil(lambda: bool(failures))
    assert failures == [NO_LAYOUT]
    process.lay_out(FIRST)
    qtbot.waitUntil(lambda: len(failures) == 2)
    process.shut_down(PATIENCE_MS)


def test_a_process_that_ends_later_is_started_again(qtbot: QtBot) -> None:
    process = LayoutProcess((sys.executable, "-c", ONE_THEN_NONE))
    with qtbot.waitSignal(process.laid_out):
        process.lay_out(FIRST)
    with qtbot.waitSignal(process.failed):
        process.lay_out(SECOND)
    with qtbot.waitSignal(process.laid_out) as laid_out:
        process.lay_out(SECOND)
    assert laid_out.args[0] == SECOND
    process.shut_down(PATIENCE_MS)


def test_a_program_that_is_not_there(qtbot: QtBot) -> None:
    process = LayoutProcess(("/nowhere/python",))
    with qtbot.waitSignal(process.failed):
        process.lay_out(FIRST)
    assert not process.active
