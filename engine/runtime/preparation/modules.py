"""The compiled modules of a model: those built on this machine, if there are any, else the fastest shipped ones.

If none can be used, a child process builds them. Only the child imports torch and the compiler, so their memory returns
to the system when it ends.
"""

from __future__ import annotations

import logging
import platform
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from filelock import FileLock

from engine.compiler.artifacts.manifest import (
    CPU_DEVICE,
    Fresh,
    Freshness,
    Stale,
    Variant,
    expected_identity,
    freshness,
    modules_folder,
)
from engine.compiler.artifacts.processor_families import families_here
from engine.config import ModelConfig
from engine.errors import Canceled, CompileError, EngineError, RecoveryAction
from engine.speech import PreparationEvent, Prosody
from engine.system.child_process import ChildProcess, python_command
from engine.system.paths import built_modules_folder, shipped_modules_folder
from engine.system.waiting import hold

log = logging.getLogger(__name__)
PreparationObserver = Callable[[PreparationEvent], None]


@dataclass(frozen=True)
class FoundModules:
    """The folder of usable modules, or None and the `problem` as text.

    `why` describes the modules, and why better ones are not used; `shipped_problem` explains why no shipped ones are.
    """

    folder: Path | None
    problem: str = ""
    why: str = ""
    shipped_problem: str = ""


def find_modules(config: ModelConfig, variant: Variant) -> FoundModules:
    """Return the modules to use for this architecture and variant; reads and hashes all of them."""
    built_folder = modules_folder(built_modules_folder(), config, variant)
    built = _freshness(built_folder, config, variant)
    if isinstance(built, Fresh):
        return FoundModules(built_folder, why="built on this machine")
    problems = [f"those built on this machine can’t be used: {built.why}"] if isinstance(built, Stale) else []
    shipped_problems = []
    for title, shipped, unavailable_reason in _shipped(variant):
        folder = modules_folder(shipped_modules_folder(), config, shipped)
        state = Stale(unavailable_reason) if unavailable_reason else _freshness(folder, config, shipped)
        if isinstance(state, Fresh):
            return FoundModules(folder, why="; ".join([f"shipped for {title}", *problems]))
        if isinstance(state, Stale):
            problems.append(f"those for {title} can’t be used: {state.why}")
            shipped_problems.append(f"those for {title}: {state.why}")
    if variant == Variant(CPU_DEVICE) and not families_here():
        shipped_problems.append(f"none are for {platform.system()} on {platform.machine()}")
    useless = "; ".join(shipped_problems)
    aside = f"; the bundled ones can’t be used: {useless}" if useless else ""
    return FoundModules(None, f"{built.why if isinstance(built, Stale) else 'not built yet'}{aside}", "", useless)


def _shipped(variant: Variant) -> Iterator[tuple[str, Variant, str]]:
    """Yield the shipped variants, fastest first: title, variant, and why it cannot be used here."""
    if variant.target != CPU_DEVICE or variant.family:
        yield "Macs", variant, ""
    else:
        for family, unavailable_reason in families_here().items():
            yield family.title, replace(variant, family=family.name), unavailable_reason


def _freshness(folder: Path, config: ModelConfig, variant: Variant) -> Freshness:
    return freshness(folder, expected_identity(config, variant), variant.stages)


def ensure_modules(
    model: str,
    config: ModelConfig,
    variant: Variant,
    observe: PreparationObserver,
    cancel: threading.Event | None = None,
) -> Path:
    """Return the folder with intact, current modules of this architecture and variant, built if there are none.

    `observe` receives a `PreparationEvent` per stage. Raises `CompileError`, or `Canceled` once `cancel` is set.
    """
    if (found := find_modules(config, variant)).folder is None:
        with _sole_builder(modules_folder(built_modules_folder(), config, variant), observe, cancel):
            if (found := find_modules(config, variant)).folder is None:
                _build(model, variant, found.shipped_problem, observe, cancel)
                found = find_modules(config, variant)
    if found.folder is None:
        problem = f"The speech modules can’t be used: {found.problem}."
        raise CompileError(problem, "Run “kokoro-desk doctor”.", RecoveryAction.EXAMINE)
    return found.folder


def ensure_module(
    model: str,
    config: ModelConfig,
    variant: Variant,
    stage: str,
    observe: PreparationObserver,
    cancel: threading.Event | None = None,
) -> Path:
    """Return the folder with the current module of one stage, in a variant that is never shipped, built if missing.

    Raises the same errors as `ensure_modules`.
    """
    folder, expected = modules_folder(built_modules_folder(), config, variant), expected_identity(config, variant)
    if not isinstance(freshness(folder, expected, [stage]), Fresh):
        with _sole_builder(folder, observe, cancel):
            if not isinstance(freshness(folder, expected, [stage]), Fresh):
                _build(model, variant, "", observe, cancel, stage)
    state = freshness(folder, expected, [stage])
    if not isinstance(state, Fresh):
        problem = f"The module of stage {stage} can’t be used: {state.why if isinstance(state, Stale) else 'missing'}."
        raise CompileError(problem, "Run “kokoro-desk doctor”.", RecoveryAction.EXAMINE)
    return folder


@contextmanager
def _sole_builder(folder: Path, observe: PreparationObserver, cancel: threading.Event | None) -> Iterator[None]:
    """Wait until no other process builds the same modules: the window and its diagnostics may both need them."""
    with ExitStack() as held:
        try:
            held.enter_context(sole_maker(folder, "Waiting for the compiler", observe, cancel))
        except OSError as error:
            raise CompileError(
                f"The folder {folder.parent} can’t be written to ({error.strerror}).",
                "Make it writable; modules are stored there.",
            ) from error
        yield


@contextmanager
def sole_maker(path: Path, title: str, observe: PreparationObserver, cancel: threading.Event | None) -> Iterator[None]:
    """Hold the lock for creating `path`; `observe` receives an event with this title if it has to wait.

    Raises `OSError` if the folder is not writable, and `Canceled`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.with_name(f"{path.name}.lock"))
    with hold(lock, partial(observe, PreparationEvent(title, 0, 1)), cancel):
        yield


def _build(
    model: str,
    variant: Variant,
    shipped_problem: str,
    observe: PreparationObserver,
    cancel: threading.Event | None,
    stage: str = "all",
) -> None:
    why = f"The bundled modules can’t be used: {shipped_problem}." if shipped_problem else ""
    log.info("Building modules %s for %s. %s", variant.name, model, why)
    observe(PreparationEvent(f"Starting the compiler. {why}".strip(". "), 0, len(variant.stages)))
    command = [
        "compile",
        "--model",
        model,
        "--stage",
        stage,
        "--target",
        variant.target,
        *(["--probes"] if variant.probed else []),
        *(["--prosody", Prosody.TRANSFORMER] if variant.students else []),
    ]
    command += ["--lstm-method", variant.lstm_method, "--lstm-semantics", variant.lstm_semantics]
    try:
        run_engine(command, observe, cancel)
    except Canceled:
        raise
    except EngineError as error:
        raise CompileError(f"{error.message} {why}".strip(), error.hint, error.recovery_action) from error


def run_engine(arguments: Sequence[str], observe: PreparationObserver, cancel: threading.Event | None = None) -> None:
    """Run a command of the engine in a child process and forward its progress to `observe`.

    Raises the `EngineError` that the command reports, or `Canceled` soon after `cancel` is set; the process has ended
    in either case.
    """
    with ChildProcess(python_command("engine", *arguments, "--progress-json")) as child:
        for message in child.messages(cancel):
            if "title" in message:
                observe(PreparationEvent(**message))
        if code := child.wait():  # it has closed its output, but may still be running
            ended = f"The process for “{arguments[0]}” ended with code {code}."
            raise EngineError(ended, "Run “kokoro-desk doctor”.", RecoveryAction.EXAMINE)
