"""What a track consists of: runs of utterances, with gaps between them where nothing is made yet."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from app.audio.peak_pyramid import PeakPyramid
from engine.speech import Plan, Utterance


@dataclass(frozen=True)
class Gap:
    """The samples from `start` to `end` are a guess at how long the characters `first` to `last` will take."""

    start: int
    end: int
    first: int
    last: int


@dataclass
class Run:
    """Utterances made one after the other, heard from sample `start` and speaking the text from `character` on.

    After the first `planned_from` of the `count` that are made comes what `plan` says. One that is `joined` has nothing
    missing between it and the next one. `first_index` is the number of its first utterance in the whole speech.
    """

    start: int = 0
    character: int = 0
    count: int = 0
    planned_from: int = 0
    plan: Plan = field(default_factory=lambda: Plan(()))
    joined: bool = False
    first_index: int = 0
    peaks: PeakPyramid = field(default_factory=PeakPyramid)


def numbered(utterance: Utterance, index: int) -> Utterance:
    """The utterance with this number in the whole speech."""
    return utterance if utterance.index == index else replace(utterance, index=index)
