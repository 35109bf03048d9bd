"""Small modules for the processor and for Metal in software, and child processes that can run them."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import pytest

from engine.artifacts.manifest import CPU, Variant
from engine.config import ModelConfig
from engine.runtime.preparation import in_use, probes
from engine.runtime.preparation.modules import FoundModules
from engine.stages import stage_named
from tests.engine.kept_modules import kept_modules
from tests.patience import PATIENCE_SECONDS

MACS, MPS = Variant("metal-macos"), Variant("metal-macos", lstm_method="mps")
STAGES = ("text_encoder", "duration")
BUILT = {CPU: CPU, MACS: Variant("metal-host"), MPS: Variant("metal-host", lstm_method="mps")}
"""What is built for this machine, by what speaks on a Mac."""
ON_SOFTWARE_METAL = """
import sys
from tests.engine.mps_bridge import stand_in
from tests.metal_device import metal_device
from engine.runtime.preparation.module_probe import main
stand_in.install()
with metal_device().fast():
    sys.exit(main(sys.argv[1:]))
"""


def built_folder(config: ModelConfig, variant: Variant) -> Path:
    """The folder of the two stages of a small model, which stay built between runs."""
    return kept_modules(config, variant, [stage_named(name) for name in STAGES])


def on_software_metal(module: str, request: str) -> tuple[str, ...]:
    """The command that tries modules on Metal in software, with the stand-in for Metal Performance Shaders."""
    return (sys.executable, "-c", ON_SOFTWARE_METAL, request)


def try_in_software(config: ModelConfig, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """Have trials find the small modules, run on Metal in software as long as it takes, and keep results in `cache`.

    A Mac has no Metal in software; its own is tried by the command `report`.
    """
    if sys.platform == "darwin":
        pytest.skip("Metal in software is for Linux")
    folders = {variant: built_folder(config, built) for variant, built in BUILT.items()}
    monkeypatch.setattr(probes, "find_modules", lambda _, variant: FoundModules(folders[variant]))
    monkeypatch.setattr(probes, "python_command", on_software_metal)
    monkeypatch.setattr(probes, "run_probe", partial(probes.run_probe, seconds=PATIENCE_SECONDS))
    for user in (probes, in_use):
        monkeypatch.setattr(user, "cache_folder", lambda: cache)


def restart(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on nothing can be tried: what is known is what was kept."""

    def never(*_: object) -> None:
        raise AssertionError("it was tried again")

    monkeypatch.setattr(probes, "run_probe", never)


def request_of(command: tuple[str, ...]) -> dict[str, object]:
    """What a command asks its child process for."""
    request: dict[str, object] = json.loads(command[-1])
    return request
