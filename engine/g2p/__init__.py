"""Text to utterances of phonemes, offline, for American and British English.

It does not know voices or any model beyond its symbols and its limit.
"""

from engine.g2p.phonemizer import Phonemizer

__all__ = ["Phonemizer"]
