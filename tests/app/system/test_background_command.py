"""Commands in the background."""

import sys
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QProcess
from pytestqt.qtbot import QtBot

from app.system.background_command import NICENESS, NO_START, BackgroundCommand
from tests.patience import PATIENCE_MS


class Listener:
    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.command = BackgroundCommand()
        self.lines: list[str] = []
        self.progress: list[str] = []
        self.codes: list[int] = []
        self.command.line.connect(self.lines.append)
        self.command.progressed.connect(self.progress.append)
        self.command.ended.connect(self.codes.append)

    def run(self, program: str) -> None:
        self.command.start((sys.executable, "-c", program))
        self.qtbot.waitUntil(lambda: bool(self.codes))


@pytest.fixture
def listener(qtbot: QtBot) -> Iterator[Listener]:
    made = Listener(qtbot)
    yield made
    made.command.shut_down(PATIENCE_MS)


def test_every_line_comes_in_order_before_the_end(listener: Listener) -> None:
    listener.command.ended.connect(lambda code: listener.lines.append("ended"))
    listener.run("print('\\n'.join(map(str, range(5000))), end='')")
    assert listener.lines == [*map(str, range(5000)), "ended"]
    assert listener.codes == [0]
    assert not listener.command.active


def test_progress_and_the_last_words_are_kept(listener: Listener) -> None:
    listener.run("import sys; print('step 1', file=sys.stderr); sys.exit('error: no such file')")
    assert listener.codes == [1]
    assert listener.progress[-1] == listener.command.last_words == "error: no such file"


def test_a_command_that_does_not_exist_has_ended(listener: Listener, qtbot: QtBot) -> None:
    listener.command.start(("/nowhere/program",))
    qtbot.waitUntil(lambda: bool(listener.codes))
    assert listener.codes == [-1]
    assert listener.command.last_words == NO_START


def test_a_command_that_kills_itself_has_ended(listener: Listener) -> None:
    listener.run("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert listener.codes == [-1]


def test_a_stopped_command_tells_nothing_more(listener: Listener, qtbot: QtBot) -> None:
    listener.command.start((sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(600)"))
    qtbot.waitUntil(lambda: listener.lines == ["begun"])
    listener.command.stop()
    assert not listener.command.active
    listener.run("print('next')")
    assert listener.lines == ["begun", "next"]
    assert listener.codes == [0]


def test_shutting_down_waits_for_a_command_stopped_before(listener: Listener) -> None:
    listener.command.start((sys.executable, "-c", "import time; time.sleep(600)"))
    [process] = listener.command.findChildren(QProcess)
    listener.command.stop()
    listener.command.shut_down(PATIENCE_MS)
    assert process.state() is QProcess.ProcessState.NotRunning


def test_the_window_goes_first(listener: Listener) -> None:
    program = f"import os, time\nwhile os.nice(0) < {NICENESS}: time.sleep(0.01)\nprint(os.nice(0))"
    listener.run(program)
    assert int(listener.lines[0]) >= NICENESS
