"""A model as the window shows it: its state, the task in progress, the available actions, and their wording."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from app.models.worker import JobProgress, ModelJob, ModelTask
from app.speech.status_line import format_step
from engine.models.catalog import ModelEntry
from engine.models.progress import ModelActivity, ModelProgress
from engine.models.store import ModelState, ModelStatus
from engine.speech import PreparationEvent

MEGABYTE, GIGABYTE = 1e6, 1e9
_LEADS = {ModelActivity.CHECKING: "Checking, ", ModelActivity.CONVERTING: "Preparing, "}
_STARTS = {
    ModelTask.FETCH: "Connecting…",
    ModelTask.IMPORT: "Checking files…",
    ModelTask.VERIFY: "Checking…",
    ModelTask.REMOVE: "Removing…",
    ModelTask.PREPARE: "Starting…",
}
_DONE = {
    ModelTask.FETCH: "{title} is installed",
    ModelTask.IMPORT: "{title} is imported",
    ModelTask.VERIFY: "{title} is intact",
    ModelTask.REMOVE: "{title} is removed",
    ModelTask.PREPARE: "{title} is ready",
}


class RowButton(Enum):
    """The main action of a row; the value is the button's title."""

    FETCH = "Download"
    RESUME = "Resume"
    FETCH_AGAIN = "Download Again"
    CANCEL = "Cancel"
    USE = "Use"
    IN_USE = "In Use"


_FETCHING = (RowButton.FETCH, RowButton.FETCH_AGAIN)
_NEXT = {
    ModelState.ABSENT: RowButton.FETCH,
    ModelState.PARTIAL: RowButton.RESUME,
    ModelState.DAMAGED: RowButton.FETCH_AGAIN,
    ModelState.BUNDLED: RowButton.USE,
    ModelState.INSTALLED: RowButton.USE,
}


@dataclass(frozen=True)
class ModelRow:
    """The state of a model in the window.

    `task` is in progress for this model, and being canceled if `stopping`; `idle` is True if no model has a task.
    `format_duration` give the elapsed or remaining time, `fraction` the progress from 0 to 1, or None while unknown.
    """

    status: ModelStatus
    folder: Path
    in_use: bool = False
    task: ModelTask | None = None
    progress: JobProgress | None = None
    format_duration: str = ""
    fraction: float | None = None
    stopping: bool = False
    idle: bool = True

    @property
    def name(self) -> str:
        """The model's name in the catalog."""
        return self.status.entry.name

    @property
    def title(self) -> str:
        """The model's name in the window."""
        return self.status.entry.title

    @property
    def usable(self) -> bool:
        """True if the model can be used for speech."""
        return self.status.state in (ModelState.BUNDLED, ModelState.INSTALLED)

    @property
    def fetchable(self) -> bool:
        """True if the model can be downloaded, because it is not bundled with the app."""
        return not self.status.entry.bundled

    @property
    def button(self) -> RowButton:
        """The main action."""
        if self.task not in (None, ModelTask.PREPARE):  # a model being prepared can be used already
            return RowButton.CANCEL
        return RowButton.IN_USE if self.in_use and self.usable else _NEXT[self.status.state]

    @property
    def button_enabled(self) -> bool:
        """True if the button is enabled; removing takes a moment and can't be canceled."""
        match self.button:
            case RowButton.CANCEL:
                return not self.stopping and self.task is not ModelTask.REMOVE
            case RowButton.USE:
                return True
            case RowButton.IN_USE:
                return False
        return self.idle

    @property
    def can_verify(self) -> bool:
        """True if the model can be verified now."""
        return self.idle and self.status.state is ModelState.INSTALLED

    @property
    def can_remove(self) -> bool:
        """True if there is anything to delete."""
        return self.idle and self.fetchable and self.status.state is not ModelState.ABSENT

    @property
    def can_complete(self) -> bool:
        """True if the installed model differs from the published one, or is only a part of it."""
        return self.idle and self.status.state is ModelState.INSTALLED and not self._is_published

    @property
    def _is_published(self) -> bool:
        voices = {voice.info.name for voice in self.status.entry.voices}
        return self.status.published and voices <= set(self.status.voices)


def fraction_of(progress: JobProgress | None, of_steps: float | None) -> float | None:
    """Return the progress of a task from 0 to 1, by bytes or else `of_steps`; None while unknown."""
    if not isinstance(progress, ModelProgress):
        return of_steps
    known = progress.activity is not ModelActivity.WAITING and progress.bytes_done and progress.bytes_total
    return progress.bytes_done / progress.bytes_total if known else None


def format_size(count: int) -> str:
    """Format a size, such as “363 MB”."""
    if count >= GIGABYTE:
        return f"{count / GIGABYTE:.1f} GB"
    return f"{count / MEGABYTE:,.0f} MB" if count >= MEGABYTE else f"{count / MEGABYTE:.1f} MB"


def format_source(entry: ModelEntry) -> str:
    """Return the license and the source of a model."""
    return f"{entry.license} · {entry.source.removeprefix('https://')}"


def describe_state(status: ModelStatus) -> str:
    """Describe whether the model is installed, and its size."""
    here, whole = format_size(status.bytes_here), format_size(status.entry.bytes)
    match status.state:
        case ModelState.BUNDLED:
            return "Included"
        case ModelState.INSTALLED:
            count = len(status.voices)
            return f"Installed, {count} {'voice' if count == 1 else 'voices'}, {here}"
        case ModelState.PARTIAL:
            return f"Paused: {here} of {whole} downloaded"
        case ModelState.DAMAGED:
            return f"Damaged: {status.problem}"
    return f"Not installed, {whole} to download"


def format_button(row: ModelRow) -> str:
    """Return the title of the row's button, with the download size if it downloads."""
    title = row.button.value
    return f"{title} ({format_size(row.status.entry.bytes)})" if row.button in _FETCHING else title


def format_row(row: ModelRow) -> str:
    """Describe the progress of the row's task, or else its state."""
    if row.task is None:
        return describe_state(row.status)
    if row.stopping:
        return "Stopping…"
    if row.progress is None:
        return _STARTS.get(row.task, "")
    return ", ".join(part for part in (format_progress(row.progress), row.format_duration) if part)


def format_progress(progress: JobProgress) -> str:
    """Describe progress and rate, such as “120 of 363 MB, 4.1 MB/s”, or the step of the preparation."""
    if isinstance(progress, PreparationEvent):
        return format_step(progress)
    if progress.activity is ModelActivity.WAITING:
        return "Waiting for another app that is using this model…"
    if progress.activity is ModelActivity.FETCHING and not progress.bytes_done:
        return "Connecting…"
    words = f"{_LEADS.get(progress.activity, '')}{_format_done(progress)}"
    if progress.bytes_per_second is not None and progress.activity is ModelActivity.FETCHING:
        return f"{words}, {progress.bytes_per_second / MEGABYTE:,.1f} MB/s"
    return words


def describe_completion(job: ModelJob, title: str) -> str:
    """Describe the result of a finished job; empty for a task without a message."""
    return _DONE[job.task].format(title=title) if job.task in _DONE else ""


def _format_done(progress: ModelProgress) -> str:
    unit = GIGABYTE if progress.bytes_total >= GIGABYTE else MEGABYTE
    done = progress.bytes_done / unit
    count = f"{done:.1f}" if unit == GIGABYTE or progress.bytes_total < MEGABYTE else f"{done:,.0f}"
    return f"{count} of {format_size(progress.bytes_total)}"
