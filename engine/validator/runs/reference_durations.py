"""A regime's own chain of stages continued with the reference's durations, from where its own differ from them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.runtime.pipeline import Step
from engine.speech import Array
from engine.validator.measures.phoneme_alignment import Frames, paired_frames

ALIGNMENT_OUTPUT = "frame_token"
GIVEN = (ALIGNMENT_OUTPUT, "frame_count", "source_noise")
"""The reference's: the durations, and the noise drawn for that many frames."""


class ReferenceDurations:
    """Follows one utterance through one regime: tell it every step, then ask what the next stage gets."""

    def __init__(self) -> None:
        self._values: dict[str, Array] = {}
        self.pairs: Frames | None = None
        """Our own frame for each of the reference's; None while the durations are equal, or unknown."""
        self.our_frames = 0

    def compare(self, own: Step, expected: Step) -> None:
        """Note whether the durations differ, once the regime's own step and the reference's have them."""
        if ALIGNMENT_OUTPUT in own.outputs:
            ours, reference = own.outputs[ALIGNMENT_OUTPUT][0], expected.outputs[ALIGNMENT_OUTPUT][0]
            if not np.array_equal(ours, reference):
                self.pairs, self.our_frames = paired_frames(ours, reference), len(ours)

    def inputs(self, own: Step, expected: Step) -> Mapping[str, Array] | None:
        """What a stage gets after the durations have differed: the regime's own values in the reference's frames.

        None before, and for the alignment itself.
        """
        if self.pairs is None or ALIGNMENT_OUTPUT in own.outputs:
            return None
        return {name: expected.inputs[name] if name in GIVEN else self._value(own, name) for name in own.inputs}

    def keep(self, step: Step) -> None:
        """Keep what a stage made with the reference's durations, for the stages after it."""
        self._values.update(step.outputs)

    def _value(self, own: Step, name: str) -> Array:
        """As made in the reference's frames, else as the regime had it before the alignment."""
        return self._values.get(name, own.inputs[name])
