"""The real window with the real model, the real reference process and the diagnostics panel, run as a process.

    python -m tests.app.real_diagnostics FOLDER

It speaks and is diagnosed twice, the second time with the reference loaded, exports the results, loses the reference in
the middle of a third run, speaks again, and closes the panel. It leaves `report.json` and pictures.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NoReturn

from PySide6.QtCore import QObject, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.diagnostics.runs.run import RunState
from app.options import Options
from app.settings import Settings
from app.speech.activity import Readiness
from app.start import leave
from app.system.threads import collected_between_events
from engine.validator.data.results import FinishedEvent, RowEvent, ValidationEvent
from engine.validator.data.wire import Wire
from tests.patience import PATIENCE_SECONDS
from tests.processes import exists

TEXT = "The small fox ran over the hill. Nobody saw it there."
OTHER_TEXT = "And the window still speaks."
TICK_MS = 5
LOOK_MS = 20
DRAWN_AFTER_MS = 300
KILL_AFTER_ROWS = 20
ENDED_STATES = (RunState.FINISHED, RunState.FAILED, RunState.CRASHED, RunState.STOPPED)


@dataclass
class Phase:
    """A part of the scenario: how long the window slept at worst between two turns, and when events arrived."""

    name: str
    longest_gap_ms: float = 0.0
    gaps_over_20_ms: list[float] = field(default_factory=list)
    rows: list[tuple[float, str, str, str]] = field(default_factory=list)
    state: str = ""
    message: str = ""


class Heartbeat(QObject):
    """Notices when the event loop stood still because the window waited for something other than events."""

    def __init__(self, phases: list[Phase]) -> None:
        super().__init__()
        self._phases = phases
        self._last = time_asleep_ms()
        self._timer = QTimer(self, interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.beat)
        self._timer.start()

    def beat(self) -> None:
        now = time_asleep_ms()
        gap_ms, self._last = now - self._last, now
        phase = self._phases[-1]
        phase.longest_gap_ms = max(phase.longest_gap_ms, gap_ms)
        if gap_ms > 20:
            phase.gaps_over_20_ms.append(gap_ms)


def time_asleep_ms() -> float:
    """Return the time, less this thread's CPU time and its waits for a CPU that others used.

    Both depend on the machine; the time asleep while waiting for a process, a file or a lock does not.
    """
    ran_ns, waited_ns, _ = map(int, Path("/proc/thread-self/schedstat").read_text(encoding="ascii").split())
    return (time.perf_counter_ns() - ran_ns - waited_ns) / 1e6


class Scenario(QObject):
    """Resumes whenever the event it waits for has happened."""

    def __init__(self, application: Application, folder: Path) -> None:
        super().__init__()
        self.application, self.folder = application, folder
        self.diagnostics, self.speech = application.diagnostics, application.controller
        self.phases = [Phase("start")]
        self.report: dict[str, object] = {}
        self.heartbeat = Heartbeat(self.phases)
        self.steps = self.play()
        self.waits_for = next(self.steps)
        self.diagnostics.queue.changed.connect(self.on_event)
        self.timer = QTimer(self, interval=LOOK_MS)
        self.timer.timeout.connect(self.look)
        self.timer.start()

    def play(self) -> Iterator[object]:
        """Run the whole story; yields the events to wait for."""
        window, panel = self.application.window, self.diagnostics.panel
        yield lambda: self.speech.activity.readiness is Readiness.READY and window.request.voice
        yield from self.idle()
        self.begin("loading")
        window.play()
        yield self.has_ended
        self.end_phase()
        button = panel.to_run.diagnose_button
        yield lambda: self.speech.activity.idle and button.text() == "Diagnose"
        self.begin("loaded")
        button.click()
        yield self.has_ended
        yield from self.idle()
        self.end_phase()
        self.begin("picture")
        self.keep_run()
        self.picture("finished")
        yield from self.idle()
        self.begin("export")
        self.diagnostics.keeping.export_to(self.folder / "bundle.zip")
        yield lambda: not self.diagnostics.keeping.active
        self.report["exported"] = str(self.folder / "bundle.zip")
        self.begin("killed")
        window.play()
        yield lambda: len(self.phases[-1].rows) >= KILL_AFTER_ROWS
        process_id = self.diagnostics.process.process_id
        os.kill(process_id, signal.SIGKILL)
        yield self.has_ended
        yield from self.idle()
        self.end_phase()
        self.begin("picture")
        self.picture("killed")
        yield from self.idle()
        self.begin("after")
        window.page.editor.set_text(OTHER_TEXT)
        window.play()
        yield lambda: self.speech.track.whole
        yield self.has_ended
        self.end_phase()
        self.report["spoken_after"] = self.speech.track.length
        process_id = self.diagnostics.process.process_id
        self.diagnostics.window.close()
        closed_at = time.monotonic()
        yield lambda: not exists(process_id) or time.monotonic() > closed_at + PATIENCE_SECONDS
        self.report["reference_ended"] = not exists(process_id)
        self.begin("end")

    def idle(self) -> Iterator[object]:
        """Wait until everything is drawn."""
        until = time.monotonic() + DRAWN_AFTER_MS / 1000
        yield lambda: time.monotonic() > until and not self.diagnostics.drawing

    def begin(self, name: str) -> None:
        self.phases.append(Phase(name))

    def has_ended(self) -> bool:
        run = self.diagnostics.panel.run
        return run is not None and run.state in ENDED_STATES and bool(self.phases[-1].rows)

    def end_phase(self) -> None:
        run = self.diagnostics.panel.run
        self.phases[-1].state, self.phases[-1].message = run.state.value, run.message

    def keep_run(self) -> None:
        run = self.diagnostics.panel.run
        assert run.report is not None
        self.report["validation"] = Wire().report_to_dict(run.report)

    def picture(self, name: str) -> None:
        self.diagnostics.window.grab().save(str(self.folder / f"{name}.png"))

    def on_event(self, event: ValidationEvent | None) -> None:
        if isinstance(event, RowEvent):
            row = event.row
            self.phases[-1].rows.append((time.time(), row.stage, f"{row.regime} {row.reading}", row.output))
        elif isinstance(event, FinishedEvent):
            run = self.diagnostics.panel.live_run
            self.report.setdefault("finished", []).append(run.row_count)  # type: ignore[attr-defined,union-attr]

    def look(self) -> None:
        if self.waits_for():  # type: ignore[operator]
            try:
                self.waits_for = next(self.steps)
            except StopIteration:
                self.timer.stop()
                self.end()

    def end(self) -> None:
        self.report["phases"] = [asdict(phase) for phase in self.phases]
        (self.folder / "report.json").write_text(json.dumps(self.report), encoding="utf-8")
        QApplication.quit()


def main() -> NoReturn:
    folder = Path(sys.argv[1])
    qt = QApplication(sys.argv[:1])
    settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
    settings.text = TEXT
    settings.diagnose_while_speaking = True
    application = Application(qt, Options(diagnostics=True), settings)
    scenario = Scenario(application, folder)
    with collected_between_events():
        application.open()
        qt.exec()
        del scenario
        leave(0 if application.close() else 1)


if __name__ == "__main__":
    main()
