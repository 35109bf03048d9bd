"""Festival as a teacher, run as a program that writes sound files and a table of phones.

Phones keep festival's own names, which are ARPAbet.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
import soundfile

from engine.errors import EngineError
from engine.starter.teachers.speech import PAUSE, Phone, TeacherSpeech

INSTALL_HINT = "Install it with: apt-get install festival festvox-us-slt-hts"
UTTERANCES_PER_RUN = 100
SECONDS_PER_RUN = 600

SPEAK_ONE = """
(define (feature segment path) (item.feat segment path))
(define (write_phone table index segment)
  (let ((word (item.parent (item.parent (item.relation segment 'SylStructure)))))
    (format table "%d\\t%s\\t%f\\t%s\\t%s\\t%s\\t%s\\t%s\\n" index (item.name segment) (feature segment "end")
      (feature segment "R:SylStructure.parent.stress")
      (if word (item.feat word "id") "-")
      (if word (item.name word) "-")
      (if word (item.feat word "R:Token.parent.punc") "0")
      (if word (item.feat word "R:Token.n.name") "0"))))
(define (speak_one table folder index text)
  (let ((utterance (SynthText text)))
    (utt.save.wave utterance (string-append folder "/" index ".wav") 'riff)
    (mapcar (lambda (segment) (write_phone table index segment)) (utt.relation.items utterance 'Segment))))
"""


class FestivalTeacher:
    """One installed festival voice, such as `cmu_us_slt_arctic_hts`."""

    def __init__(self, voice: str) -> None:
        if not festival_installed(voice):
            raise EngineError(f"The speech engine festival with its voice {voice} is not installed.", INSTALL_HINT)
        self._voice = voice

    def speak(self, texts: Iterable[str]) -> Iterator[TeacherSpeech]:
        """Speak each text in order, a hundred in each run of the program."""
        every = tuple(texts)
        for first in range(0, len(every), UTTERANCES_PER_RUN):
            with tempfile.TemporaryDirectory() as folder:
                yield from self._speak_batch(every[first : first + UTTERANCES_PER_RUN], Path(folder))

    def _speak_batch(self, texts: tuple[str, ...], folder: Path) -> Iterator[TeacherSpeech]:
        script, table = folder / "speak.scm", folder / "phones.txt"
        script.write_text(speak_script(self._voice, texts, folder, table), encoding="ascii", errors="ignore")
        command = ["festival", "-b", str(script)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_RUN, check=False)
        if done.returncode:
            raise EngineError(f"festival failed: {done.stderr.strip()[-200:]}", "Reinstall festival and run again.")
        phones = read_phone_table(table.read_text(encoding="ascii", errors="ignore"))
        for index, text in enumerate(texts):
            samples, rate = soundfile.read(folder / f"{index}.wav", dtype="float32")
            yield TeacherSpeech(text, rate, np.asarray(samples, np.float32), phones[index])


def festival_installed(voice: str) -> bool:
    """Whether the program and the voice's folder are installed."""
    program = shutil.which("festival")
    voices = Path("/usr/share/festival/voices")
    return program is not None and any(voices.glob(f"*/{voice}"))


def speak_script(voice: str, texts: Iterable[str], folder: Path, table: Path) -> str:
    """The Scheme program that speaks the texts into `folder` and writes their phones into `table`."""
    lines = [f"(voice_{voice})", SPEAK_ONE, f'(set! table (fopen "{table}" "w"))']
    for index, text in enumerate(texts):
        quoted = text.replace("\\", "").replace('"', "")
        lines.append(f'(speak_one table "{folder}" {index} "{quoted}")')
    return "\n".join([*lines, "(fclose table)"])


def read_phone_table(table: str) -> dict[int, tuple[Phone, ...]]:
    """Phones of each utterance from lines `utterance, phone, end, stress, word id, word, punctuation, next word`."""
    rows = [line.split("\t") for line in table.splitlines()]
    return {index: _phones(list(group)) for index, group in _by_utterance(rows)}


def _by_utterance(rows: list[list[str]]) -> Iterator[tuple[int, Iterator[list[str]]]]:
    return ((int(key), group) for key, group in groupby(rows, key=lambda row: row[0]))


def _phones(rows: list[list[str]]) -> tuple[Phone, ...]:
    phones: list[Phone] = []
    word_indexes: dict[str, int] = {}
    start = 0.0
    for _, name, end, stress, word_id, word, punctuation, next_word in rows:
        if name == PAUSE or word_id == "-":
            phone = Phone(name, start, float(end), False, -1, "", "")
        else:
            index = word_indexes.setdefault(word_id, len(word_indexes))
            following = punctuation if _ends_token(next_word) else ""
            phone = Phone(name, start, float(end), stress == "1", index, word, following.replace("0", ""))
        phones.append(phone)
        start = float(end)
    return tuple(phones)


def _ends_token(next_word: str) -> bool:
    """Whether a word is its token's last, with nothing ("0") or punctuation, a word to festival, after it."""
    return next_word == "0" or not next_word[:1].isalnum()
