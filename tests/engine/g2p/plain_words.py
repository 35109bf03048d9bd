"""Whether a text as it is written sounds like plain words: the same phonemes, and the same pauses between them."""

from __future__ import annotations

import re

from engine.g2p import Phonemizer

UNHEARD = re.compile('[ˈˌ“”" ]')
"""Stress, quotation marks and spaces, in which two ways to write a sentence may differ."""
SIGNS = re.compile("[.,;:!?…—()]+")
STOPS = "?!.…;:,—"


def sounds(phonemizer: Phonemizer, text: str) -> str:
    """The phonemes of a text as they are compared; a bracket makes the pause of a comma."""
    phonemes = "".join(utterance.phonemes for utterance in phonemizer.plan(text).utterances)
    return SIGNS.sub(_stop, UNHEARD.sub("", phonemes.replace("ᵊ", "ə"))).lstrip(STOPS)


def same_as(phonemizer: Phonemizer, written: str, plain: str) -> bool:
    """Whether both sound the same."""
    return sounds(phonemizer, written) == sounds(phonemizer, plain)


def _stop(signs: re.Match[str]) -> str:
    return next((stop for stop in STOPS if stop in signs[0]), ",")
