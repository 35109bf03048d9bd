"""A model store that a test controls; its catalog is the real one."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

from app.models.worker import ModelTask
from engine.errors import Canceled
from engine.models.catalog import ModelEntry, catalog
from engine.models.checkpoints import BEST_FIRST
from engine.models.installed_voices import ModelVoices
from engine.models.progress import ModelActivity, ModelObserver, ModelProgress
from engine.models.store import ModelState, ModelStatus
from engine.runtime.preparation.modules import PreparationObserver
from engine.speech import PreparationEvent
from tests.app.fakes import STARTER_VOICES, VOICES

STARTER, FULL_SIZE = "starter", "kokoro-82m"
INSTALLED_BYTES = 340_000_000


@dataclass
class FakeLibrary:
    """A library with only the bundled models; `hold` keeps a job in the middle, `error` makes it fail there."""

    folder: Path = Path("models")
    hold: threading.Event = field(default_factory=threading.Event)
    error: Exception | None = None
    states: dict[str, ModelState] = field(default_factory=dict)
    problem: str = ""
    received: int = 0
    asked: list[tuple[ModelTask, str, Path | None]] = field(default_factory=list)
    discarded: list[str] = field(default_factory=list)
    made_ready: list[tuple[str, str]] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.hold.set()

    def catalog(self) -> tuple[ModelEntry, ...]:
        self.threads.add(threading.get_ident())
        return catalog()

    def model_folder(self, name: str) -> Path:
        return self.folder / name

    def status(self, name: str) -> ModelStatus:
        entry = next(entry for entry in catalog() if entry.name == name)
        if entry.bundled:
            return ModelStatus(entry, ModelState.BUNDLED)
        state = self.states.get(name, ModelState.ABSENT)
        if state is ModelState.INSTALLED:
            voices = tuple(voice.info.name for voice in entry.voices)
            return ModelStatus(entry, state, INSTALLED_BYTES, voices, published=True, origin="the hub")
        return ModelStatus(entry, state, self.received, problem=self.problem)

    def fetch(self, name: str, observe: ModelObserver, cancel: threading.Event | None) -> None:
        self._work(ModelTask.FETCH, name, None, observe, cancel)
        self.states[name] = ModelState.INSTALLED

    def discard_received(self, name: str) -> None:
        self.discarded.append(name)

    def import_from(self, path: Path, name: str, observe: ModelObserver, cancel: threading.Event | None) -> None:
        self._work(ModelTask.IMPORT, name, path, observe, cancel)
        self.states[name] = ModelState.INSTALLED

    def verify(self, name: str, observe: ModelObserver, cancel: threading.Event | None) -> None:
        self._work(ModelTask.VERIFY, name, None, observe, cancel)

    def remove(self, name: str) -> None:
        self._work(ModelTask.REMOVE, name, None, lambda progress: None, None)
        self.states[name] = ModelState.ABSENT

    def voices(self) -> tuple[ModelVoices, ...]:
        here = [self.status(name) for name in BEST_FIRST]
        return tuple(
            ModelVoices(each.entry.name, each.entry.title, STARTER_VOICES if each.entry.bundled else VOICES)
            for each in here
            if each.state in (ModelState.BUNDLED, ModelState.INSTALLED)
        )

    def make_ready(
        self, name: str, device: str, observe: PreparationObserver, cancel: threading.Event | None = None
    ) -> None:
        self.made_ready.append((name, device))
        while not self.hold.wait(0.005):
            observe(PreparationEvent("Compiling decoder", 5, 7))
            if cancel is not None and cancel.is_set():
                raise Canceled("Stopped")
        if self.error is not None:
            raise self.error

    def _work(
        self, task: ModelTask, name: str, path: Path | None, observe: ModelObserver, cancel: threading.Event | None
    ) -> None:
        self.asked.append((task, name, path))
        activity = ModelActivity.FETCHING if task is ModelTask.FETCH else ModelActivity.CHECKING
        total = next(entry.bytes for entry in catalog() if entry.name == name)
        observe(ModelProgress(name, activity, 0, total))
        while not self.hold.wait(0.005):
            observe(ModelProgress(name, activity, total // 3, total, 4.1e6, 2 * total / 3 / 4.1e6))
            if cancel is not None and cancel.is_set():
                raise Canceled("Stopped")
        if self.error is not None:
            raise self.error
        observe(ModelProgress(name, activity, total, total, 4.1e6, 0.0))
