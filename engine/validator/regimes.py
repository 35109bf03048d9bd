"""The runners of one checkpoint, by regime, each made when it is first asked for.

It does not know what is compared with what.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.checkpoints import Checkpoint
from engine.devices import AUTO, check_device, choose_device
from engine.errors import InvalidRequest
from engine.ops.packed_lstm import LstmSemantics
from engine.pipeline import Pipeline
from engine.preparation import Observer, ensure_modules
from engine.runners.base import Runner
from engine.runners.host import HostRunner
from engine.runners.padded import PaddedRunner
from engine.speech import Array, PreparationEvent
from engine.stages import STAGE_NAMES, Place, ProbeObserver, Stage
from engine.validator.results import Regime, ValidationRequest

if TYPE_CHECKING:
    from engine.model.network import Network

LSTM_METHODS = ("auto", "tir")
PADDED_REGIMES = (Regime.STATIC_PACKED, Regime.STATIC_NO_PACK, Regime.COMPILED_PADDED)
MOST_PADDING = 20.0


class ProbeLog:
    """Keeps the inner values that a runner reports while it runs a stage."""

    def __init__(self) -> None:
        self._values: dict[str, Array] = {}

    def observe(self, path: str, array: Array) -> None:
        """Keep a value under its module's path in the kokoro module tree."""
        self._values[path] = array

    def taken(self) -> dict[str, Array]:
        """What was reported since the last call."""
        values, self._values = self._values, {}
        return values


class CrossedRunner:
    """Some stages from other runners than the rest."""

    def __init__(self, stages: Mapping[str, Runner], rest: Runner) -> None:
        self._stages = stages
        self._rest = rest

    def run(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `Runner.run`."""
        return self._stages.get(stage.name, self._rest).run(stage, inputs)

    def close(self) -> None:
        """Nothing: the runners belong to their regimes."""


class RegimeRunner:
    """One regime's runner with what it leaves beside its outputs: inner values, and what it left in the padding."""

    def __init__(self, name: str, runner: Runner, log: ProbeLog, padded: PaddedRunner | None = None) -> None:
        self.name = name
        self.runner = runner
        self.log = log
        self._padded = padded

    def tail(self, output: str) -> Array | None:
        """What the last run left beyond the valid length of an output; None where there is no padding."""
        return None if self._padded is None else self._padded.tails.get(output)


class Regimes:
    """Every regime of one checkpoint; what one request has loaded serves the next."""

    def __init__(self, checkpoint: Checkpoint, probes: bool = False, device: str = AUTO) -> None:
        self.checkpoint = checkpoint
        self.probes = probes
        self.device = device
        self._network: Network | None = None
        self._loaded: dict[Regime, tuple[Runner, ProbeLog]] = {}

    def open(
        self, regime: Regime, padding: float, observe: Observer, cancel: threading.Event | None = None
    ) -> RegimeRunner:
        """The runner of a regime; `observe` is told what is loaded.

        Raises the errors of `engine.devices.choose_device` and `engine.preparation.ensure_modules`.
        """
        same = Regime.COMPILED if regime is Regime.COMPILED_PADDED else regime
        if same not in self._loaded:
            log = ProbeLog()
            seen = log.observe if self.probes else None
            compiled = same is Regime.COMPILED
            runner = self._compiled(seen, observe, cancel) if compiled else self._in_torch(same, seen, observe)
            self._loaded[same] = runner, log
        runner, log = self._loaded[same]
        if regime not in PADDED_REGIMES:
            return RegimeRunner(regime, runner, log)
        padded = PaddedRunner(self.checkpoint.config, runner, padding)
        return RegimeRunner(regime, padded, log, padded)

    def pipeline(self, regime: RegimeRunner) -> Pipeline:
        """A regime's whole chain of stages."""
        host: Runner = HostRunner(self.checkpoint.config)
        return Pipeline(self.checkpoint.config, {Place.DEVICE: regime.runner, Place.HOST: host})

    def close(self) -> None:
        """Release every runner."""
        for runner, _ in self._loaded.values():
            runner.close()
        self._loaded.clear()

    def _in_torch(self, regime: Regime, seen: ProbeObserver | None, observe: Observer) -> Runner:
        if self._network is None:
            self._network = self._load_network(observe)
        from engine.model.reference import Reference, SourcePrecision
        from engine.runners.torch_runner import ExportableRunner, ReferenceRunner

        match regime:
            case Regime.DYNAMIC:
                return ReferenceRunner(Reference(self._network, SourcePrecision.FLOAT64), seen)
            case Regime.UPSTREAM:
                return ReferenceRunner(Reference(self._network, SourcePrecision.UPSTREAM), seen)
            case Regime.STATIC_PACKED:
                return ExportableRunner(self._network, LstmSemantics.PACKED, seen)
            case _:
                return ExportableRunner(self._network, LstmSemantics.NO_PACK, seen)

    def _load_network(self, observe: Observer) -> Network:
        observe(PreparationEvent("Loading PyTorch and the reference model", 0, 1))
        from engine.model.random_weights import network_with

        return network_with(self.checkpoint.config, self.checkpoint.load_weights())

    def _compiled(self, seen: ProbeObserver | None, observe: Observer, cancel: threading.Event | None) -> Runner:
        checkpoint = self.checkpoint
        variant = replace(choose_device(self.device, checkpoint.config).variant, probed=self.probes)
        folder = ensure_modules(checkpoint.name, checkpoint.config, variant, observe, cancel)
        observe(PreparationEvent("Loading the compiled model", 0, 1))
        from engine.runners.tvm_runner import CompiledRunner

        return CompiledRunner(folder, checkpoint.config, checkpoint.load_weights(), observe=seen)


def crossed(stages: Mapping[str, RegimeRunner], rest: RegimeRunner) -> RegimeRunner:
    """The regime `rest` with some stages from others, called such as `compiled+decoder=dynamic`."""
    name = "+".join([rest.name, *(f"{stage}={regime.name}" for stage, regime in stages.items())])
    runners = {stage: regime.runner for stage, regime in stages.items()}
    return RegimeRunner(name, CrossedRunner(runners, rest.runner), ProbeLog())


def check_choices(request: ValidationRequest) -> None:
    """Raise `InvalidRequest` for a device, LSTM method, padding or crossed stage that is not to be had."""
    check_device(request.device)
    if request.lstm_method not in LSTM_METHODS:
        methods = ", ".join(LSTM_METHODS)
        raise InvalidRequest(f"The LSTM method “{request.lstm_method}” does not run here.", f"Use one of: {methods}.")
    if not 0 <= request.padding <= MOST_PADDING:
        raise InvalidRequest(
            f"A padding of {request.padding:g} is out of range.",
            f"Choose 0 (none) to {MOST_PADDING:g} (times the length of the speech).",
        )
    for stage, _ in request.cross:
        if stage not in STAGE_NAMES:
            raise InvalidRequest(f"There is no stage “{stage}”.", f"Stages: {', '.join(STAGE_NAMES)}.")
