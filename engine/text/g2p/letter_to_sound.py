"""Pronounces words by their spelling with the espeak-ng library, in misaki's letters, if no dictionary has them."""

from __future__ import annotations

import ctypes
import re
from importlib.util import find_spec
from pathlib import Path

SYNCHRONOUS_OUTPUT = 2
DO_NOT_EXIT = 0x8000
"""Prevents espeak from ending the whole process if its data is damaged."""
UTF_8 = 1
IPA_WITH_TIES = 0x02 | 0x80 | ord("^") << 8
WORD_CHARACTERS = 40
"""The longest pieces passed to espeak, whose word buffer is 160 bytes."""
VOICES = {False: b"gmw/en-US", True: b"gmw/en"}
"""The voices, by whether the accent is British."""
LANGUAGE_FLAG = re.compile(r"\([a-z-]+\)")
"""The marks of words that espeak considers foreign: `(fr)…(en-us)`."""
SYLLABIC = re.compile("(\\S)\u0329")
IPA_TO_MISAKI = (
    ("ʔˌn\u0329", "ʔn"), ("a^ɪ", "I"), ("a^ʊ", "W"), ("d^ʒ", "ʤ"), ("e^ɪ", "A"), ("t^ʃ", "ʧ"), ("ɔ^ɪ", "Y"),
    ("ə^l", "ᵊl"), ("ʔn\u0329", "ʔn"), ("ʲo", "jo"), ("ʲə", "jə"), ("e", "A"), ("ʲ", ""), ("ɚ", "əɹ"), ("r", "ɹ"),
    ("x", "k"), ("ç", "k"), ("ɐ", "ə"), ("ɬ", "l"), ("\u0303", ""),
)  # fmt: skip
AMERICAN = (("o^ʊ", "O"), ("ɜːɹ", "ɜɹ"), ("ɜː", "ɜɹ"), ("ɪə", "iə"), ("ː", ""))
BRITISH = (("e^ə", "ɛː"), ("iə", "ɪə"), ("ə^ʊ", "Q"))
BOTH = (("o", "ɔ"), ("ɾ", "T"), ("ʔ", "t"), ("^", ""))
"""misaki's own table (`misaki.espeak.EspeakFallback`), in its order."""


class LetterToSound:
    """espeak-ng with one English voice; raises `OSError` if the library or its data cannot be loaded.

    The library keeps its state in globals: all instances belong to one thread.
    """

    def __init__(self, british: bool) -> None:
        folder = _espeak_folder()
        self._british = british
        self._library = _loaded(folder)
        if self._library.espeak_SetVoiceByName(VOICES[british]) != 0:
            raise OSError("espeak has no English voice")

    def phonemes(self, word: str) -> str:
        """Return the phonemes of a word in misaki's letters; empty if it has no sound."""
        self._library.espeak_SetVoiceByName(VOICES[self._british])
        pieces = (word[at : at + WORD_CHARACTERS] for at in range(0, len(word), WORD_CHARACTERS))
        ipa = " ".join(part for piece in pieces for part in self._clauses(piece))
        return in_misaki_letters(LANGUAGE_FLAG.sub("", ipa), self._british)

    def _clauses(self, text: str) -> list[str]:
        """Return the IPA of each clause; espeak advances the pointer and sets it to null at the end."""
        pointer = ctypes.pointer(ctypes.c_char_p(text.encode("utf-8", "ignore")))
        clauses = []
        for _ in range(len(text) + 1):
            if pointer.contents.value is None:
                break
            ipa = self._library.espeak_TextToPhonemes(pointer, UTF_8, IPA_WITH_TIES)
            clauses.append((ipa or b"").decode("utf-8", "ignore"))
        return clauses


def in_misaki_letters(ipa: str, british: bool) -> str:
    """Convert espeak's IPA, with ties written as `^`, to misaki's letters, one for each sound."""
    for theirs, ours in IPA_TO_MISAKI:
        ipa = ipa.replace(theirs, ours)
    ipa = SYLLABIC.sub(r"ᵊ\1", ipa).replace("\u0329", "")
    for theirs, ours in (*(BRITISH if british else AMERICAN), *BOTH):
        ipa = ipa.replace(theirs, ours)
    return " ".join(ipa.split())


def _espeak_folder() -> Path:
    spec = find_spec("espeakng_loader")
    folders = (spec.submodule_search_locations if spec is not None else None) or []
    for folder in folders:
        if (Path(folder) / "espeak-ng-data" / "phontab").is_file():
            return Path(folder)
    raise OSError("espeak-ng isn’t installed")


def _loaded(folder: Path) -> ctypes.CDLL:
    for name in ("libespeak-ng.dylib", "libespeak-ng.so"):
        if (folder / name).is_file():
            library = ctypes.CDLL(str(folder / name))
            break
    else:
        raise OSError("espeak-ng isn’t installed for this system")
    library.espeak_TextToPhonemes.restype = ctypes.c_char_p
    library.espeak_TextToPhonemes.argtypes = (ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, ctypes.c_int)
    data = str(folder / "espeak-ng-data").encode()
    if library.espeak_Initialize(SYNCHRONOUS_OUTPUT, 0, data, DO_NOT_EXIT) <= 0:
        raise OSError("espeak-ng can’t read its data")
    return library
