"""Tests text against plain words: the effect of rules, and whether phonemes and pauses are the same."""

from __future__ import annotations

import re

from engine.text.g2p import Phonemizer
from engine.text.g2p.draft import Draft, Rule
from engine.text.languages import AMERICAN, Language

UNHEARD = re.compile('[ˈˌ“”" ]')
"""Stress, quotation marks and spaces, which may differ between two spellings of a sentence."""
SIGNS = re.compile("[.,;:!?…—()]+")
STOPS = "?!.…;:,—"


def rewritten(text: str, *rules: Rule, language: Language = AMERICAN) -> str:
    """Return the text after these rules."""
    draft = Draft(text, language)
    draft.apply(*rules)
    return draft.text


def sounds(phonemizer: Phonemizer, text: str) -> str:
    """Return the phonemes of text for comparison; a bracket gives the pause of a comma."""
    phonemes = "".join(utterance.phonemes for utterance in phonemizer.plan(text).utterances)
    return SIGNS.sub(_stop, UNHEARD.sub("", phonemes.replace("ᵊ", "ə"))).lstrip(STOPS)


def same_as(phonemizer: Phonemizer, written: str, plain: str) -> bool:
    """Return whether both sound the same."""
    return sounds(phonemizer, written) == sounds(phonemizer, plain)


def _stop(signs: re.Match[str]) -> str:
    return next((stop for stop in STOPS if stop in signs[0]), ",")
