import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from app.diagnostics.inspection.inspection_feature import COMPUTING, InspectionFeature
from app.diagnostics.inspection.kernel_switches import KernelSwitches
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.process.controller import DiagnosticsController
from app.diagnostics.process.process import DiagnosticsProcess
from app.diagnostics.runs.run import DiagnosticsOptions, DiagnosticsRun, RunState
from app.diagnostics.runs.run_folders import RunFolders
from engine.errors import EngineError
from engine.speech import SpeechRequest
from engine.validator.data.results import FinishedEvent, Regime
from tests.app.fake_kernel_service import REPLACED
from tests.app.inspection_fakes import FINDING, STAGE
from tests.patience import PATIENCE_MS
from tests.starter_voices import MALE

COMMAND = (sys.executable, "-m", "tests.app.fake_kernel_service")


class Desk:
    """A panel with the page of kernels and a service that does what a text says."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.panel = DiagnosticsPanel()
        qtbot.addWidget(self.panel)
        self.panel.resize(1100, 800)
        self.panel.show()
        process = DiagnosticsProcess(COMMAND)
        self.controller = DiagnosticsController(process, RunFolders(folder))
        self.controller.run_started.connect(self.panel.show_run)
        self.controller.event_received.connect(self.panel.take)
        self.controller.stopped.connect(self.panel.take_stop)
        self.controller.crashed.connect(self.panel.take_crash)
        self.feature = InspectionFeature(self.panel, self.controller, process)

    @property
    def run(self) -> DiagnosticsRun:
        assert self.panel.run is not None
        return self.panel.run

    def diagnose(self, text: str) -> None:
        self.controller.diagnose(SpeechRequest(text, MALE), DiagnosticsOptions(regimes=(Regime.COMPILED,)))
        self.qtbot.waitUntil(lambda: self.run.state is RunState.FINISHED)

    def inspect(self) -> DiagnosticsRun:
        """Diagnose, and look into the stage that is wrong until it can be replaced."""
        self.diagnose("Hello.")
        self.panel.pages.open(self.feature.page)
        self.panel.table.select(STAGE)
        self.qtbot.waitUntil(lambda: self.feature.page.known is not None)
        self.wait_until_idle()
        self.qtbot.waitUntil(self.switches.stage_in_pytorch.isEnabled)
        return self.run

    @property
    def switches(self) -> KernelSwitches:
        return self.feature.page.details.switches

    def wait_until_idle(self) -> None:
        self.qtbot.waitUntil(lambda: not self.feature.inspections.active)


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, tmp_path)
    yield desk
    desk.controller.shut_down(PATIENCE_MS)


def test_the_first_divergence_names_the_kernel(desk: Desk) -> None:
    desk.diagnose("Hello.")

    def named() -> bool:
        finding = desk.run.first_divergence("compiled")
        return finding is not None and FINDING.words in finding.words

    desk.qtbot.waitUntil(named)
    assert FINDING.words in desk.panel.controls.status.details.text()


def test_the_page_shows_the_kernels_of_the_chosen_stage(desk: Desk) -> None:
    desk.panel.pages.open(desk.feature.page)
    desk.diagnose("Hello.")
    desk.panel.table.select(STAGE)
    desk.qtbot.waitUntil(lambda: desk.feature.page.node == FINDING.node)
    assert FINDING.words in desk.feature.page.title.toolTip()


def test_a_stage_that_is_right_is_inspected_when_it_is_looked_at(desk: Desk) -> None:
    desk.panel.pages.open(desk.feature.page)
    desk.diagnose("fine")
    desk.panel.table.select("decoder")
    desk.qtbot.waitUntil(lambda: desk.feature.page.known is not None)
    assert desk.feature.inspections.known(desk.run).stage("decoder") is desk.feature.page.known


def test_a_replaced_stage_is_another_run_with_its_own_regime(desk: Desk) -> None:
    first = desk.inspect()
    desk.switches.stage_in_pytorch.click()
    desk.qtbot.waitUntil(lambda: desk.run is not first and desk.run.state is RunState.FINISHED)
    assert REPLACED in desk.run.regimes
    desk.qtbot.waitUntil(lambda: desk.panel.shown.regime == REPLACED)
    assert desk.panel.stage == STAGE
    assert "Pitch and energy: ✓ Pass" in desk.switches.note.text()
    assert desk.feature.inspections.known(desk.run) is desk.feature.inspections.known(first)
    assert desk.switches.stage_in_pytorch.isChecked()
    assert desk.run.request.speech == first.request.speech
    assert desk.run.request.arrays_folder != first.request.arrays_folder


def test_the_end_of_the_run_before_is_not_that_of_what_is_replaced(desk: Desk) -> None:
    first = desk.inspect()
    assert first.report is not None
    desk.controller.event_received.emit(FinishedEvent(first.report))
    desk.switches.stage_in_pytorch.click()
    QCoreApplication.sendPostedEvents()  # what was told of the first run arrives
    assert desk.run is not first
    assert desk.switches.note.text() == COMPUTING
    desk.qtbot.waitUntil(lambda: desk.panel.shown.regime == REPLACED)


@pytest.mark.parametrize("ends", ["stop", "crash"])
def test_what_is_replaced_is_not_computed_any_more_when_its_run_ends_early(desk: Desk, ends: str) -> None:
    desk.inspect()
    desk.switches.stage_in_pytorch.click()
    assert desk.switches.note.text() == COMPUTING
    if ends == "stop":
        desk.controller.stop()
    else:
        desk.controller.crashed.emit("The reference process ended.")
    QCoreApplication.sendPostedEvents()
    assert desk.switches.note.text() != COMPUTING


def test_what_cannot_be_replaced_is_not_computed_and_the_next_run_is_not_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise EngineError("There is no PyTorch.", "Add it.")

    desk.inspect()
    with monkeypatch.context() as patched:
        patched.setattr("app.diagnostics.process.controller.require_reference", missing)
        desk.switches.stage_in_pytorch.click()
    assert desk.switches.note.text() == ""
    desk.diagnose("fine")
    QCoreApplication.sendPostedEvents()
    assert desk.switches.note.text() == ""


def test_progress_and_failures_are_told(desk: Desk) -> None:
    desk.panel.pages.open(desk.feature.page)
    desk.diagnose("crash")
    desk.panel.table.select("bert")
    desk.qtbot.waitUntil(lambda: "ended while inspecting" in desk.feature.page.title.toolTip())
    assert "kernels" not in desk.panel.controls.status.label.toolTip()
