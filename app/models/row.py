"""A model as the window shows it: its state, the task in progress, and what can be done next."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from app.models.jobs import JobProgress, Task
from engine.model_store import Activity, ModelProgress, ModelState, ModelStatus


class RowButton(Enum):
    """The main action of a row; the value is the button's title."""

    FETCH = "Download"
    RESUME = "Resume"
    FETCH_AGAIN = "Download Again"
    CANCEL = "Cancel"
    USE = "Use"
    IN_USE = "In Use"


_NEXT = {
    ModelState.ABSENT: RowButton.FETCH,
    ModelState.PARTIAL: RowButton.RESUME,
    ModelState.DAMAGED: RowButton.FETCH_AGAIN,
    ModelState.BUNDLED: RowButton.USE,
    ModelState.INSTALLED: RowButton.USE,
}


@dataclass(frozen=True)
class ModelRow:
    """`task` is in progress for this model; `stopping` says it is being stopped; `idle`, that no model has a task.

    `time_words` tell how long it has taken or may still take, `fraction` how much of it is done, from 0 to 1, or None
    while that is unknown.
    """

    status: ModelStatus
    folder: Path
    in_use: bool = False
    task: Task | None = None
    progress: JobProgress | None = None
    time_words: str = ""
    fraction: float | None = None
    stopping: bool = False
    idle: bool = True

    @property
    def name(self) -> str:
        """The model's name in the catalogue."""
        return self.status.entry.name

    @property
    def title(self) -> str:
        """The model's name in the window."""
        return self.status.entry.title

    @property
    def usable(self) -> bool:
        """Whether it can speak."""
        return self.status.state in (ModelState.BUNDLED, ModelState.INSTALLED)

    @property
    def fetchable(self) -> bool:
        """Whether it can be fetched, because it is not bundled with the program."""
        return not self.status.entry.bundled

    @property
    def button(self) -> RowButton:
        """The action to offer first."""
        if self.task not in (None, Task.PREPARE):  # what is made ready for use can be used already
            return RowButton.CANCEL
        return RowButton.IN_USE if self.in_use and self.usable else _NEXT[self.status.state]

    @property
    def button_enabled(self) -> bool:
        """Whether the button works now; removing takes a moment and cannot be stopped."""
        match self.button:
            case RowButton.CANCEL:
                return not self.stopping and self.task is not Task.REMOVE
            case RowButton.USE:
                return True
            case RowButton.IN_USE:
                return False
        return self.idle

    @property
    def can_verify(self) -> bool:
        """Whether it can be verified now."""
        return self.idle and self.status.state is ModelState.INSTALLED

    @property
    def can_remove(self) -> bool:
        """Whether there is something to delete."""
        return self.idle and self.fetchable and self.status.state is not ModelState.ABSENT

    @property
    def can_complete(self) -> bool:
        """Whether the installed model differs from the published one, or is only a part of it."""
        return self.idle and self.status.state is ModelState.INSTALLED and not self._is_published

    @property
    def _is_published(self) -> bool:
        voices = {voice.info.name for voice in self.status.entry.voices}
        return self.status.published and voices <= set(self.status.voices)


def fraction_of(progress: JobProgress | None, of_steps: float | None) -> float | None:
    """How much of a task is done, from 0 to 1, by its bytes, or else `of_steps`; None while that is unknown."""
    if not isinstance(progress, ModelProgress):
        return of_steps
    known = progress.activity is not Activity.WAITING and progress.bytes_done and progress.bytes_total
    return progress.bytes_done / progress.bytes_total if known else None
