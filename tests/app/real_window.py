"""The real window on a real display and a real sound device, run as a process.

Its engine speaks noise, except in the scenario `long`, which has the bundled voices.

    python -m tests.app.real_window SCENARIO FOLDER

Each scenario leaves `report.json`, the speech in `speech.npy` and a picture in `window.png`.
"""

from __future__ import annotations

import json
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import numpy as np
from PySide6.QtCore import QObject, QSettings, QTimer
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.audio.player import Playback
from app.options import Options
from app.settings import Settings
from app.speech.activity import Activity, Readiness
from app.start import leave
from app.system.threads import collected_between_events
from engine.speech import AudioChunk, Event, Plan, PlanEvent, SpeechRequest
from tests.app.fakes import FakeEngine, utterances_of

RATE_HZ = 24_000
TEXT = "This is the first sentence. Here comes another. And a third one. The last is here."
SECONDS_PER_SENTENCE = 0.8
LONG_WORDS = 3000
LONG_TEXT = " ".join(["The fox ran over the hill, and the small dog followed it home."] * (LONG_WORDS // 13 + 1))


class NoisyEngine(FakeEngine):
    """Speaks noise that is never silent, a little of it per sentence, so that any gap and any repetition shows."""

    def synthesize(
        self, request: SpeechRequest, observe: Callable[[Event], None], cancel: threading.Event | None
    ) -> Iterator[AudioChunk]:
        utterances = utterances_of(request.text)
        observe(PlanEvent(Plan(utterances)))
        for utterance in utterances:
            noise = np.random.default_rng(utterance.index).uniform(0.05, 0.6, round(SECONDS_PER_SENTENCE * RATE_HZ))
            noise[1::2] *= -1
            yield AudioChunk(utterance, len(utterances), noise.astype(np.float32), RATE_HZ)
            time.sleep(0.01)


class Scenario(QObject):
    """Speaks, does one thing on the way, reports, ends."""

    def __init__(self, application: Application, name: str, folder: Path) -> None:
        super().__init__()
        self.application, self.name, self.folder = application, name, folder
        self.report: dict[str, object] = {}
        self.done = False
        self.player = application.controller.player
        self.timer = QTimer(self, interval=10)
        self.timer.timeout.connect(self.step)
        application.controller.failed.connect(self.on_failed)
        application.controller.activity_changed.connect(self.on_activity)
        self.timer.start()

    def on_activity(self, activity: Activity) -> None:
        if self.name == "long" and activity.readiness is Readiness.READY and "spoke_at" not in self.report:
            self.report["spoke_at"] = time.time()
            self.application.window.play()

    def step(self) -> None:
        seconds = self.player.position / RATE_HZ
        playing = self.player.playback is Playback.PLAYING
        if "first_sound_at" not in self.report and seconds > 0:
            self.report["first_sound_at"] = time.time()
        if seconds > {"stop": 1, "long": 4}.get(self.name, math.inf):
            self.report["stop_at"] = time.time()
            self.application.window.menu.stop.trigger()
            self.report["silent_at"] = time.time()
            self.finish(500)
        elif self.name == "seek" and seconds > 1 and "from" not in self.report:
            self.player.tick()  # the current position, however long ago the window's last turn was
            self.report["from"] = self.player.position
            self.application.window.page.player.waveform.seek_requested.emit(2 * RATE_HZ)
        elif self.name == "unplug" and seconds > 1 and not (self.folder / "playing").exists():
            (self.folder / "playing").touch()
        elif self.name == "unplug" and "message" in self.report and (self.folder / "plugged").exists():
            self.go_on()
        elif not playing and self.application.controller.track.whole and "message" not in self.report:
            self.finish(500)

    def on_failed(self, error: Exception) -> None:
        self.report |= {"message": str(error), "error": type(error).__name__, "position": self.player.position}
        if self.name == "unplug":
            self.application.window.grab().save(str(self.folder / "lost.png"))
            (self.folder / "lost").touch()

    def go_on(self) -> None:
        (self.folder / "plugged").unlink()
        self.report["said"] = self.report.pop("message")
        self.application.window.page.banner.button.click()

    def finish(self, after_ms: int) -> None:
        if not self.done:
            self.done = True
            self.timer.stop()
            QTimer.singleShot(after_ms, self.end)

    def end(self) -> None:
        self.report["final_position"] = self.player.position
        self.report["banner"] = self.application.window.page.banner.label.text()
        np.save(self.folder / "speech.npy", self.application.controller.track.samples())
        (self.folder / "report.json").write_text(json.dumps(self.report), encoding="utf-8")
        self.application.window.grab().save(str(self.folder / "window.png"))
        QApplication.quit()


def main() -> NoReturn:
    name, folder = sys.argv[1], Path(sys.argv[2])
    started = time.time()
    qt = QApplication(sys.argv[:1])
    settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
    settings.text = LONG_TEXT
    if name == "long":
        application = Application(qt, Options(), settings)
    else:
        application = Application(qt, Options(LONG_TEXT if name == "stop" else TEXT), settings, NoisyEngine)
    scenario = Scenario(application, name, folder)
    with collected_between_events():
        application.open()
        scenario.report["open_seconds"] = time.time() - started
        qt.exec()
        leave(0 if application.close() else 1)


if __name__ == "__main__":
    main()
