"""The gammas and betas of many adaptive norms for a style, computed by one linear layer."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import Any

import torch
from kokoro.istftnet import AdaIN1d
from kokoro.modules import AdaLayerNorm
from torch import Tensor, nn
from torch.nn import functional


class NormStyles:
    """Gamma and beta of every adaptive norm in `parts` for the styles [batch, style_dim] of a batch.

    `values` [batch, all gammas and betas] holds one norm after the other, each with all its gammas before its betas.
    """

    def __init__(self, parts: Iterable[nn.Module], style: Tensor) -> None:
        norms = (module for part in parts for module in part.modules() if isinstance(module, (AdaIN1d, AdaLayerNorm)))
        layers: list[Any] = [norm.fc for norm in norms]
        weights, biases = [layer.weight for layer in layers], [layer.bias for layer in layers]
        self.values = functional.linear(style, torch.cat(weights), torch.cat(biases))
        # By weight, not by norm: while a graph is traced, each access to a module gives a different object.
        starts = accumulate((len(weight) for weight in weights), initial=0)
        self._offsets: dict[Tensor, int] = dict(zip(weights, starts, strict=False))

    def offset(self, norm: Any) -> int:
        """The column at which a norm's values begin; raises `KeyError` for a norm that is not in `parts`."""
        weight: Tensor = norm.fc.weight
        return self._offsets[weight]

    def operands(self, norm: Any) -> tuple[Tensor, Tensor, Tensor, int]:
        """The arguments that the operators of `engine.network.ops.torch_ops` need for one of kokoro's `AdaIN1d`."""
        return self.values, norm.norm.weight, norm.norm.bias, self.offset(norm)
