"""Registers with TVM the external functions that compute the LSTMs of compiled modules, if modules need them."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from engine.compiler.artifacts.manifest import Bridge, Manifest, verify
from engine.errors import EngineError
from engine.network.ops.packed_lstm import LstmMethod
from engine.speech import Array

FORGET_WEIGHTS = "tvm.contrib.mps.forget_weights"
"""The bridge's function that drops its cached layers, which are keyed by their weight buffers."""


def provide_lstm(manifest: Manifest, folder: Path) -> Callable[[], None]:
    """Register the LSTM function of these modules; return a function to call before their weights are released.

    TVM's runtime must be loaded. Raises `DamagedFile` or `EngineError` for a bridge that cannot be loaded.
    """
    match LstmMethod(manifest.identity.lstm_method):
        case LstmMethod.MPS:
            load_bridge(_verified(manifest.bridge, folder))
            forget: Callable[[], None] = global_function(FORGET_WEIGHTS)
            return forget
        case LstmMethod.TORCH:
            import tvm_ffi

            tvm_ffi.register_global_func(str(LstmMethod.TORCH.function), _torch_lstm_packed, override=True)
    return _nothing


def _nothing() -> None:
    """Do nothing: modules without external state have nothing to release."""


def _verified(bridge: Bridge | None, folder: Path) -> Path:
    if bridge is None:
        raise EngineError("The modules lack their library for Metal Performance Shaders.", "Rebuild them.")
    return verify(folder, bridge)


def load_bridge(path: Path) -> None:
    """Load the library, which registers its functions, unless any such library is already loaded.

    Raises `EngineError` if it cannot be loaded.
    """
    import tvm_ffi

    if tvm_ffi.get_global_func(str(LstmMethod.MPS.function), allow_missing=True) is not None:
        return
    try:
        ctypes.CDLL(str(path), mode=os.RTLD_NOW | os.RTLD_GLOBAL)
    except OSError as error:
        raise EngineError(
            f"Metal Performance Shaders can’t be used ({error}).", "Use the LSTM method tir instead."
        ) from error


def _torch_lstm_packed(x: Any, lengths: Any, of_input: Any, of_hidden: Any, bias: Any, y: Any) -> None:
    """Compute `LstmMethod.function` in PyTorch on the CPU, with tensors on any device."""
    import torch

    from engine.network.ops.torch_ops import lstm_forward_packed, lstm_forward_packed_bidirectional

    values, counts, *joined = (torch.from_numpy(_content(tensor)) for tensor in (x, lengths, of_input, of_hidden, bias))
    directions = y.shape[2] // of_hidden.shape[1]
    weights = [part for direction in zip(*(w.chunk(directions) for w in joined), strict=True) for part in direction]
    operator = lstm_forward_packed if directions == 1 else lstm_forward_packed_bidirectional
    with torch.no_grad():
        content = operator(values, counts, *weights).contiguous().numpy()
    copy = global_function("runtime.TVMTensorCopyFromBytes")
    copy(y, ctypes.c_void_p(content.ctypes.data), content.nbytes)


def _content(tensor: Any) -> Array:
    content = np.empty(tuple(tensor.shape), str(tensor.dtype))
    global_function("runtime.TVMTensorCopyToBytes")(tensor, ctypes.c_void_p(content.ctypes.data), content.nbytes)
    return content


def global_function(name: str) -> Any:
    """Return the function registered with TVM under this name."""
    import tvm_ffi

    return tvm_ffi.get_global_func(name)
