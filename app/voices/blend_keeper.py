"""Saves, renames and deletes blends, in a thread of its own, since another program may hold their file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from app.system.threads import failure_of, worker_thread
from engine.speech import VoiceInfo
from engine.voices.blends import SavedVoices


@dataclass(frozen=True)
class BlendTask:
    """Something to do with the saved blends; `work` returns what the blend is called afterwards, None if it is gone.

    `before` is what it was called before, empty if it is new.
    """

    work: Callable[[SavedVoices], str | None]
    before: str = ""


@dataclass(frozen=True)
class BlendDone:
    """A task has ended: the name of the blend, empty if it is gone, and the recipes of all blends by name.

    `error` says why if nothing was changed.
    """

    task: BlendTask
    name: str = ""
    recipes: Mapping[str, str] = field(default_factory=dict)
    error: Exception | None = None


class _Worker(QObject):
    reported = Signal(object)

    @Slot(object)
    def work(self, task: BlendTask) -> None:
        saved = SavedVoices()
        done: list[BlendDone] = []
        error = failure_of(lambda: done.append(BlendDone(task, task.work(saved) or "", saved.recipes())))
        self.reported.emit(BlendDone(task, error=error) if error else done[0])


class BlendKeeper(QObject):
    """`done` carries a `BlendDone`."""

    done = Signal(object)

    _wanted = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._thread = worker_thread("blends", self)
        self._worker = _Worker()
        self._worker.moveToThread(self._thread)
        self._worker.reported.connect(self.done)
        self._wanted.connect(self._worker.work)
        self._thread.start()

    def save(self, name: str, recipe: str, voices: Iterable[VoiceInfo], others: Collection[str]) -> None:
        """Save a blend of some of these voices under a name that is not among `others`."""
        known = {voice.name: voice for voice in voices if not voice.recipe}
        self._wanted.emit(BlendTask(lambda saved: saved.save(name, recipe, known, others).name))

    def rename(self, name: str, new_name: str, others: Collection[str]) -> None:
        """Give a blend another name, which is not among `others`."""
        self._wanted.emit(BlendTask(lambda saved: saved.rename(name, new_name, others), name))

    def delete(self, name: str) -> None:
        """Delete a blend."""
        self._wanted.emit(BlendTask(partial(SavedVoices.remove, name=name), name))

    def shut_down(self, timeout_ms: int) -> bool:
        """End the thread after the task in progress; return whether it ended in time."""
        self._thread.quit()
        return self._thread.wait(timeout_ms)
