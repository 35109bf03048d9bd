"""Builds the libraries of the stages that have students, beside those of the whole model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine.compiler.artifacts.manifest import Manifest, Variant, expected_identity
from engine.compiler.build import build_stage
from engine.config import ModelConfig
from engine.errors import CompileError
from engine.network.distilled_stages import distilled_stages
from engine.network.student_file import Students
from engine.speech import PreparationEvent
from engine.stages import stage_named


def build_distilled(
    config: ModelConfig,
    students: Students,
    variant: Variant,
    folder: Path,
    report: Callable[[PreparationEvent], None],
) -> Manifest:
    """Build the libraries of the variant's stages into `folder`; none are used before all are built.

    `report` gets an event before each stage and one at the end. Raises `CompileError`.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CompileError(
            f"The folder {folder} can’t be written to ({error.strerror}).", "Choose a different one with --output-dir."
        ) from error
    manifest, modules = Manifest(expected_identity(config, variant), ()), distilled_stages(config, students)
    for done, name in enumerate(variant.stages):
        stage = stage_named(name)
        report(PreparationEvent(f"Compiling {stage.title.lower()}, with students", done, len(variant.stages)))
        manifest = manifest.with_artifact(build_stage(stage, modules[name], config, variant, folder))
    manifest.save(folder)
    report(PreparationEvent("Compiled", len(variant.stages), len(variant.stages)))
    return manifest
