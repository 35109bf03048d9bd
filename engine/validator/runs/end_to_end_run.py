"""One regime's own run of an utterance: each stage in every reading, also with the reference's durations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from engine.runtime.pipeline import Pipeline, Step
from engine.speech import Array, Utterance
from engine.validator.data.results import InputSource
from engine.validator.measures.phoneme_alignment import Frames, paired_frames
from engine.validator.runners.regimes import RegimeRunner


@dataclass(frozen=True)
class RegimeChain:
    """A regime with its whole chain of stages."""

    regime: RegimeRunner
    pipeline: Pipeline


@dataclass(frozen=True)
class StageResult:
    """One run of a stage in one regime: its step, its activations by path, and its values in the padding.

    `apart` is set if its frames are not the reference's, and pairs them.
    """

    step: Step
    probes: Mapping[str, Array] = field(default_factory=dict)
    tails: Mapping[str, Array | None] = field(default_factory=dict)
    apart: ReferenceDurations | None = None

    @property
    def frame_count(self) -> int | None:
        """The number of frames the stage worked on; None before the alignment."""
        count = self.step.inputs.get("frame_count")
        return None if count is None else int(count[0])


@dataclass(frozen=True)
class EndToEndRun:
    """One regime's own run of an utterance, stage by stage, and the data for the other readings."""

    chain: RegimeChain
    reference: RegimeChain
    utterance: Utterance
    steps: Iterator[Step]
    durations: ReferenceDurations

    def results(self, expected: StageResult) -> dict[InputSource, StageResult]:
        """Run the next stage in every reading; results of the reference or of the other readings are reused."""
        own = result_of(self.chain, next(self.steps))
        fed = own if _same(own.step.inputs, expected.step.inputs) else self._fed(expected, own)
        results = {InputSource.ISOLATED: fed, InputSource.END_TO_END: own}
        inputs = self.durations.inputs(own.step, expected.step)
        if inputs is not None:
            known = (result for result in (own, fed) if _same(inputs, result.step.inputs))
            given = next(known, None) or self._run(inputs, own)
            self.durations.record_step(given.step)
            results[InputSource.END_TO_END_REFERENCE_DURATIONS] = given
            if own.frame_count is not None:
                results[InputSource.END_TO_END] = replace(own, apart=self.durations)
        self.durations.compare(own.step, expected.step)
        return results

    def _fed(self, expected: StageResult, like: StageResult) -> StageResult:
        if self.repeats(expected.step):
            return expected
        return self._run(expected.step.inputs, like)

    def repeats(self, step: Step) -> bool:
        """Return whether this regime, given the inputs of the reference's step, would only run the same code again."""
        ours, theirs = (chain.regime.code_of(step.stage, step.inputs) for chain in (self.chain, self.reference))
        return ours is not None and ours == theirs

    def _run(self, inputs: Mapping[str, Array], like: StageResult) -> StageResult:
        return result_of(self.chain, self.chain.pipeline.step(like.step.stage, inputs, self.utterance))


def result_of(chain: RegimeChain, step: Step) -> StageResult:
    """Return a step that a chain has just run, with the other products of the run."""
    tails = {tensor.name: chain.regime.tail(tensor.name) for tensor in step.stage.outputs}
    return StageResult(step, chain.regime.log.taken(), tails)


def _same(ours: Mapping[str, Array], theirs: Mapping[str, Array]) -> bool:
    return all(np.array_equal(array, theirs[name]) for name, array in ours.items())


ALIGNMENT_OUTPUT = "frame_token"
GIVEN = (ALIGNMENT_OUTPUT, "frame_count", "source_noise")
"""Values taken from the reference: the durations, and the noise drawn for that many frames."""


class ReferenceDurations:
    """Follows one utterance through one regime: give it every step, then ask for the inputs of the next stage."""

    def __init__(self) -> None:
        self._values: dict[str, Array] = {}
        self.pairs: Frames | None = None
        """Our own frame for each of the reference's; None while the durations are equal, or unknown."""
        self.our_frames = 0

    def compare(self, own: Step, expected: Step) -> None:
        """Note whether the durations differ, once the regime's own step and the reference's have them."""
        if ALIGNMENT_OUTPUT in own.outputs:
            ours, reference = own.passed_on[ALIGNMENT_OUTPUT][0], expected.passed_on[ALIGNMENT_OUTPUT][0]
            if not np.array_equal(ours, reference):
                self.pairs, self.our_frames = paired_frames(ours, reference), len(ours)

    def inputs(self, own: Step, expected: Step) -> Mapping[str, Array] | None:
        """Return a stage's inputs once the durations differ: the regime's own values in the reference's frames.

        None before that, and for the alignment itself.
        """
        if self.pairs is None or ALIGNMENT_OUTPUT in own.outputs:
            return None
        return {name: expected.inputs[name] if name in GIVEN else self._value(own, name) for name in own.inputs}

    def record_step(self, step: Step) -> None:
        """Store a stage's outputs with the reference's durations for the stages after it."""
        self._values.update(step.passed_on)

    def _value(self, own: Step, name: str) -> Array:
        """Return the value in the reference's frames, or else as the regime had it before the alignment."""
        return self._values.get(name, own.inputs[name])
