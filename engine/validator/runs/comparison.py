"""Runs one utterance through several regimes in step and compares each with the reference, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.config import SAMPLE_RATE_HZ
from engine.runtime.pipeline import Step
from engine.speech import Array, Style, Utterance
from engine.stages import STAGES, Axis, Probe, Stage, Tensor
from engine.validator.data.results import (
    AlignmentEvent,
    AudioMetrics,
    DurationMetrics,
    InputSource,
    Metrics,
    Regime,
    Row,
    RowEvent,
    Verdict,
)
from engine.validator.data.verdicts import aligned, isolated, propagated
from engine.validator.measures.audio_metrics import compare_audio
from engine.validator.measures.metrics import compare, compare_durations, not_finite, on_circle, profile, sign_flips
from engine.validator.measures.phoneme_alignment import by_phoneme
from engine.validator.runs.arrays import ArrayFolder
from engine.validator.runs.end_to_end_run import (
    ALIGNMENT_OUTPUT,
    EndToEndRun,
    ReferenceDurations,
    RegimeChain,
    StageResult,
    result_of,
)

AUDIO_STAGE = STAGES[-1]


class Comparison:
    """Several regimes against one reference; every compared array is saved in `arrays`, if given."""

    def __init__(
        self, reference: RegimeChain, others: Sequence[RegimeChain], arrays: ArrayFolder | None = None
    ) -> None:
        self._reference = reference
        self._others = sorted(others, key=lambda chain: chain.regime.name != Regime.UPSTREAM)
        self._arrays = arrays

    def events(
        self, utterance: Utterance, style: Style, speed: float, seed: int
    ) -> Iterator[AlignmentEvent | RowEvent]:
        """Yield rows as stages finish: for every output and probe the isolated reading, then the end-to-end ones.

        The reading with the reference's durations exists only if a regime's own durations differ from them. Upstream is
        the noise floor of the others and comes first, unless only its own chain is left to run: that takes PyTorch the
        longest, so the isolated readings of the others come before it.
        """
        runs = [self._own_run(chain, utterance, style, speed, seed) for chain in self._others]
        for step in self._reference.pipeline.steps(utterance, style, speed, seed):
            expected = result_of(self._reference, step)
            self._save(utterance.index, self._reference, InputSource.END_TO_END, expected)
            if ALIGNMENT_OUTPUT in step.outputs:
                yield _alignment_event(utterance.index, step)
            for row in self._rows(utterance.index, runs, expected):
                yield RowEvent(row)

    def _own_run(self, chain: RegimeChain, utterance: Utterance, style: Style, speed: float, seed: int) -> EndToEndRun:
        return EndToEndRun(
            chain, self._reference, utterance, chain.pipeline.steps(utterance, style, speed, seed), ReferenceDurations()
        )

    def _rows(self, index: int, runs: Sequence[EndToEndRun], expected: StageResult) -> Iterator[Row]:
        noise_floor: dict[str, Metrics] = {}
        propagated_rows: dict[str, Iterator[Row]] = {}
        for run in sorted(runs, key=lambda run: run.repeats(expected.step)):
            results, regime = run.results(expected), run.chain.regime
            for reading, result in results.items():
                self._save(index, run.chain, reading, result)
            tolerance = regime.tolerance_of(expected.step.stage)
            grader = _RowGrader(index, regime.name, self._reference.regime.name, tolerance, expected, noise_floor)
            fed_rows = grader.isolated_rows(results[InputSource.ISOLATED])
            yield from fed_rows.values()
            propagated_rows[regime.name] = grader.propagated_rows(results, fed_rows)
        for run in runs:
            yield from propagated_rows[run.chain.regime.name]

    def _save(self, index: int, chain: RegimeChain, reading: InputSource, result: StageResult) -> None:
        if self._arrays is not None:
            for tensor in _compared(result.step.stage):
                # the frames that the later arrays have are those with the user's edits
                source = result.step.passed_on if tensor.name == ALIGNMENT_OUTPUT else result.step.outputs
                self._arrays.save(index, chain.regime.name, reading, tensor.name, source[tensor.name])


@dataclass(frozen=True)
class _Value:
    """An output or an activation of a stage: its name, and the axis along which its time runs."""

    name: str
    time_axis: int
    axis: str
    is_probe: bool

    def of(self, result: StageResult) -> Array | None:
        """Return the array of this value in one result; None if that regime does not have it."""
        return result.probes.get(self.name) if self.is_probe else result.step.outputs.get(self.name)


@dataclass(frozen=True)
class _RowGrader:
    """Creates the rows of one regime and stage; upstream's end-to-end metrics become the noise floor of the others."""

    utterance: int
    regime: str
    reference: str
    tolerance: float
    expected: StageResult
    noise_floor: dict[str, Metrics]

    def isolated_rows(self, fed: StageResult) -> dict[_Value, Row]:
        """Return the row of every value that the regime has, on the reference's inputs."""
        return {value: self.isolated_row(value, fed) for value in _values(self.expected) if value.of(fed) is not None}

    def propagated_rows(
        self, results: Mapping[InputSource, StageResult], fed_rows: Mapping[_Value, Row]
    ) -> Iterator[Row]:
        """Yield the rows of these values on the regime's own inputs, if needed also with the reference's durations."""
        own, given = results[InputSource.END_TO_END], results.get(InputSource.END_TO_END_REFERENCE_DURATIONS)
        for value, fed_row in fed_rows.items():
            if given is not None:
                yield self.given_row(value, given, fed_row.verdict)
            yield self.propagated_row(value, own, fed_row.verdict)

    def isolated_row(self, value: _Value, fed: StageResult) -> Row:
        """Return the row of a stage on the reference's inputs."""
        if value.name == ALIGNMENT_OUTPUT:
            durations = self._durations(fed)
            return self._row(value, fed, InputSource.ISOLATED, aligned(durations, Verdict.FAIL), durations=durations)
        metrics = self._metrics(value, fed)
        verdict = Verdict.FAIL if metrics is None else isolated(metrics, self.tolerance)
        return self._row(value, fed, InputSource.ISOLATED, verdict, metrics)

    def propagated_row(self, value: _Value, own: StageResult, itself: Verdict) -> Row:
        """Return the row of a stage on its own regime's inputs."""
        if value.name == ALIGNMENT_OUTPUT:
            durations = self._durations(own)
            return self._row(value, own, InputSource.END_TO_END, aligned(durations, itself), durations=durations)
        return self._own_row(value, own, InputSource.END_TO_END, itself)

    def given_row(self, value: _Value, given: StageResult, itself: Verdict) -> Row:
        """Return the row of a stage on its own regime's inputs, but in the reference's frames."""
        return self._own_row(value, given, InputSource.END_TO_END_REFERENCE_DURATIONS, itself)

    def _own_row(self, value: _Value, result: StageResult, reading: InputSource, itself: Verdict) -> Row:
        metrics = self._metrics(value, result)
        if metrics is None:
            return self._row(value, result, reading, Verdict.INCOMPARABLE)
        floor = self.noise_floor.get(value.name)
        if self.regime == Regime.UPSTREAM:
            self.noise_floor[value.name] = metrics
        return self._row(value, result, reading, propagated(metrics, self.tolerance, floor, itself), metrics)

    def _row(
        self,
        value: _Value,
        result: StageResult,
        reading: InputSource,
        verdict: Verdict,
        metrics: Metrics | None = None,
        durations: DurationMetrics | None = None,
    ) -> Row:
        pair, stage, ours = self._pair(value, result), result.step.stage, value.of(result)
        moved_pair = None if pair else self._pair_by_phoneme(value, result)
        shown = pair or moved_pair
        return Row(
            utterance=self.utterance,
            stage=stage.name,
            output=value.name,
            regime=self.regime,
            reference=self.reference,
            reading=reading,
            verdict=verdict,
            tolerance=self.tolerance,
            metrics=metrics,
            audio=self._audio(result) if stage is AUDIO_STAGE and not value.is_probe else None,
            durations=durations,
            by_phoneme=None if moved_pair is None else compare(*_on_circle(value, *moved_pair)),
            profile=None if shown is None else profile(*_on_circle(value, *shown), value.time_axis, value.axis),
            seconds=result.step.seconds,
            reference_seconds=self.expected.step.seconds,
            probe=value.is_probe,
            not_finite=None if ours is None else not_finite(ours, value.time_axis, value.axis),
        )

    def _metrics(self, value: _Value, result: StageResult) -> Metrics | None:
        pair = self._pair(value, result)
        if pair is None:
            return None
        metrics = compare(*_on_circle(value, *pair), result.tails.get(value.name))
        return metrics if value.is_probe else replace(metrics, sign_flips=sign_flips(value.name, *pair))

    def _pair(self, value: _Value, result: StageResult) -> tuple[Array, Array] | None:
        """Return ours and the reference's array on the valid region; None if their frames differ."""
        ours, theirs = value.of(result), value.of(self.expected)
        if ours is None or theirs is None or result.apart is not None:
            return None
        return _of_one_shape(value, ours, theirs)

    def _pair_by_phoneme(self, value: _Value, result: StageResult) -> tuple[Array, Array] | None:
        """Return ours in the reference's frames, phoneme by phoneme, and the reference's array."""
        ours, theirs, apart = value.of(result), value.of(self.expected), result.apart
        if ours is None or theirs is None or apart is None or apart.pairs is None:
            return None
        axis = value.time_axis
        moved = by_phoneme(ours, apart.pairs, apart.our_frames, axis, theirs.shape[axis])
        return None if moved is None else _of_one_shape(value, moved, theirs)

    def _audio(self, result: StageResult) -> AudioMetrics:
        (name,) = result.step.outputs
        return compare_audio(result.step.outputs[name][0], self.expected.step.outputs[name][0], SAMPLE_RATE_HZ)

    def _durations(self, result: StageResult) -> DurationMetrics:
        ours, theirs = result.step, self.expected.step
        return compare_durations(
            ours.inputs["duration_logits"][0],
            theirs.inputs["duration_logits"][0],
            ours.outputs[ALIGNMENT_OUTPUT][0],
            theirs.outputs[ALIGNMENT_OUTPUT][0],
            float(theirs.inputs["speed"][0]),
        )


def _of_one_shape(value: _Value, ours: Array, theirs: Array) -> tuple[Array, Array] | None:
    """Return both, an activation of ours without its padding; None if their shapes differ nevertheless."""
    if value.is_probe:
        ours = ours[tuple(slice(extent) for extent in theirs.shape)]
    return (ours, theirs) if ours.shape == theirs.shape else None


def _on_circle(value: _Value, ours: Array, reference: Array) -> tuple[Array, Array]:
    return (ours if value.is_probe else on_circle(value.name, ours, reference)), reference


def run_stage(chain: RegimeChain, stage: Stage, inputs: Mapping[str, Array]) -> StageResult:
    """Run one stage alone in one regime, on any inputs."""
    return result_of(chain, chain.pipeline.step(stage, inputs))


def isolated_rows(
    reference: RegimeChain, chain: RegimeChain, expected: StageResult, fed: StageResult
) -> tuple[Row, ...]:
    """Return the rows of a stage run by a regime and its reference on equal inputs; activations if both have any."""
    names, stage = (chain.regime.name, reference.regime.name), fed.step.stage
    grader = _RowGrader(0, *names, chain.regime.tolerance_of(stage), expected, {})
    return tuple(grader.isolated_rows(fed).values())


def _compared(stage: Stage) -> tuple[Tensor, ...]:
    """Return the outputs worth comparing; a count without axes shows in the array it counts."""
    return tuple(tensor for tensor in stage.outputs if tensor.axes)


def _values(expected: StageResult) -> Iterator[_Value]:
    """Yield the outputs of a stage, then the activations that the reference reported."""
    stage = expected.step.stage
    for tensor in _compared(stage):
        position, axis = time_axis(tensor)
        yield _Value(tensor.name, position, axis.name, is_probe=False)
    axis_name = "frames" if expected.frame_count is not None else "tokens"
    for path in expected.probes:
        yield _Value(path, _probe_of(stage, path).time_axis, axis_name, is_probe=True)


def time_axis(tensor: Tensor) -> tuple[int, Axis]:
    """Return the time axis of an array [batch, ...] and its kind; the tensor must have one."""
    return next((place, axis) for place, axis in enumerate(tensor.axes, start=1) if isinstance(axis, Axis))


def _probe_of(stage: Stage, path: str) -> Probe:
    return next(probe for probe in stage.probes if probe.matches(path))


def _alignment_event(index: int, step: Step) -> AlignmentEvent:
    token_count = int(step.inputs["token_count"][0])
    frames = np.bincount(step.passed_on[ALIGNMENT_OUTPUT][0], minlength=token_count)
    return AlignmentEvent(index, tuple(int(count) for count in frames))
