"""The files needed to load a model, its modules and packed weights: found, or created ahead of time.

Creating them loads no model, so one model can be prepared while a different one is in use.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.compiler.artifacts.manifest import CPU_DEVICE, Variant
from engine.compiler.artifacts.packed_weights import PackedWeights
from engine.config import ModelConfig
from engine.errors import Canceled
from engine.models.checkpoints import Checkpoint, DistilledCheckpoint, open_checkpoint, open_with, teacher_of
from engine.network.student_file import Students
from engine.runtime.preparation.devices import AUTO, DeviceChoice, choose_device, first_device, metal_unavailable_reason
from engine.runtime.preparation.lstm_methods import MethodChoice, remembered_lstm_method
from engine.runtime.preparation.modules import PreparationObserver, ensure_modules, find_modules
from engine.runtime.preparation.weights import ensure_weights, find_weights
from engine.runtime.runners.base import JoinedRunner, Runner
from engine.speech import Array, PreparationEvent, Prosody
from engine.stages import DEVICE_STAGE_NAMES

if TYPE_CHECKING:
    from engine.runtime.runners.tvm_runner import CompiledRunner

WARMING_UP = "Preparing the GPU"
KERNELS_PER_EVENT = 10
"""The number of kernels per event; compiling one takes only a fraction of a second."""


@dataclass(frozen=True)
class StudentFiles:
    """The folder of the modules of `stages`, which have students, and the weights in the form that they need."""

    stages: tuple[str, ...]
    modules: Path
    weights: Mapping[str, Array] | PackedWeights = field(repr=False)


@dataclass(frozen=True)
class ModelFiles:
    """The choice of device and LSTM method, the folder of the modules, and the weights in the form that they need.

    `students` are the files of the stages with students, if students are used.
    """

    choice: DeviceChoice
    lstm: MethodChoice
    modules: Path
    weights: Mapping[str, Array] | PackedWeights = field(repr=False)
    students: StudentFiles | None = None

    @property
    def device(self) -> str:
        """The device in use."""
        return self.choice.device


def ensure_files(
    checkpoint: Checkpoint,
    wanted_device: str,
    observe: PreparationObserver,
    cancel: threading.Event | None = None,
    lstm_method: str = AUTO,
) -> ModelFiles:
    """Return the files of a checkpoint for this device, created in child processes if missing.

    Raises the errors of `choose_device`, `ensure_modules` and `ensure_weights`.
    """
    if wanted_device != CPU_DEVICE and metal_unavailable_reason() is None:
        observe(PreparationEvent("Trying the GPU", 0, 1))  # takes time only on the first run
    choice, lstm, variant = _chosen(checkpoint, wanted_device, lstm_method)
    modules = ensure_modules(checkpoint.name, checkpoint.config, variant, observe, cancel)
    weights = ensure_weights(teacher_of(checkpoint), modules, observe, cancel)
    files = ModelFiles(choice, lstm, modules, weights)
    if not isinstance(checkpoint, DistilledCheckpoint):
        return files
    return replace(files, students=ensure_students(checkpoint, variant.target, observe, cancel))


def ensure_students(
    checkpoint: DistilledCheckpoint,
    target: str,
    observe: PreparationObserver,
    cancel: threading.Event | None = None,
) -> StudentFiles:
    """Return the files of the stages that have students, for a target, created if missing.

    A remaining LSTM in these stages is computed by kernels in the modules. Raises the errors of `ensure_modules` and
    `ensure_weights`.
    """
    taught = with_students_of(checkpoint.students, Variant(target))
    modules = ensure_modules(checkpoint.name, checkpoint.config, taught, observe, cancel)
    return StudentFiles(taught.stages, modules, ensure_weights(checkpoint, modules, observe, cancel))


def with_students_of(students: Students | None, variant: Variant) -> Variant:
    """Return the variant for the stages with students; unchanged without students."""
    return variant if students is None else replace(variant, students=students.fingerprint, stages=students.stages)


def make_ready(
    model: str, wanted_device: str, observe: PreparationObserver, cancel: threading.Event | None = None
) -> None:
    """Create the files that the first words need, so that speech can start immediately.

    Raises the errors of `ensure_files` and of opening the model.
    """
    ensure_files(open_checkpoint(model), first_device(wanted_device), observe, cancel)


def is_ready(model: str, wanted_device: str = AUTO, lstm_method: str = AUTO, prosody: Prosody = Prosody.LSTM) -> bool:
    """Return whether a model can start speaking immediately, without running trials to find out.

    Raises the errors of `choose_device` and `open_with`.
    """
    checkpoint = open_with(prosody, model)
    _, _, variant = _chosen(checkpoint, first_device(wanted_device), lstm_method, may_try=False)
    if not _are_made(teacher_of(checkpoint), variant):
        return False
    if not isinstance(checkpoint, DistilledCheckpoint):
        return True
    return _are_made(checkpoint, with_students_of(checkpoint.students, Variant(variant.target)))


def _are_made(checkpoint: Checkpoint, variant: Variant) -> bool:
    modules = find_modules(checkpoint.config, variant).folder
    return modules is not None and find_weights(checkpoint, modules) is not None


def _chosen(
    checkpoint: Checkpoint, wanted_device: str, lstm_method: str, may_try: bool = True
) -> tuple[DeviceChoice, MethodChoice, Variant]:
    choice = choose_device(wanted_device, checkpoint.config, may_try)
    variant, lstm = remembered_lstm_method(lstm_method, checkpoint.config, choice.variant, may_try)
    return choice, lstm, variant


def load_stages(
    config: ModelConfig,
    files: ModelFiles,
    threads: int | None,
    observe: PreparationObserver,
    cancel: threading.Event | None = None,
) -> Runner:
    """Load the stages with their weights, and compile all kernels for a GPU.

    Raises `Canceled` once `cancel` is set, and the errors of `CompiledRunner`.
    """
    from engine.runtime.runners.tvm_runner import CompiledRunner  # imports tvm, which `import engine` must not

    observe(PreparationEvent("Loading the voice model", 0, 1))
    students, around = files.students, files.lstm.around_use
    if students is None:
        compiled = [CompiledRunner(files.modules, config, files.weights, threads, around_lstm=around)]
        stages: Runner = compiled[0]
    else:
        others = tuple(name for name in DEVICE_STAGE_NAMES if name not in students.stages)
        taught = CompiledRunner(students.modules, config, students.weights, threads)
        rest = CompiledRunner(files.modules, config, files.weights, threads, stages=others, around_lstm=around)
        compiled = [rest, taught]
        stages = JoinedRunner(dict.fromkeys(students.stages, taught), rest, compiled)
    for done, total in warm_up(compiled):
        if done % KERNELS_PER_EVENT == 0 or done == total:
            observe(PreparationEvent(WARMING_UP, done, total))
        if cancel is not None and cancel.is_set():
            stages.close()
            raise Canceled("Preparation stopped.")
    return stages


def warm_up(runners: Sequence[CompiledRunner]) -> Iterator[tuple[int, int]]:
    """Compile all kernels, one runner after the other; yields the number done and the total."""
    total, before = sum(runner.kernel_count for runner in runners), 0
    for runner in runners:
        for done in runner.warm_up():
            yield before + done, total
        before += runner.kernel_count
