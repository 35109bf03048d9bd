"""Which device runs the compiled model: what can be asked for, what this computer has, what `auto` chooses."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass

from engine.artifacts.manifest import CPU, CPU_DEVICE, METAL_DEVICE, Variant
from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.preparation.module_choice import find_modules

AUTO = "auto"
DEVICES = (AUTO, CPU_DEVICE, METAL_DEVICE)


@dataclass(frozen=True)
class DeviceChoice:
    """The device that is used, the modules that it runs, and the reason as text."""

    device: str
    variant: Variant
    why: str

    @property
    def words(self) -> str:
        """The device and the reason, in one line."""
        return f"{self.device} ({self.why})"


def choose_device(wanted: str, config: ModelConfig) -> DeviceChoice:
    """The device for what was asked for; `auto` is Metal if its modules exist and can run, else the processor.

    Raises `InvalidRequest` for a name not in `DEVICES`, `EngineError` when Metal was asked for but does not exist here.
    """
    check_device(wanted)
    if wanted == AUTO:
        return _automatic(config)
    if wanted == CPU_DEVICE:
        return DeviceChoice(CPU_DEVICE, CPU, "it was asked for")
    from engine.runners.tvm_runtime import require_metal  # brings TVM's runtime

    require_metal()
    return DeviceChoice(METAL_DEVICE, metal_variant(), "it was asked for")


def check_device(wanted: str) -> None:
    """Raise `InvalidRequest` for a name not in `DEVICES`."""
    if wanted not in DEVICES:
        raise InvalidRequest(f"There is no device “{wanted}” here.", f"Use one of: {', '.join(DEVICES)}.")


def metal_obstacle() -> str | None:
    """Why this computer cannot have a Metal device, as text; None on a Mac with an Apple processor. Takes no time."""
    if sys.platform != "darwin":
        return "Metal needs a Mac"
    return None if platform.machine() == "arm64" else "Metal needs a Mac with an Apple processor"


def metal_variant() -> Variant:
    """The modules that run on Metal here: those for Macs, else the same kernels with host code for this machine."""
    return Variant("metal-macos" if sys.platform == "darwin" else "metal-host")


def _automatic(config: ModelConfig) -> DeviceChoice:
    obstacle, metal = metal_obstacle(), metal_variant()
    if obstacle is None:
        found = find_modules(config, metal)
        if found.folder is not None:
            return DeviceChoice(METAL_DEVICE, metal, "this Mac has an Apple GPU, and its modules are there")
        obstacle = f"the modules for Metal cannot be used: {found.problem}"
    return DeviceChoice(CPU_DEVICE, CPU, obstacle)
