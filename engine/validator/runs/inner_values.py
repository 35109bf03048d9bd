"""Activations of compiled stages: builds modules that report them, and the rows that compare them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Self

from engine.compiler.artifacts.manifest import Manifest, Variant
from engine.config import ModelConfig
from engine.runtime.preparation.modules import PreparationObserver, ensure_module
from engine.runtime.runners.base import JoinedRunner, Runner
from engine.speech import PreparationEvent
from engine.stages import DEVICE_STAGES, Stage
from engine.system.durations import format_approximate_duration
from engine.system.waiting import POLL_SECONDS, raise_if_set
from engine.validator.data.results import (
    InputSource,
    Regime,
    Row,
    RowEvent,
    ValidationEvent,
    ValidationRequest,
    Verdict,
)
from engine.validator.runners.regimes import ProbeLog, RegimeRunner, Regimes, as_padded, mixed_runner
from engine.validator.runs.comparison import Comparison
from engine.validator.runs.end_to_end_run import RegimeChain

COMPILED_REGIMES = (Regime.COMPILED, Regime.COMPILED_PADDED)
WRONG = (Verdict.FAIL, Verdict.WORSE)
Run = Callable[[Comparison], Iterable[ValidationEvent]]
"""Compares every utterance of the request, in these regimes."""


class InnerValues:
    """Compares the activations of one request's stages, in runners that report them, over the network of `regimes`.

    `observe` gets an event for everything that is built or loaded; once `cancel` is set, `Canceled` is raised.
    """

    def __init__(
        self,
        regimes: Regimes,
        request: ValidationRequest,
        observe: PreparationObserver,
        cancel: threading.Event | None = None,
    ) -> None:
        self._regimes = regimes
        self._request = request
        self._observe = observe
        self._cancel = cancel

    def rows(self, outputs: Sequence[Row], run: Run) -> Iterator[RowEvent]:
        """Yield a row of every activation, after `outputs` of the same request; stages that fail there come first.

        Raises `CompileError` if modules that show activations cannot be built here.
        """
        names = {row.stage for row in outputs if row.verdict in WRONG and row.reading is InputSource.ISOLATED}
        wrong = [stage for stage in DEVICE_STAGES if stage.name in names]
        others = [stage for stage in DEVICE_STAGES if stage.name not in names]
        with ExitStack() as held:
            modules = self._modules(held, [*wrong, *others])
            for stages in filter(None, (wrong, others)):
                yield from self._rows_of(stages, modules, run)

    def _modules(self, held: ExitStack, stages: Sequence[Stage]) -> ProbedModules | None:
        """Return modules that show the activations of these stages, in order; None if no compiled one is compared."""
        variant, fault_injection, folder = (
            self._regimes.variant,
            self._regimes.fault_injection,
            self._regimes.modules_folder,
        )
        if variant is None or folder is None or not (self._request.cross or self._is_compiled_wanted):
            return None
        default_seconds = {one.stage: one.seconds for one in Manifest.load(folder).artifacts}
        shown = [stage for stage in stages if self._shows(stage)]
        healthy = [stage for stage in shown if not (fault_injection and fault_injection.fault.stage == stage.name)]
        checkpoint = self._regimes.checkpoint
        modules = ProbedModules(checkpoint.name, checkpoint.config, variant, healthy, default_seconds)
        return held.enter_context(modules)

    @property
    def _regimes_wanted(self) -> tuple[Regime, ...]:
        return tuple(dict.fromkeys((self._request.reference, *self._request.regimes)))

    @property
    def _is_compiled_wanted(self) -> bool:
        """True if all stages of the compiled model are compared, not only those that are not crossed."""
        return bool(set(COMPILED_REGIMES) & set(self._regimes_wanted))

    def _shows(self, stage: Stage) -> bool:
        """Return whether a compiled module of the stage is compared and has activations to show."""
        other = dict(self._request.cross).get(stage.name, Regime.COMPILED)
        compared = self._is_compiled_wanted or other in COMPILED_REGIMES
        return compared and any(not probe.fused for probe in stage.probes)

    def _rows_of(self, stages: Sequence[Stage], modules: ProbedModules | None, run: Run) -> Iterator[RowEvent]:
        names = {stage.name for stage in stages}
        with ExitStack() as held:
            runners: dict[Regime, RegimeRunner] = {}
            if modules is not None:
                runners[Regime.COMPILED] = self._compiled(
                    held, [stage for stage in stages if self._shows(stage)], modules
                )
            opened = [self._runner(regime, runners) for regime in self._regimes_wanted]
            if self._request.cross:
                stages_from = {stage: self._runner(regime, runners) for stage, regime in self._request.cross}
                opened.append(mixed_runner(stages_from, self._runner(Regime.COMPILED, runners)))
            reference, *others = (RegimeChain(each, self._regimes.pipeline(each)) for each in opened)
            for event in run(Comparison(reference, others)):
                if isinstance(event, RowEvent) and event.row.probe and event.row.stage in names:
                    yield event

    def _runner(self, regime: Regime, runners: dict[Regime, RegimeRunner]) -> RegimeRunner:
        same = Regime.COMPILED if regime is Regime.COMPILED_PADDED else regime
        if same is Regime.DISTILLED:  # its compiled modules show no activations
            return self._regimes.open(same, 0, self._observe, self._cancel)
        if same not in runners:
            log = ProbeLog()
            runners[same] = RegimeRunner(same, self._regimes.torch_runner(same, self._observe, log.observe), log)
        return as_padded(regime, runners[same], self._regimes.checkpoint.config, self._request.padding)

    def _compiled(self, held: ExitStack, stages: Sequence[Stage], modules: ProbedModules) -> RegimeRunner:
        """Return the compiled regime, with these stages from modules that show their activations."""
        from engine.runtime.runners.tvm_runner import CompiledRunner  # loads tvm

        log, checkpoint = ProbeLog(), self._regimes.checkpoint
        ordinary = self._regimes.open(Regime.COMPILED, 0, self._observe, self._cancel)
        weights = checkpoint.load_weights()
        inner: dict[str, Runner] = {}
        for stage in stages:
            folder = self._folder(stage, modules)
            runner = CompiledRunner(folder, checkpoint.config, weights, observe=log.observe, stages=[stage.name])
            inner[stage.name] = held.enter_context(closing(runner))
        mixed_runner = JoinedRunner(inner, ordinary.runner)
        return RegimeRunner(Regime.COMPILED, mixed_runner, log, tolerance_of=ordinary.tolerance_of)

    def _folder(self, stage: Stage, modules: ProbedModules) -> Path:
        fault_injection, variant = self._regimes.fault_injection, self._regimes.variant
        if fault_injection is None or variant is None or fault_injection.fault.stage != stage.name:
            return modules.folder(stage, self._observe, self._cancel)
        probed = replace(variant, probed=True)
        return fault_injection.modules(self._regimes.checkpoint.config, probed, None, self._observe, self._cancel)


_START_SECONDS = 6.0
"""The time that a compiler's process takes to start, until one has been timed."""


class ProbedModules:
    """Builds the modules of these stages, in this order, unless they exist; leaving its `with` block ends that.

    `default_seconds` are the build times of the stages' ordinary modules, by name.
    """

    def __init__(
        self,
        model: str,
        config: ModelConfig,
        variant: Variant,
        stages: Sequence[Stage],
        default_seconds: Mapping[str, float],
    ) -> None:
        self._stages = tuple(stages)
        self._default_seconds = default_seconds
        self._stop = threading.Event()
        self._building: Stage | None = None
        self._pace = 1.0
        self._builder = ThreadPoolExecutor(1)
        ensure = partial(ensure_module, model, config, replace(variant, probed=True))
        self._folders: dict[str, Future[Path]] = {
            stage.name: self._builder.submit(self._ensured, ensure, stage) for stage in self._stages
        }

    def folder(self, stage: Stage, observe: PreparationObserver, cancel: threading.Event | None = None) -> Path:
        """Wait for the module of a stage and return its folder; meanwhile, `observe` gets events about the builds.

        Raises the errors of `ensure_module`, and `Canceled` soon after `cancel` is set.
        """
        told: Stage | None = None
        while True:
            raise_if_set(cancel)
            if self._building is not told and (told := self._building) is not None:
                observe(self._event(told))
            try:
                folder = self._folders[stage.name].result(timeout=POLL_SECONDS)
            except NotYet:
                continue
            if told is not None:
                observe(PreparationEvent("Compiled", 1, 1))
            return folder

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._builder.shutdown(cancel_futures=True)

    def _ensured(self, ensure: partial[Path], stage: Stage) -> Path:
        started = time.monotonic()

        def on_build(_: PreparationEvent) -> None:
            self._building = stage

        folder = ensure(stage.name, on_build, self._stop)
        if self._building is stage:
            self._pace = (time.monotonic() - started) / self._expected(stage)
        return folder

    def _event(self, stage: Stage) -> PreparationEvent:
        """Return an event with the stage being built, and the time left for it and the rest."""
        place = self._stages.index(stage)
        seconds = self._pace * sum(self._expected(later) for later in self._stages[place:])
        left = format_approximate_duration(seconds)
        return PreparationEvent(
            f"Compiling intermediate activations of {stage.title.lower()}, {left} left", place, len(self._stages)
        )

    def _expected(self, stage: Stage) -> float:
        return _START_SECONDS + self._default_seconds.get(stage.name, 0.0)
