"""Tests of copying the command, and of reducing and saving a case."""

import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from app.diagnostics.cases import COPIED, CaseActions
from app.diagnostics.panel import DiagnosticsPanel
from engine.cli import data_of
from engine.validator.cases.as_command import as_arguments
from engine.validator.cases.case import load_case
from engine.validator.data.results import Regime
from tests.app import stand_in_commands
from tests.app.diagnostics_fakes import finished_run
from tests.patience import PATIENCE_MS


class Panel:
    def __init__(self, qtbot: QtBot, folder: Path, data_of: Callable[[list[str]], Any]) -> None:
        self.qtbot = qtbot
        self.panel = DiagnosticsPanel()
        qtbot.addWidget(self.panel)
        self.panel.resize(1000, 700)
        self.panel.export_folder = folder
        self.actions = CaseActions(self.panel, data_of)
        self.message_sent: list[str] = []
        self.failures: list[Exception] = []
        self.actions.message_sent.connect(self.message_sent.append)
        self.actions.failed.connect(self.failures.append)
        self.panel.show()
        self.run = finished_run((Regime.STATIC_NO_PACK, Regime.COMPILED))
        self.panel.show_run(self.run)
        self.choose(Regime.STATIC_NO_PACK)

    def choose(self, regime: Regime, stage: str = "bert") -> None:
        self.panel.to_run.regime.choose(regime)
        self.panel.refresh()
        self.panel.table.select(stage)
        self.panel.refresh()

    def reduce(self) -> QMessageBox:
        self.panel.status.reduce_button.click()
        self.qtbot.waitUntil(lambda: self.panel.findChild(QMessageBox) is not None)
        return self.panel.findChild(QMessageBox)

    def save_in_dialog(self, path: Path) -> None:
        self.panel.findChild(QFileDialog).fileSelected.emit(str(path))
        self.qtbot.waitUntil(lambda: bool(self.message_sent or self.failures))


@pytest.fixture
def panel_of(qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[..., Panel]]:
    panels: list[Panel] = []

    def make(data_of: Callable[[list[str]], Any]) -> Panel:
        panels.append(Panel(qtbot, tmp_path, data_of))
        return panels[-1]

    yield make
    for panel in panels:
        panel.actions.shut_down(PATIENCE_MS)


@pytest.fixture
def made(panel_of: Callable[..., Panel]) -> Panel:
    return panel_of(stand_in_commands.makes_a_case)


def test_the_command_is_copied(made: Panel) -> None:
    made.actions.copy.trigger()
    words = shlex.split(QGuiApplication.clipboard().text())
    assert words[:2] == ["kokoro-desk", "validate"]
    assert tuple(words[2:]) == as_arguments(made.run.request)
    assert made.message_sent == [COPIED]


def test_only_failures_can_be_reduced_or_saved(made: Panel) -> None:
    button = made.panel.status.reduce_button
    assert button.isVisible()
    assert made.actions.save.isEnabled()
    made.choose(Regime.COMPILED)
    assert not button.isVisible()
    assert not made.actions.save.isEnabled()
    assert made.actions.copy.isEnabled()


def test_reducing_shows_the_shortest_text_and_its_command(made: Panel, tmp_path: Path) -> None:
    box = made.reduce()
    assert "fails on “h”" in box.text()
    assert box.detailedText() == "Reduced."
    buttons = {button.text(): button for button in box.buttons()}
    buttons["Copy Command"].clicked.emit()
    command = QGuiApplication.clipboard().text()
    assert command in box.informativeText()
    assert {"--phonemes=h", f"--regimes={Regime.STATIC_NO_PACK}"} <= set(shlex.split(command))
    buttons["Save Case…"].clicked.emit()
    assert made.panel.findChild(QFileDialog).selectedFiles()[0].endswith("bert fails.safetensors")
    made.save_in_dialog(tmp_path / "mine.safetensors")
    assert "--reduce" in (tmp_path / "mine.safetensors").read_text().split()
    assert made.message_sent[-1].startswith("Saved mine.safetensors to ")


def test_a_case_is_saved_as_it_is(made: Panel, tmp_path: Path) -> None:
    made.actions.save.trigger()
    made.save_in_dialog(tmp_path / "whole.safetensors")
    assert "--reduce" not in (tmp_path / "whole.safetensors").read_text().split()
    assert made.panel.findChild(QMessageBox) is None


def test_a_case_that_cannot_be_saved_is_reported(made: Panel, tmp_path: Path) -> None:
    made.actions.save.trigger()
    made.save_in_dialog(tmp_path / "nowhere" / "whole.safetensors")
    assert str(tmp_path / "nowhere") in str(made.failures[0])


def test_the_case_that_is_saved_is_the_one_that_was_asked_for(made: Panel, tmp_path: Path) -> None:
    made.actions.save.trigger()
    made.choose(Regime.COMPILED, "decoder")  # a new run begins, for example, while the user chooses a folder
    made.save_in_dialog(tmp_path / "whole.safetensors")
    words = (tmp_path / "whole.safetensors").read_text().split()
    assert {"--case-stage=bert", f"--regimes={Regime.STATIC_NO_PACK}"} <= set(words)


def test_stopping_leaves_everything_as_it_was(panel_of: Callable[..., Panel]) -> None:
    panel = panel_of(stand_in_commands.hangs)
    button = panel.panel.status.reduce_button
    button.click()
    assert "Stop" in button.text()
    assert not panel.actions.save.isEnabled()
    button.click()
    assert "Stop" not in button.text()
    assert panel.actions.save.isEnabled()
    assert not panel.failures


def test_a_failure_to_reduce_is_reported(panel_of: Callable[..., Panel]) -> None:
    panel = panel_of(stand_in_commands.finds_no_case)
    panel.panel.status.reduce_button.click()
    panel.qtbot.waitUntil(lambda: bool(panel.failures))
    assert "no longer fails" in str(panel.failures[0])
    assert panel.panel.status.reduce_button.isEnabled()


def test_a_command_that_fails_says_why(panel_of: Callable[..., Panel]) -> None:
    panel = panel_of(stand_in_commands.fails)
    panel.panel.status.reduce_button.click()
    panel.qtbot.waitUntil(lambda: bool(panel.failures))
    assert str(panel.failures[0]) == "Couldn’t create the case. There is no voice."


def test_the_real_command_makes_a_case_that_can_be_loaded(panel_of: Callable[..., Panel], tmp_path: Path) -> None:
    panel = panel_of(data_of)
    panel.choose(Regime.STATIC_NO_PACK, "text_encoder")
    panel.actions.save.trigger()
    panel.save_in_dialog(tmp_path / "real.safetensors")
    assert panel.failures == []
    facts = load_case(tmp_path / "real.safetensors").facts
    assert facts.row.stage == "text_encoder"
    assert replace(facts.request, regimes=()) == replace(panel.run.request, regimes=())


def test_without_a_run_nothing_can_be_done(qtbot: QtBot) -> None:
    panel = DiagnosticsPanel()
    qtbot.addWidget(panel)
    actions = CaseActions(panel)
    assert not any(action.isEnabled() for action in (actions.copy, actions.save))
    assert panel.status.reduce_button.isHidden()
