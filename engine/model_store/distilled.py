"""The students of a model, in a file beside its weights, and the model with them in place of its LSTMs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import DamagedFile, MissingModel, StorageError, UnusableModel
from engine.model_store.checkpoints import Checkpoint, open_checkpoint
from engine.model_store.store import ModelStore
from engine.network.student_file import Students, read_students
from engine.network.weights import Weights
from engine.speech import Prosody
from engine.system.whole_file import write_atomically


@dataclass(frozen=True, kw_only=True)
class DistilledCheckpoint(Checkpoint):
    """A model with students in place of LSTMs: its weights and its identity are of both; `teacher` has none."""

    students: Students
    teacher: Checkpoint

    @property
    def prosody(self) -> Prosody:
        """See `Checkpoint.prosody`."""
        return Prosody.TRANSFORMER


NO_STUDENTS = "No Transformer for the prosody of this model is installed."


def students_of(model: str) -> Students:
    """What the file of a model's students says; raises `MissingModel` if there is none, or `DamagedFile`."""
    path = ModelStore().students_file(model)
    if not path.is_file():
        raise MissingModel(
            f"No Transformer for the prosody of the model {model} is installed.",
            "Use the prosody of its LSTMs, or put a file of students beside the model.",
        )
    return read_students(path)


def open_with(prosody: Prosody, model: str, weights: str | None = None) -> Checkpoint:
    """The checkpoint of this name, with its students if they are to predict its prosody.

    Raises what `open_checkpoint` and `students_of` raise, or `UnusableModel` for students of other weights.
    """
    checkpoint = open_checkpoint(model, weights)
    return checkpoint if prosody is Prosody.LSTM else with_students(checkpoint)


def with_students(checkpoint: Checkpoint) -> DistilledCheckpoint:
    """The checkpoint with its students, from the file beside it; raises as `open_with` does."""
    students = students_of(checkpoint.name)
    _check_teacher(students, checkpoint)

    def load() -> Weights:
        return {**checkpoint.load_weights(), **students.load_weights()}

    identity = f"{checkpoint.identity} {students.content}"
    return DistilledCheckpoint(
        name=checkpoint.name,
        config=checkpoint.config,
        voices=checkpoint.voices,
        load_weights=load,
        identity=identity,
        weights_name=checkpoint.weights_name,
        students=students,
        teacher=checkpoint,
    )


def teacher_of(checkpoint: Checkpoint) -> Checkpoint:
    """The model without students: the checkpoint itself unless it has any."""
    return checkpoint.teacher if isinstance(checkpoint, DistilledCheckpoint) else checkpoint


def students_obstacle(model: str) -> str:
    """Why a model cannot speak with the prosody of a Transformer, as a sentence; empty if it can."""
    if not ModelStore().students_file(model).is_file():
        return NO_STUDENTS
    try:
        with_students(open_checkpoint(model))
    except (MissingModel, UnusableModel, DamagedFile) as error:
        return error.message
    return ""


def install_students(path: Path, model: str) -> Students:
    """Keep a file of students beside the model that they are of, in place of any that are there.

    Raises `DamagedFile`, `UnusableModel`, `StorageError`, and what opening the model raises.
    """
    students = read_students(path)
    _check_teacher(students, open_checkpoint(model))
    students.load_weights()  # which finds out whether they are whole
    place = ModelStore().students_file(model)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, path.read_bytes())
    except OSError as error:
        raise StorageError(
            f"The folder {place.parent} cannot be written ({error.strerror or error}).",
            "Make it writable and free some space there; models are kept there.",
        ) from error
    return replace(students, path=place)


def _check_teacher(students: Students, checkpoint: Checkpoint) -> None:
    if students.teacher != checkpoint.identity:
        raise UnusableModel(
            f"The students in {students.path} were taught by another model than the installed {checkpoint.name}.",
            "Put those of this model there, or use the prosody of its LSTMs.",
        )
