from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.diagnostics.kernels.inspection import Inspection
from app.diagnostics.kernels.kernel_details import ReplaceButton
from app.diagnostics.kernels.kernel_page import CHOOSE_A_STAGE, COMPUTING, InspectionFeature, KernelPage
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.reference_process import ReferenceProcess
from app.diagnostics.run_queue import InspectionJob, RunQueue
from app.diagnostics.runs.run import DiagnosticsOptions, DiagnosticsRun, RunState
from app.diagnostics.runs.run import Shown as Part
from app.diagnostics.runs.run_folders import RunFolders
from engine.errors import EngineError
from engine.models.checkpoints import STARTER, model_config
from engine.speech import SpeechRequest
from engine.validator.data.results import FinishedEvent, Regime, Report, ValidationRequest
from engine.validator.inspection.results import InspectedEvent, KernelEvent, KernelVerdict
from tests.app import fake_kernel_service
from tests.app.fake_kernel_service import REPLACED
from tests.app.inspection_fakes import FINDING, STAGE, inspected, measurement
from tests.patience import PATIENCE_MS
from tests.starter_voices import MALE

SHOWN = Part("compiled", utterance=0)


def finished_run() -> DiagnosticsRun:
    run = DiagnosticsRun(ValidationRequest(SpeechRequest("Hello.", MALE)), model_config(STARTER))
    run.handle_event(FinishedEvent(Report(run.request, (), (), (), {})))
    return run


class Shown:
    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.inspection = Inspection()
        self.run = finished_run()
        self.jobs: list[InspectionJob] = []
        self.page = KernelPage(lambda run: self.inspection)
        self.page.inspect_requested.connect(self.jobs.append)
        qtbot.addWidget(self.page)
        self.page.resize(1100, 500)
        self.page.show()

    def show(self, inspection: Inspection) -> None:
        self.inspection = inspection
        self.page.show_stage(self.run, SHOWN, STAGE)

    def everywhere(self) -> tuple[str | None, str]:
        """Return the selection of the list and of the details."""
        page = self.page
        row = page.list.currentIndex().row()
        listed = page.list.shown_nodes[row] if page.list.selectedIndexes() else None
        shown = page.details.source.place.currentText() if page.details.source.place.count() else ""
        return listed, shown


@pytest.fixture
def shown(qtbot: QtBot) -> Shown:
    return Shown(qtbot)


def test_the_worst_kernel_is_chosen_first(shown: Shown) -> None:
    shown.show(inspected())
    assert shown.page.node == "b1"
    assert shown.everywhere() == ("b1", "engine/network/exportable/prosody.py:67")
    assert shown.page.title.toolTip() == f"Pitch and energy: {FINDING.words}"


def test_list_links_and_source_choose_for_each_other(shown: Shown) -> None:
    shown.show(inspected())
    page = shown.page
    page.list.setCurrentIndex(page.list.model().index(4, 0))
    assert shown.everywhere()[0] == page.node == "m"
    page.details.figures.label.linkActivated.emit("a3")
    assert shown.everywhere()[0] == page.node == "a3"
    page.details.source.node_chosen.emit("a1")
    assert shown.everywhere()[0] == page.node == "a1"


def test_a_wrong_kernel_is_selected_when_found_unless_the_user_chose_one(shown: Shown) -> None:
    inspection = inspected(measurement("a1"), finished=False)
    shown.show(inspection)
    inspection.handle_event(KernelEvent(measurement("b1", KernelVerdict.WRONG, 99.0)))
    inspection.handle_event(InspectedEvent(STAGE, (FINDING,)))
    shown.page.refresh_soon()
    shown.qtbot.waitUntil(lambda: shown.page.node == "b1")
    shown.page.choose("m")
    shown.page.refresh()
    assert shown.page.node == "m"


def test_a_stage_that_is_looked_at_is_inspected_once(shown: Shown) -> None:
    assert shown.page.title.toolTip() == CHOOSE_A_STAGE
    assert not shown.page.inspect_button.isEnabled()
    for _ in range(2):
        shown.page.show_stage(shown.run, SHOWN, "decoder")
    assert shown.jobs == [InspectionJob(shown.run, ("decoder",), 0)]
    assert shown.page.title.toolTip() == "Decoder: kernels not measured yet."
    shown.page.inspect_button.click()
    assert len(shown.jobs) == 2


def test_nothing_is_inspected_while_the_run_is_active(shown: Shown) -> None:
    shown.run = DiagnosticsRun(ValidationRequest(SpeechRequest("Hello.", MALE)), model_config(STARTER))
    shown.page.show_stage(shown.run, SHOWN, "decoder")
    assert shown.jobs == []
    assert not shown.page.inspect_button.isEnabled()
    shown.run.stop()
    shown.page.show_stage(shown.run, SHOWN, "decoder")
    assert len(shown.jobs) == 1


def test_a_message_is_shown_until_all_kernels_are_known(shown: Shown) -> None:
    shown.page.show_stage(shown.run, SHOWN, STAGE)
    shown.page.show_message("Loading modules")
    assert shown.page.title.toolTip() == "Loading modules"
    shown.inspection = inspected()
    shown.page.refresh_stage(shown.run, STAGE)
    assert shown.page.title.toolTip() == f"Pitch and energy: {FINDING.words}"


def test_a_message_about_a_different_run_is_not_shown_for_this_one(shown: Shown) -> None:
    shown.page.show_stage(shown.run, SHOWN, STAGE)
    shown.page.show_message("The process ended.")
    shown.inspection = Inspection()
    shown.page.show_stage(finished_run(), SHOWN, STAGE)
    assert shown.page.title.toolTip() != "The process ended."


def test_news_of_a_different_stage_or_run_changes_nothing(shown: Shown) -> None:
    shown.page.show_stage(shown.run, SHOWN, STAGE)
    shown.inspection = inspected()
    shown.page.refresh_stage(shown.run, "decoder")
    shown.page.refresh_stage(finished_run(), STAGE)
    assert shown.page.known is None


def test_a_stage_inspected_again_keeps_the_chosen_node(shown: Shown) -> None:
    inspection = inspected()
    shown.show(inspection)
    shown.page.choose("m")
    inspection = inspected()
    shown.show(inspection)
    assert shown.everywhere()[0] == shown.page.node == "m"


def test_a_run_of_other_kernels_forgets_replacements(shown: Shown) -> None:
    shown.show(inspected())
    shown.page.details.source.replace.stage_in_pytorch.trigger()
    shown.run = finished_run()
    shown.page.show_stage(shown.run, SHOWN, STAGE)
    assert shown.page.details.source.replace.replacements != ()
    shown.inspection = inspected()
    shown.page.show_stage(shown.run, SHOWN, STAGE)
    assert shown.page.details.source.replace.replacements == ()


def test_find_goes_to_the_search(shown: Shown) -> None:
    shown.show(inspected())
    shown.page.list.setFocus()
    shown.qtbot.waitUntil(shown.page.isActiveWindow)
    QTest.keyClick(shown.page.list, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert shown.page.search.hasFocus()


def test_tab_goes_through_the_page_as_it_is_read(shown: Shown) -> None:
    shown.show(inspected())
    page = shown.page
    page.inspect_button.setFocus()
    stops = [page.inspect_button, page.search, page.worst_first, page.list]
    reached: list[object] = []
    for _ in stops:
        reached.append(page.focusWidget())
        QTest.keyClick(page.focusWidget(), Qt.Key.Key_Tab)
    assert reached == stops
    assert page.details.isAncestorOf(page.focusWidget())


class Desk:
    """A panel with the kernel page and a service that is controlled by its text."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.panel = DiagnosticsPanel()
        qtbot.addWidget(self.panel)
        self.panel.resize(1100, 800)
        self.panel.show()
        self.process = ReferenceProcess(fake_kernel_service.serve)
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
        """Diagnose, and inspect the failing stage until its kernels can be replaced."""
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


def test_a_stage_that_is_right_is_inspected_when_it_is_looked_at(desk: Desk) -> None:
    desk.panel.pages.open(desk.feature.page)
    desk.diagnose("fine")
    desk.panel.table.select("decoder")
    desk.qtbot.waitUntil(lambda: desk.feature.page.known is not None)
    assert desk.queue.known(desk.run).stage("decoder") is desk.feature.page.known


def test_replacing_a_stage_creates_a_new_run_with_its_own_regime(desk: Desk) -> None:
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
def test_a_replacement_stops_computing_when_its_run_ends_early(desk: Desk, ends: str) -> None:
    desk.inspect()
    desk.switches.stage_in_pytorch.trigger()
    assert desk.outcome == COMPUTING
    if ends == "stop":
        desk.queue.stop()
    else:
        desk.process.died.emit("It crashed.")
    assert desk.outcome != COMPUTING


def test_an_impossible_replacement_is_not_computed_or_mistaken_for_the_next_run(
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
