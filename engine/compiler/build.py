"""Builds the libraries of a model's stages, which take all weights as inputs, and the manifest that lists them."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import torch
from tvm import relax

from engine.compiler.artifacts.digest import content_digest
from engine.compiler.artifacts.manifest import (
    MPS,
    Artifact,
    Bridge,
    Identity,
    Manifest,
    Parameter,
    Variant,
    expected_identity,
    library_suffix,
)
from engine.compiler.export import RelaxStage, parameters_of, trace, translate
from engine.compiler.kernels.cpu.register_tile import microkernel_for
from engine.compiler.kernels.precision import Precision
from engine.compiler.linking import link_bridge, linker_for
from engine.compiler.metal_passes import kernel_sources, running_kernels
from engine.compiler.mps_bridge.bridge import BRIDGE_NAME
from engine.compiler.passes import build_executable
from engine.compiler.targets import target_of
from engine.compiler.tuning import Search, convolutions, search_on
from engine.config import ModelConfig
from engine.errors import CompileError, DamagedFile
from engine.network.architecture import build_network
from engine.network.exportable import exportable_stages
from engine.network.exportable.probing import ProbedModule
from engine.network.ops.packed_lstm import LstmMethod, LstmSemantics
from engine.network.random_weights import without_weight_norm
from engine.speech import PreparationEvent
from engine.stages import Stage
from engine.system.atomic_write import write_atomically


def build(
    config: ModelConfig,
    stages: Sequence[Stage],
    variant: Variant,
    folder: Path,
    report: Callable[[PreparationEvent], None],
    tuning_seconds: float = 0,
) -> Manifest:
    """Build the libraries of these stages into `folder`; libraries of other stages stay if their identity is the same.

    `report` gets an event before each stage, one at the end, and one for each convolution that is measured if
    `tuning_seconds` is above 0. Raises `CompileError`.
    """
    search = search_on(target_of(variant), tuning_seconds, report) if tuning_seconds else None
    _make_folder(folder)
    manifest = _manifest_to_extend(expected_identity(config, variant), folder)
    modules = weightless_modules(config, variant.probed, LstmSemantics(variant.lstm_semantics))
    for done, stage in enumerate(stages):
        report(PreparationEvent(f"Compiling {stage.title.lower()}", done, len(stages)))
        manifest = manifest.with_artifact(build_stage(stage, modules[stage.name], config, variant, folder, search))
    if variant.lstm_method == MPS:
        manifest = replace(manifest, bridge=build_bridge(folder))
    manifest.save(folder)
    report(PreparationEvent("Compiled", len(stages), len(stages)))
    return manifest


def build_bridge(folder: Path) -> Bridge:
    """Build the library for Metal Performance Shaders into `folder`, whole or not at all; raises `CompileError`."""
    with tempfile.TemporaryDirectory() as working:
        path = Path(working) / BRIDGE_NAME
        link_bridge(path)
        content = path.read_bytes()
    write_atomically(folder / BRIDGE_NAME, content)
    return Bridge(BRIDGE_NAME, content_digest(content), len(content))


def build_stage(
    stage: Stage,
    module: torch.nn.Module,
    config: ModelConfig,
    variant: Variant,
    folder: Path,
    search: Search | None = None,
) -> Artifact:
    """Build the library of one stage, given as a torch module, into `folder`, whole or not at all.

    With a `search`, its convolutions are computed as that finds best. Raises `CompileError`.
    """
    started = time.perf_counter()
    target = target_of(variant)
    program = trace(stage, module, config)
    findings = () if search is None else search.findings(convolutions(program), microkernel_for(target))
    tuned = [(finding.sizes, finding.choice) for finding in findings]
    method, precision = LstmMethod(variant.lstm_method), precision_of(stage, variant)
    graph = RelaxStage(translate(stage, program, target, method, precision, tuned), parameters_of(program))
    executable = build_executable(graph.module, target)
    content = link(executable, variant)
    file = f"{stage.name}{library_suffix(variant)}"
    write_atomically(folder / file, content)
    return Artifact(
        stage=stage.name,
        file=file,
        sha256=content_digest(content),
        bytes=len(content),
        seconds=time.perf_counter() - started,
        parameters=graph.parameters,
        probes=module.paths if isinstance(module, ProbedModule) else (),
        fingerprint=_fingerprint(executable, graph.parameters),
        tuning=tuple(finding.as_text for finding in findings),
        kernels=running_kernels(executable),
    )


def precision_of(stage: Stage, variant: Variant) -> Precision:
    """The precision of the factors of a stage's convolutions: single if the stage does not tolerate less."""
    return Precision.FLOAT32 if stage.float16_tolerance is None else Precision(variant.precision)


def weightless_modules(
    config: ModelConfig, probed: bool = False, semantics: LstmSemantics = LstmSemantics.PACKED
) -> dict[str, torch.nn.Module]:
    """The stages of this architecture as torch modules by stage name, with uninitialised parameters."""
    with torch.device("meta"):
        network = without_weight_norm(build_network(config))
    return exportable_stages(network.to_empty(device="cpu"), semantics, probed)


def link(executable: relax.VMExecutable, variant: Variant) -> bytes:
    """The executable as a shared library; raises `CompileError` when there is no linker or it fails."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"stage{library_suffix(variant)}"
        executable.export_library(str(path), fcompile=linker_for(variant), workspace_dir=folder)
        return path.read_bytes()


def _fingerprint(executable: relax.VMExecutable, parameters: Sequence[Parameter]) -> str:
    kernels = sorted(kernel_sources(executable.mod).items())
    return sha256(repr((kernels, executable.as_text(), parameters)).encode()).hexdigest()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CompileError(
            f"The folder {folder} can’t be written to ({error.strerror}).", "Choose a different one with --output-dir."
        ) from error


def _manifest_to_extend(identity: Identity, folder: Path) -> Manifest:
    try:
        manifest = Manifest.load(folder)
    except DamagedFile:
        return Manifest(identity, ())
    return manifest if manifest.identity == identity else Manifest(identity, ())
