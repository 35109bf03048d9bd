"""`engine models`: lists, downloads, imports, verifies and removes the models on this machine."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.cli.command import Command, Outcome, add_json_flag
from engine.cli.progress import Steps, show_line
from engine.errors import InvalidRequest
from engine.models.progress import ModelObserver, ModelProgress
from engine.models.store import ModelState, ModelStatus, ModelStore

_ACTIONS = {
    "list": "list installed and available models",
    "fetch": "download a model, or resume an interrupted download",
    "import": "install a model, or voices for one, from a file or folder",
    "verify": "check every byte of an installed model",
    "remove": "delete an installed model",
}


def add_options(parser: Any) -> None:
    """Add a subcommand for each action."""
    actions = parser.add_subparsers(required=True, metavar="ACTION", dest="action")
    for name, summary in _ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=summary)
        add_json_flag(action)
        if name == "import":
            action.add_argument(
                "path", type=Path, help="a checkpoint, a voice pack, or a folder with them or with packages"
            )
            action.add_argument(
                "--name",
                help="the model it is for (default: the one that has such files; for voices, the best installed one)",
            )
        elif name != "list":
            action.add_argument("name", help="a name from `models list`")


def manage_models(
    options: argparse.Namespace, on_progress: Callable[[str], None] = show_line, store: ModelStore | None = None
) -> Outcome:
    """Run the action that the options request; `on_progress` receives lines of progress.

    Raises `EngineError` children.
    """
    store = store or ModelStore()
    if options.action == "list":
        statuses = [store.status(entry.name) for entry in store.catalog()]
        return Outcome([as_data(status) for status in statuses], "\n".join(map(_line, statuses)))
    with Steps(on_progress) as steps:
        _act(options, store, observer(steps))
    return _outcome(options.action, store.status(options.name))


def observer(steps: Steps) -> ModelObserver:
    """Return an observer that writes a model's progress as lines."""

    def observe(progress: ModelProgress) -> None:
        steps.advance(format_progress(progress), progress.activity)

    return observe


def _act(options: argparse.Namespace, store: ModelStore, observe: ModelObserver) -> None:
    if options.action == "fetch":
        store.fetch(options.name, observe)
    elif options.action == "import":
        options.name = options.name or store.name_for(options.path)
        store.import_from(options.path, options.name, observe)
    elif options.action == "verify":
        store.verify(options.name, observe)
    else:
        _remove(options.name, store)


def _remove(name: str, store: ModelStore) -> None:
    status = store.status(name)
    store.remove(name)
    if status.state is ModelState.ABSENT:
        raise InvalidRequest(f"{status.entry.title} isn’t installed.", "There’s nothing to remove.")


def format_progress(progress: ModelProgress) -> str:
    """Format progress as one line, such as `kokoro-82m: checking, 12 of 355 MB, 3.2 MB/s, 107 s left`."""
    done, total = progress.bytes_done / 1e6, progress.bytes_total / 1e6
    words = [f"{progress.model}: {progress.activity}", f"{done:,.0f} of {total:,.0f} MB"]
    if progress.bytes_per_second is not None:
        words.append(f"{progress.bytes_per_second / 1e6:,.1f} MB/s")
    if progress.seconds_left is not None:
        words.append(f"{progress.seconds_left:,.0f} s left")
    return ", ".join(words)


def as_data(status: ModelStatus) -> dict[str, Any]:
    """Convert a status for JSON."""
    entry = status.entry
    return {
        "name": entry.name, "title": entry.title, "state": status.state.value, "licence": entry.license,
        "source": entry.source, "repository": entry.repository, "revision": entry.revision,
        "bytes_to_fetch": entry.bytes, "bytes_here": status.bytes_here, "voices": list(status.voices),
        "note": entry.note, "published": status.published, "origin": status.origin, "problem": status.problem,
    }  # fmt: skip


def _line(status: ModelStatus) -> str:
    entry = status.entry
    detail = {
        ModelState.BUNDLED: "bundled",
        ModelState.INSTALLED: f"{len(status.voices)} voices, {status.origin}",
        ModelState.PARTIAL: f"{status.bytes_here / 1e6:,.0f} of {entry.bytes / 1e6:,.0f} MB downloaded",
        ModelState.ABSENT: f"{entry.bytes / 1e6:,.0f} MB from {entry.source}",
        ModelState.DAMAGED: status.problem,
    }[status.state]
    return f"{entry.name:<15} {status.state:<10} {entry.license:<11} {detail}"


def _outcome(action: str, status: ModelStatus) -> Outcome:
    done = {"fetch": "is installed", "import": "is imported", "verify": "is intact", "remove": "is removed"}[action]
    return Outcome(as_data(status), f"{status.entry.title} {done}.")


def _left_behind(options: argparse.Namespace) -> str:
    return "Partial download saved. Run the same command to resume." if options.action == "fetch" else ""


COMMAND = Command(
    "models", "List, download, import, verify, or remove models.", add_options, manage_models, _left_behind
)
