"""Who ours is compared with, and who of them can run here.

It does not know how anybody is run.
"""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from engine.errors import EngineError, InvalidRequest

OURS = "ours"
PYTORCH = "pytorch"
TORCH_COMPILE = "torch-compile"
ONNX_RUNTIME = "onnxruntime"
TITLES: Mapping[str, str] = MappingProxyType(
    {
        PYTORCH: "PyTorch, kokoro's own modules in inference mode",
        TORCH_COMPILE: "the same, the decoder translated by torch.compile for any length",
        ONNX_RUNTIME: "ONNX Runtime, the same modules exported stage by stage",
    }
)
PEER_NAMES = tuple(TITLES)
_ONNX_PACKAGES = ("onnx", "onnxruntime")
_COMPILERS = ("g++", "clang++", "c++")

Finder = Callable[[str], object | None]


@dataclass(frozen=True)
class PeerSelection:
    """The peers to run, and for each of the others why it is left out."""

    names: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)


def choose_peers(
    wanted: Sequence[str] | None, package: Finder = importlib.util.find_spec, program: Finder = shutil.which
) -> PeerSelection:
    """Nobody for None, everybody who can run here for no names, else those named.

    Raises `InvalidRequest` for a name that is none, `EngineError` when somebody named cannot run here.
    """
    if wanted is None:
        return PeerSelection()
    names = [name for word in wanted for name in word.split(",") if name]
    for name in names:
        if name not in PEER_NAMES:
            raise InvalidRequest(f"There is no peer “{name}”.", f"Peers: {', '.join(PEER_NAMES)}.")
    obstacles = {name: words for name in PEER_NAMES if (words := _obstacle(name, package, program))}
    for name in names:
        if name in obstacles:
            raise EngineError(f"{name} cannot run here: {obstacles[name]}.", "Install that, or leave the peer out.")
    if names:
        return PeerSelection(tuple(dict.fromkeys(names)))
    return PeerSelection(tuple(name for name in PEER_NAMES if name not in obstacles), obstacles)


def _obstacle(name: str, package: Finder, program: Finder) -> str:
    if name == ONNX_RUNTIME:
        missing = [needed for needed in _ONNX_PACKAGES if package(needed) is None]
        return f"the extra “bench” is not installed ({', '.join(missing)})" if missing else ""
    if name == TORCH_COMPILE and not any(program(compiler) for compiler in _COMPILERS):
        return f"torch.compile needs a C++ compiler ({', '.join(_COMPILERS)})"
    return ""
