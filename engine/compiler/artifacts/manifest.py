"""The compiled libraries of one model architecture: their manifest, what they depend on, whether they are intact."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from engine.compiler.artifacts.digest import content_digest
from engine.compiler.artifacts.processor_families import APPLE_PROCESSOR, FAMILIES
from engine.config import ModelConfig
from engine.errors import DamagedFile, RecoveryAction
from engine.stages import DEVICE_STAGE_NAMES, STAGES, Stage, declaration_fingerprint
from engine.system.atomic_write import write_atomically
from engine.system.json_text import json_value
from engine.system.paths import project_folder
from engine.system.processor import host_processor

MANIFEST_NAME = "manifest.json"
LIBRARY_SUFFIX = ".so"
MIN_MAC_SYSTEM = "14.0"
"""The oldest macOS that libraries run on; torch and numpy need no older one."""
MAC_TRIPLE = f"arm64-apple-macos{MIN_MAC_SYSTEM}"
_MAC_VENDOR = "apple"
_MAC_LIBRARY_SUFFIX = ".dylib"
_COMPILER_SOURCES = ("engine/compiler", "engine/network/exportable", "engine/network/ops")
_NO_SOURCES = "engine/compiler/artifacts"
"""The part of the compiler that reads its results, and changes none."""
_STUDENT_SOURCES = ("engine/network/student.py", "engine/network/distilled_stages.py")
_SOURCE_SUFFIXES = (".py", ".m", ".c", ".h", ".tbd")


@dataclass(frozen=True)
class Variant:
    """The properties that distinguish sets of libraries of one architecture, in the command line's terms.

    `probed` libraries return activations inside their stages after the outputs. `family` is the name of the
    `ProcessorFamily` of libraries for any of its CPUs, and empty for those for this machine's own. `students`
    identifies the architectures of students that stand in for LSTMs, and is empty without any; such a set has libraries
    of `stages` only, those with a student.
    """

    target: str
    lstm_method: str = "tir"
    lstm_semantics: str = "packed"
    precision: str = "float32"
    probed: bool = False
    family: str = ""
    students: str = ""
    stages: tuple[str, ...] = DEVICE_STAGE_NAMES

    @property
    def name(self) -> str:
        """The target and everything that is not the default, such as `cpu-probed` or `metal-macos-mps-float16`."""
        default = Variant(self.target)
        chosen = [getattr(self, field) for field in _CHOICES if getattr(self, field) != getattr(default, field)]
        return "-".join([self.target, *chosen, *(["probed"] if self.probed else [])])

    def tolerance_of(self, stage: Stage) -> float:
        """The least correlation of the stage's library with the reference, on the reference's inputs."""
        if self.precision == Variant.precision or stage.float16_tolerance is None:
            return stage.tolerance
        return stage.float16_tolerance


MPS = "mps"
"""The LSTM method whose libraries need a `Bridge`."""
CPU = Variant("cpu")
"""For this machine's CPU."""
METAL_MACOS = "metal-macos"
"""The target for Macs with an Apple GPU, wherever libraries for them are built."""
CPU_DEVICE, METAL_DEVICE = "cpu", "metal"
"""The devices that libraries run on."""
_HIDDEN_WEIGHT = ".weight_hh_"
_CHOICES = ("lstm_method", "lstm_semantics", "precision", "family", "students")


@dataclass(frozen=True)
class Parameter:
    """A weight that a library takes as input: its folded state-dict key, shape and dtype."""

    name: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class TuningResult:
    """A convolution with a choice measured to be faster: the choice as text, and how many times faster it is."""

    convolution: str
    choice: str
    gain: float


@dataclass(frozen=True)
class Artifact:
    """The library of one stage; `parameters` are in the order the library takes them, `seconds` is its build time.

    `probes` are the paths in the kokoro module tree of the activations that it returns after the stage's outputs.
    `fingerprint` is equal for every build of the same sources, which the bytes are not: TVM orders some machine code
    by address. It covers kernels for Metal, the order they are called in, and the parameters. `tuning` lists choices
    that were measured to be faster on this machine than the default ones; the library is just as correct without them.
    `sha256` is the library's `content_digest`.
    `kernels` are the names of those that a GPU's driver has to compile before the library can run with packed weights.
    """

    stage: str
    file: str
    sha256: str
    bytes: int
    seconds: float
    parameters: tuple[Parameter, ...]
    probes: tuple[str, ...] = ()
    fingerprint: str = ""
    tuning: tuple[TuningResult, ...] = ()
    kernels: tuple[str, ...] = ()

    @property
    def has_lstm(self) -> bool:
        """True if the stage has an LSTM: only those have weights of a hidden state, which torch names alike."""
        return any(_HIDDEN_WEIGHT in parameter.name for parameter in self.parameters)


@dataclass(frozen=True)
class Bridge:
    """The library through which the others call Metal Performance Shaders, if their LSTM method is `mps`."""

    file: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Identity:
    """Everything a set of libraries depends on; libraries of a different identity are stale.

    `target` includes the CPU and its features, so libraries copied to a different machine are stale there; those for
    a family of CPUs name the family instead. `probes` is a hash of the activations that libraries return in addition
    to their outputs, and empty for those that synthesize speech. `students` identifies the architectures of students
    and the source code of theirs, and is empty without any.
    """

    declaration: str
    config: str
    target: str
    tvm_version: str
    compiler_source_hash: str
    lstm_method: str = Variant.lstm_method
    lstm_semantics: str = Variant.lstm_semantics
    precision: str = Variant.precision
    probes: str = ""
    students: str = ""

    @property
    def device(self) -> str:
        """The device that the libraries run on: `cpu` or `metal`."""
        return METAL_DEVICE if self.target.startswith(METAL_DEVICE) else CPU_DEVICE


@dataclass(frozen=True)
class Manifest:
    """The libraries in one folder and what they were built for."""

    identity: Identity
    artifacts: tuple[Artifact, ...]
    bridge: Bridge | None = None

    def artifact(self, stage: str) -> Artifact | None:
        """The library of this stage, if there is one."""
        return next((artifact for artifact in self.artifacts if artifact.stage == stage), None)

    def with_artifact(self, artifact: Artifact) -> Manifest:
        """A manifest with this library added, or replacing the stage's older one."""
        others = tuple(other for other in self.artifacts if other.stage != artifact.stage)
        return replace(self, artifacts=(*others, artifact))

    def save(self, folder: Path) -> None:
        """Write `manifest.json` atomically."""
        text = json.dumps(asdict(self), indent=1)
        write_atomically(folder / MANIFEST_NAME, text.encode())

    @classmethod
    def load(cls, folder: Path) -> Manifest:
        """Read `manifest.json`; raises `DamagedFile` when it is missing or damaged."""
        path = folder / MANIFEST_NAME
        try:
            values = json_value(path.read_text(encoding="utf-8"))
            artifacts, bridge = tuple(_artifact(entry) for entry in values["artifacts"]), values.get("bridge")
            return cls(Identity(**values["identity"]), artifacts, None if bridge is None else Bridge(**bridge))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise _damaged(path, "list of compiled modules", "can’t be read") from error


def expected_identity(config: ModelConfig, variant: Variant) -> Identity:
    """The identity of libraries of this architecture and variant, built here and now."""
    return Identity(
        declaration=declaration_fingerprint(),
        config=config.fingerprint(),
        target=f"{variant.target} {_processor(variant)}",
        tvm_version=importlib.metadata.version("apache-tvm"),
        compiler_source_hash=compiler_source_hash(),
        lstm_method=variant.lstm_method,
        lstm_semantics=variant.lstm_semantics,
        precision=variant.precision,
        probes=_probes_fingerprint() if variant.probed else "",
        students=f"{variant.students} {student_source_hash()}" if variant.students else "",
    )


def libraries_key(*manifests: Manifest) -> str:
    """A hash that identifies several sets of libraries."""
    digests = [
        [*sorted((one.stage, one.sha256) for one in manifest.artifacts), manifest.bridge and manifest.bridge.sha256]
        for manifest in manifests
    ]
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()


def library_suffix(variant: Variant) -> str:
    """The suffix of the libraries' file names."""
    return _MAC_LIBRARY_SUFFIX if is_for_mac(variant) else LIBRARY_SUFFIX


def is_for_mac(variant: Variant) -> bool:
    """True if the libraries are for any Mac with Apple silicon, on any system that builds them."""
    return variant.target == METAL_MACOS or _MAC_VENDOR in variant.family


def modules_folder(root: Path, config: ModelConfig, variant: Variant) -> Path:
    """The folder below `root` for the libraries of this architecture and variant."""
    return root / f"{config.fingerprint()}-{variant.name}"


def verify(folder: Path, artifact: Artifact | Bridge) -> Path:
    """The path of a library unchanged since it was built, but for its signature; raises `DamagedFile` otherwise."""
    path = folder / artifact.file
    try:
        actual = content_digest(path.read_bytes())
    except OSError as error:
        raise _damaged(path, "compiled module", "can’t be read") from error
    if actual != artifact.sha256:
        raise _damaged(path, "compiled module", "is damaged")
    return path


@cache
def compiler_source_hash() -> str:
    """A hash of the source code that determines what a library computes."""
    return _hash_of(compiler_sources())


@cache
def student_source_hash() -> str:
    """A hash of the source code that determines, as well as the compiler's, what a library with a student computes."""
    return _hash_of(student_sources())


def student_sources() -> Iterator[Path]:
    """The files with the source code of students; a bundle holds them for their hash."""
    return (project_folder() / name for name in _STUDENT_SOURCES)


def _hash_of(sources: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sources:
        digest.update(path.relative_to(project_folder()).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def compiler_sources() -> Iterator[Path]:
    """The files with the source code that determines what a library computes; a bundle holds them for their hash."""
    for folder in _COMPILER_SOURCES:
        paths = (project_folder() / folder).rglob("*")
        sources = (path for path in paths if path.suffix in _SOURCE_SUFFIXES)
        yield from sorted(path for path in sources if not path.is_relative_to(project_folder() / _NO_SOURCES))


def _damaged(path: Path, what: str, how: str) -> DamagedFile:
    hint = "Rebuild it with “kokoro-desk compile”."
    return DamagedFile(path, f"The {what} {path} {how}.", hint, RecoveryAction.COMPILE_AGAIN)


def _processor(variant: Variant) -> str:
    if variant.target == METAL_MACOS:
        return f"{MAC_TRIPLE} {APPLE_PROCESSOR}"
    return f"{variant.family} {FAMILIES[variant.family].processor}" if variant.family else host_processor()


def _probes_fingerprint() -> str:
    declared = [(stage.name, probe.module, probe.fused) for stage in STAGES for probe in stage.probes]
    return hashlib.sha256(repr(declared).encode()).hexdigest()[:16]


def _artifact(entry: Mapping[str, Any]) -> Artifact:
    parameters = (Parameter(p["name"], tuple(p["shape"]), p["dtype"]) for p in entry["parameters"])
    tuning = (TuningResult(**tuned) for tuned in entry.get("tuning", ()))
    names = {key: tuple(entry.get(key, ())) for key in ("probes", "kernels")}
    return Artifact(**{**entry, **names, "parameters": tuple(parameters), "tuning": tuple(tuning)})


@dataclass(frozen=True)
class Fresh:
    """All libraries exist, are intact, and have the expected identity."""

    manifest: Manifest


@dataclass(frozen=True)
class Stale:
    """There are libraries, but they must not be used; `why` is the reason as text."""

    why: str


@dataclass(frozen=True)
class Missing:
    """There are no libraries."""


Freshness = Fresh | Stale | Missing

_DIFFERENCES: Mapping[str, str] = {
    "declaration": "the interface of the stages has changed",
    "config": "built for a different architecture",
    "target": "built for a different CPU",
    "tvm_version": "built with a different TVM version",
    "compiler_source_hash": "built with a different compiler",
    "lstm_method": "built for a different LSTM method",
    "lstm_semantics": "built for different padding semantics",
    "precision": "built for a different precision",
    "probes": "built with different intermediate activations",
    "students": "built for different student weights",
}


def freshness(folder: Path, expected: Identity, stages: Iterable[str]) -> Freshness:
    """The freshness of the libraries in `folder` for these stages; reads and hashes every one of them."""
    if not (folder / MANIFEST_NAME).is_file():
        return Missing()
    try:
        manifest = Manifest.load(folder)
        difference = _difference(manifest.identity, expected)
        if difference:
            return Stale(difference)
        for stage in stages:
            artifact = manifest.artifact(stage)
            if artifact is None:
                return Stale(f"the module of stage {stage} is missing")
            verify(folder, artifact)
        if manifest.bridge is not None:
            verify(folder, manifest.bridge)
        elif expected.lstm_method == MPS:
            return Stale("the library for Metal Performance Shaders is missing")
    except DamagedFile as damage:
        return Stale(f"{damage.path.name} is damaged")
    return Fresh(manifest)


def _difference(actual: Identity, expected: Identity) -> str:
    for field in fields(Identity):
        if getattr(actual, field.name) != getattr(expected, field.name):
            return _DIFFERENCES[field.name]
    return ""
