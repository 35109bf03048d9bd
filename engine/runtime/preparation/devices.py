"""Which device runs the compiled model: what can be asked for, what this computer has, what `auto` chooses.

A GPU is chosen if a stage with a convolution of its modules, run there by a child process, computes what it should.
"""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass

from engine.artifacts.manifest import CPU, CPU_DEVICE, METAL_DEVICE, METAL_MACOS, Variant
from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.runtime.preparation.probes import Trial

AUTO = "auto"
DEVICES = (AUTO, CPU_DEVICE, METAL_DEVICE)
METAL_TRIAL = Trial("metal", stages=("text_encoder",), batches=((30,),), calls=1)
"""The smallest stage with a convolution by matrices of SIMD groups, which virtual and older GPUs lack."""


@dataclass(frozen=True)
class DeviceChoice:
    """The device that is used, the modules that it runs, and the reason as text.

    `setback` is whether this computer has a GPU that might have been expected to run them.
    """

    device: str
    variant: Variant
    why: str
    setback: bool = False

    @property
    def words(self) -> str:
        """The device and the reason, in one line."""
        return f"{self.device} ({self.why})"


def choose_device(wanted: str, config: ModelConfig, may_try: bool = True) -> DeviceChoice:
    """The device for what was asked for; `auto` is Metal if its modules exist and a probe is right, else the processor.

    The probe takes seconds, but only once for each chip, build of the system and set of modules, and not unless it
    `may_try`: until then it is the processor.

    Raises `InvalidRequest` for a name not in `DEVICES`, `EngineError` when Metal was asked for but does not exist here.
    """
    check_device(wanted)
    if wanted == AUTO:
        return _automatic(config, may_try)
    if wanted == CPU_DEVICE:
        return DeviceChoice(CPU_DEVICE, CPU, "requested")
    from engine.runners.tvm_runtime import require_metal  # brings TVM's runtime

    require_metal()
    return DeviceChoice(METAL_DEVICE, metal_variant(), "requested")


def check_device(wanted: str) -> None:
    """Raise `InvalidRequest` for a name not in `DEVICES`."""
    if wanted not in DEVICES:
        raise InvalidRequest(f"Unknown device “{wanted}”.", f"Use one of: {', '.join(DEVICES)}.")


def metal_obstacle() -> str | None:
    """Why this computer cannot have a Metal device, as text; None on a Mac with an Apple processor. Takes no time."""
    if sys.platform != "darwin":
        return "Metal needs a Mac"
    return None if platform.machine() == "arm64" else "Metal needs a Mac with an Apple processor"


def first_device(wanted: str) -> str:
    """The device for the first words: the processor where a GPU may take over, but has to be tried and loaded first."""
    return CPU_DEVICE if wanted == AUTO and metal_obstacle() is None else wanted


def metal_variant() -> Variant:
    """The modules that run on Metal here: those for Macs, else the same kernels with host code for this machine."""
    return Variant(METAL_MACOS if sys.platform == "darwin" else "metal-host")


def _automatic(config: ModelConfig, may_try: bool) -> DeviceChoice:
    if (obstacle := metal_obstacle()) is not None:
        return DeviceChoice(CPU_DEVICE, CPU, obstacle)
    metal = metal_variant()
    result = METAL_TRIAL.result(config, {METAL_DEVICE: metal}, may_try)
    if result.works:
        return DeviceChoice(METAL_DEVICE, metal, "this Mac has an Apple GPU, which passed its self-test")
    return DeviceChoice(CPU_DEVICE, CPU, f"the GPU is not used: {result.why}", setback=True)
