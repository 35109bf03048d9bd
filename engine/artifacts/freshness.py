"""Whether compiled libraries can be used here and now, and if not, the reason as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from engine.artifacts.manifest import MANIFEST_NAME, MPS, Identity, Manifest, verify
from engine.errors import DamagedFile


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

_WORDS: Mapping[str, str] = {
    "declaration": "the interface of the stages has changed",
    "config": "they are of another architecture",
    "target": "they are for another processor",
    "tvm_version": "they are of another TVM version",
    "compiler_source_hash": "the compiler has changed since",
    "lstm_method": "their LSTMs run in another way than wanted",
    "lstm_semantics": "their LSTMs treat padding in another way than wanted",
    "precision": "they are of another precision than wanted",
    "probes": "they show other inner values than wanted",
    "students": "they are of other students than those here",
}


def freshness(folder: Path, expected: Identity, stages: Iterable[str]) -> Freshness:
    """Whether the libraries in `folder` can be used for these stages; reads and hashes every one of them."""
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
                return Stale(f"the module of stage {stage} is not among them")
            verify(folder, artifact)
        if manifest.bridge is not None:
            verify(folder, manifest.bridge)
        elif expected.lstm_method == MPS:
            return Stale("the library for Metal Performance Shaders is not among them")
    except DamagedFile as damage:
        return Stale(f"{damage.path.name} is damaged")
    return Fresh(manifest)


def _difference(actual: Identity, expected: Identity) -> str:
    for field in fields(Identity):
        if getattr(actual, field.name) != getattr(expected, field.name):
            return _WORDS[field.name]
    return ""
