"""A model's state, its progress and the result of a job, as text."""

from __future__ import annotations

from app.models.jobs import JobProgress, ModelJob, Task
from app.models.row import ModelRow, RowButton
from app.speech.status_line import step_words
from engine.model_store import Activity, ModelEntry, ModelProgress, ModelState, ModelStatus
from engine.speech import PreparationEvent

MEGABYTE, GIGABYTE = 1e6, 1e9
_FETCHING = (RowButton.FETCH, RowButton.FETCH_AGAIN)

_LEADS = {Activity.CHECKING: "Checking, ", Activity.CONVERTING: "Preparing, "}
_STARTS = {
    Task.FETCH: "Connecting…",
    Task.IMPORT: "Checking files…",
    Task.VERIFY: "Checking…",
    Task.REMOVE: "Removing…",
    Task.PREPARE: "Starting…",
}
_DONE = {
    Task.FETCH: "{title} is installed",
    Task.IMPORT: "{title} is imported",
    Task.VERIFY: "{title} is intact",
    Task.REMOVE: "{title} is removed",
    Task.PREPARE: "{title} is ready",
}


def size_words(count: int) -> str:
    """A size, such as 363 MB."""
    if count >= GIGABYTE:
        return f"{count / GIGABYTE:.1f} GB"
    return f"{count / MEGABYTE:,.0f} MB" if count >= MEGABYTE else f"{count / MEGABYTE:.1f} MB"


def source_words(entry: ModelEntry) -> str:
    """The licence and the source of a model."""
    return f"{entry.licence} · {entry.source.removeprefix('https://')}"


def state_words(status: ModelStatus) -> str:
    """Whether the model is installed, and its size."""
    here, whole = size_words(status.bytes_here), size_words(status.entry.bytes)
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


def button_words(row: ModelRow) -> str:
    """The title of the row's button, with the size of what it fetches."""
    title = row.button.value
    return f"{title} ({size_words(row.status.entry.bytes)})" if row.button in _FETCHING else title


def row_words(row: ModelRow) -> str:
    """The progress of its task, or else its state."""
    if row.task is None:
        return state_words(row.status)
    if row.stopping:
        return "Stopping…"
    if row.progress is None:
        return _STARTS.get(row.task, "")
    return ", ".join(part for part in (progress_words(row.progress), row.time_words) if part)


def progress_words(progress: JobProgress) -> str:
    """Progress and rate, such as 120 of 363 MB, 4.1 MB/s, or the step of what is being made ready."""
    if isinstance(progress, PreparationEvent):
        return step_words(progress)
    if progress.activity is Activity.WAITING:
        return "Waiting for another app that is using this model…"
    if progress.activity is Activity.FETCHING and not progress.bytes_done:
        return "Connecting…"
    words = f"{_LEADS.get(progress.activity, '')}{_done_words(progress)}"
    if progress.bytes_per_second is not None and progress.activity is Activity.FETCHING:
        return f"{words}, {progress.bytes_per_second / MEGABYTE:,.1f} MB/s"
    return words


def completion_words(job: ModelJob, title: str) -> str:
    """What a finished job has done; empty for a task without a message."""
    return _DONE[job.task].format(title=title) if job.task in _DONE else ""


def _done_words(progress: ModelProgress) -> str:
    unit = GIGABYTE if progress.bytes_total >= GIGABYTE else MEGABYTE
    done = progress.bytes_done / unit
    count = f"{done:.1f}" if unit == GIGABYTE or progress.bytes_total < MEGABYTE else f"{done:,.0f}"
    return f"{count} of {size_words(progress.bytes_total)}"
