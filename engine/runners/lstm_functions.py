"""The functions outside of compiled modules that compute their LSTMs, made known to TVM when modules need them.

It does not know which LSTMs call them.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from engine.artifacts import Bridge, Manifest, verify
from engine.errors import EngineError
from engine.ops.packed_lstm import LstmMethod
from engine.speech import Array

FORGET_WEIGHTS = "tvm.contrib.mps.forget_weights"
"""Registered by the bridge: drops what it keeps of weights, which it knows by their buffers."""


def provide_lstm(manifest: Manifest, folder: Path) -> Callable[[], None]:
    """Make known the function that these modules call; gives what to call when their weights go.

    TVM's runtime must be loaded. Raises `DamagedFile` and `EngineError` for a bridge that cannot be loaded.
    """
    match LstmMethod(manifest.identity.lstm_method):
        case LstmMethod.MPS:
            _load_bridge(manifest.bridge, folder)
            forget: Callable[[], None] = _function(FORGET_WEIGHTS)
            return forget
        case LstmMethod.TORCH:
            _register_torch()
    return _nothing


def _nothing() -> None:
    """What there is to do for modules that keep nothing outside."""


def _load_bridge(bridge: Bridge | None, folder: Path) -> None:
    """Load the library, which registers its functions; once they are there, any folder's are as good."""
    if bridge is None:
        raise EngineError("The modules lack their library for Metal Performance Shaders.", "Build them again.")
    path = verify(folder, bridge)
    if LstmMethod.MPS.function is not None and _is_known(LstmMethod.MPS.function):
        return
    try:
        ctypes.CDLL(str(path), mode=os.RTLD_NOW | os.RTLD_GLOBAL)
    except OSError as error:
        raise EngineError(
            f"Metal Performance Shaders cannot be used ({error}).", "Use the LSTM method tir instead."
        ) from error


def _register_torch() -> None:
    import tvm_ffi

    tvm_ffi.register_global_func(str(LstmMethod.TORCH.function), _torch_lstm_packed, override=True)


def _torch_lstm_packed(x: Any, lengths: Any, of_input: Any, of_hidden: Any, bias: Any, y: Any) -> None:
    """`LstmMethod.function` in PyTorch on the processor, from and to tensors of any device."""
    import torch

    from engine.ops.packed_lstm_torch import lstm_forward_packed, lstm_forward_packed_bidirectional

    values, counts, *joined = (torch.from_numpy(_content(tensor)) for tensor in (x, lengths, of_input, of_hidden, bias))
    directions = y.shape[2] // of_hidden.shape[1]
    weights = [part for direction in zip(*(w.chunk(directions) for w in joined), strict=True) for part in direction]
    operator = lstm_forward_packed if directions == 1 else lstm_forward_packed_bidirectional
    with torch.no_grad():
        _fill(y, operator(values, counts, *weights).contiguous().numpy())


def _content(tensor: Any) -> Array:
    content = np.empty(tuple(tensor.shape), str(tensor.dtype))
    _function("runtime.TVMTensorCopyToBytes")(tensor, ctypes.c_void_p(content.ctypes.data), content.nbytes)
    return content


def _fill(tensor: Any, content: Array) -> None:
    _function("runtime.TVMTensorCopyFromBytes")(tensor, ctypes.c_void_p(content.ctypes.data), content.nbytes)


def _function(name: str) -> Any:
    import tvm_ffi

    return tvm_ffi.get_global_func(name)


def _is_known(name: str) -> bool:
    import tvm_ffi

    return tvm_ffi.get_global_func(name, allow_missing=True) is not None
