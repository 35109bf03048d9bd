"""Converts published files to installed ones, in a child process, where a malicious file does no harm.

This is the only step for which a model needs PyTorch: to read checkpoints and voices that PyTorch wrote. A quantized
file is bit-identical to the published one, so a table in the program lists the positions and types of its tensors; each
quantized weight is (integer - zero point) * scale.
"""

from __future__ import annotations

import csv
import math
import mmap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from engine.config import ModelConfig
from engine.errors import DamagedFile, RecoveryAction, StorageError, UnusableModel
from engine.models.progress import ModelActivity, OnProgress
from engine.network.weights import Weights

QUANTIZED_SUFFIX = ".onnx"
ROWWISE, COLUMNWISE = "C", "F"
"""The memory order of a matrix in the file, in NumPy's terms."""
CONSTANTS = {"ones": 1.0, "zeros": 0.0}
"""The kinds of weights that are missing from the file, and their values."""
_TORCH_GATES = "ifco"
"""PyTorch's order of the gates of an LSTM, each an equal part of the rows: input, forget, cell, output."""
_SCALE_KIND = "float32"
WEIGHTS_NAME = "model.safetensors"
VOICES_NAME = "voices.safetensors"
ENVIRONMENT: Mapping[str, str] = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True)
class StoredTensor:
    """A weight and its position in the file; `kind` is the type of its elements, or one of `CONSTANTS`.

    `shape` is PyTorch's, `order` the memory order of the elements, and `gates` the order of an LSTM's gates in the
    file. For integers, the `scales` numbers at `scales_at` apply to the rows, or a single one to all of them.
    """

    name: str
    shape: tuple[int, ...]
    kind: str
    offset: int = 0
    order: str = ROWWISE
    gates: str = ""
    scales_at: int = 0
    scales: int = 0
    zero_point: int = 0


Layout = tuple[StoredTensor, ...]


def read_layout(path: Path) -> Layout:
    """Read a network's weight table from this file, in order. Raises `DamagedFile`."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            layout = tuple(map(_row, csv.DictReader(stream)))
        if not layout:
            raise ValueError("it is empty")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, csv.Error) as error:
        raise DamagedFile(
            path, f"The table {path} can’t be read.", "Reinstall the app.", RecoveryAction.INSTALL_AGAIN
        ) from error
    return layout


def read_quantized(path: Path, layout: Layout, advance: Callable[[int], None] = lambda count: None) -> Weights:
    """Read all weights as float32, by state-dict key, from a file with this layout.

    `advance` receives the number of bytes read in total. Raises `UnusableModel` if the file is truncated.
    """
    try:
        with path.open("rb") as stream:
            content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        weights, done = {}, 0
        for tensor in layout:
            weights[tensor.name] = _floats(content, tensor)
            done += 0 if tensor.kind in CONSTANTS else _size_bytes(tensor)
            advance(done)
    except (OSError, ValueError) as error:
        raise UnusableModel(f"{path.name} is empty or incomplete.", "Get the file again.") from error
    return weights


def _row(values: Mapping[str, str]) -> StoredTensor:
    return StoredTensor(
        values["name"],
        tuple(map(int, values["shape"].split("x"))),
        values["kind"],
        int(values["offset"]),
        values["order"],
        values["gates"],
        int(values["scales_at"]),
        int(values["scales"]),
        int(values["zero_point"]),
    )


def _floats(content: mmap.mmap, tensor: StoredTensor) -> NDArray[np.float32]:
    if tensor.kind in CONSTANTS:
        return np.full(tensor.shape, CONSTANTS[tensor.kind], np.float32)
    values = np.frombuffer(content, tensor.kind, math.prod(tensor.shape), tensor.offset)
    rows = values.reshape(tensor.shape) if tensor.order == ROWWISE else values.reshape(tensor.shape[::-1]).T
    floats = np.array(rows, np.float32, order="C")
    if tensor.scales:
        scales = np.frombuffer(content, _SCALE_KIND, tensor.scales, tensor.scales_at)
        floats -= np.float32(tensor.zero_point)
        floats *= scales.reshape(-1, *[1] * (floats.ndim - 1))
    return _in_torch_order(floats, tensor.gates) if tensor.gates else floats


def _in_torch_order(rows: NDArray[np.float32], gates: str) -> NDArray[np.float32]:
    parts = dict(zip(gates, np.split(rows, len(gates)), strict=True))
    return np.concatenate([parts[gate] for gate in _TORCH_GATES])


def _size_bytes(tensor: StoredTensor) -> int:
    return math.prod(tensor.shape) * np.dtype(tensor.kind).itemsize


@dataclass(frozen=True)
class Conversion:
    """A conversion job: published files of one architecture, and the folder for the converted ones.

    Without `checkpoint`, only voices are converted. `earlier_voices` is a file whose voices are retained: either a
    previous conversion, or the bundled half-precision voices. `layout` is the table for reading a quantized checkpoint.
    """

    config: ModelConfig
    checkpoint: Path | None
    voices: Mapping[str, Path]
    folder: Path
    earlier_voices: Path | None = None
    layout: Path | None = None

    @property
    def bytes(self) -> int:
        """The total size of the files to read."""
        paths = [*([] if self.checkpoint is None else [self.checkpoint]), *self.voices.values()]
        return sum(path.stat().st_size for path in paths)


def convert(order: Conversion, on_progress: OnProgress) -> list[str]:
    """Write the model's files into the folder; returns the names of all its voices.

    Raises `UnusableModel` or `StorageError`.
    """
    total = order.bytes
    on_progress(ModelActivity.CONVERTING, 0, total)
    tables, done = {} if order.earlier_voices is None else _earlier(order.earlier_voices), 0
    for name, path in order.voices.items():
        tables[name] = _read_voice(path, order.config)
        done += path.stat().st_size
        on_progress(ModelActivity.CONVERTING, done, total)
    _save(tables, order.folder / VOICES_NAME)
    if order.checkpoint is not None:
        weights = _read_weights(
            order.checkpoint,
            order,
            lambda more: on_progress(ModelActivity.CONVERTING, min(done + more, total), total),
        )
        _save(weights, order.folder / WEIGHTS_NAME)
    on_progress(ModelActivity.CONVERTING, total, total)
    return list(tables)


def _read_voice(path: Path, config: ModelConfig) -> NDArray[np.float32]:
    from engine.network.published_checkpoint import read_voice  # imports torch

    return read_voice(path, config)


def _read_weights(path: Path, order: Conversion, advance: Callable[[int], None]) -> Weights:
    """Read the weights of a checkpoint; `advance` receives the size read from a quantized one."""
    if order.layout is not None:
        return read_quantized(path, read_layout(order.layout), advance)
    from engine.network.published_checkpoint import read_checkpoint  # imports torch

    return read_checkpoint(path, order.config)


def _earlier(path: Path) -> dict[str, np.ndarray]:
    try:
        return {name: np.asarray(table, np.float32) for name, table in load_file(path).items()}
    except (OSError, ValueError, SafetensorError) as error:
        raise UnusableModel("The installed voices are damaged.", "Remove the model, then try again.") from error


def _save(arrays: Mapping[str, np.ndarray], path: Path) -> None:
    try:
        save_file(dict(arrays), path)
    except (OSError, SafetensorError) as error:
        raise StorageError(
            f"The model can’t be written to {path.parent} ({error}).", "Free up some space there, then try again."
        ) from error
