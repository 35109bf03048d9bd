from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.diagnostics.outputs.listening import AudioSide
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.runs.run import DiagnosticsRun, RunState, Shown
from app.diagnostics.stages.stage_pages import StagePage
from app.diagnostics.stages.stage_rows import Column
from app.theme import DARK, Appearance, Theme
from engine.stages import STAGES
from engine.validator.data.results import InputSource, Regime, RowEvent, ValidationEvent, Verdict
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, arrays_of, events, finished_run, request

REGIMES = (Regime.UPSTREAM, Regime.STATIC_NO_PACK, Regime.COMPILED)


@pytest.fixture
def panel(qtbot: QtBot) -> DiagnosticsPanel:
    panel = DiagnosticsPanel()
    qtbot.addWidget(panel)
    panel.resize(1000, 420)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


@pytest.fixture
def run() -> DiagnosticsRun:
    asked = request(REGIMES)
    return DiagnosticsRun(asked, CONFIG, arrays_of(asked))


def take(panel: DiagnosticsPanel, run: DiagnosticsRun, event: ValidationEvent) -> None:
    run.handle_event(event)
    panel.refresh_soon()


def cells(panel: DiagnosticsPanel, column: Column) -> list[str]:
    model = panel.table.model()
    return [model.index(number, column).data() for number in range(model.rowCount())]


def test_rows_come_one_by_one(panel: DiagnosticsPanel, run: DiagnosticsRun, qtbot: QtBot) -> None:
    panel.show_run(run)
    assert cells(panel, Column.VERDICT) == ["waiting"] * len(STAGES)
    for event in events(run.request, UTTERANCES[:1]):
        take(panel, run, event)
        if isinstance(event, RowEvent) and event.row.stage == "alignment":
            break
    qtbot.waitUntil(lambda: cells(panel, Column.VERDICT)[:2] == ["✓ Pass"] * 2)
    assert cells(panel, Column.VERDICT)[3:] == ["waiting"] * (len(STAGES) - 3)


def test_many_events_are_drawn_once(panel: DiagnosticsPanel, run: DiagnosticsRun, qtbot: QtBot) -> None:
    panel.show_run(run)
    drawn: list[int] = []
    panel.model.dataChanged.connect(lambda first, last: drawn.append(first.row()))
    for event in events(run.request):
        take(panel, run, event)
    assert drawn == []
    qtbot.waitUntil(lambda: drawn == list(range(len(STAGES))))


def test_a_crash_leaves_clear_rows_and_a_usable_panel(
    panel: DiagnosticsPanel, run: DiagnosticsRun, qtbot: QtBot
) -> None:
    panel.show_run(run)
    for event in events(run.request)[:40]:
        take(panel, run, event)
    run.crash("The reference process has ended.")
    panel.refresh_soon()
    qtbot.waitUntil(lambda: cells(panel, Column.VERDICT)[-1] == "! Crashed")
    assert "has ended" in panel.status.label.accessibleDescription()
    with qtbot.waitSignal(panel.diagnose_requested):
        panel.to_run.diagnose_button.click()


def test_diagnose_becomes_stop_while_it_runs(panel: DiagnosticsPanel, run: DiagnosticsRun, qtbot: QtBot) -> None:
    button = panel.to_run.diagnose_button
    panel.show_run(run)
    assert button.text() == "Stop"
    with qtbot.waitSignal(panel.stop_requested):
        button.click()
    run.stop()
    panel.refresh_soon()
    qtbot.waitUntil(lambda: button.text() == "Diagnose")


def test_a_moment_of_a_strip_is_shown_in_the_signals(panel: DiagnosticsPanel) -> None:
    panel.show_run(finished_run())
    panel.table.select("f0n")
    panel.table.setFocus()
    panel.strip.show_moment(0.4)
    panel.table.moment_chosen.emit(0.4)
    assert panel.drill_down.signals.panes[0].cursor.value() == 0.4


def test_choosing_a_stage_shows_its_signals(panel: DiagnosticsPanel, qtbot: QtBot) -> None:
    panel.show_run(finished_run())
    place = panel.table.visualRect(panel.table.proxy.index_of("istft")).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert panel.drill_down.isVisible()
    assert panel.drill_down.outputs.output == "audio"
    qtbot.waitUntil(panel.drill_down.signals.isVisible)
    with qtbot.waitSignal(panel.drill_down.listening.part_clicked):
        panel.drill_down.listening.buttons[AudioSide.OURS].click()


def test_the_pointer_opens_the_first_divergence(panel: DiagnosticsPanel) -> None:
    panel.show_run(finished_run((Regime.STATIC_NO_PACK,)))
    panel.to_run.regime.choose(Regime.STATIC_NO_PACK)
    panel.refresh()
    panel.status.pointer.click()
    assert panel.table.stage == "bert"
    assert panel.drill_down.isVisible()
    assert panel.pages.current is panel.drill_down


def test_the_worst_comes_first_on_request(panel: DiagnosticsPanel) -> None:
    panel.show_run(finished_run())
    panel.to_run.more.worst_first.trigger()
    assert cells(panel, Column.STAGE)[0] == "Waveform"
    panel.to_run.more.worst_first.trigger()
    assert cells(panel, Column.STAGE) == [stage.title for stage in STAGES]


def test_the_worst_stage_of_each_run_shows_while_no_other_is_chosen(panel: DiagnosticsPanel) -> None:
    panel.show_run(finished_run())
    assert panel.stage == "istft"
    other = DiagnosticsRun(request(), CONFIG)
    for event in events(request()):
        if isinstance(event, RowEvent) and event.row.stage == "source":
            event = RowEvent(replace(event.row, verdict=Verdict.FAIL))
        other.handle_event(event)
    panel.show_run(other)
    assert panel.stage == "source"


def test_the_worst_stage_shows_unless_the_user_chose_a_different_one(
    panel: DiagnosticsPanel, run: DiagnosticsRun, qtbot: QtBot
) -> None:
    panel.show_run(run)
    for event in events(run.request):
        assert panel.stage is None
        take(panel, run, event)
    qtbot.waitUntil(lambda: panel.stage == "istft")
    panel.table.select("f0n")
    panel.show_run(finished_run())
    assert panel.stage == "f0n"


class Seen(StagePage):
    """A page that records its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.stages: list[str | None] = []
        self.moments: list[float | None] = []

    def show_stage(self, run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> None:
        self.stages.append(stage)

    def show_moment(self, seconds: float | None) -> None:
        self.moments.append(seconds)


def test_a_page_receives_the_stage_to_show_while_it_is_visible(panel: DiagnosticsPanel) -> None:
    page = Seen()
    panel.add_page("Seen", page, "What is seen")
    panel.show_run(finished_run())
    panel.table.select("f0n")
    assert not page.stages
    panel.pages.tabs.setCurrentIndex(1)
    panel.table.select("decoder")
    panel.table.moment_chosen.emit(0.3)
    assert page.stages == ["f0n", "decoder"]
    assert page.moments[-1] == 0.3


def test_a_page_can_have_the_room_of_the_list(panel: DiagnosticsPanel, qtbot: QtBot) -> None:
    panel.resize(640, 720)
    panel.show_run(finished_run())
    panel.table.select("f0n")
    height = panel.pages.height()
    button = panel.pages.room_button
    qtbot.keyClick(button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: panel.pages.height() > height + 200)
    assert not panel.table.isVisible()
    assert panel.stage == "f0n"
    assert button.text() == "Show Stages"
    qtbot.keyClick(button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: panel.pages.height() == height)
    assert panel.table.isVisible()


def test_a_page_may_request_a_different_part_of_the_run(panel: DiagnosticsPanel) -> None:
    page = Seen()
    panel.add_page("Seen", page)
    panel.show_run(finished_run(REGIMES))
    shown = Shown(Regime.STATIC_NO_PACK, InputSource.END_TO_END, 1)
    page.part_requested.emit(shown, "source")
    assert (panel.shown, panel.stage) == (shown, "source")
    assert cells(panel, Column.VERDICT)[-1] == "↳ Inherited"


def test_an_action_is_in_the_menu_and_at_every_row(panel: DiagnosticsPanel) -> None:
    action = panel.add_action("Copy as Command", "Copy a command")
    assert panel.to_show.to_do.menu().actions() == [action]
    assert panel.table.actions() == [action]


def test_the_activity_of_a_feature_is_shown_instead_of_the_run(panel: DiagnosticsPanel, run: DiagnosticsRun) -> None:
    status = panel.status
    panel.show_run(finished_run())
    panel.show_activity(status, "Reducing: 12 phonemes", 0.5)
    panel.refresh()
    assert status.label.accessibleDescription() == "Reducing: 12 phonemes"
    assert status.progress.isVisible()
    assert status.progress.value() == status.progress.maximum() / 2
    panel.show_activity(status, "")
    assert status.label.accessibleDescription() == "Done: 3 utterances."
    assert not status.progress.isVisible()


@pytest.mark.parametrize(("width", "height"), [(640, 720), (920, 800), (1440, 900)])
def test_all_stages_are_in_sight(panel: DiagnosticsPanel, qtbot: QtBot, width: int, height: int) -> None:
    panel.show_run(finished_run())
    panel.resize(width, height)
    table = panel.table

    def last_bottom() -> int:
        return table.visualRect(table.proxy.index_of(STAGES[-1].name)).bottom()

    qtbot.waitUntil(lambda: 0 < last_bottom() < table.viewport().height())
    assert panel.pages.height() >= 200


def test_an_older_run_can_be_viewed_while_a_new_one_continues(panel: DiagnosticsPanel, run: DiagnosticsRun) -> None:
    first = finished_run()
    panel.show_run(first)
    panel.show_run(run)
    panel.to_show.run_chosen.emit(first)
    assert panel.run is first
    assert panel.live_run is run
    assert panel.to_run.diagnose_button.text() == "Stop"
    for event in events(run.request)[:20]:
        take(panel, run, event)
    assert run.row_count > 0
    assert first.state is RunState.FINISHED


def test_an_earlier_run_shows_the_changes(panel: DiagnosticsPanel) -> None:
    first, second = finished_run(), finished_run()
    panel.show_run(first)
    panel.show_run(second)
    assert panel.table.isColumnHidden(Column.CHANGE)
    panel.to_show.earlier.choose(first)
    panel.to_show.changed.emit()
    assert not panel.table.isColumnHidden(Column.CHANGE)
    assert cells(panel, Column.CHANGE) == ["same"] * len(STAGES)


def test_every_part_is_painted_in_any_theme(panel: DiagnosticsPanel, run: DiagnosticsRun, theme: Theme) -> None:
    panel.show_run(run)
    theme.choose(Appearance.DARK)
    image = panel.table.viewport().grab().toImage()
    assert image.pixelColor(image.width() - 20, 8).name() == DARK.window  # a strip without cells


def test_all_that_can_be_used_has_a_name(panel: DiagnosticsPanel) -> None:
    usable = [each for each in panel.findChildren(QWidget) if each.isVisible() and each.isEnabled()]
    usable = [each for each in usable if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.focusProxy() is None]
    names = {each.accessibleName() or getattr(each, "text", str)() for each in usable}
    assert "" not in names
    assert {"Stages", "Pages", "Actions", "Compared", "Reading", "Utterance"} <= names


def test_no_parentless_windows_are_left_to_the_garbage_collector(qtbot: QtBot) -> None:
    """Python may delete a menu while Qt iterates over all windows, which crashes the application."""

    def nobody_s() -> set[QMenu]:
        return {each for each in QApplication.allWidgets() if isinstance(each, QMenu) and each.parent() is None}

    before = nobody_s()
    qtbot.addWidget(DiagnosticsPanel())
    assert nobody_s() <= before
