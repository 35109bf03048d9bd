"""What is asked about the kernels of a model's stages."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.validator.data.results import ValidationRequest


class Substitute(StrEnum):
    """What may compute in place of a kernel, whose result then goes on through the rest of the model."""

    PLAIN_LOOPS = "plain-loops"
    """The kernel's own TIR without its schedule: every loop serial, nothing vectorised, unrolled or parallel."""
    PYTORCH = "pytorch"
    """PyTorch, on the kernel's inputs."""


@dataclass(frozen=True)
class Replacement:
    """A call of a kernel, by its stage and the id of its node, that something else computes.

    Without a node, the whole stage is computed in PyTorch.
    """

    stage: str
    node: str | None = None
    substitute: Substitute = Substitute.PYTORCH


@dataclass(frozen=True)
class KernelRequest:
    """Inspect `stages` of the compiled modules, each fed by the reference with one utterance of a request's text.

    Without `stages`, those are inspected whose outputs are wrong. With `replacements`, nothing is inspected: the whole
    utterance is computed with them and compared as one more regime, whose name says what was replaced.
    """

    validation: ValidationRequest
    utterance: int = 0
    stages: tuple[str, ...] = ()
    replacements: tuple[Replacement, ...] = ()
