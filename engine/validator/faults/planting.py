"""Injects a fault: builds the stage's library with one kernel changed, beside copies of the healthy libraries.

The libraries carry the fault's name where others have the hash of the compiler's sources, so that no search for modules
to speak with selects them.
"""

from __future__ import annotations

import json
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import tvm
from tvm.tirx import PrimFunc

from engine.compiler.artifacts.digest import content_digest
from engine.compiler.artifacts.manifest import Artifact, Manifest, Parameter, Variant, expected_identity, library_suffix
from engine.compiler.build import link, precision_of, weightless_modules
from engine.compiler.export import parameters_of, trace, translate
from engine.compiler.passes import apply, build_executable, kernel_passes
from engine.compiler.script_parsing import quick_parsing
from engine.compiler.targets import target_of
from engine.config import ModelConfig
from engine.errors import CompileError
from engine.network.exportable.probing import ProbedModule
from engine.network.ops.packed_lstm import LstmMethod, LstmSemantics
from engine.speech import PreparationEvent
from engine.stages import Stage, stage_named
from engine.system.atomic_write import write_atomically
from engine.system.waiting import raise_if_set
from engine.validator.faults.fault import ChangedLine, Fault, PlantedFault, changed_lines

MARK = "fault: "
"""The prefix that marks libraries with a fault, instead of the hash of the compiler's sources."""


def plant(
    fault: Fault,
    config: ModelConfig,
    variant: Variant,
    healthy: Path | None,
    folder: Path,
    observe: Callable[[PreparationEvent], None] = lambda _: None,
    cancel: threading.Event | None = None,
) -> PlantedFault:
    """Fill `folder` with the modules of `healthy`, if given, and that of the fault's stage with the fault in it.

    `observe` gets an event before each step. Raises `CompileError` if the variant has no such kernel or cannot be built
    here, and `Canceled` between steps once `cancel` is set.
    """
    stage = stage_named(fault.stage)

    def show_step(done: int) -> None:
        raise_if_set(cancel)
        observe(PreparationEvent(f"Injecting a fault into {stage.title.lower()}", done, _STEPS))

    show_step(0)
    started, target = time.perf_counter(), target_of(variant)
    sound = _sound_stage(stage, variant, json.dumps(config.to_dict()))
    show_step(1)
    faulty, name, changes = with_fault(sound.graph, fault)
    kernel = _name_in_library(faulty, name, target)
    executable = build_executable(faulty, target)
    show_step(2)
    content = link(executable, variant)
    file = f"{stage.name}{library_suffix(variant)}"
    artifact = Artifact(
        stage=stage.name,
        file=file,
        sha256=content_digest(content),
        bytes=len(content),
        seconds=time.perf_counter() - started,
        parameters=sound.parameters,
        probes=sound.probes,
    )
    if healthy is not None:
        shutil.copytree(healthy, folder, dirs_exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / file, content)
    manifest = Manifest(expected_identity(config, variant), ()) if healthy is None else Manifest.load(folder)
    _marked(manifest, fault).with_artifact(artifact).save(folder)
    observe(PreparationEvent("Planted", _STEPS, _STEPS))
    return PlantedFault(fault.name, stage.name, kernel, changes)


_STEPS = 3


@dataclass(frozen=True)
class _SoundStage:
    """A stage as `translate` returns it, with the other data that its library needs."""

    graph: tvm.IRModule
    parameters: tuple[Parameter, ...]
    probes: tuple[str, ...]


@lru_cache(maxsize=1)
def _sound_stage(stage: Stage, variant: Variant, config: str) -> _SoundStage:
    """Return the stage of a model with this config (JSON), cached because it takes half of the time."""
    model = ModelConfig.from_dict(json.loads(config))
    module = weightless_modules(model, variant.probed, LstmSemantics(variant.lstm_semantics))[stage.name]
    program = trace(stage, module, model)
    method, precision = LstmMethod(variant.lstm_method), precision_of(stage, variant)
    graph = translate(stage, program, target_of(variant), method, precision)
    return _SoundStage(graph, parameters_of(program), module.paths if isinstance(module, ProbedModule) else ())


def with_fault(graph: tvm.IRModule, fault: Fault) -> tuple[tvm.IRModule, str, tuple[ChangedLine, ...]]:
    """Return the graph of the fault's stage with the fault in it, its kernel's name there, and the changed lines.

    The graph is as `translate` returns it. Raises `CompileError` if none of its kernels has the part that the fault
    changes.
    """
    for variable, function in _kernels(graph, fault):
        script = function.script()
        if (changed := fault.edit.made_in(script)) is not None:
            faulty = tvm.IRModule(graph.functions, attrs=graph.attrs)
            faulty[variable] = _parsed(changed, function)
            return faulty, variable.name_hint, changed_lines(script, changed)
    raise CompileError(
        f"The fault “{fault.name}” can’t be injected: no kernel “{fault.kernel}” of stage {fault.stage} has that part.",
        "Choose a different fault, or the CPU as the device.",
    )


def _kernels(graph: tvm.IRModule, fault: Fault) -> Iterator[tuple[Any, PrimFunc]]:
    """Yield the kernels that the fault may be injected into, in order of placement."""
    found = [(variable, function) for variable, function in graph.functions.items() if isinstance(function, PrimFunc)]
    for variable, function in sorted(found, key=lambda entry: _placing(entry[0].name_hint)):
        if fault.is_in(variable.name_hint):
            yield variable, function


def _placing(name: str) -> tuple[str, int]:
    """Return a sort key that puts `conv1d10` after `conv1d9`."""
    match = re.fullmatch(r"(.*?)(\d*)", name)
    stem, number = (match[1], match[2]) if match else (name, "")
    return stem, int(number or 0)


def _parsed(script: str, healthy: PrimFunc) -> PrimFunc:
    try:
        with quick_parsing():
            parsed = tvm.script.from_source(script)
    except (RuntimeError, ValueError, TypeError, SyntaxError) as error:
        raise CompileError(f"The kernel with the fault can’t be parsed: {error}") from error
    return parsed.with_attrs(healthy.attrs) if healthy.attrs is not None else parsed


def _name_in_library(graph: tvm.IRModule, name: str, target: tvm.target.Target) -> str:
    """Return the kernel's name once fusion has joined it with its neighbors."""
    names: list[str] = [variable.name_hint for variable in apply(graph, kernel_passes(target), target).functions]
    if name in names:
        return name
    return next(other for other in names if name in other.split("_"))


def _marked(manifest: Manifest, fault: Fault) -> Manifest:
    identity = replace(manifest.identity, compiler_source_hash=f"{MARK}{fault.name}")
    return replace(manifest, identity=identity)
