"""Convolutions by PyTorch in float64, and how much one by Winograd may lose to rounding, by its number of points."""

from typing import Any

import numpy as np
import torch

from engine.compiler.kernels.convolution import ConvWorkload

FEW_POINTS = 11
FEW_POINTS_LOSS = 5e-5
MANY_POINTS_LOSS = 6e-4
"""The largest error of a sum of n products of about 1, divided by the square root of n; measured: 3.4e-4 for F(8, 7),
5.4e-4 for F(6, 11)."""


def convolved(sizes: ConvWorkload, *arrays: np.ndarray) -> np.ndarray:
    """Of an input [batch, in, time], a weight [out, in, taps] and a bias [out] if there is one; [batch, out, time]."""
    tensors = (torch.from_numpy(array).double() for array in arrays)
    options = {"stride": sizes.stride, "dilation": sizes.dilation, "padding": sizes.padding}
    return torch.nn.functional.conv1d(*tensors, **options).numpy()


def convolved_transposed(*arrays: np.ndarray, **options: Any) -> np.ndarray:
    """Of an input [batch, in, time], a weight [in, out, taps] and a bias [out] if there is one; [batch, out, time]."""
    return torch.nn.functional.conv_transpose1d(
        *(torch.from_numpy(array).double() for array in arrays), **options
    ).numpy()
