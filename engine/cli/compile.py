"""`engine compile`: builds the modules of one stage or all, and optionally compares them with PyTorch."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.cli.command import Command, Outcome, add_json_flag, add_model, add_prosody
from engine.cli.progress import Steps, show_json
from engine.compiler.artifacts.manifest import CPU, METAL_MACOS, Manifest, Variant, modules_folder
from engine.compiler.artifacts.processor_families import FAMILIES, runs_here
from engine.compiler.kernels.precision import Precision
from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.models.checkpoints import Checkpoint, model_config, open_with, students_of
from engine.network.ops.packed_lstm import LstmMethod, LstmSemantics
from engine.network.student_file import Students
from engine.runtime.preparation.files import with_students_of
from engine.runtime.preparation.modules import PreparationObserver
from engine.speech import Prosody
from engine.stages import DEVICE_STAGES, Stage
from engine.system.bundle import require_compiler
from engine.system.paths import built_modules_folder, shipped_modules_folder
from engine.validator.data.results import Row
from engine.validator.data.wire import Wire
from engine.validator.runs.built_modules import compare_built, rows_to_text, verdict_error

_ALL = "all"
_MINUTES = 4.0
_SECONDS_PER_MINUTE = 60


@dataclass(frozen=True)
class CompileRequest:
    """The stages to build, their architecture and variant, and the folder; `checkpoint` is for validating them.

    `tuning_seconds` is the time to search for faster kernels. With `students`, only stages that have one are built.
    """

    config: ModelConfig
    variant: Variant
    stages: tuple[Stage, ...]
    folder: Path
    checkpoint: Checkpoint | None
    tuning_seconds: float = 0
    students: Students | None = None

    @property
    def speaks_here(self) -> bool:
        """True if these modules replace the shipped ones for speech on this machine's CPU."""
        return self.variant == CPU and self.folder == modules_folder(built_modules_folder(), self.config, CPU)


def add_options(parser: Any) -> None:
    """Add the options: what to build, how and where."""
    parser.add_argument("--stage", default=_ALL, help="a stage’s name, or all (default)")
    parser.add_argument(
        "--target", default="cpu", help="cpu (default), or metal-macos: for Macs with an Apple GPU, built on any system"
    )
    parser.add_argument("--triple", default="", help=f"for any CPU of a family: {', '.join(FAMILIES)}")
    parser.add_argument(
        "--lstm-method",
        default=LstmMethod.TIR,
        help="tir (default): kernels in the modules; mps: Metal Performance Shaders; torch: PyTorch on the CPU",
    )
    parser.add_argument(
        "--lstm-semantics",
        default=LstmSemantics.PACKED,
        help="packed (default); no-pack: run LSTMs over padding (for comparison only)",
    )
    parser.add_argument(
        "--precision",
        default=Precision.FLOAT32,
        help="float32 (default); float16: the decoder’s convolutions multiply in float16, on Metal",
    )
    parser.add_argument(
        "--compile-kernels",
        action="store_true",
        help="on a Mac with Xcode: have Apple’s compiler compile kernels for Metal now, not when they are first used",
    )
    parser.add_argument(
        "--probes", action="store_true", help="expose intermediate activations (used by `validate --probes`)"
    )
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--output-dir", type=Path, help="folder for the modules (default: the user’s cache)")
    place.add_argument(
        "--ship", action="store_true", help="build into compiled_models/, the modules that ship with the app"
    )
    parser.add_argument("--validate", action="store_true", help="validate the compiled stages against PyTorch")
    parser.add_argument(
        "--tune",
        type=float,
        nargs="?",
        const=_MINUTES,
        default=0.0,
        metavar="MINUTES",
        help=f"search for faster kernels on this CPU, for {_MINUTES:g} minutes, or for MINUTES",
    )
    add_json_flag(parser)
    parser.add_argument(
        "--progress-json", action="store_true", help="write progress and errors as JSON lines to stderr"
    )
    add_prosody(parser)
    add_model(parser)


def _run(options: argparse.Namespace) -> Outcome:
    require_compiler()
    with Steps() as steps:
        report = show_json if options.progress_json else steps.show
        if not options.progress_json:  # otherwise the parent process reports it
            steps.expect_step("Starting the compiler")
        request = request_from(options)
        manifest = _manifest_of(request, options.compile_kernels, report)
        rows = _compared(request, steps)
    return _outcome(request, manifest, rows)


def _manifest_of(request: CompileRequest, compile_kernels: bool, report: PreparationObserver) -> Manifest:
    """Build the modules; return their manifest."""
    from engine.compiler.build import build  # imports torch and tvm
    from engine.compiler.metal_libraries import kernels_compiled_ahead

    with kernels_compiled_ahead() if compile_kernels else nullcontext():
        if request.students is None:
            return build(
                request.config, request.stages, request.variant, request.folder, report, request.tuning_seconds
            )
        from engine.training.distillation.building import build_distilled

        return build_distilled(request.config, request.students, request.variant, request.folder, report)


def _outcome(request: CompileRequest, manifest: Manifest, rows: tuple[Row, ...]) -> Outcome:
    built = [artifact for stage in request.stages if (artifact := manifest.artifact(stage.name)) is not None]
    artifacts = [
        {"stage": one.stage, "path": str(request.folder / one.file), "bytes": one.bytes, "seconds": one.seconds}
        for one in built
    ]
    lines = [f"{one['stage']:<14} {one['seconds']:6.1f} s {one['bytes']:>9,} B  {one['path']}" for one in artifacts]
    words = [*lines, *([rows_to_text(rows)] if rows else [])]
    if request.speaks_here:
        words.append(f"They are now used on this machine. To use the bundled ones again, delete {request.folder}.")
    data = {"artifacts": artifacts, "rows": [Wire().row_to_dict(row) for row in rows]}
    return Outcome(data, "\n".join(words), error=verdict_error(rows))


def _compared(request: CompileRequest, steps: Steps) -> tuple[Row, ...]:
    if request.checkpoint is None:
        return ()
    names = [stage.name for stage in request.stages]
    return compare_built(request.checkpoint, request.folder, names, request.variant, steps.show)


def request_from(options: argparse.Namespace) -> CompileRequest:
    """Build the request from parsed options.

    Raises `InvalidRequest` or `CompileError` for unavailable ones before any work.
    """
    students = None if options.prosody is Prosody.LSTM else _students(options)
    variant = with_students_of(students, _variant(options))
    stages = tuple(stage for stage in _stages(options.stage) if stage.name in variant.stages)
    if options.compile_kernels and variant.target != METAL_MACOS:
        raise InvalidRequest("Apple’s compiler can compile kernels for Macs only.", f"Use --target {METAL_MACOS}.")
    config = model_config(options.model)
    root = shipped_modules_folder() if options.ship else built_modules_folder()
    folder = options.output_dir or modules_folder(root, config, variant)
    return CompileRequest(config, variant, stages, folder, _checkpoint(options), _tuning_seconds(options), students)


def _students(options: argparse.Namespace) -> Students:
    if options.stage != _ALL or options.tune:
        raise InvalidRequest("Stages with students can’t be built individually or tuned.", "Omit --stage and --tune.")
    return students_of(options.model)


def _stages(name: str) -> tuple[Stage, ...]:
    names = [stage.name for stage in DEVICE_STAGES]
    if name not in (_ALL, *names):
        raise InvalidRequest(f"Unknown stage “{name}”.", f"Stages: all, {', '.join(names)}.")
    return tuple(stage for stage in DEVICE_STAGES if name in (_ALL, stage.name))


def _variant(options: argparse.Namespace) -> Variant:
    from engine.compiler.targets import family_cpu, target_named  # imports tvm

    target = target_named(options.target).value
    if options.triple:
        family_cpu(options.triple)
        if target != CPU.target:
            raise InvalidRequest(
                f"--triple is for the target {CPU.target} only, not for {target}.", f"Use --target {CPU.target}."
            )
    if options.lstm_method not in list(LstmMethod):
        methods = ", ".join(LstmMethod)
        raise InvalidRequest(f"Unknown LSTM method “{options.lstm_method}”.", f"Methods: {methods}.")
    if options.lstm_semantics not in list(LstmSemantics):
        known = ", ".join(LstmSemantics)
        raise InvalidRequest(f"Unknown LSTM semantics “{options.lstm_semantics}”.", f"Semantics: {known}.")
    if options.lstm_method == LstmMethod.MPS and target != METAL_MACOS:
        raise InvalidRequest(
            f"The LSTM method mps isn’t available on {target}.",
            f"Use --target {METAL_MACOS}, or choose a different method.",
        )
    return Variant(
        target,
        str(options.lstm_method),
        str(options.lstm_semantics),
        _precision(options),
        probed=options.probes,
        family=options.triple,
    )


def _precision(options: argparse.Namespace) -> str:
    if options.precision not in list(Precision):
        known = ", ".join(Precision)
        raise InvalidRequest(f"Unknown precision “{options.precision}”.", f"Precisions: {known}.")
    if options.precision != Precision.FLOAT32 and options.target == CPU.target:
        raise InvalidRequest(f"The precision {options.precision} is for Metal.", f"Use --target {METAL_MACOS}.")
    return str(options.precision)


def _tuning_seconds(options: argparse.Namespace) -> float:
    if not 0 <= options.tune < float("inf"):
        raise InvalidRequest("The time for tuning must be a number of minutes, 0 or more.")
    if options.tune and (options.triple or options.target != CPU.target):
        raise InvalidRequest("Only modules for this CPU can be tuned.", "Omit --tune.")
    return float(options.tune * _SECONDS_PER_MINUTE)


def _checkpoint(options: argparse.Namespace) -> Checkpoint | None:
    if not options.validate:
        return None
    elsewhere = options.target == METAL_MACOS and sys.platform != "darwin"
    if elsewhere or (options.triple and not runs_here(options.triple)):
        made_for = options.triple or METAL_MACOS
        raise InvalidRequest(
            f"Modules for {made_for} can’t run on this computer, so they can’t be validated here.",
            "Omit --validate, or run it where they can run.",
        )
    return open_with(options.prosody, options.model, options.weights)


def _left_behind(options: argparse.Namespace) -> str:
    return "Incomplete modules were discarded. Run the same command to rebuild them."


COMMAND = Command("compile", "Build the compiled modules of a model.", add_options, _run, _left_behind)
