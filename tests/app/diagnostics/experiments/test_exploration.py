from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.experiments.exploration import Exploration
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.process.controller import DiagnosticsController
from app.diagnostics.process.process import DiagnosticsProcess
from app.diagnostics.runs.run import DiagnosticsOptions
from app.diagnostics.runs.run_folders import RunFolders
from engine.speech import SpeechRequest
from engine.validator.data.experiments import ExperimentRequest, SweepRequest
from engine.validator.data.results import STUDENT_REGIMES, Regime
from tests.app.diagnostics.process.test_process import COMMAND
from tests.patience import PATIENCE_MS


class Desk:
    """A panel with the pages, over a process without a model."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.speech: SpeechRequest | None = SpeechRequest("any text", "af_heart")
        self.panel = DiagnosticsPanel()
        qtbot.addWidget(self.panel)
        self.process = DiagnosticsProcess(COMMAND)
        self.controller = DiagnosticsController(self.process, RunFolders(folder))
        self.exploration = Exploration(self.panel, self.process, self.controller, lambda: (self.speech, "starter"))
        self.begun: list[ExperimentRequest] = []
        self.exploration.experiments.began.connect(self.begun.append)

    def wait(self) -> None:
        self.qtbot.waitUntil(lambda: self.exploration.experiments.request is None)


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(qtbot, tmp_path)
    yield made
    made.controller.shut_down(PATIENCE_MS)


def test_the_pages_are_in_the_panel(desk: Desk) -> None:
    pages = desk.exploration
    assert desk.panel.pages.all[-2:] == (pages.matrix, pages.padding)


def test_all_regimes_are_compared_in_one_run(desk: Desk) -> None:
    wanted: list[DiagnosticsOptions] = []
    desk.panel.diagnose_wanted.connect(wanted.append)
    desk.exploration.matrix.editor.boxes["decoder"].choose(Regime.DYNAMIC)
    desk.exploration.matrix.compare.click()
    (options,) = wanted
    assert set(options.regimes) == set(Regime) - {Regime.DYNAMIC, *STUDENT_REGIMES}
    assert options.cross == (("decoder", Regime.DYNAMIC),)
    desk.panel.controls.to_run.offer_students(True)
    desk.exploration.matrix.compare.click()
    assert set(wanted[1].regimes) == set(Regime) - {Regime.DYNAMIC}


def test_a_sweep_is_made_of_the_text_and_shown(desk: Desk) -> None:
    desk.exploration.padding.bar.button.click()
    assert desk.exploration.padding.bar.running
    desk.wait()
    (request,) = desk.begun
    assert isinstance(request, SweepRequest)
    assert request.request.speech == desk.speech
    assert desk.exploration.padding.points
    assert not desk.exploration.padding.bar.running


def test_a_sweep_is_cancelled_by_its_button(desk: Desk) -> None:
    desk.speech = SpeechRequest("hold", "af_heart")
    desk.exploration.padding.bar.button.click()
    desk.exploration.padding.bar.button.click()
    assert desk.exploration.padding.bar.words.accessibleDescription() == "Stopped."


def test_without_a_text_it_says_so(desk: Desk) -> None:
    desk.speech = None
    failures: list[Exception] = []
    desk.exploration.failed.connect(failures.append)
    desk.exploration.padding.bar.button.click()
    assert ["nothing to compare" in str(failure) for failure in failures] == [True]
    assert desk.begun == []
