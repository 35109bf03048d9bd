"""The part of a language in the way from text to a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.g2p.normalise import Normalised
from engine.g2p.overrides import Override
from engine.g2p.pieces import SpokenWord
from engine.speech import Notice


class FrontEnd(Protocol):
    """One language; an instance belongs to one thread."""

    phrase_starters: frozenset[str]
    """Words in small letters that begin a phrase: a voice may take a breath before them."""

    def normalise(self, text: str) -> Normalised:
        """The text as it is spoken, in letters and plain punctuation; single line breaks separate paragraphs."""

    def pronounce(self, text: str, overrides: Sequence[Override]) -> list[SpokenWord]:
        """The words of one sentence of a normalised text, in order, with its overrides applied."""

    def reports(self) -> list[Notice]:
        """What could not be pronounced since the last call, in offsets of the sentences it is in."""
