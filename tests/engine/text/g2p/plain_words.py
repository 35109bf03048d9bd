"""What rules make of a text, and whether it sounds like plain words: the same phonemes and pauses."""

from __future__ import annotations

import re

from engine.text.g2p import Phonemizer
from engine.text.g2p.draft import Draft, Rule
from engine.text.languages import AMERICAN, Language

UNHEARD = re.compile('[ˈˌ“”" ]')
"""Stress, quotation marks and spaces, in which two ways to write a sentence may differ."""
SIGNS = re.compile("[.,;:!?…—()]+")
STOPS = "?!.…;:,—"


def rewritten(text: str, *rules: Rule, language: Language = AMERICAN) -> str:
    """The text as these rules leave it."""
    draft = Draft(text, language)
    draft.apply(*rules)
    return draft.text


def sounds(phonemizer: Phonemizer, text: str) -> str:
    """The phonemes of a text as they are compared; a bracket makes the pause of a comma."""
    phonemes = "".join(utterance.phonemes for utterance in phonemizer.plan(text).utterances)
    return SIGNS.sub(_stop, UNHEARD.sub("", phonemes.replace("ᵊ", "ə"))).lstrip(STOPS)


def same_as(phonemizer: Phonemizer, written: str, plain: str) -> bool:
    """Whether both sound the same."""
    return sounds(phonemizer, written) == sounds(phonemizer, plain)


def _stop(signs: re.Match[str]) -> str:
    return next((stop for stop in STOPS if stop in signs[0]), ",")
