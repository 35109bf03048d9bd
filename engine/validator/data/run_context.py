"""Tells whether the errors of two runs may be compared, and what differs between the runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from engine.compiler.artifacts.manifest import Identity


@dataclass(frozen=True)
class RunKey:
    """The subject of a run; errors of runs with different subjects cannot be compared.

    `weights` is the checkpoint's identity, `text` only the spoken part of the text; `edits` is their digest, or empty.
    """

    model: str
    weights: str
    text: str
    voice: str
    speed: float
    seed: int
    reference: str
    padding: float
    device: str
    lstm_method: str
    precision: str
    edits: str = ""


@dataclass(frozen=True)
class Build:
    """The modules that ran; errors of different builds of one subject are comparable and should be similar."""

    compiler_source_hash: str
    tvm_version: str
    processor: str

    @classmethod
    def of(cls, identity: Identity) -> Build:
        """Return the build of modules with this identity."""
        return cls(identity.compiler_source_hash, identity.tvm_version, identity.target.partition(" ")[2])


@dataclass(frozen=True)
class RunContext:
    """Everything that the errors of a run depend on."""

    subject: RunKey
    build: Build


_NAMES: Mapping[str, str] = {
    "model": "model",
    "weights": "set of weights",
    "text": "text",
    "voice": "voice",
    "speed": "speed",
    "seed": "seed",
    "reference": "reference",
    "padding": "padding",
    "device": "device",
    "lstm_method": "LSTM method",
    "precision": "precision",
    "edits": "set of edits",
}


def run_key_difference(then: RunKey, now: RunKey) -> str:
    """Name the differences of two subjects, as in `a different text and a different voice`; empty if they are equal."""
    differing = [_NAMES[each.name] for each in fields(RunKey) if getattr(then, each.name) != getattr(now, each.name)]
    return " and ".join(f"a different {name}" for name in differing)


def builds_apart(then: Build, now: Build) -> str:
    """Name the differences of two builds, such as `different compiler sources`; empty if they are equal."""
    differing = {
        "different compiler sources": then.compiler_source_hash != now.compiler_source_hash,
        f"TVM {then.tvm_version}": then.tvm_version != now.tvm_version,
        f"the CPU {then.processor}": then.processor != now.processor,
    }
    return " and ".join(words for words, differs in differing.items() if differs)
