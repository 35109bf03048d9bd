"""Modules that tests build and cache between runs, so that each is built once, by the first test that needs it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock

from engine.compiler.artifacts.manifest import Fresh, Variant, expected_identity, freshness, modules_folder
from engine.config import ModelConfig
from engine.stages import DEVICE_STAGES, Stage
from engine.system.paths import cache_folder


def kept_modules(config: ModelConfig, variant: Variant, stages: Sequence[Stage] = DEVICE_STAGES) -> Path:
    """Return the folder with the modules of these stages, building the missing ones; there may be others."""
    from engine.compiler.build import build  # slow to import, and of no use to a test's child that only runs modules

    folder, expected = modules_folder(cache_folder() / "kept", config, variant), expected_identity(config, variant)
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):  # for other processes that test
        missing = [stage for stage in stages if not isinstance(freshness(folder, expected, (stage.name,)), Fresh)]
        if missing:
            build(config, missing, variant, folder, lambda _: None)
    return folder
