"""The regimes in which students stand in for LSTMs: in PyTorch, or compiled."""

from __future__ import annotations

import threading

from engine.models.checkpoints import Checkpoint, with_students
from engine.runners.base import JoinedRunner, Runner
from engine.runtime.preparation.files import ensure_students
from engine.runtime.preparation.modules import PreparationObserver
from engine.stages import ProbeObserver, Stage

STUDENT_TOLERANCE = 0.99
"""What a student's stage should correlate with its teacher's at least; equal it cannot be."""


def compiled_students(
    checkpoint: Checkpoint,
    target: str,
    rest: Runner,
    observe: PreparationObserver,
    cancel: threading.Event | None = None,
) -> Runner:
    """The compiled modules of a checkpoint's students for a target, and `rest` for all other stages.

    Raises what `with_students` and `ensure_modules` raise.
    """
    taught = with_students(checkpoint)
    files = ensure_students(taught, target, observe, cancel)
    from engine.runners.tvm_runner import CompiledRunner

    students = CompiledRunner(files.modules, taught.config, files.weights)
    return JoinedRunner(dict.fromkeys(files.stages, students), rest, [students])


def students_in_torch(checkpoint: Checkpoint, rest: Runner, seen: ProbeObserver | None) -> Runner:
    """A checkpoint's students in PyTorch, and `rest` for all other stages; `seen` gets their inner values.

    Raises what `with_students` raises.
    """
    taught = with_students(checkpoint)
    from engine.network.distilled_stages import distilled_stages
    from engine.runners.torch_runner import StagesRunner

    stages = distilled_stages(taught.config, taught.students, taught.load_weights(), probed=seen is not None)
    students = StagesRunner(taught.config, stages, seen)
    return JoinedRunner(dict.fromkeys(taught.students.stages, students), rest, [students])


def student_tolerance(stage: Stage) -> float:
    """How well a stage must correlate with that of the teacher."""
    return min(STUDENT_TOLERANCE, stage.tolerance)
