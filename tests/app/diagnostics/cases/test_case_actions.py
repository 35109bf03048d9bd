"""Copying the command, reducing, saving a case."""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.diagnostics.cases.case_actions import COPIED, CaseActions
from app.diagnostics.cases.case_making import CaseMaking
from app.diagnostics.panel import DiagnosticsPanel
from engine.validator.cases.as_command import as_arguments
from engine.validator.data.results import Regime
from tests.app.diagnostics_fakes import finished_run
from tests.patience import PATIENCE_MS

PROGRAM = """
import json, sys
file = next(word for word in sys.argv if word.startswith('--save-case=')).partition('=')[2]
open(file, 'w').write('a case')
print('Shorter texts, try 1', file=sys.stderr, flush=True)
print(json.dumps({'case': {'file': file, 'words': 'Reduced.', 'stage': 'bert', 'phonemes': 'h'}}))
"""


class Panel:
    def __init__(self, qtbot: QtBot, folder: Path, program: str = PROGRAM) -> None:
        self.qtbot = qtbot
        self.panel = DiagnosticsPanel()
        qtbot.addWidget(self.panel)
        self.panel.resize(1000, 700)
        self.panel.export_folder = folder
        self.actions = CaseActions(self.panel, CaseMaking((sys.executable, "-c", program)))
        self.told: list[str] = []
        self.failures: list[Exception] = []
        self.actions.told.connect(self.told.append)
        self.actions.failed.connect(self.failures.append)
        self.panel.show()
        self.run = finished_run((Regime.STATIC_NO_PACK, Regime.COMPILED))
        self.panel.show_run(self.run)
        self.choose(Regime.STATIC_NO_PACK)

    def choose(self, regime: Regime, stage: str = "bert") -> None:
        self.panel.controls.to_run.regime.choose(regime)
        self.panel.refresh()
        self.panel.table.select(stage)
        self.panel.refresh()


@pytest.fixture
def made(qtbot: QtBot, tmp_path: Path) -> Iterator[Panel]:
    panel = Panel(qtbot, tmp_path)
    yield panel
    panel.actions.shut_down(PATIENCE_MS)


def test_the_command_is_copied(made: Panel) -> None:
    made.actions.copy.trigger()
    words = shlex.split(QGuiApplication.clipboard().text())
    assert words[:4] == ["python", "-m", "engine", "validate"]
    assert tuple(words[4:]) == as_arguments(made.run.request)
    assert made.told == [COPIED]


def test_only_what_fails_can_be_reduced_or_saved(made: Panel) -> None:
    assert made.actions.reduce.isEnabled()
    assert made.actions.save.isEnabled()
    made.choose(Regime.COMPILED)
    assert not made.actions.reduce.isEnabled()
    assert not made.actions.save.isEnabled()
    assert made.actions.copy.isEnabled()


def test_reducing_opens_its_page_and_shows_what_is_left(made: Panel, tmp_path: Path) -> None:
    made.actions.reduce.trigger()
    page = made.actions.page
    assert made.panel.pages.current is page
    assert page.button.text() == "Stop"
    assert not made.actions.reduce.isEnabled()
    made.qtbot.waitUntil(lambda: page.case is not None)
    assert page.text.toPlainText() == "Reduced."
    assert made.actions.reduce.isEnabled()
    page.save_button.click()
    dialog = made.panel.findChild(QFileDialog)
    assert dialog.selectedFiles()[0].endswith("bert fails.safetensors")
    dialog.fileSelected.emit(str(tmp_path / "mine.safetensors"))
    assert (tmp_path / "mine.safetensors").read_text() == "a case"
    assert made.told[-1].startswith("Saved mine.safetensors to ")


def test_a_stage_that_fails_has_a_button_that_reduces_it(made: Panel) -> None:
    button = made.panel.controls.status.reduce_button
    assert button.isVisible()
    button.click()
    made.qtbot.waitUntil(lambda: made.actions.page.case is not None)
    made.choose(Regime.COMPILED)
    assert not button.isVisible()


def test_what_is_left_of_a_run_is_shown_with_that_run_only(made: Panel) -> None:
    tabs = made.panel.pages.tabs

    def offered() -> list[str]:
        return [tabs.tabText(number) for number in range(tabs.count()) if tabs.isTabVisible(number)]

    assert offered() == ["Signals"]
    made.actions.reduce.trigger()
    made.qtbot.waitUntil(lambda: made.actions.page.case is not None)
    assert offered() == ["Signals", "Reduce"]
    made.panel.show_run(finished_run())
    assert offered() == ["Signals"]
    made.panel.look_at(made.run)
    assert offered() == ["Signals", "Reduce"]


def test_a_case_is_saved_as_it_is(made: Panel, tmp_path: Path) -> None:
    made.actions.save.trigger()
    made.panel.findChild(QFileDialog).fileSelected.emit(str(tmp_path / "whole.safetensors"))
    made.qtbot.waitUntil(lambda: bool(made.told))
    assert (tmp_path / "whole.safetensors").read_text() == "a case"
    assert made.actions.page.case is None


def test_the_case_that_is_saved_is_the_one_that_was_asked_for(qtbot: QtBot, tmp_path: Path) -> None:
    panel = Panel(qtbot, tmp_path, PROGRAM.replace("'Reduced.'", "' '.join(sys.argv)"))
    panel.actions.save.trigger()
    panel.choose(Regime.COMPILED, "decoder")  # another run begins, for example, while somebody looks for a folder
    panel.panel.findChild(QFileDialog).fileSelected.emit(str(tmp_path / "whole.safetensors"))
    qtbot.waitUntil(lambda: bool(panel.told))
    assert "--case-stage=bert" in panel.actions.page.state.toolTip()
    assert Regime.STATIC_NO_PACK in panel.actions.page.state.toolTip()
    panel.actions.shut_down(5000)


def test_stopping_leaves_everything_as_it_was(qtbot: QtBot, tmp_path: Path) -> None:
    panel = Panel(qtbot, tmp_path, "import time; time.sleep(600)")
    panel.actions.reduce.trigger()
    panel.actions.page.button.click()
    assert panel.actions.page.state.text() == "Stopped."
    assert panel.actions.reduce.isEnabled()
    assert not panel.failures
    panel.actions.shut_down(PATIENCE_MS)


def test_a_failure_is_told(qtbot: QtBot, tmp_path: Path) -> None:
    panel = Panel(qtbot, tmp_path, f"print({json.dumps(json.dumps({'passed': True}))})")
    panel.actions.reduce.trigger()
    qtbot.waitUntil(lambda: bool(panel.failures))
    assert "no longer fails" in panel.actions.page.state.text()
    assert panel.actions.reduce.isEnabled()
    panel.actions.shut_down(PATIENCE_MS)


def test_without_a_run_nothing_can_be_done(qtbot: QtBot) -> None:
    panel = DiagnosticsPanel()
    qtbot.addWidget(panel)
    actions = CaseActions(panel)
    assert not any(action.isEnabled() for action in (actions.copy, actions.reduce, actions.save))
