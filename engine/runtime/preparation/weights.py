"""A model's weights in the form that its compiled modules need, mapped from a cached file that a child process creates.

Only the child loads the original weights, and torch if they are random, so their memory returns to the system when it
ends.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from engine.compiler.artifacts.manifest import CPU_DEVICE, Manifest
from engine.compiler.artifacts.packed_weights import (
    PackedWeights,
    load_packed,
    packed_weights_name,
    part_of,
    save_packed,
    weights_key,
)
from engine.errors import Canceled, EngineError, OutputError
from engine.models.checkpoints import Checkpoint, open_with
from engine.runtime.preparation.modules import PreparationObserver, run_engine, sole_maker
from engine.speech import Array, PreparationEvent, Prosody
from engine.system.paths import PACKED_WEIGHTS_SUFFIX, packed_weights_folder

TITLE = "Optimizing the voice model"
UPDATE_TITLE = "Updating the voice model"
_WAITING = "Waiting for the voice model"


def find_weights(checkpoint: Checkpoint, folder: Path) -> PackedWeights | None:
    """Return the packed weights of a checkpoint for the modules in `folder`, or None if they are not cached."""
    manifest = Manifest.load(folder)
    return load_packed(_place(checkpoint, manifest), weights_key(manifest, checkpoint.identity))


def ensure_weights(
    checkpoint: Checkpoint, folder: Path, observe: PreparationObserver, cancel: threading.Event | None = None
) -> Mapping[str, Array] | PackedWeights:
    """Return the packed weights of a checkpoint for the modules in `folder`, packing them if they are not cached.

    If the packed weights cannot be written, the checkpoint's own weights are returned, and `observe` receives a report.
    The cache holds only one set for each model and device, and one for the stages with students: for any modules other
    than those that generate speech, pack in the current process. Raises `DamagedFile`, or `Canceled` once `cancel` is
    set.
    """
    if (found := find_weights(checkpoint, folder)) is not None:
        return found
    manifest = Manifest.load(folder)
    path, key = _place(checkpoint, manifest), weights_key(manifest, checkpoint.identity)
    problem = _pack(path, key, _arguments(checkpoint, folder), len(manifest.artifacts), observe, cancel)
    if (found := find_weights(checkpoint, folder)) is not None:
        return found
    observe(PreparationEvent(f"The prepared voice model can’t be cached: {problem}", 0, 1))
    return checkpoint.load_weights()


def packed_weights_path(
    model: str, weights: str | None, device: str = CPU_DEVICE, prosody: Prosody = Prosody.LSTM
) -> Path:
    """Return the path of a model's cached packed weights; newer modules or a different seed replace older ones."""
    name = model if weights is None else f"{model}-random"
    return packed_weights_folder() / packed_weights_name(name, device, prosody)


def _place(checkpoint: Checkpoint, manifest: Manifest) -> Path:
    return packed_weights_path(checkpoint.name, checkpoint.weights_name, manifest.identity.device, checkpoint.prosody)


def all_packed_weights() -> list[Path]:
    """Return the cached packed weights of all models, one file each for every device."""
    return sorted(packed_weights_folder().glob(f"*{PACKED_WEIGHTS_SUFFIX}"))


def pack(
    model: str,
    weights: str | None,
    folder: Path,
    observe: PreparationObserver,
    prosody: Prosody = Prosody.LSTM,
) -> None:
    """Pack the weights of a checkpoint for the modules in `folder`, on their device, and write them to the cache.

    Raises `OutputError` if they cannot be written, and the errors of loading a model.
    """
    from engine.runtime.runners.tvm_runner import packed_stages  # imports tvm

    manifest, checkpoint = Manifest.load(folder), open_with(prosody, model, weights)
    path = _place(checkpoint, manifest)
    total = len(manifest.artifacts)
    title = _title(path)
    stages = _counted(packed_stages(folder, checkpoint.load_weights()), PreparationEvent(title, 0, total), observe)
    try:
        save_packed(path, weights_key(manifest, checkpoint.identity), stages)
    except OSError as error:
        raise OutputError(
            f"The packed weights can’t be written to {path.parent} ({error.strerror}).",
            "Free up some space there, or make it writable.",
        ) from error
    observe(PreparationEvent(title, total, total))


def _counted(
    stages: Iterator[tuple[str, list[Array]]], first: PreparationEvent, observe: PreparationObserver
) -> Iterator[tuple[str, list[Array]]]:
    """Yield the packed stages, reporting an event before each."""
    for done in range(first.total):
        observe(replace(first, done=done))
        yield next(stages)


def _title(path: Path) -> str:
    """Return the title for packing; an existing file is outdated."""
    return UPDATE_TITLE if path.exists() else TITLE


def _pack(
    path: Path,
    key: str,
    arguments: list[str],
    stage_count: int,
    observe: PreparationObserver,
    cancel: threading.Event | None,
) -> str:
    """Pack in a child process unless a concurrent process has just done it; returns the error as text, or “”."""
    try:
        with sole_maker(path, _WAITING, observe, cancel):
            if load_packed(path, key) is not None:
                return ""
            observe(PreparationEvent(_title(path), 0, stage_count))  # starting its process takes seconds
            try:
                run_engine(arguments, observe, cancel)
            finally:
                part_of(path).unlink(missing_ok=True)
    except OSError as error:
        return f"the folder {path.parent} can’t be written to ({error.strerror})."
    except Canceled:
        raise
    except EngineError as error:
        return str(error)
    return ""


def _arguments(checkpoint: Checkpoint, folder: Path) -> list[str]:
    chosen = [] if checkpoint.weights_name is None else ["--weights", checkpoint.weights_name]
    options = [] if checkpoint.prosody is Prosody.LSTM else ["--prosody", checkpoint.prosody]
    return ["pack", "--model", checkpoint.name, *chosen, *options, "--modules", str(folder)]
