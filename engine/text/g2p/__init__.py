"""Text to utterances of phonemes, offline, for American and British English."""

from engine.text.g2p.phonemizer import Phonemizer

__all__ = ["Phonemizer"]
