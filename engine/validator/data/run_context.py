"""What the errors of a run depend on: whether those of two runs may be compared, and what differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from engine.artifacts.manifest import Identity


@dataclass(frozen=True)
class RunKey:
    """What a run compared: errors of runs of different subjects say nothing about each other.

    `weights` is the checkpoint's identity, `text` only what of it is spoken.
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


@dataclass(frozen=True)
class Build:
    """Which modules ran; errors of another build of the same subject are worth comparing, and expected to be alike."""

    compiler_source_hash: str
    tvm_version: str
    processor: str

    @classmethod
    def of(cls, identity: Identity) -> Build:
        """The build of modules with this identity."""
        return cls(identity.compiler_source_hash, identity.tvm_version, identity.target.partition(" ")[2])


@dataclass(frozen=True)
class RunContext:
    """All that the errors of a run depend on."""

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
}


def subjects_apart(then: RunKey, now: RunKey) -> str:
    """In what two subjects differ, such as `another text and another voice`; empty if they are equal."""
    differing = [_NAMES[each.name] for each in fields(RunKey) if getattr(then, each.name) != getattr(now, each.name)]
    return " and ".join(f"a different {name}" for name in differing)


def builds_apart(then: Build, now: Build) -> str:
    """In what two builds differ, such as `different compiler sources`; empty if they are equal."""
    differing = {
        "different compiler sources": then.compiler_source_hash != now.compiler_source_hash,
        f"TVM {then.tvm_version}": then.tvm_version != now.tvm_version,
        f"the processor {then.processor}": then.processor != now.processor,
    }
    return " and ".join(words for words, differs in differing.items() if differs)
