import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.kernels.kernel_details import ReplaceButton
from app.diagnostics.kernels.kernel_page import COMPUTING, InspectionFeature
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.reference_process import ReferenceProcess
from app.diagnostics.run_queue import RunQueue
from app.diagnostics.runs.run import DiagnosticsOptions, DiagnosticsRun, RunState
from app.diagnostics.runs.run_folders import RunFolders
from engine.errors import EngineError
from engine.speech import SpeechRequest
from engine.validator.data.results import Regime
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
        self.process = ReferenceProcess(COMMAND)
        self.queue = RunQueue(self.process, RunFolders(folder))
        self.queue.run_started.connect(self.panel.show_run)
        self.queue.changed.connect(self.panel.refresh_soon)
        self.feature = InspectionFeature(self.panel, self.queue)

    @property
    def run(self) -> DiagnosticsRun:
        assert self.panel.run is not None
        return self.panel.run

    def diagnose(self, text: str) -> None:
        self.queue.diagnose(SpeechRequest(text, MALE), DiagnosticsOptions(regimes=(Regime.COMPILED,)))
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
    def switches(self) -> ReplaceButton:
        return self.feature.page.details.source.replace

    @property
    def outcome(self) -> str:
        return self.feature.page.details.source.outcome.text()

    def wait_until_idle(self) -> None:
        self.qtbot.waitUntil(lambda: not self.queue.inspecting)


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, tmp_path)
    yield desk
    desk.queue.shut_down(PATIENCE_MS)


def test_the_first_divergence_names_the_kernel(desk: Desk) -> None:
    desk.diagnose("Hello.")

    def named() -> bool:
        finding = desk.run.first_divergence("compiled")
        return finding is not None and FINDING.words in finding.words

    desk.qtbot.waitUntil(named)
    assert FINDING.words in desk.panel.status.details.text()


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
    assert desk.queue.known(desk.run).stage("decoder") is desk.feature.page.known


def test_a_replaced_stage_is_another_run_with_its_own_regime(desk: Desk) -> None:
    first = desk.inspect()
    desk.switches.stage_in_pytorch.trigger()
    desk.qtbot.waitUntil(lambda: desk.run is not first and desk.run.state is RunState.FINISHED)
    assert REPLACED in desk.run.regimes
    desk.qtbot.waitUntil(lambda: desk.panel.shown.regime == REPLACED)
    assert desk.panel.stage == STAGE
    assert "Pitch and energy: ✓ Pass" in desk.outcome
    assert desk.queue.known(desk.run) is desk.queue.known(first)
    assert desk.switches.stage_in_pytorch.isChecked()
    assert desk.run.request.speech == first.request.speech
    assert desk.run.request.arrays_folder != first.request.arrays_folder


@pytest.mark.parametrize("ends", ["stop", "crash"])
def test_what_is_replaced_is_not_computed_any_more_when_its_run_ends_early(desk: Desk, ends: str) -> None:
    desk.inspect()
    desk.switches.stage_in_pytorch.trigger()
    assert desk.outcome == COMPUTING
    if ends == "stop":
        desk.queue.stop()
    else:
        desk.process.died.emit("It crashed.")
    assert desk.outcome != COMPUTING


def test_what_cannot_be_replaced_is_not_computed_and_the_next_run_is_not_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise EngineError("There is no PyTorch.", "Add it.")

    desk.inspect()
    with monkeypatch.context() as patched:
        patched.setattr("app.diagnostics.run_queue.require_reference", missing)
        desk.switches.stage_in_pytorch.trigger()
    assert desk.outcome == ""
    desk.diagnose("fine")
    assert desk.outcome == ""


def test_progress_and_failures_are_told(desk: Desk) -> None:
    desk.panel.pages.open(desk.feature.page)
    desk.diagnose("crash")
    desk.panel.table.select("bert")
    desk.qtbot.waitUntil(lambda: "ended while inspecting" in desk.feature.page.title.toolTip())
    assert "kernels" not in desk.panel.status.label.toolTip()
