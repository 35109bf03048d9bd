"""Compares LSTMs with their students: build times, sizes, and run times by length."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from torch.export import ExportedProgram
from tvm import relax
from tvm.tirx import PrimFunc

from engine.benchmark.estimate.counting import CountedStage, RunSizes
from engine.benchmark.estimate.roofline import CHIPS, Bound, stage_seconds
from engine.compiler.artifacts.manifest import CPU, METAL_MACOS, Artifact, Manifest, Variant, expected_identity
from engine.compiler.build import build_stage, weightless_modules
from engine.compiler.export import trace, translate
from engine.compiler.targets import target_of
from engine.config import FRAMES_PER_TOKEN, ModelConfig
from engine.models.checkpoints import DistilledCheckpoint
from engine.network.distilled_stages import distilled_stages
from engine.runtime.runners.base import COUNTS
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.speech import Array, PreparationEvent, Prosody
from engine.stages import Stage, Tensor, stage_named

TARGETS = (CPU.target, METAL_MACOS)
TOKEN_COUNTS = (8, 16, 32, 64, 128, 256, 510)
MEASURED = "cpu"
"""The place of measured times; all other places are names of chips, with estimated times."""
_MILLISECONDS = 1e3

Modules = Mapping[Prosody, Mapping[str, torch.nn.Module]]
Report = Callable[[PreparationEvent], None]


Trace = Callable[[Stage, Prosody], ExportedProgram]
"""Traces a stage, once."""


@dataclass(frozen=True)
class BuiltStage:
    """A stage's module for a target: the seconds it took to build, and its sizes.

    `operations` are those of the Relax module, and `kernels` the hand-written ones in it, before any pass.
    """

    target: str
    stage: str
    prosody: Prosody
    seconds: float
    operations: int
    kernels: int
    library_bytes: int


@dataclass(frozen=True)
class StageTime:
    """The time of one run of a stage: between `least_ms` and `most_ms`, which are equal for a measurement."""

    place: str
    stage: str
    tokens: int
    prosody: Prosody
    least_ms: float
    most_ms: float


@dataclass(frozen=True)
class ProsodyComparison:
    """All results of a comparison."""

    built: tuple[BuiltStage, ...]
    times: tuple[StageTime, ...]


def compare_prosody(
    checkpoint: DistilledCheckpoint,
    report: Report,
    token_counts: Sequence[int] = TOKEN_COUNTS,
    rounds: int = 5,
    threads: int | None = None,
) -> ProsodyComparison:
    """Build, measure and estimate the stages that have students, with LSTMs and with students.

    There are as many frames per token as in typical speech. Times are the minimum of several rounds. Raises
    `CompileError`.
    """
    config, students = checkpoint.config, checkpoint.students
    stages = tuple(map(stage_named, students.stages))
    modules: Modules = {
        Prosody.LSTM: weightless_modules(config),
        Prosody.TRANSFORMER: distilled_stages(config, students),
    }

    @cache
    def traced(stage: Stage, prosody: Prosody) -> ExportedProgram:
        return trace(stage, modules[prosody][stage.name], config)

    runs = [RunSizes(config, 1, {"tokens": count, "frames": FRAMES_PER_TOKEN * count}) for count in token_counts]
    with tempfile.TemporaryDirectory() as folder:
        built = tuple(_built(config, modules, stages, traced, Path(folder), report))
        measured = tuple(_measured(checkpoint, stages, runs, Path(folder), rounds, threads))
    return ProsodyComparison(built, (*measured, *_estimated(stages, traced, runs, report)))


def _built(
    config: ModelConfig, modules: Modules, stages: Sequence[Stage], traced: Trace, folder: Path, report: Report
) -> Iterator[BuiltStage]:
    """Build every stage into a folder for each target and prosody, with a manifest."""
    total, done = len(TARGETS) * len(Prosody) * len(stages), 0
    for target in TARGETS:
        variant = Variant(target)
        for prosody in Prosody:
            place, artifacts = folder / target / prosody, list[Artifact]()
            place.mkdir(parents=True)
            for stage in stages:
                report(PreparationEvent(f"Compiling {stage.title.lower()}, {prosody}, {target}", done, total))
                artifacts.append(build_stage(stage, modules[prosody][stage.name], config, variant, place))
                yield _sizes(stage, traced(stage, prosody), variant, prosody, artifacts[-1])
                done += 1
            Manifest(expected_identity(config, variant), tuple(artifacts)).save(place)


def _sizes(
    stage: Stage, program: ExportedProgram, variant: Variant, prosody: Prosody, artifact: Artifact
) -> BuiltStage:
    graph = translate(stage, program, target_of(variant))
    functions = list(graph.functions.values())
    blocks = [block for one in functions if isinstance(one, relax.Function) for block in one.body.blocks]
    return BuiltStage(
        variant.target,
        stage.name,
        prosody,
        artifact.seconds,
        operations=sum(len(block.bindings) for block in blocks),
        kernels=sum(isinstance(one, PrimFunc) for one in functions),
        library_bytes=artifact.bytes,
    )


def _measured(
    checkpoint: DistilledCheckpoint,
    stages: Sequence[Stage],
    runs: Sequence[RunSizes],
    folder: Path,
    rounds: int,
    threads: int | None,
) -> Iterator[StageTime]:
    """Yield times on this CPU; both kinds alternate, so that other load on the machine affects them equally."""
    weights = checkpoint.load_weights()
    with ExitStack() as held:
        runners = {
            prosody: held.enter_context(
                closing(CompiledRunner(folder / CPU.target / prosody, checkpoint.config, weights, threads))
            )
            for prosody in Prosody
        }
        for stage in stages:
            for run in runs:
                inputs = _inputs(stage, run)
                for prosody, seconds in _least(runners, stage, inputs, rounds).items():
                    taken = _MILLISECONDS * seconds
                    yield StageTime(MEASURED, stage.name, run.lengths["tokens"], prosody, taken, taken)


def _least(
    runners: Mapping[Prosody, CompiledRunner], stage: Stage, inputs: Mapping[str, Array], rounds: int
) -> dict[Prosody, float]:
    """Return the minimum seconds of each kind, after a warm-up run."""
    for runner in runners.values():
        runner.run_stage(stage, inputs)
    seconds = dict.fromkeys(runners, float("inf"))
    for _ in range(rounds):
        for prosody, runner in runners.items():
            started = time.perf_counter()
            runner.run_stage(stage, inputs)
            seconds[prosody] = min(seconds[prosody], time.perf_counter() - started)
    return seconds


def _inputs(stage: Stage, run: RunSizes) -> dict[str, Array]:
    """Return random inputs of these lengths; each token has its frames."""
    random = np.random.default_rng(0)

    def made_up(tensor: Tensor) -> Array:
        shape = tensor.shape(run.config, run.batch, run.lengths)
        for axis, count in COUNTS.items():
            if tensor.name == count:
                return np.full(shape, run.lengths[axis], np.int32)
        if tensor.name == "frame_token":
            return (np.arange(shape[1], dtype=np.int32) // FRAMES_PER_TOKEN)[None]
        if tensor.dtype == "int32":
            return random.integers(1, run.config.n_token, shape, np.int32)
        return random.standard_normal(shape, np.float32)

    return {tensor.name: made_up(tensor) for tensor in stage.inputs}


def _estimated(stages: Sequence[Stage], traced: Trace, runs: Sequence[RunSizes], report: Report) -> Iterator[StageTime]:
    """Yield times on Apple's chips, estimated from the dispatches of the modules for Metal."""
    for prosody in Prosody:
        for stage in stages:
            report(PreparationEvent(f"Counting {stage.title.lower()}, {prosody}, for Metal", 0, 1))
            counted = CountedStage(stage, traced(stage, prosody))
            for run in runs:
                work = counted.work(run)
                for chip in CHIPS:
                    yield StageTime(
                        chip.name,
                        stage.name,
                        run.lengths["tokens"],
                        prosody,
                        least_ms=_MILLISECONDS * stage_seconds(work, chip, Bound.FAST),
                        most_ms=_MILLISECONDS * stage_seconds(work, chip, Bound.SLOW),
                    )


KILOBYTE = 1e3
_PLACE = max(len(chip.name) for chip in CHIPS)
"""The width of the column with the chips."""


def comparison_text(comparison: ProsodyComparison) -> str:
    """Return two tables: building and sizes, then times by length, LSTMs before students."""
    return "\n".join([*_building(comparison.built), "", *_times(comparison.times)])


def _building(built: Sequence[BuiltStage]) -> Iterator[str]:
    yield "target       stage         prosody      compile s  operations  kernels  library kB"
    for one in built:
        yield (
            f"{one.target:<12} {one.stage:<13} {one.prosody:<12} {one.seconds:9.1f}  {one.operations:10}  "
            f"{one.kernels:7}  {one.library_bytes / KILOBYTE:10.0f}"
        )


def _times(times: Sequence[StageTime]) -> Iterator[str]:
    yield f"{'where':<{_PLACE}} stage         tokens  lstm ms           transformer ms    times as fast"
    theirs = {(one.place, one.stage, one.tokens): one for one in times if one.prosody is Prosody.TRANSFORMER}
    for ours in times:
        if ours.prosody is Prosody.LSTM:
            student = theirs[ours.place, ours.stage, ours.tokens]
            gain = (ours.least_ms + ours.most_ms) / (student.least_ms + student.most_ms)
            where = f"{ours.place:<{_PLACE}} {ours.stage:<13} {ours.tokens:6}"
            yield f"{where}  {_band(ours):<16}  {_band(student):<16}  {gain:.2f}"
    yield f"“{MEASURED}” was measured here; everything else is estimated from the modules for Metal."


def _band(one: StageTime) -> str:
    return f"{one.least_ms:.2f}" if one.least_ms == one.most_ms else f"{one.least_ms:.2f} - {one.most_ms:.2f}"
