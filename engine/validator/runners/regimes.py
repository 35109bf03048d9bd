"""The runners of one checkpoint, by regime, each created when first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from engine.compiler.artifacts.manifest import CPU, CPU_DEVICE, Variant
from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.models.checkpoints import Checkpoint, with_students
from engine.network.ops.packed_lstm import LstmMethod, LstmSemantics
from engine.runtime.pipeline import Pipeline
from engine.runtime.preparation.devices import AUTO, check_device, choose_device, metal_unavailable_reason
from engine.runtime.preparation.files import ensure_students
from engine.runtime.preparation.lstm_methods import check_lstm_method, choose_lstm_method
from engine.runtime.preparation.modules import PreparationObserver, ensure_modules
from engine.runtime.preparation.weights import ensure_weights
from engine.runtime.runners.base import JoinedRunner, Runner
from engine.runtime.runners.host import HostRunner
from engine.runtime.runners.padded import PaddedRunner
from engine.speech import Array, PreparationEvent
from engine.stages import STAGE_NAMES, ProbeObserver, Stage, StagePlace
from engine.validator.data.results import STUDENT_REGIMES, Regime, ValidationRequest
from engine.validator.faults.fault import PlantedFault
from engine.validator.runners.fault_injection import FaultInjection

if TYPE_CHECKING:
    from engine.network.architecture import Network


ToleranceOf = Callable[[Stage], float]
"""The smallest accepted correlation of an isolated stage with the reference."""
CodeOf = Callable[[Stage, Mapping[str, Array]], object]
"""Names the code that computes these inputs of a stage; None for code that only this regime has."""

PADDED_REGIMES = (Regime.STATIC_PACKED, Regime.STATIC_NO_PACK, Regime.COMPILED_PADDED, Regime.STATIC_DISTILLED)
MAX_PADDING = 20.0


class ProbeLog:
    """Collects the activations that a runner reports while it runs a stage."""

    def __init__(self) -> None:
        self._values: dict[str, Array] = {}

    def observe(self, path: str, array: Array) -> None:
        """Store a value under its module's path in the Kokoro module tree."""
        self._values[path] = array

    def taken(self) -> dict[str, Array]:
        """Return and clear the values reported since the last call."""
        values, self._values = self._values, {}
        return values


class JoinedLog(ProbeLog):
    """The logs of several regimes, one of which runs each stage; taking the values clears all of them."""

    def __init__(self, logs: Sequence[ProbeLog]) -> None:
        super().__init__()
        self._logs = logs

    def taken(self) -> dict[str, Array]:
        """See `ProbeLog.taken`."""
        return {path: array for log in self._logs for path, array in log.taken().items()}


class RegimeRunner:
    """One regime's runner with what it produces besides outputs: activations, and its values in the padding."""

    def __init__(
        self,
        name: str,
        runner: Runner,
        log: ProbeLog,
        padded: PaddedRunner | None = None,
        tolerance_of: ToleranceOf = attrgetter("tolerance"),
        code_of: CodeOf = lambda stage, inputs: None,
    ) -> None:
        self.name = name
        self.runner = runner
        self.log = log
        self.tolerance_of = tolerance_of
        self.code_of = code_of
        self.padded = padded

    def tail(self, output: str) -> Array | None:
        """Return the last run's values beyond the valid length of an output; None in a regime without padding."""
        return None if self.padded is None else self.padded.tails.get(output)


class Regimes:
    """Every regime of one checkpoint; a regime that one request has loaded serves the next.

    `variant` is that of the compiled modules, which are in `modules_folder`; `sound_folder` has them without any
    injected fault. `device_choice` states what runs them, `lstm_choice` what computes their LSTMs, and why. All of
    these are None or empty until the modules are loaded. `fault_injection` is set while a fault is injected. With
    `probes`, runners in PyTorch report activations; `engine.validator.runs.inner_values` makes compiled modules do so.
    """

    def __init__(
        self, checkpoint: Checkpoint, probes: bool = False, device: str = AUTO, lstm_method: str = AUTO
    ) -> None:
        self.checkpoint = checkpoint
        self.probes = probes
        self.device = device
        self.lstm_method = lstm_method
        self.device_choice = self.lstm_choice = ""
        self.variant: Variant | None = None
        self.modules_folder: Path | None = None
        self.sound_folder: Path | None = None
        self.fault_injection: FaultInjection | None = None
        self._network: Network | None = None
        self._loaded: dict[Regime, RegimeRunner] = {}

    def open(
        self, regime: Regime, padding: float, observe: PreparationObserver, cancel: threading.Event | None = None
    ) -> RegimeRunner:
        """Return the runner of a regime; `observe` gets an event for everything that is loaded.

        Raises the errors of `engine.runtime.preparation.devices.choose_device`,
        `engine.runtime.preparation.modules.ensure_modules` and `engine.models.checkpoints.with_students`.
        """
        same = Regime.COMPILED if regime is Regime.COMPILED_PADDED else regime
        if same not in self._loaded:
            self._loaded[same] = self._made(same, observe, cancel)
        return as_padded(regime, self._loaded[same], self.checkpoint.config, padding)

    @property
    def planted(self) -> PlantedFault | None:
        """The fault in the compiled modules, if there is one and they are loaded."""
        return None if self.fault_injection is None else self.fault_injection.planted

    def plant(self, fault: str) -> None:
        """Use compiled modules with the fault of this name from now on, or without any if it is empty.

        Everything that does not depend on it stays loaded. Raises `InvalidRequest` for an unknown name.
        """
        if fault == (self.fault_injection.fault.name if self.fault_injection else ""):
            return
        fault_injection = FaultInjection(fault) if fault else None
        for regime in (Regime.DISTILLED, Regime.COMPILED):
            if regime in self._loaded:
                self._loaded.pop(regime).runner.close()
            self.variant = self.modules_folder = self.sound_folder = None
        if self.fault_injection is not None:
            self.fault_injection.close()
        self.fault_injection = fault_injection

    def torch_runner(self, regime: Regime, observe: PreparationObserver, seen: ProbeObserver | None = None) -> Runner:
        """Return a new runner of a regime in PyTorch, over the shared network; `seen` gets its activations."""
        if self._network is None:
            self._network = self._load_network(observe)
        runner = _torch_runner(regime, self._network, seen)
        return students_in_torch(self.checkpoint, runner, seen) if regime is Regime.STATIC_DISTILLED else runner

    def pipeline(self, regime: RegimeRunner) -> Pipeline:
        """Return a regime's whole chain of stages."""
        host: Runner = HostRunner(self.checkpoint.config)
        return Pipeline(self.checkpoint.config, {StagePlace.DEVICE: regime.runner, StagePlace.HOST: host})

    def close(self) -> None:
        """Release every runner."""
        for loaded in self._loaded.values():
            loaded.runner.close()
        self._loaded.clear()
        if self.fault_injection is not None:
            self.fault_injection.close()

    def _made(self, regime: Regime, observe: PreparationObserver, cancel: threading.Event | None) -> RegimeRunner:
        if regime is Regime.COMPILED:
            return self._compiled(observe, cancel)
        if regime is Regime.DISTILLED:
            return self._distilled(observe, cancel)
        return self._in_torch(regime, observe)

    def _distilled(self, observe: PreparationObserver, cancel: threading.Event | None) -> RegimeRunner:
        """Return the compiled regime, with separate modules for the stages that have students."""
        rest = self.open(Regime.COMPILED, 0, observe, cancel)
        target = CPU.target if self.variant is None else self.variant.target
        runner = compiled_students(self.checkpoint, target, rest.runner, observe, cancel)
        return RegimeRunner(Regime.DISTILLED, runner, ProbeLog(), tolerance_of=student_tolerance)

    def _in_torch(self, regime: Regime, observe: PreparationObserver) -> RegimeRunner:
        log = ProbeLog()
        runner = self.torch_runner(regime, observe, log.observe if self.probes else None)
        if regime is Regime.STATIC_DISTILLED:
            return RegimeRunner(regime, runner, log, tolerance_of=student_tolerance)
        from engine.runtime.runners.torch_runner import ReferenceRunner

        if isinstance(runner, ReferenceRunner):
            return RegimeRunner(regime, runner, log, code_of=runner.arithmetic_of)
        return RegimeRunner(regime, runner, log)

    def _load_network(self, observe: PreparationObserver) -> Network:
        observe(PreparationEvent("Loading PyTorch and the reference model", 0, 1))
        from engine.network.random_weights import network_with

        return network_with(self.checkpoint.config, self.checkpoint.load_weights())

    def _compiled(self, observe: PreparationObserver, cancel: threading.Event | None) -> RegimeRunner:
        checkpoint = self.checkpoint
        # The faults are in kernels for CPUs.
        wanted = CPU_DEVICE if self.fault_injection is not None and self.device == AUTO else self.device
        device = choose_device(wanted, checkpoint.config)
        variant, method = choose_lstm_method(self.lstm_method, checkpoint.config, device.variant)
        self.variant, self.device_choice, self.lstm_choice = variant, device.words, method.words
        folder = ensure_modules(checkpoint.name, checkpoint.config, variant, observe, cancel)
        self.sound_folder = folder
        if self.fault_injection is not None:
            folder = self.fault_injection.modules(checkpoint.config, variant, folder, observe, cancel)
        self.modules_folder = folder
        as_spoken = variant == CPU and self.fault_injection is None
        weights = ensure_weights(checkpoint, folder, observe, cancel) if as_spoken else checkpoint.load_weights()
        observe(PreparationEvent("Loading the compiled model", 0, 1))
        from engine.runtime.runners.tvm_runner import CompiledRunner

        runner = CompiledRunner(folder, checkpoint.config, weights)
        return RegimeRunner(Regime.COMPILED, runner, ProbeLog(), tolerance_of=variant.tolerance_of)


def as_padded(regime: Regime, loaded: RegimeRunner, config: ModelConfig, padding: float) -> RegimeRunner:
    """Return the runner as the regime uses it: on arrays with this padding if it is a padded regime."""
    if regime not in PADDED_REGIMES:
        return loaded
    padded = PaddedRunner(config, loaded.runner, padding)
    return RegimeRunner(regime, padded, loaded.log, padded, loaded.tolerance_of)


def held_to(reference: Regime, loaded: RegimeRunner) -> RegimeRunner:
    """Return the runner to compare with a reference; between student regimes, students get no wider tolerance."""
    if reference not in STUDENT_REGIMES or loaded.name not in STUDENT_REGIMES:
        return loaded
    return RegimeRunner(loaded.name, loaded.runner, loaded.log, loaded.padded)


def _torch_runner(regime: Regime, network: Network, seen: ProbeObserver | None) -> Runner:
    from engine.network.reference import Arithmetic, Reference
    from engine.runtime.runners.torch_runner import ExportableRunner, ReferenceRunner

    match regime:
        case Regime.DYNAMIC:
            return ReferenceRunner(Reference(network, Arithmetic.FLOAT64), seen)
        case Regime.UPSTREAM:
            return ReferenceRunner(Reference(network, Arithmetic.UPSTREAM), seen)
        case Regime.STATIC_PACKED | Regime.STATIC_DISTILLED:
            return ExportableRunner(network, LstmSemantics.PACKED, seen)
        case _:
            return ExportableRunner(network, LstmSemantics.NO_PACK, seen)


def mixed_runner(stages: Mapping[str, RegimeRunner], rest: RegimeRunner) -> RegimeRunner:
    """Return the regime `rest` with some stages from others; its name is like `compiled+decoder=dynamic`."""
    name = "+".join([rest.name, *(f"{stage}={regime.name}" for stage, regime in stages.items())])
    runners = {stage: regime.runner for stage, regime in stages.items()}

    def tolerance_of(stage: Stage) -> float:
        return stages.get(stage.name, rest).tolerance_of(stage)

    log = JoinedLog(tuple({id(each.log): each.log for each in (rest, *stages.values())}.values()))
    return RegimeRunner(name, JoinedRunner(runners, rest.runner), log, tolerance_of=tolerance_of)


def check_choices(request: ValidationRequest) -> None:
    """Raise `InvalidRequest` for an unknown or unavailable device, LSTM method, padding or crossed stage."""
    check_device(request.device)
    check_lstm_method(request.lstm_method)
    if request.lstm_method == LstmMethod.MPS and (unavailable_reason := metal_unavailable_reason()):
        raise InvalidRequest(f"The LSTM method mps isn’t available here: {unavailable_reason}.", "Use tir, or auto.")
    if not 0 <= request.padding <= MAX_PADDING:
        raise InvalidRequest(
            f"A padding of {request.padding:g} is out of range.",
            f"Choose 0 (none) to {MAX_PADDING:g} (times the length of the speech).",
        )
    for stage, _ in request.cross:
        if stage not in STAGE_NAMES:
            raise InvalidRequest(f"Unknown stage “{stage}”.", f"Stages: {', '.join(STAGE_NAMES)}.")


STUDENT_TOLERANCE = 0.99
"""The smallest accepted correlation of a student's stage with its teacher's, which it only approximates."""


def compiled_students(
    checkpoint: Checkpoint,
    target: str,
    rest: Runner,
    observe: PreparationObserver,
    cancel: threading.Event | None = None,
) -> Runner:
    """Return the compiled modules of a checkpoint's students for a target, and `rest` for all other stages.

    Raises the errors of `with_students` and `ensure_students`.
    """
    taught = with_students(checkpoint)
    files = ensure_students(taught, target, observe, cancel)
    from engine.runtime.runners.tvm_runner import CompiledRunner

    students = CompiledRunner(files.modules, taught.config, files.weights)
    return JoinedRunner(dict.fromkeys(files.stages, students), rest, [students])


def students_in_torch(checkpoint: Checkpoint, rest: Runner, seen: ProbeObserver | None) -> Runner:
    """Return a checkpoint's students in PyTorch, and `rest` for all other stages; `seen` gets their activations.

    Raises the errors of `with_students`.
    """
    taught = with_students(checkpoint)
    from engine.network.distilled_stages import distilled_stages
    from engine.runtime.runners.torch_runner import StagesRunner

    stages = distilled_stages(taught.config, taught.students, taught.load_weights(), probed=seen is not None)
    students = StagesRunner(taught.config, stages, seen)
    return JoinedRunner(dict.fromkeys(taught.students.stages, students), rest, [students])


def student_tolerance(stage: Stage) -> float:
    """Return the smallest accepted correlation of a stage with that of the teacher."""
    return min(STUDENT_TOLERANCE, stage.tolerance)
