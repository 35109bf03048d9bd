"""Small modules for the CPU and for software Metal, and how a child process tries them."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest

from engine.compiler.artifacts.manifest import CPU, Variant
from engine.config import ModelConfig
from engine.runtime.preparation import crash_guard, probes
from engine.runtime.preparation.modules import FoundModules
from engine.runtime.preparation.probes import TrialRequest, tried
from engine.stages import stage_named
from tests.engine.kept_modules import kept_modules
from tests.patience import PATIENCE_SECONDS

MACS, MPS = Variant("metal-macos"), Variant("metal-macos", lstm_method="mps")
STAGES = ("text_encoder", "duration")
METAL_CODE = 8
"""TVM's number for Metal."""
BUILT = {CPU: CPU, MACS: Variant("metal-host"), MPS: Variant("metal-host", lstm_method="mps")}
"""The variants built for this machine, by those for a Mac."""


def built_folder(config: ModelConfig, variant: Variant) -> Path:
    """Return the folder of two stages of a small model, which stay built between runs."""
    return kept_modules(config, variant, [stage_named(name) for name in STAGES])


def tried_on_software_metal(request: TrialRequest) -> dict[str, float]:
    """Try like `tried`, on software Metal, with the stand-in for Metal Performance Shaders."""
    from tests.engine.compiler.mps_bridge import stand_in
    from tests.metal_device import metal_device

    stand_in.install()
    with metal_device().fast():
        return tried(request)


def tried_wrongly(request: TrialRequest) -> dict[str, float]:
    """Try like `tried_on_software_metal`, with a device whose results are twice too large."""
    from engine.runtime.runners.tvm_runner import _CompiledStage

    run = _CompiledStage.call

    def twice(stage: _CompiledStage, arrays: object) -> list[object]:
        on_metal = stage._runtime._memory.machine_arguments[0] == METAL_CODE
        return [2 * one if on_metal else one for one in run(stage, arrays)]

    _CompiledStage.call = twice
    return tried_on_software_metal(request)


def try_in_software(config: ModelConfig, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """Make trials find the small modules, run on software Metal without a time limit, and store results in `cache`.

    A Mac has no software Metal; the command `report` tries its own.
    """
    if sys.platform == "darwin":
        pytest.skip("Metal in software is for Linux")
    folders = {variant: built_folder(config, built) for variant, built in BUILT.items()}
    monkeypatch.setattr(probes, "find_modules", lambda _, variant: FoundModules(folders[variant]))
    monkeypatch.setattr(probes, "tried", tried_on_software_metal)
    monkeypatch.setattr(probes, "run_probe", partial(probes.run_probe, seconds=PATIENCE_SECONDS))
    for user in (probes, crash_guard):
        monkeypatch.setattr(user, "cache_folder", lambda: cache)


def restart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prevent trials from now on: only stored results are available."""

    def never(*_: object) -> None:
        raise AssertionError("it was tried again")

    monkeypatch.setattr(probes, "run_probe", never)
