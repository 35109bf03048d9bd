"""Chooses the device that runs the compiled model: requested, available, or selected by `auto`.

A GPU is chosen if a child process that runs a stage with a convolution there gets the right results.
"""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass

from engine.compiler.artifacts.manifest import CPU, CPU_DEVICE, METAL_DEVICE, METAL_MACOS, Variant
from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.runtime.preparation.probes import ProbeTrial

AUTO = "auto"
DEVICES = (AUTO, CPU_DEVICE, METAL_DEVICE)
METAL_TRIAL = ProbeTrial("metal", stages=("text_encoder",), batches=((30,),), calls=1)
"""The self-test of the GPU: the smallest stage with a convolution that uses SIMD-group matrices, which virtual and
older GPUs lack."""


@dataclass(frozen=True)
class DeviceChoice:
    """The device in use, the modules that it runs, and the reason as text.

    `is_fallback` is true if this computer has a GPU that was expected to run them.
    """

    device: str
    variant: Variant
    why: str
    is_fallback: bool = False

    @property
    def words(self) -> str:
        """The device and the reason, on one line."""
        return f"{self.device} ({self.why})"


def choose_device(wanted: str, config: ModelConfig, may_try: bool = True) -> DeviceChoice:
    """Choose the device; `auto` selects Metal if its modules exist and pass a probe, otherwise the CPU.

    The probe takes seconds, but only once for each chip, build of the system and set of modules. Without `may_try`, it
    does not run, and the CPU is selected until a result exists. Raises `InvalidRequest` for a name not in `DEVICES`, or
    `EngineError` if Metal was requested but is unavailable.
    """
    check_device(wanted)
    if wanted == AUTO:
        return _automatic(config, may_try)
    if wanted == CPU_DEVICE:
        return DeviceChoice(CPU_DEVICE, CPU, "requested")
    from engine.runtime.runners.tvm_runtime import require_metal  # imports TVM's runtime

    require_metal()
    return DeviceChoice(METAL_DEVICE, metal_variant(), "requested")


def check_device(wanted: str) -> None:
    """Raise `InvalidRequest` for a name not in `DEVICES`."""
    if wanted not in DEVICES:
        raise InvalidRequest(f"Unknown device “{wanted}”.", f"Use one of: {', '.join(DEVICES)}.")


def metal_unavailable_reason() -> str | None:
    """Return why this computer cannot have a Metal device, as text; None on a Mac with Apple silicon. Takes no time."""
    if sys.platform != "darwin":
        return "Metal needs a Mac"
    return None if platform.machine() == "arm64" else "Metal needs a Mac with Apple silicon"


def first_device(wanted: str) -> str:
    """Return the device for the first words: the CPU if a GPU may take over later, after its trial and loading."""
    return CPU_DEVICE if wanted == AUTO and metal_unavailable_reason() is None else wanted


def metal_variant() -> Variant:
    """Return the modules that run on Metal here: those for Macs, or the same kernels with this machine's host code."""
    return Variant(METAL_MACOS if sys.platform == "darwin" else "metal-host")


def _automatic(config: ModelConfig, may_try: bool) -> DeviceChoice:
    if (unavailable_reason := metal_unavailable_reason()) is not None:
        return DeviceChoice(CPU_DEVICE, CPU, unavailable_reason)
    metal = metal_variant()
    result = METAL_TRIAL.result(config, {METAL_DEVICE: metal}, may_try)
    if result.works:
        return DeviceChoice(METAL_DEVICE, metal, "this Mac has an Apple GPU, which passed its self-test")
    return DeviceChoice(CPU_DEVICE, CPU, f"the GPU isn’t used: {result.why}", is_fallback=True)
