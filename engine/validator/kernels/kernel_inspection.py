"""Answers requests about kernels: inspects the failing stages, or replaces kernels."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.runtime.pipeline import Step
from engine.runtime.runners.base import COUNTS, Runner, check_inputs
from engine.runtime.runners.padded import PaddedRunner
from engine.speech import Array, PreparationEvent
from engine.stages import STAGES, Stage, StagePlace
from engine.system.waiting import raise_if_set
from engine.validator.data.results import (
    FinishedEvent,
    KernelRequest,
    Metrics,
    Regime,
    Replacement,
    Report,
    RowEvent,
    Substitute,
)
from engine.validator.data.verdicts import findings, within
from engine.validator.faults.catalog import fault_named
from engine.validator.faults.fault import PlantedFault
from engine.validator.inspection.results import KernelFinding, KernelsEvent
from engine.validator.measures.metrics import compare, on_circle
from engine.validator.runners.regimes import RegimeRunner, Regimes
from engine.validator.runs.arrays import ArrayFolder
from engine.validator.runs.comparison import Comparison
from engine.validator.runs.end_to_end_run import RegimeChain
from engine.validator.runs.validation import SpokenUtterance, ValidationObserver, Validator, ignore, spoken_of
from engine.validator.runs.versions import versions

if TYPE_CHECKING:
    from engine.runtime.runners.tvm_runner import CompiledRunner
    from engine.validator.inspection.inspector import KernelInspector


EVERY_STAGE = "all"
"""Names every stage that has kernels."""
SUSPECT_TIMES = 100.0
"""The ratio of a stage's error to that of Kokoro's float32 beyond which it is inspected."""
MIN_FLOOR = 2.0**-23
"""The smallest relative difference that float32 resolves."""


class KernelInspection:
    """Inspects the modules that a validator has loaded; the graphs of a model's stages are built once."""

    def __init__(self, validator: Validator) -> None:
        self._validator = validator
        self._inspector: KernelInspector | None = None
        self._of: tuple[Regimes, PlantedFault | None] | None = None

    def answer(
        self, request: KernelRequest, observe: ValidationObserver = ignore, cancel: threading.Event | None = None
    ) -> None:
        """Inspect, or compute the requested replacements; see `inspect` and `compare_replaced`."""
        if request.replacements:
            self.compare_replaced(request, observe, cancel)
        else:
            self.inspect(request, observe, cancel)

    def inspect(
        self, request: KernelRequest, observe: ValidationObserver = ignore, cancel: threading.Event | None = None
    ) -> tuple[KernelFinding, ...]:
        """Inspect the requested stages; `observe` gets the events of each.

        Raises `InvalidRequest` children before any work, `CompileError`, and `Canceled` once `cancel` is set.
        """
        check_stages(request)
        spoken = self._spoken(request, observe)
        regimes = self._validator.prepare(request.validation)
        reference = regimes.open(request.validation.reference, request.validation.padding, observe, cancel)
        regimes.open(Regime.COMPILED, 0, observe, cancel)
        inspections = _StageInspections(request, regimes, self.inspector(regimes), observe, cancel)
        style = spoken.voice.style(len(spoken.utterance.phonemes))
        steps = regimes.pipeline(reference).steps(spoken.utterance, style, spoken.speed, spoken.seed)
        found = tuple(finding for step in steps for finding in inspections.findings(step))
        observe(KernelsEvent(found))
        return found

    def compare_replaced(
        self, request: KernelRequest, observe: ValidationObserver = ignore, cancel: threading.Event | None = None
    ) -> Report:
        """Compare the utterance with the replacements as an additional regime, and save its arrays like any other's.

        `observe` gets the rows, last a `FinishedEvent`. Raises as `inspect`.
        """
        check_stages(request)
        name = replaced_name(request.replacements)
        spoken = self._spoken(request, observe)
        asked, regimes = request.validation, self._validator.prepare(request.validation)
        reference = regimes.open(asked.reference, asked.padding, observe, cancel)
        compiled = regimes.open(Regime.COMPILED, 0, observe, cancel)
        whole = regimes.open(Regime.STATIC_PACKED, 0, observe, cancel)
        runner = ReplacedRunner(compiled.runner, whole.runner, self._substitute(regimes), request.replacements)
        replaced = RegimeRunner(name, runner, compiled.log, tolerance_of=compiled.tolerance_of)
        arrays = ArrayFolder(asked.arrays_folder) if asked.arrays_folder else None
        chains = [RegimeChain(one, regimes.pipeline(one)) for one in (reference, replaced)]
        comparison = Comparison(chains[0], chains[1:], arrays)
        style = spoken.voice.style(len(spoken.utterance.phonemes))
        rows = []
        for event in comparison.events(spoken.utterance, style, spoken.speed, spoken.seed):
            raise_if_set(cancel)
            observe(event)
            rows += [event.row] if isinstance(event, RowEvent) else []
        report = Report(asked, (spoken.utterance,), tuple(rows), findings(rows), versions())
        observe(FinishedEvent(report))
        return report

    def _substitute(self, regimes: Regimes) -> RunReplaced:
        """Return a function that runs a stage with some kernels replaced."""
        from engine.validator.inspection.inspector import StageInputs
        from engine.validator.inspection.substitution import KernelSubstitution

        substitution = KernelSubstitution(self.inspector(regimes), _compiled_runner(regimes))

        def replaced_outputs(
            stage: Stage, inputs: Mapping[str, Array], replaced: Mapping[str, bool]
        ) -> dict[str, Array]:
            shapes = valid_shapes(regimes.checkpoint.config, stage, inputs)
            return substitution.run_replaced(stage, StageInputs(inputs, shapes), replaced)

        return replaced_outputs

    def inspector(self, regimes: Regimes) -> KernelInspector:
        """Return the inspector of these regimes' compiled modules, which must be loaded."""
        from engine.validator.inspection.inspector import KernelInspector  # loads torch and tvm

        made_for = (regimes, regimes.planted)
        if self._inspector is None or self._of != made_for:
            if regimes.variant is None:
                raise ValueError("No compiled modules are loaded.")
            checkpoint, planted = regimes.checkpoint, regimes.planted
            fault = None if planted is None else fault_named(planted.name)
            self._inspector = KernelInspector(checkpoint.config, checkpoint.load_weights(), regimes.variant, fault)
            self._of = made_for
        return self._inspector

    def _spoken(self, request: KernelRequest, observe: ValidationObserver) -> SpokenUtterance:
        every = list(spoken_of(self._validator, request.validation, observe))
        if not 0 <= request.utterance < len(every):
            raise InvalidRequest(
                f"Utterance {request.utterance + 1} doesn’t exist.", f"Choose 1 to {len(every)} of this text."
            )
        return every[request.utterance]


class _StageInspections:
    """Inspects one stage after the other, if requested."""

    def __init__(
        self,
        request: KernelRequest,
        regimes: Regimes,
        inspector: KernelInspector,
        observe: ValidationObserver,
        cancel: threading.Event | None,
    ) -> None:
        self._request = request
        self._regimes = regimes
        self._inspector = inspector
        self._observe = observe
        self._cancel = cancel

    def findings(self, step: Step) -> tuple[KernelFinding, ...]:
        """Return the incorrect kernels of a step's stage, unpadded, or else on padded arrays.

        Empty for a stage that is not requested, or that is right if none is named.
        """
        if step.stage.runs_on is not StagePlace.DEVICE:
            return ()
        for regime in self._regimes_of(step):
            runner = _InspectingRunner(self)
            padded = regime is Regime.COMPILED_PADDED
            config = self._regimes.checkpoint.config
            of_lengths = PaddedRunner(config, runner, self._request.validation.padding) if padded else runner
            of_lengths.run_stage(step.stage, step.inputs)
            if runner.findings:
                return runner.findings
        return ()

    def inspected(
        self, stage: Stage, inputs: Mapping[str, Array]
    ) -> tuple[dict[str, Array], tuple[KernelFinding, ...]]:
        """Return the stage's outputs for these inputs, and the findings in it."""
        shapes = valid_shapes(self._regimes.checkpoint.config, stage, inputs)
        from engine.validator.inspection.inspector import StageInputs

        runner = _compiled_runner(self._regimes)
        self._observe(PreparationEvent(f"Inspecting {stage.title.lower()}", 0, 1))
        return self._inspector.inspect(stage, runner, StageInputs(inputs, shapes), self._observe, self._cancel)

    def _regimes_of(self, step: Step) -> list[Regime]:
        """Return the compiled regimes in which to inspect a stage: the suspect ones, or all if the stage is named."""
        asked = self._request.validation.regimes
        padded = [Regime.COMPILED_PADDED] if Regime.COMPILED_PADDED in asked else []
        named = self._request.stages
        if step.stage.name in named or EVERY_STAGE in named:
            return [Regime.COMPILED, *padded]
        return [] if named else [regime for regime in (Regime.COMPILED, *padded) if self._is_suspect(step, regime)]

    def _is_suspect(self, step: Step, regime: Regime) -> bool:
        """Return whether an output is beyond the stage's tolerance, or much further off than Kokoro's own float32."""
        ours, floors = self._metrics(step, regime), self._metrics(step, Regime.UPSTREAM)
        tolerance = self._open(regime).tolerance_of(step.stage)
        return any(
            not within(one, tolerance)
            or (one.relative_l2 or 0.0) > SUSPECT_TIMES * max(floor.relative_l2 or 0.0, MIN_FLOOR)
            for one, floor in zip(ours, floors, strict=True)
        )

    def _metrics(self, step: Step, regime: Regime) -> list[Metrics]:
        """Compare the stage's outputs in a regime, from the reference's inputs, with the reference's."""
        outputs = self._regimes.pipeline(self._open(regime)).step(step.stage, step.inputs).outputs
        return [compare(on_circle(name, outputs[name], array), array) for name, array in step.outputs.items()]

    def _open(self, regime: Regime) -> RegimeRunner:
        return self._regimes.open(regime, self._request.validation.padding, self._observe, self._cancel)


class _InspectingRunner:
    """A runner that inspects the stage that it runs."""

    def __init__(self, inspections: _StageInspections) -> None:
        self.findings: tuple[KernelFinding, ...] = ()
        self._inspections = inspections

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `Runner.run_stage`."""
        outputs, self.findings = self._inspections.inspected(stage, inputs)
        return outputs

    def close(self) -> None:
        """Do nothing: the modules belong to their regime."""


def _compiled_runner(regimes: Regimes) -> CompiledRunner:
    """Return the runner of the compiled modules, which must be loaded."""
    from engine.runtime.runners.tvm_runner import CompiledRunner

    runner = regimes.open(Regime.COMPILED, 0, ignore).runner
    if not isinstance(runner, CompiledRunner):
        raise TypeError("Only compiled modules can be inspected.")
    return runner


def check_stages(request: KernelRequest) -> None:
    """Raise `InvalidRequest` for an unknown stage, or one without kernels, in the request."""
    check_stage_names((*request.stages, *(one.stage for one in request.replacements)))


def check_stage_names(names: Iterable[str]) -> None:
    """Raise `InvalidRequest` for a name that is neither `EVERY_STAGE` nor that of a stage with kernels."""
    known = [stage.name for stage in STAGES if stage.runs_on is StagePlace.DEVICE]
    for name in names:
        if name not in (*known, EVERY_STAGE):
            raise InvalidRequest(f"Unknown stage with kernels “{name}”.", f"Stages: {', '.join(known)}.")


def valid_shapes(config: ModelConfig, stage: Stage, inputs: Mapping[str, Array]) -> list[tuple[int, ...]]:
    """Return the shapes that the inputs of a batch of one would have without padding, in order."""
    lengths = check_inputs(config, stage, inputs)
    counted = {axis: int(inputs[count][0]) for axis, count in COUNTS.items() if count in inputs and axis in lengths}
    return [tensor.shape(config, lengths["batch"], {**lengths, **counted}) for tensor in stage.inputs]


RunReplaced = Callable[[Stage, Mapping[str, Array], Mapping[str, bool]], dict[str, Array]]
"""Runs a stage whose kernels of these ids are computed in plain loops if True, in PyTorch if False."""


class ReplacedRunner:
    """Runs each stage as its replacement says, and every other unchanged.

    `whole` runs the stages that are replaced as a whole, `run_replaced` those with single kernels replaced.
    """

    def __init__(
        self, compiled: Runner, whole: Runner, run_replaced: RunReplaced, replacements: Sequence[Replacement]
    ) -> None:
        self._compiled = compiled
        self._whole = whole
        self._run_replaced = run_replaced
        self._replacements = replacements

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `Runner.run_stage`."""
        here = [one for one in self._replacements if one.stage == stage.name]
        if any(one.node is None for one in here):
            return self._whole.run_stage(stage, inputs)
        if not here:
            return self._compiled.run_stage(stage, inputs)
        plain = {one.node or "": one.substitute is Substitute.PLAIN_LOOPS for one in here}
        return self._run_replaced(stage, inputs, plain)

    def close(self) -> None:
        """Do nothing: the runners belong to their regimes."""


def replaced_name(replacements: Sequence[Replacement]) -> str:
    """Return the name of the regime with these replacements, like `compiled+decoder 007 conv1d=plain-loops`."""
    if not replacements:
        raise InvalidRequest("There’s nothing to replace.", "Choose a kernel or a stage.")
    words = (f"{one.stage}{f' {one.node}' if one.node else ''}={one.substitute}" for one in replacements)
    return "+".join([Regime.COMPILED, *words])
