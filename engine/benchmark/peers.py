"""Our modules and the peers to compare them with: their descriptions, and the ones that can run here."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from engine.benchmark.job import kokoro_onnx_path
from engine.errors import EngineError, InvalidRequest
from engine.models.checkpoints import FULL_SIZE, STARTER, model_config
from engine.system.processor import processor_features

OURS = "ours"
OURS_ON_PROCESSOR = "ours-on-cpu"
PYTORCH = "pytorch"
TORCH_COMPILE = "torch-compile"
ONNX_RUNTIME = "onnxruntime"
OPENVINO = "openvino"
OPENVINO_STATIC = "openvino-static"
OPENVINO_BFLOAT16 = "openvino-bf16"
KOKORO_ONNX_INT8 = "kokoro-onnx-int8"
HIBARI = "hibari-tts"
FLOAT32, BFLOAT16, INT8 = "float32", "bfloat16", "int8"


@dataclass(frozen=True)
class Peer:
    """A peer: a short description, the precision that it computes in, and the optional packages that it needs.

    `exported` is true if it reads the stages exported to ONNX, `compiles_per_length` if it compiles them for every
    length. If it has its own weights, `compared_with` names the model of the only architecture to compare it with.
    """

    name: str
    title: str
    precision: str = FLOAT32
    packages: tuple[str, ...] = ()
    exported: bool = False
    compiles_per_length: bool = False
    compared_with: str = ""

    @property
    def lossy(self) -> bool:
        """True if it computes in less than float32; such a peer is listed, but is never the best peer."""
        return self.precision != FLOAT32


_ONNX = ("onnx", "onnxruntime")
_OPENVINO = ("onnx", "openvino")
_ALL = (
    Peer(PYTORCH, "PyTorch, kokoro’s own modules in inference mode"),
    Peer(TORCH_COMPILE, "the same, the decoder translated by torch.compile for any length"),
    Peer(ONNX_RUNTIME, "ONNX Runtime, the same modules exported stage by stage", packages=_ONNX, exported=True),
    Peer(OPENVINO, "OpenVINO, the exported stages compiled for any length", packages=_OPENVINO, exported=True),
    Peer(
        OPENVINO_STATIC,
        "OpenVINO, the exported stages compiled for exactly the length measured; compiling isn’t timed",
        packages=_OPENVINO,
        exported=True,
        compiles_per_length=True,
    ),
    Peer(
        OPENVINO_BFLOAT16,
        "OpenVINO in bfloat16, for any length; the source in float32, because its phases need that",
        BFLOAT16,
        _OPENVINO,
        exported=True,
    ),
    Peer(
        KOKORO_ONNX_INT8,
        "kokoro-onnx’s own 8-bit file in ONNX Runtime, with its own weights, whole, alignment included; it "
        "speaks at the speed that comes nearest to the length, and its time is scaled to the length",
        INT8,
        ("onnxruntime",),
        compared_with=FULL_SIZE,
    ),
    Peer(
        HIBARI,
        "the small model of hibari-tts, taught by af_heart as the starter is, in ONNX Runtime, with its own weights, "
        "whole, alignment included; its speed and its time follow the length as kokoro-onnx-int8’s do",
        INT8,
        ("hibari", "onnxruntime", "scipy"),
        compared_with=STARTER,
    ),
)
_BESIDE_A_GPU = Peer(OURS_ON_PROCESSOR, "our own modules on this machine’s CPU")
PEERS: Mapping[str, Peer] = MappingProxyType({peer.name: peer for peer in (*_ALL, _BESIDE_A_GPU)})
PEER_NAMES = tuple(peer.name for peer in _ALL)
"""The names of the peers that users can request."""
_COMPILERS = ("g++", "clang++", "c++")
_BFLOAT16_FEATURES = ("avx512_bf16", "amx_bf16")


@dataclass(frozen=True)
class PeerSelection:
    """The peers to run, and the reason why each of the others is left out."""

    names: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PeerEnvironment:
    """The environment of the peers: packages, programs, the CPU's features, kokoro-onnx's file."""

    package: Callable[[str], object | None] = importlib.util.find_spec
    program: Callable[[str], object | None] = shutil.which
    features: Callable[[], frozenset[str]] = processor_features
    file: Callable[[], Path] = kokoro_onnx_path


def choose_peers(
    wanted: Sequence[str] | None, model: str = FULL_SIZE, environment: PeerEnvironment | None = None
) -> PeerSelection:
    """Return no peers for None, all that can run `model` here for an empty list, otherwise the named ones.

    Raises `InvalidRequest` for an unknown name, `EngineError` if a named peer cannot run here.
    """
    if wanted is None:
        return PeerSelection()
    names = [name for word in wanted for name in word.split(",") if name]
    for name in names:
        if name not in PEER_NAMES:
            raise InvalidRequest(f"Unknown peer “{name}”.", f"Peers: {', '.join(PEER_NAMES)}.")
    unavailable_reasons = _unavailable_peers(model, environment or PeerEnvironment())
    for name in names:
        if name in unavailable_reasons:
            raise EngineError(f"{name} can’t run here: {unavailable_reasons[name]}.", "Fix that, or omit this peer.")
    if names:
        return PeerSelection(tuple(dict.fromkeys(names)))
    return PeerSelection(tuple(name for name in PEER_NAMES if name not in unavailable_reasons), unavailable_reasons)


def beside_a_gpu(selection: PeerSelection) -> PeerSelection:
    """Return the same peers, preceded by our own modules on the CPU."""
    return replace(selection, names=(OURS_ON_PROCESSOR, *selection.names))


def _unavailable_peers(model: str, environment: PeerEnvironment) -> dict[str, str]:
    """Return the peers that cannot run the model here, with the reasons."""
    found = ((peer.name, _unavailable_reason(peer, model, environment)) for peer in _ALL)
    return {name: unavailable_reason for name, unavailable_reason in found if unavailable_reason}


def _unavailable_reason(peer: Peer, model: str, environment: PeerEnvironment) -> str:
    if peer.compared_with and model_config(model) != model_config(peer.compared_with):
        return f"it has its own weights and is compared with {peer.compared_with} only, not with {model}"
    if missing := [needed for needed in peer.packages if environment.package(needed) is None]:
        return f"the extra “bench” isn’t installed ({', '.join(missing)})"
    if peer.name == TORCH_COMPILE and not any(environment.program(compiler) for compiler in _COMPILERS):
        return f"torch.compile needs a C++ compiler ({', '.join(_COMPILERS)})"
    if peer.precision == BFLOAT16 and not environment.features() & {*_BFLOAT16_FEATURES}:
        return f"the CPU doesn’t multiply bfloat16 ({' or '.join(_BFLOAT16_FEATURES)})"
    if peer.name == KOKORO_ONNX_INT8 and not (path := environment.file()).is_file():
        return f"its file is missing ({path})"
    return ""
