"""The kernels of one target: a module per heavy operator, with the same names for every target."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

HAND_WRITTEN = "kokoro.hand_written"
"""The attribute that marks hand-written kernels."""


@dataclass(frozen=True)
class KernelSet:
    """Modules of kernels; `target_traits` is the last argument of every kernel's factory.

    `converters` take a `Call` and return its result: they replace the converters of operators for which this target
    needs something other than a single kernel.
    """

    target_traits: Hashable
    conv1d: ModuleType
    conv_transpose1d: ModuleType
    linear: ModuleType
    layer_norm: ModuleType
    lstm: ModuleType
    adaptive_norm: ModuleType
    attention: ModuleType
    reflect_left: ModuleType
    converters: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
