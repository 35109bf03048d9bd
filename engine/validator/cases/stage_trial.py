"""Runs one stage of a regime against the reference on any inputs, and checks whether a failure is its own."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine.errors import InvalidRequest
from engine.runtime.pipeline import Step
from engine.speech import Array, Style, Utterance
from engine.stages import Stage
from engine.validator.data.results import Regime, Row, ValidationRequest, Verdict
from engine.validator.data.verdicts import severity
from engine.validator.measures.element_errors import ElementErrors, element_errors
from engine.validator.measures.metrics import on_circle
from engine.validator.runners.regimes import Regimes
from engine.validator.runs.comparison import isolated_rows, run_stage, time_axis
from engine.validator.runs.end_to_end_run import RegimeChain, StageResult
from engine.validator.runs.validation import ValidationObserver, open_chains


@dataclass(frozen=True)
class StageTrial:
    """A stage run by a regime and by the reference on equal inputs; `rows` are of its outputs, the worst first."""

    stage: Stage
    rows: tuple[Row, ...]
    ours: Mapping[str, Array] = field(repr=False)
    expected: Mapping[str, Array] = field(repr=False)
    inputs: Mapping[str, Array] = field(repr=False)

    @property
    def worst(self) -> Row:
        """The row of the output that differs most."""
        return self.rows[0]

    @property
    def fails(self) -> bool:
        """True if the stage is itself wrong."""
        return self.worst.verdict is Verdict.FAIL

    def elements(self) -> ElementErrors | None:
        """Return the element errors of the worst output; None if the two have different shapes."""
        ours, expected = self.ours[self.worst.output], self.expected[self.worst.output]
        if ours.shape != expected.shape:
            return None
        tensor = next(each for each in self.stage.outputs if each.name == self.worst.output)
        if self.worst.metrics is None or not self.worst.metrics.sign_flips:
            ours = on_circle(tensor.name, ours, expected)
        return element_errors(ours, expected, self.worst.tolerance, time_axis(tensor)[0])


class StageTrials:
    """Tries a stage on inputs in the regime named `regime`, which the request must compare.

    Raises `InvalidRequest` for any other regime, and the errors of `Regimes.open`.
    """

    def __init__(
        self,
        regimes: Regimes,
        request: ValidationRequest,
        regime: str,
        stage: Stage,
        observe: ValidationObserver,
        cancel: threading.Event | None = None,
    ) -> None:
        self._stage = stage
        self._reference, others = open_chains(regimes, request, observe, cancel)
        self._chain = next((chain for chain in others if chain.regime.name == regime), None) or _unknown(regime, others)
        witness = regimes.open(Regime.STATIC_PACKED, request.padding, observe, cancel)
        self._witness: RegimeChain | None = None
        if witness.name != regime:
            self._witness = RegimeChain(witness, regimes.pipeline(witness))

    def on_phonemes(self, utterance: Utterance, style: Style, speed: float, seed: int) -> StageTrial:
        """Try the stage on the outputs of the reference's earlier stages for an utterance."""
        for step in self._reference.pipeline.steps(utterance, style, speed, seed):
            if step.stage is self._stage:
                return self._against(StageResult(step), step.inputs)
        raise ValueError(f"{self._stage.name} isn’t a stage of the pipeline.")

    def on_inputs(self, inputs: Mapping[str, Array]) -> StageTrial:
        """Try the stage on these inputs, by name, batch first; raises `ValueError` for inputs that it does not take."""
        return self._against(run_stage(self._reference, self._stage, inputs), inputs)

    def witnessed(self, trial: StageTrial) -> bool:
        """Return whether a failure is the regime's own: PyTorch in float32 can compute the stage on the same inputs.

        Inputs that no float32 run computes well, such as a variance of nothing but rounding errors, are no failing
        case.
        """
        if self._witness is None or not trial.fails:
            return trial.fails
        expected = StageResult(Step(self._stage, trial.inputs, trial.expected, 0.0, trial.expected))
        fed = run_stage(self._witness, self._stage, trial.inputs)
        rows = isolated_rows(self._reference, self._witness, expected, fed)
        return all(row.verdict is not Verdict.FAIL for row in rows)

    def trust(self, trial: StageTrial) -> None:
        """Use the witness from now on only if it computes the stage well on these first inputs."""
        if not self.witnessed(trial):
            self._witness = None

    def _against(self, expected: StageResult, inputs: Mapping[str, Array]) -> StageTrial:
        fed = run_stage(self._chain, self._stage, inputs)
        rows = [row for row in isolated_rows(self._reference, self._chain, expected, fed) if not row.probe]
        rows.sort(key=severity, reverse=True)
        return StageTrial(self._stage, tuple(rows), dict(fed.step.outputs), dict(expected.step.outputs), dict(inputs))


def only(request: ValidationRequest, regime: str) -> ValidationRequest:
    """Return the request with this regime alone, without activations, a golden run, or files of arrays."""
    wanted = (Regime(regime),) if regime in tuple(Regime) else ()
    cross = () if wanted else request.cross
    return replace(request, regimes=wanted, cross=cross, probes=False, golden=None, arrays_folder=None)


def _unknown(regime: str, others: list[RegimeChain]) -> RegimeChain:
    names = ", ".join(chain.regime.name for chain in others)
    raise InvalidRequest(f"The regime “{regime}” isn’t compared.", f"Choose one of: {names}.")
