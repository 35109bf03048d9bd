"""The models on this machine: their architecture, weights and voices, verified before use.

The students distilled from a model's LSTMs are in a file beside its weights; they can replace the LSTMs.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file

from engine.config import ModelConfig
from engine.errors import (
    DamagedFile,
    InvalidRequest,
    MissingModel,
    RecoveryAction,
    StorageError,
    UnknownModel,
    UnusableModel,
)
from engine.models.store import ModelState, ModelStore
from engine.models.voices.packs import Voice, describe
from engine.network.student_file import Students, read_students
from engine.network.weights import Weights, load_weights
from engine.speech import STARTER as STARTER
from engine.speech import Prosody, VoiceInfo
from engine.system.atomic_write import write_atomically
from engine.system.json_text import json_value
from engine.system.paths import project_folder, resources_folder, starter_folder

FULL_SIZE = "kokoro-82m"
FULL_SIZE_8BIT = "kokoro-82m-8bit"
MODEL_NAMES = (STARTER, FULL_SIZE, FULL_SIZE_8BIT)
BEST_FIRST = (FULL_SIZE, FULL_SIZE_8BIT, STARTER)
"""The model names by quality: the published model, the 8-bit one, the bundled one."""
LEAD_SECONDS = 0.04
"""The time by which the published weights produce each sound before the frames of its phoneme, at any speed and for
every voice: measured on 40 sentences by three voices against a forced alignment. The starter learned it from them."""
_STARTER_WEIGHTS = "model.safetensors"
_RANDOM_WEIGHTS = re.compile(r"random:(\d+)")
_RANDOM_STYLE_SCALE = 0.1
"""The approximate size of the entries of Kokoro's voice packs."""
_STAMPED = (".safetensors", ".json")
_DRAWING_SOURCES = "engine/network"
_DRAWING_PACKAGES = ("torch", "kokoro", "transformers")
"""The packages that random weights depend on, besides the architecture and the seed."""
NO_STUDENTS = "No Transformer prosody is installed for this model."


@dataclass(frozen=True)
class Checkpoint:
    """A model ready to load: `load_weights` returns float32 arrays by folded state-dict key.

    `identity` is unique to these weights: the SHA-256 of their file, or a hash of the inputs of random ones.
    `weights_name` is their name on the command line, or None for the model's own weights.
    """

    name: str
    config: ModelConfig
    voices: Mapping[str, Voice] = field(repr=False)
    load_weights: Callable[[], Weights] = field(repr=False)
    identity: str
    weights_name: str | None = None

    @property
    def prosody(self) -> Prosody:
        """The predictor of durations, pitch and energy."""
        return Prosody.LSTM


def open_checkpoint(model: str = STARTER, weights: str | None = None) -> Checkpoint:
    """Open the checkpoint of this name; `weights` may be `random:SEED` for the full-size architecture.

    Raises `UnknownModel`, `MissingModel` or `DamagedFile`.
    """
    config = model_config(model)
    if weights is not None:
        return _random_checkpoint(model, config, weights)
    if model == STARTER:
        return _starter(config)
    return _installed(model, config)


def model_config(model: str) -> ModelConfig:
    """Return the architecture of a model by name, without its weights."""
    require_known(model)
    folder = starter_folder() if model == STARTER else resources_folder() / FULL_SIZE
    return ModelConfig.load(folder / "config.json")


def model_stamp(model: str, weights: str | None = None) -> str:
    """Return text that changes with the model's files. Nothing is hashed, and random weights have no files."""
    if weights is not None:
        return weights
    store = ModelStore()
    paths = {path for path in store.model_folder(model).glob("*") if path.suffix in _STAMPED}
    return " ".join(_file_stamp(path) for path in sorted(paths | {store.students_file(model)}))


def _file_stamp(path: Path) -> str:
    try:
        status = path.stat()
    except FileNotFoundError:
        return f"{path.name}:gone"
    return f"{path.name}:{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"


def require_known(model: str) -> None:
    """Raise `UnknownModel` for an unknown name."""
    if model not in MODEL_NAMES:
        raise UnknownModel(f"Unknown model “{model}”.", f"Known models: {', '.join(MODEL_NAMES)}.")


def installed_models() -> tuple[str, ...]:
    """Return the names of the installed models, the best first."""
    store = ModelStore()
    return tuple(name for name in BEST_FIRST if name == STARTER or store.status(name).state is ModelState.INSTALLED)


def at_least_as_good(model: str) -> tuple[str, ...]:
    """Return this model and all better ones, the best first. Raises `UnknownModel`."""
    require_known(model)
    return BEST_FIRST[: BEST_FIRST.index(model) + 1]


def default_model() -> str:
    """Return the best model on this machine."""
    return installed_models()[0]


def starter_voices() -> tuple[VoiceInfo, ...]:
    """Return the bundled voices, read from the manifest alone."""
    return tuple(_voice_info(entry) for entry in _manifest()["voices"])


def _starter(config: ModelConfig) -> Checkpoint:
    manifest = _manifest()
    for name, digest in manifest["files"].items():
        _verify(starter_folder() / name, digest)
    tables = load_file(starter_folder() / "voices.safetensors")
    voices = {entry["name"]: Voice(_voice_info(entry), tables[entry["name"]]) for entry in manifest["voices"]}
    path = starter_folder() / _STARTER_WEIGHTS
    return Checkpoint(STARTER, config, voices, lambda: load_weights(path), manifest["files"][_STARTER_WEIGHTS])


def _voice_info(entry: Mapping[str, Any]) -> VoiceInfo:
    return VoiceInfo(entry["name"], describe(entry["name"]).title, entry["language"], entry["gender"])


def _installed(model: str, config: ModelConfig) -> Checkpoint:
    installed = ModelStore().open(model)
    if installed is None:
        raise MissingModel(
            f"The weights of {model} aren’t installed.",
            f"Download them with “kokoro-desk models fetch {model}”, or use --model starter; "
            "--weights random:0 tries the architecture without them.",
            RecoveryAction.GET_MODEL,
        )
    return Checkpoint(model, config, installed.voices, installed.load_weights, installed.identity)


def _random_checkpoint(model: str, config: ModelConfig, weights: str) -> Checkpoint:
    match = _RANDOM_WEIGHTS.fullmatch(weights)
    if not match:
        raise InvalidRequest(f"Unknown weights “{weights}”.", "Use random:SEED, such as random:0.")
    seed = int(match[1])

    def load() -> Weights:
        from engine.network.random_weights import random_weights  # imports torch, which only this case needs

        return random_weights(config, seed)

    identity = _random_identity(config, seed)
    return Checkpoint(model, config, {"af_random": _random_voice(config, seed)}, load, identity, weights)


def _random_identity(config: ModelConfig, seed: int) -> str:
    digest = hashlib.sha256(f"{config.fingerprint()} {seed}".encode())
    for package in _DRAWING_PACKAGES:
        digest.update(importlib.metadata.version(package).encode())
    for path in sorted((project_folder() / _DRAWING_SOURCES).rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _random_voice(config: ModelConfig, seed: int) -> Voice:
    style = np.random.default_rng(seed).standard_normal((1, 1, 2 * config.style_dim)) * _RANDOM_STYLE_SCALE
    return Voice(describe("af_random"), style.astype(np.float32))


def _manifest() -> dict[str, Any]:
    path = starter_folder() / "manifest.json"
    try:
        manifest = json_value(path.read_text(encoding="utf-8"))
        _ = manifest["files"], manifest["voices"]
    except (OSError, ValueError, KeyError) as error:
        raise _damaged(path) from error
    return dict(manifest)


def _verify(path: Path, digest: str) -> None:
    try:
        actual = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise _damaged(path) from error
    if actual != digest:
        raise _damaged(path)


def _damaged(path: Path) -> DamagedFile:
    return DamagedFile(
        path,
        f"The starter model’s file {path.name} is damaged or missing.",
        f"Restore {path} with “git checkout -- resources/starter” or reinstall the app.",
        RecoveryAction.INSTALL_AGAIN,
    )


@dataclass(frozen=True, kw_only=True)
class DistilledCheckpoint(Checkpoint):
    """A model whose LSTMs are replaced by students; weights and identity cover both; `teacher` has no students."""

    students: Students
    teacher: Checkpoint

    @property
    def prosody(self) -> Prosody:
        """See `Checkpoint.prosody`."""
        return Prosody.TRANSFORMER


def students_of(model: str) -> Students:
    """Read the file of a model's students. Raises `MissingModel` if there is none, or `DamagedFile`."""
    path = ModelStore().students_file(model)
    if not path.is_file():
        raise MissingModel(
            f"No Transformer prosody is installed for {model}.",
            "Use LSTM prosody, or install a student file.",
        )
    return read_students(path)


def open_with(prosody: Prosody, model: str, weights: str | None = None) -> Checkpoint:
    """Open the checkpoint of this name, with its students if they are to predict its prosody.

    Raises the errors of `open_checkpoint` and `students_of`, or `UnusableModel` for students of other weights.
    """
    checkpoint = open_checkpoint(model, weights)
    return checkpoint if prosody is Prosody.LSTM else with_students(checkpoint)


def with_students(checkpoint: Checkpoint) -> DistilledCheckpoint:
    """Add the students in the file beside the checkpoint. Raises the same errors as `open_with`."""
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
    """Return the model without students: the checkpoint itself if it has none."""
    return checkpoint.teacher if isinstance(checkpoint, DistilledCheckpoint) else checkpoint


def students_unavailable_reason(model: str) -> str:
    """Return why a model cannot use Transformer prosody, as a sentence; empty if it can."""
    if not ModelStore().students_file(model).is_file():
        return NO_STUDENTS
    try:
        with_students(open_checkpoint(model))
    except (MissingModel, UnusableModel, DamagedFile) as error:
        return error.message
    return ""


def install_students(path: Path, model: str) -> Students:
    """Store a file of students beside their model, replacing existing ones.

    Raises `DamagedFile`, `UnusableModel`, `StorageError`, and the errors of opening the model.
    """
    students = read_students(path)
    _check_teacher(students, open_checkpoint(model))
    students.load_weights()  # checks that they are complete
    place = ModelStore().students_file(model)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, path.read_bytes())
    except OSError as error:
        raise StorageError(
            f"The folder {place.parent} can’t be written to ({error.strerror or error}).",
            "Make it writable and free up some space; models are stored there.",
        ) from error
    return replace(students, path=place)


def _check_teacher(students: Students, checkpoint: Checkpoint) -> None:
    if students.teacher != checkpoint.identity:
        raise UnusableModel(
            f"The students in {students.path} were distilled from a different model than the installed "
            f"{checkpoint.name}.",
            "Install those of this model, or use LSTM prosody.",
        )
