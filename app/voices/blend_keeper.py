"""Saves, renames and deletes blends in a separate thread, since a different program may lock their file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.tasks import Tasks
from engine.models.voices.blends import SavedVoices
from engine.speech import VoiceInfo


@dataclass(frozen=True)
class BlendDone:
    """A completed change of the saved blends; `before` is the old name of the blend, empty if it is new.

    `name` is its new name, empty if it was deleted; `recipes` are those of all blends by name.
    """

    before: str
    name: str
    recipes: Mapping[str, str]


class BlendSaver(QObject):
    """Changes the saved blends; `done` carries a `BlendDone`, and the window shows failures."""

    done = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks = Tasks("blends", self)

    def save(self, name: str, recipe: str, voices: Iterable[VoiceInfo], others: Collection[str]) -> None:
        """Save a blend of some of these voices under a name that is not among `others`."""
        known = {voice.name: voice for voice in voices if not voice.recipe}
        self._run(lambda saved: saved.save(name, recipe, known, others).name)

    def rename(self, name: str, new_name: str, others: Collection[str]) -> None:
        """Rename a blend; the new name must not be among `others`."""
        self._run(lambda saved: saved.rename(name, new_name, others), name)

    def delete(self, name: str) -> None:
        """Delete a blend."""
        self._run(partial(SavedVoices.remove, name=name), name)

    def shut_down(self, timeout_ms: int) -> bool:
        """Finish the pending work; return whether that was in time."""
        return self._tasks.shut_down(timeout_ms)

    def _run(self, work: Callable[[SavedVoices], str | None], before: str = "") -> None:
        self._tasks.run(_changed, work, before, done=self.done.emit)


def _changed(work: Callable[[SavedVoices], str | None], before: str) -> BlendDone:
    saved = SavedVoices()
    return BlendDone(before, work(saved) or "", saved.recipes())
