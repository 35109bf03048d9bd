"""Reads published checkpoints and voice packs into the arrays that this program uses.

A published checkpoint is a dict of five state dicts whose keys may begin with `module.`, with weight norm in two
parts; it lacks the affine parameters of instance norms, which are one and zero.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from engine.config import ModelConfig
from engine.errors import UnusableModel
from engine.network.architecture import build_network
from engine.network.random_weights import without_weight_norm
from engine.network.torch_files import read_torch_file
from engine.network.weights import Weights, folded

_WRAPPER = re.compile(r"^([^.]+)\.module\.")
_NORM_PART = re.compile(r"(?:weight_[gv]|parametrizations\.weight\.original[01])$")
_HINT = "Choose a checkpoint of this model, such as the published one."
_VOICE_HINT = "Choose a voice pack of this model."


def read_checkpoint(path: Path, config: ModelConfig) -> Weights:
    """Every weight of the network as float32, by state-dict key, weight norm folded in.

    Raises `UnusableModel` when the file is damaged, or of a different architecture.
    """
    shapes, constants = expected_weights(config)
    stored: dict[str, NDArray[np.generic]] = {}
    for name, tensor in _tensors(path):
        wanted = shapes.get(_NORM_PART.sub("weight", name))
        if wanted is not None:
            stored[name] = _array(path, name, tensor, math.prod(wanted))
    try:
        weights = {**constants, **folded(stored)}
    except (KeyError, ValueError) as error:
        raise _misfit(path, f"the parts of a weight don’t belong together ({error})") from error
    _check(path, weights, shapes)
    return weights


def read_voice(path: Path, config: ModelConfig) -> NDArray[np.float32]:
    """A voice pack [rows, 1, 2 * style_dim], a row for each number of phonemes, from a `.pt` or raw float32 file.

    Raises `UnusableModel` when the file is not a voice pack of this model.
    """
    width = 2 * config.style_dim
    table = _raw_table(path, width) if path.suffix == ".bin" else _torch_table(path)
    rows = len(table) if table.ndim else 0
    if table.shape[1:] != (1, width) or not config.phoneme_limit <= rows <= config.token_limit:
        shape = f"{list(table.shape)} instead of [{config.phoneme_limit}, 1, {width}]"
        raise UnusableModel(f"{path.name} isn’t a voice of this model: its shape is {shape}.", _VOICE_HINT)
    if not np.isfinite(table).all():
        raise UnusableModel(f"{path.name} holds numbers that aren’t finite.", _VOICE_HINT)
    return np.ascontiguousarray(table, np.float32)


def expected_weights(config: ModelConfig) -> tuple[dict[str, tuple[int, ...]], Weights]:
    """The shape of every weight, and the values of those that are constant unless a checkpoint has them."""
    with torch.device("meta"):
        network = without_weight_norm(build_network(config))
    shapes = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    norms = [name for name, module in network.named_modules() if isinstance(module, nn.InstanceNorm1d)]
    ones = {f"{name}.weight": np.ones(shapes[f"{name}.weight"], np.float32) for name in norms}
    zeros = {f"{name}.bias": np.zeros(shapes[f"{name}.bias"], np.float32) for name in norms}
    return shapes, {**ones, **zeros}


def _tensors(path: Path) -> Iterator[tuple[str, Tensor]]:
    """Every tensor of a checkpoint, by its name in the network."""
    found = _safetensors(path) if path.suffix == ".safetensors" else _flat(path, read_torch_file(path))
    for name, tensor in found:
        yield _WRAPPER.sub(r"\1.", name), tensor


def _safetensors(path: Path) -> Iterator[tuple[str, Tensor]]:
    try:
        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118 (it is no mapping)
                yield name, file.get_tensor(name)
    except (OSError, ValueError, SafetensorError) as error:
        raise UnusableModel(f"{path.name} is incomplete or damaged.", "Get the file again.") from error


def _flat(path: Path, values: Any) -> Iterator[tuple[str, Tensor]]:
    if not isinstance(values, Mapping):
        raise _misfit(path, "it isn’t a dictionary of weights")
    for name, value in values.items():
        if isinstance(value, Tensor):
            yield str(name), value
        elif isinstance(value, Mapping):
            for inner, tensor in _flat(path, value):
                yield f"{name}.{inner}", tensor


def _array(path: Path, name: str, tensor: Tensor, most: int) -> NDArray[np.float32]:
    if tensor.layout != torch.strided or not tensor.is_floating_point() or tensor.numel() > most:
        raise _misfit(path, f"{name} is {tensor.dtype} {list(tensor.shape)}")
    return np.asarray(tensor.detach().to(torch.float32).numpy())


def _check(path: Path, weights: Weights, shapes: Mapping[str, tuple[int, ...]]) -> None:
    missing = [name for name in shapes if name not in weights]
    if missing:
        raise _misfit(path, f"it lacks {missing[0]} and {len(missing) - 1} more" if missing[1:] else f"no {missing[0]}")
    for name, shape in shapes.items():
        if weights[name].shape != shape:
            raise _misfit(path, f"{name} is {list(weights[name].shape)} instead of {list(shape)}")
        if not np.isfinite(weights[name]).all():
            raise _misfit(path, f"{name} holds numbers that aren’t finite")


def _raw_table(path: Path, width: int) -> NDArray[np.float32]:
    try:
        values = np.fromfile(path, np.dtype("<f4"))
    except OSError as error:
        raise UnusableModel(f"{path.name} can’t be read ({error.strerror}).", _VOICE_HINT) from error
    whole = path.stat().st_size == values.nbytes and values.size % width == 0
    return values.reshape(-1, 1, width) if whole else values


def _torch_table(path: Path) -> NDArray[np.float32]:
    tensor = read_torch_file(path)
    if not isinstance(tensor, Tensor) or tensor.layout != torch.strided or not tensor.is_floating_point():
        raise UnusableModel(f"{path.name} isn’t a voice of this model: it isn’t a table of numbers.", _VOICE_HINT)
    if tensor.numel() > path.stat().st_size:
        raise UnusableModel(f"{path.name} isn’t a voice of this model: its shape is {list(tensor.shape)}.", _VOICE_HINT)
    return np.asarray(tensor.detach().to(torch.float32).numpy())


def _misfit(path: Path, reason: str) -> UnusableModel:
    return UnusableModel(f"{path.name} isn’t a checkpoint of this model: {reason}.", _HINT)
