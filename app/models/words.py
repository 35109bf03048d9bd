"""A model's state, its progress and the result of a job, as text."""

from __future__ import annotations

from app.models.jobs import ModelJob, Task
from app.models.row import ModelRow
from engine.model_store import Activity, ModelEntry, ModelProgress, ModelState, ModelStatus

MEGABYTE, GIGABYTE = 1e6, 1e9
FEW_SECONDS = 10
MINUTE, HOUR = 60, 3600
NEARLY = 0.9
"""From this fraction of a minute or an hour on, a duration is rounded up to the whole."""

_LEADS = {Activity.CHECKING: "Checking, ", Activity.CONVERTING: "Making it ready, "}
_STARTS = {
    Task.FETCH: "Connecting…",
    Task.IMPORT: "Looking into the files…",
    Task.VERIFY: "Checking…",
    Task.REMOVE: "Removing…",
}
_DONE = {
    Task.FETCH: "{title} is here",
    Task.IMPORT: "{title} is imported",
    Task.VERIFY: "{title} is intact",
    Task.REMOVE: "{title} is removed",
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
            return f"Interrupted, {here} of {whole} received"
        case ModelState.DAMAGED:
            return f"Damaged: {status.problem}"
    return f"Not on this computer, {whole} to fetch"


def row_words(row: ModelRow) -> str:
    """The progress of its task, or else its state."""
    if row.task is None:
        return state_words(row.status)
    if row.stopping:
        return "Stopping…"
    return _STARTS.get(row.task, "") if row.progress is None else progress_words(row.progress)


def progress_words(progress: ModelProgress) -> str:
    """Progress, rate and remaining time, such as 120 of 363 MB, 4.1 MB/s, about 1 minute left."""
    if progress.activity is Activity.WAITING:
        return "Waiting for another program that works on this model…"
    words = [f"{_LEADS.get(progress.activity, '')}{_done_words(progress)}"]
    if progress.bytes_per_second is not None and progress.activity is Activity.FETCHING:
        words.append(f"{progress.bytes_per_second / MEGABYTE:,.1f} MB/s")
    if progress.seconds_left is not None and progress.bytes_done < progress.bytes_total:
        words.append(f"{duration_words(progress.seconds_left)} left")
    return ", ".join(words)


def duration_words(seconds: float) -> str:
    """An estimated duration, such as about 2 minutes."""
    if seconds < FEW_SECONDS:
        return "a few seconds"
    if seconds < NEARLY * MINUTE:
        return f"about {round(seconds / FEW_SECONDS) * FEW_SECONDS} seconds"
    if seconds < NEARLY * HOUR:
        return _about(seconds / MINUTE, "minute")
    return _about(seconds / HOUR, "hour")


def completion_words(job: ModelJob, title: str) -> str:
    """What a finished job has done; empty for a task without a message."""
    return _DONE[job.task].format(title=title) if job.task in _DONE else ""


def _done_words(progress: ModelProgress) -> str:
    unit = GIGABYTE if progress.bytes_total >= GIGABYTE else MEGABYTE
    done = progress.bytes_done / unit
    count = f"{done:.1f}" if unit == GIGABYTE or progress.bytes_total < MEGABYTE else f"{done:,.0f}"
    return f"{count} of {size_words(progress.bytes_total)}"


def _about(count: float, unit: str) -> str:
    whole = max(1, round(count))
    return f"about {whole} {unit}" if whole == 1 else f"about {whole} {unit}s"
