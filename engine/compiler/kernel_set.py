"""The kernels of one target: a module per heavy operator, with the same names in it for every target.

It does not know which targets there are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

HAND_WRITTEN = "kokoro.hand_written"
"""The attribute of functions that are kernels of ours."""


@dataclass(frozen=True)
class KernelSet:
    """Modules of kernels; `target_traits` is what every kernel gets as its last argument.

    `rows_dtype` is the type of what linear layers, layer norms with a style and LSTMs take and give; also of styles.
    `converters` replace those of whole operators, where a target takes other steps than a single kernel; they take a
    `Call` and give its result.
    """

    target_traits: Hashable
    conv1d: ModuleType
    conv_transpose1d: ModuleType
    linear: ModuleType
    layer_norm: ModuleType
    packed_lstm: ModuleType
    adaptive_norm: ModuleType
    attention: ModuleType
    reflect_left: ModuleType
    rows_dtype: str = "float32"
    converters: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
