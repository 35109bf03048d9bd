"""Builds the libraries of a model's stages and the manifest that names them.

It does not know any weight: libraries take them as inputs.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

import torch
from tvm import relax

from engine.artifacts import (
    Artifact,
    Identity,
    Manifest,
    Parameter,
    Variant,
    expected_identity,
    library_suffix,
    write_atomically,
)
from engine.compiler.export import export_stage
from engine.compiler.mac_linker import link_for_mac
from engine.compiler.metal_passes import kernel_sources
from engine.compiler.passes import build_executable
from engine.compiler.targets import TargetName, target_named, tvm_target
from engine.config import ModelConfig
from engine.errors import CompileError, DamagedFile
from engine.model.exportable import exportable_stages
from engine.model.exportable.probing import Probed
from engine.model.network import build_network
from engine.model.random_weights import without_weight_norm
from engine.speech import PreparationEvent
from engine.stages import Stage

_LINKERS = ("cc", "gcc", "clang")


def build(
    config: ModelConfig,
    stages: Sequence[Stage],
    variant: Variant,
    folder: Path,
    report: Callable[[PreparationEvent], None],
) -> Manifest:
    """Build the libraries of these stages into `folder`; those of other stages stay when they are of the same identity.

    `report` gets one event before each stage and one at the end. Raises `CompileError`.
    """
    _make_folder(folder)
    manifest = _manifest_to_extend(expected_identity(config, variant), folder)
    modules = weightless_modules(config, variant.probed)
    for done, stage in enumerate(stages):
        report(PreparationEvent(f"Compiling {stage.title.lower()}", done, len(stages)))
        manifest = manifest.with_artifact(build_stage(stage, modules[stage.name], config, variant, folder))
    manifest.save(folder)
    report(PreparationEvent("Compiled", len(stages), len(stages)))
    return manifest


def build_stage(stage: Stage, module: torch.nn.Module, config: ModelConfig, variant: Variant, folder: Path) -> Artifact:
    """Build the library of one stage, given as a torch module, into `folder`, whole or not at all.

    Raises `CompileError`.
    """
    started = time.perf_counter()
    tvm_form = tvm_target(target_named(variant.target))
    graph = export_stage(stage, module, config, tvm_form)
    executable = build_executable(graph.module, tvm_form)
    content = link(executable, variant)
    file = f"{stage.name}{library_suffix(variant)}"
    write_atomically(folder / file, content)
    return Artifact(
        stage=stage.name,
        file=file,
        sha256=sha256(content).hexdigest(),
        bytes=len(content),
        seconds=time.perf_counter() - started,
        parameters=graph.parameters,
        probes=module.paths if isinstance(module, Probed) else (),
        fingerprint=_fingerprint(executable, graph.parameters),
    )


def weightless_modules(config: ModelConfig, probed: bool = False) -> dict[str, torch.nn.Module]:
    """The stages of this architecture as torch modules by stage name, their parameters without values."""
    with torch.device("meta"):
        network = without_weight_norm(build_network(config))
    return exportable_stages(network.to_empty(device="cpu"), probed=probed)


def link(executable: relax.VMExecutable, variant: Variant) -> bytes:
    """The executable as a shared library; raises `CompileError` when there is no linker or it fails."""
    linker = link_for_mac if target_named(variant.target) is TargetName.METAL_MACOS else _link_shared
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"stage{library_suffix(variant)}"
        executable.export_library(str(path), fcompile=linker, workspace_dir=folder)
        return path.read_bytes()


def find_linker() -> str:
    """The system's C compiler, used to link; raises `CompileError` that names the package to install."""
    for name in _LINKERS:
        found = shutil.which(name)
        if found:
            return found
    raise CompileError(
        "There is no C compiler to link the speech modules with.",
        "Install one: “apt-get install gcc” on Debian or Ubuntu, “xcode-select --install” on a Mac.",
    )


def _link_shared(output: str, objects: Sequence[str], options: Sequence[str] = ()) -> None:
    command = [find_linker(), "-shared", "-fPIC", "-o", output, *objects, *options]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        raise CompileError(f"Linking failed: {error.stderr.strip()}", "Run “python -m engine doctor”.") from error


def _fingerprint(executable: relax.VMExecutable, parameters: Sequence[Parameter]) -> str:
    kernels = sorted(kernel_sources(executable.mod).items())
    return sha256(repr((kernels, executable.as_text(), parameters)).encode()).hexdigest()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CompileError(
            f"The folder {folder} cannot be written ({error.strerror}).", "Choose another with --output-dir."
        ) from error


def _manifest_to_extend(identity: Identity, folder: Path) -> Manifest:
    try:
        manifest = Manifest.load(folder)
    except DamagedFile:
        return Manifest(identity, ())
    return manifest if manifest.identity == identity else Manifest(identity, ())
