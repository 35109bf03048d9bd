"""Converts English text to utterances of phonemes, offline, for American and British voices."""

from engine.text.g2p.phonemizer import Phonemizer

__all__ = ["Phonemizer"]
