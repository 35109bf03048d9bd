"""kokoro's modules as ONNX files, one per stage, for any number of tokens and frames.

The exporter needs the package onnx, which is optional.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import torch

from engine.config import ModelConfig
from engine.network.plain_stages import PlainStage, with_real_stft
from engine.network.random_weights import network_with
from engine.network.weights import Weights
from engine.stages import Axis, Stage, Tensor

OPSET = 17
ONNX_SUFFIX = ".onnx"
_EXAMPLE_LENGTHS = {"tokens": 7, "frames": 11}
"""Any distinct lengths above 1."""


def export_to_onnx(config: ModelConfig, weights: Weights, stages: tuple[Stage, ...], folder: Path) -> None:
    """Write `STAGE.onnx` into `folder` for each of these stages, weights included.

    Inputs that a stage's arithmetic does not need (counts, because there is no padding) are missing from the file.
    """
    network = with_real_stft(network_with(config, weights))
    for stage in stages:
        _export(stage, PlainStage(network, stage.name).eval(), config, folder / f"{stage.name}{ONNX_SUFFIX}")


def _export(stage: Stage, module: torch.nn.Module, config: ModelConfig, path: Path) -> None:
    with torch.no_grad(), warnings.catch_warnings():
        # The exporter warns that it is outdated, and of shapes that it takes for constants, which tests check.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            tuple(_example(tensor, config) for tensor in stage.inputs),
            str(path),
            input_names=[tensor.name for tensor in stage.inputs],
            output_names=[tensor.name for tensor in stage.outputs],
            dynamic_axes={tensor.name: _symbolic(tensor) for tensor in (*stage.inputs, *stage.outputs)},
            opset_version=OPSET,
            dynamo=False,
        )


def _example(tensor: Tensor, config: ModelConfig) -> torch.Tensor:
    """An example of the tensor; counts equal the lengths, because packed sequences need that."""
    count = _EXAMPLE_LENGTHS.get({"token_count": "tokens", "frame_count": "frames"}.get(tensor.name, ""), 0)
    shape = tensor.shape(config, 1, _EXAMPLE_LENGTHS)
    return torch.full(shape, count, dtype=getattr(torch, tensor.dtype))


def _symbolic(tensor: Tensor) -> dict[int, str]:
    """Names for the axes whose extent depends on a length; equal extents have equal names."""
    return {
        position: f"{axis.name}_{axis.times}_{axis.plus}"
        for position, axis in enumerate(tensor.axes, start=1)
        if isinstance(axis, Axis)
    }
