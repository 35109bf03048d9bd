import sys

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.reference_adding import COMMAND, ReferenceAdding
from engine.errors import DownloadError
from engine.system.child_process import python_command
from tests.patience import PATIENCE_MS


def adding(program: str) -> ReferenceAdding:
    return ReferenceAdding((sys.executable, "-c", program))


def test_the_engine_adds_it() -> None:
    assert python_command("engine", "reference") == COMMAND


def test_it_tells_when_it_is_done(qtbot: QtBot) -> None:
    process = adding("pass")
    with qtbot.waitSignal(process.added):
        process.begin()
        process.begin()
        assert process.active
    assert not process.active


@pytest.mark.parametrize(
    ("program", "hint"),
    [
        ("raise SystemExit('Looking\\nERROR: No space left\\nerror: Not added.')", "ERROR: No space left"),
        (
            "raise SystemExit('WARNING: Retrying: [Errno -2] Name or service not known\\nERROR: No matching one')",
            "The download server can’t be reached. Check that this computer is online, then try again;"
            " what was received is kept.",
        ),
        ("raise SystemExit(1)", "Check that this computer is online."),
    ],
)  # fmt: skip
def test_it_tells_why_it_failed(qtbot: QtBot, program: str, hint: str) -> None:
    process = adding(program)
    with qtbot.waitSignal(process.failed) as failed:
        process.begin()
    error = failed.args[0]
    assert isinstance(error, DownloadError)
    assert (error.message, error.hint) == ("PyTorch was not added.", hint)
    assert not process.active


def test_one_that_cannot_start_has_failed(qtbot: QtBot) -> None:
    process = ReferenceAdding(("/nowhere/python",))
    with qtbot.waitSignal(process.failed):
        process.begin()
    assert not process.active


def test_closing_the_window_ends_it(qtbot: QtBot) -> None:
    process = adding("import time; time.sleep(600)")
    process.begin()
    process.shut_down(PATIENCE_MS)
    assert not process.active
