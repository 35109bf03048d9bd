"""Weights as plain numpy arrays: read from a safetensors file, weight norm folded in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

from engine.errors import DamagedFile

Weights = dict[str, NDArray[np.float32]]

_MAGNITUDE = re.compile(r"(?P<module>.*\.)(?:weight_g|parametrizations\.weight\.original0)")
_DIRECTIONS = {"weight_g": "weight_v", "original0": "original1"}


def load_weights(path: Path) -> Weights:
    """Every array of a safetensors file as float32, by state-dict key of a network without weight norm.

    Raises `DamagedFile` when the file is missing or is not one.
    """
    try:
        stored = load_file(path)
    except (OSError, ValueError, SafetensorError) as error:
        raise DamagedFile(
            path, f"The weights {path} can’t be read.", "Restore the file or download the model again."
        ) from error
    return folded(stored)


def folded(stored: Mapping[str, NDArray[np.generic]]) -> Weights:
    """The arrays as float32, with each magnitude and direction of weight norm combined into one weight.

    weight = magnitude * direction / |direction|, the norm over all axes but the first (`torch.nn.utils.weight_norm`).
    """
    result: Weights = {}
    directions = set()
    for name, array in stored.items():
        match = _MAGNITUDE.fullmatch(name)
        if match:
            direction = _direction_name(name)
            directions.add(direction)
            result[f"{match['module']}weight"] = _scaled(stored[direction], array)
        else:
            result[name] = np.ascontiguousarray(array, np.float32)
    return {name: array for name, array in result.items() if name not in directions}


def _direction_name(magnitude: str) -> str:
    head, _, tail = magnitude.rpartition(".")
    return f"{head}.{_DIRECTIONS[tail]}"


def _scaled(direction: NDArray[np.generic], magnitude: NDArray[np.generic]) -> NDArray[np.float32]:
    exact = direction.astype(np.float64)
    norm = np.sqrt(np.square(exact).sum(axis=tuple(range(1, exact.ndim)), keepdims=True))
    scaled = exact * (magnitude.astype(np.float64) / norm)
    return np.ascontiguousarray(scaled, np.float32)
