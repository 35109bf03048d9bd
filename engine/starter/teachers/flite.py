"""Flite's C library as a teacher, called in this process.

Phones keep flite's own names, which are ARPAbet.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterable, Iterator

import numpy as np

from engine.errors import EngineError
from engine.starter.teachers.speech import Phone, TeacherSpeech

SONAME_VERSION = 1
INSTALL_HINT = "Install it with: apt-get install libflite1"


class _Wave(ctypes.Structure):
    """flite's `cst_wave`."""

    _fields_ = [
        ("type", ctypes.c_char_p),
        ("sample_rate", ctypes.c_int),
        ("num_samples", ctypes.c_int),
        ("num_channels", ctypes.c_int),
        ("samples", ctypes.POINTER(ctypes.c_short)),
    ]


_POINTER_FUNCTIONS = {
    "flite_synth_text": 2,
    "utt_relation": 2,
    "relation_head": 1,
    "item_next": 1,
    "item_prev": 1,
    "item_parent": 1,
    "item_as": 2,
}


class FliteTeacher:
    """One compiled-in flite voice, such as `cmu_us_rms`."""

    def __init__(self, voice: str) -> None:
        self._flite = _library("flite")
        self._declare()
        self._flite.flite_init()
        register = getattr(_library(f"flite_{voice}"), f"register_{voice}")
        register.restype = ctypes.c_void_p
        self._voice = ctypes.c_void_p(register(None))

    def speak(self, texts: Iterable[str]) -> Iterator[TeacherSpeech]:
        """Speak each text in order."""
        for text in texts:
            yield self._speak_one(text)

    def _declare(self) -> None:
        for name, arguments in _POINTER_FUNCTIONS.items():
            function = getattr(self._flite, name)
            function.restype = ctypes.c_void_p
            function.argtypes = [ctypes.c_void_p] * arguments
        self._flite.flite_synth_text.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
        self._flite.utt_relation.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
        self._flite.item_as.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
        self._flite.utt_wave.argtypes = [ctypes.c_void_p]
        self._flite.utt_wave.restype = ctypes.POINTER(_Wave)
        self._flite.delete_utterance.argtypes = [ctypes.c_void_p]
        self._flite.delete_utterance.restype = None
        feature_arguments = [ctypes.c_void_p, ctypes.c_char_p]
        for name, result in (
            ("item_feat_float", ctypes.c_float),
            ("item_feat_present", ctypes.c_int),
            ("item_feat_string", ctypes.c_char_p),
            ("ffeature_string", ctypes.c_char_p),
        ):
            getattr(self._flite, name).argtypes = feature_arguments
            getattr(self._flite, name).restype = result

    def _speak_one(self, text: str) -> TeacherSpeech:
        utterance = self._flite.flite_synth_text(text.encode("ascii", "ignore"), self._voice)
        try:
            wave = self._flite.utt_wave(utterance).contents
            samples = np.ctypeslib.as_array(wave.samples, (wave.num_samples,)) / np.float32(32768)
            return TeacherSpeech(text, wave.sample_rate, samples.astype(np.float32), self._phones(utterance))
        finally:
            self._flite.delete_utterance(utterance)

    def _phones(self, utterance: int) -> tuple[Phone, ...]:
        phones: list[Phone] = []
        word_indexes: dict[int, int] = {}
        item = self._flite.relation_head(self._flite.utt_relation(utterance, b"Segment"))
        start = 0.0
        while item:
            phone = self._phone(item, start, word_indexes)
            phones.append(phone)
            start = phone.end_seconds
            item = self._flite.item_next(item)
        return tuple(phones)

    def _phone(self, segment: int, start: float, word_indexes: dict[int, int]) -> Phone:
        name = self._text(segment, b"name")
        end = float(self._flite.item_feat_float(segment, b"end"))
        word = self._word_of(segment)
        if not word:
            return Phone(name, start, end, False, -1, "", "")
        stress = self._flite.ffeature_string(segment, b"R:SylStructure.parent.stress")
        index = word_indexes.setdefault(word, len(word_indexes))
        return Phone(name, start, end, stress == b"1", index, self._text(word, b"name"), self._punctuation(word))

    def _word_of(self, segment: int) -> int | None:
        in_syllable = self._flite.item_as(segment, b"SylStructure")
        syllable = self._flite.item_parent(in_syllable) if in_syllable else None
        word: int | None = self._flite.item_parent(syllable) if syllable else None
        return word

    def _punctuation(self, word: int) -> str:
        """Punctuation of the word's token, if this is the token's last word (a number is one token, many words)."""
        in_token = self._flite.item_as(word, b"Token")
        if not in_token or self._flite.item_next(in_token):
            return ""
        token = self._flite.item_parent(in_token)
        return self._text(token, b"punc") if token and self._flite.item_feat_present(token, b"punc") else ""

    def _text(self, item: int, feature: bytes) -> str:
        value: bytes = self._flite.item_feat_string(item, feature)
        return value.decode("ascii", "ignore")


def flite_installed(voice: str) -> bool:
    """Whether flite and the voice's library can be loaded."""
    try:
        _library("flite")
        _library(f"flite_{voice}")
    except EngineError:
        return False
    return True


@functools.cache
def _library(name: str) -> ctypes.CDLL:
    """Load a flite library after those it needs, its symbols visible to later ones; raises `EngineError` if absent."""
    if name.startswith("flite_cmu_us"):
        for needed in ("flite", "flite_cmulex", "flite_usenglish"):
            _library(needed)
    try:
        return ctypes.CDLL(f"lib{name}.so.{SONAME_VERSION}", mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise EngineError(f"The speech engine flite (lib{name}) is not installed.", INSTALL_HINT) from error
