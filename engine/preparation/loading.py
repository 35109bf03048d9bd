"""Loads the compiled stages of a model, so that they run at once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from engine.config import ModelConfig
from engine.errors import Cancelled
from engine.preparation.files import ModelFiles
from engine.preparation.modules import PreparationObserver
from engine.speech import PreparationEvent
from engine.stages import DEVICE_STAGE_NAMES

if TYPE_CHECKING:
    from engine.runners.joined import JoinedRunner
    from engine.runners.tvm_runner import CompiledRunner

WARMING_UP = "Preparing the GPU"
KERNELS_PER_EVENT = 10
"""Each takes a fraction of a second to compile, too little to be told of."""


def load_stages(
    config: ModelConfig,
    files: ModelFiles,
    threads: int | None,
    observe: PreparationObserver,
    cancel: threading.Event | None = None,
) -> CompiledRunner | JoinedRunner:
    """The stages with their weights, and with all kernels compiled where they are for a GPU.

    Raises `Cancelled` once `cancel` is set, and what `CompiledRunner` raises.
    """
    observe(PreparationEvent("Loading the voice model", 0, 1))
    stages = _loaded(config, files, threads)
    for done in stages.warm_up():
        if done % KERNELS_PER_EVENT == 0 or done == stages.kernel_count:
            observe(PreparationEvent(WARMING_UP, done, stages.kernel_count))
        if cancel is not None and cancel.is_set():
            stages.close()
            raise Cancelled("Preparing was stopped.")
    return stages


def _loaded(config: ModelConfig, files: ModelFiles, threads: int | None) -> CompiledRunner | JoinedRunner:
    from engine.runners.joined import JoinedRunner
    from engine.runners.tvm_runner import CompiledRunner  # brings tvm, which `import engine` must not

    students, around = files.students, files.lstm.around_use
    if students is None:
        return CompiledRunner(files.modules, config, files.weights, threads, around_lstm=around)
    others = tuple(name for name in DEVICE_STAGE_NAMES if name not in students.stages)
    taught = CompiledRunner(students.modules, config, students.weights, threads)
    rest = CompiledRunner(files.modules, config, files.weights, threads, stages=others, around_lstm=around)
    return JoinedRunner({**dict.fromkeys(others, rest), **dict.fromkeys(students.stages, taught)})
