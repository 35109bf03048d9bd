"""A module of speech-dispatcher, the speech service of Linux desktops, which screen readers use."""

from __future__ import annotations

import html
import logging
import math
import re
import threading
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from typing import BinaryIO

import numpy as np

from engine.audio.recording import Pcm, to_pcm
from engine.errors import Canceled, EngineError, NothingToSpeak
from engine.server.requests import voices_of
from engine.server.speaking import ServiceEngine
from engine.speech import AudioChunk, SpeechRequest
from engine.system.waiting import raise_if_set

log = logging.getLogger(__name__)
BLOCK_SAMPLES = 5000
"""The number of samples in a message: few enough that stopping takes no time."""
MAX_NUMBER = 100
"""The highest value of a number; the lowest is its negative."""
NUMBERS = frozenset({"rate", "volume", "pitch", "pitch_range"})
WORDS = frozenset({"punctuation_mode", "spelling_mode", "cap_let_recogn", "voice", "language", "synthesis_voice"})
_MARK = re.compile(r"<mark\s+name=[\"']([^\"']*)[\"']\s*/?>")
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class MarkedText:
    """A plain text, and the index marks in it: the offset and name of each, in order."""

    text: str
    marks: tuple[tuple[int, str], ...] = ()


def read_ssml(ssml: str) -> MarkedText:
    """Return the text and the marks of a message; other elements have no effect."""
    parts = _MARK.split(ssml)  # texts and names in turn
    text, marks = "", []
    for part, name in zip(parts[::2], [*parts[1::2], None], strict=True):
        text += html.unescape(_TAG.sub("", part))
        if name is not None:
            marks.append((len(text), name))
    return MarkedText(text, tuple(marks))


class SpeechModule:
    """Answers the commands of speech-dispatcher, and sends it the audio, which it plays.

    One thread reads commands, and a second one speaks, so that speech stops within a stage of the model.
    """

    def __init__(self, engine: ServiceEngine, commands: BinaryIO, replies: BinaryIO) -> None:
        self._engine = engine
        self._commands = commands
        self._replies = replies
        self._settings: dict[str, str] = {}
        self._pool = ThreadPoolExecutor(1, "engine")
        self._writing, self._state = threading.Lock(), threading.Lock()
        self._cancel: threading.Event | None = None
        self._ending = ""

    def answer_commands(self) -> None:
        """Answer commands until QUIT or the end of the input."""
        answers: dict[str, Callable[[], None]] = {
            "INIT": self._initialize,
            "AUDIO": lambda: self._read_settings("207", "AUDIO SETTINGS", "AUDIO INITIALIZED", _is_known_audio),
            "LOGLEVEL": lambda: self._read_settings("207", "LOGLEVEL SETTINGS", "LOGLEVEL SET", lambda *_: True),
            "SET": lambda: self._read_settings("203", "SETTINGS", "SETTINGS RECEIVED", self._set),
            "LIST": self._list_voices,
            "SPEAK": lambda: self._speak(read_ssml),
            **dict.fromkeys(("CHAR", "KEY", "SOUND_ICON"), lambda: self._speak(_named)),
            "STOP": lambda: self._stop("703 STOP"),
            "PAUSE": lambda: self._stop("704 PAUSE"),
            "DEBUG": lambda: self._send("200 OK DEBUGGING SET"),
        }
        try:
            for line in self._lines():
                command = line.partition(" ")[0]
                if command == "QUIT":
                    self._send("210 OK QUIT")
                    return
                answers.get(command, lambda: self._send("300 ERR UNKNOWN COMMAND"))()
        finally:
            self._stop("703 STOP")
            self._pool.shutdown()
            self._engine.close()

    def _lines(self) -> Iterator[str]:
        while line := self._commands.readline():
            yield line.decode(errors="replace").rstrip("\r\n")

    def _block(self) -> list[str]:
        """Return the lines up to a line with only a dot."""
        lines = takewhile(lambda line: line != ".", self._lines())
        return [line.removeprefix(".") for line in lines]

    def _send(self, *lines: str) -> None:
        self._write("".join(f"{line}\n" for line in lines).encode())

    def _write(self, content: bytes) -> None:
        with self._writing:
            self._replies.write(content)
            self._replies.flush()

    def _initialize(self) -> None:
        try:
            self._pool.submit(self._engine.prepare).result()
        except EngineError as error:
            self._send(f"399-{error}", "399 ERR CANT INIT MODULE")
        else:
            self._send(f"299-{self._engine.model} is ready.", "299 OK LOADED SUCCESSFULLY")

    def _read_settings(self, code: str, purpose: str, done: str, accept: Callable[[str, str], bool]) -> None:
        self._send(f"{code} OK RECEIVING {purpose}")
        accepted = [accept(*line.partition("=")[::2]) for line in self._block()]
        self._send(f"203 OK {done}" if all(accepted) else "303 ERROR INVALID PARAMETER OR VALUE")

    def _set(self, name: str, value: str) -> bool:
        """Store a setting of the next message; return whether it is valid."""
        if name in NUMBERS:
            if re.fullmatch(r"[+-]?\d{1,3}", value) is None or abs(int(value)) > MAX_NUMBER:
                return False
        elif name not in WORDS:
            return False
        self._settings[name] = "" if value == "NULL" else value
        return True

    def _list_voices(self) -> None:
        voices = (f"200-{each.name}\t{each.language}\t{each.gender or 'none'}" for each in self._engine.voices())
        self._send(*voices, "200 OK VOICE LIST SENT")

    def _speak(self, read: Callable[[str], MarkedText]) -> None:
        self._send("202 OK RECEIVING MESSAGE")
        message = read("\n".join(self._block()))
        with self._state:
            if self._cancel is not None:
                self._send("301 ERROR CANT SPEAK")
                return
            self._cancel = threading.Event()
            self._ending = "702 END"
            self._send("200 OK SPEAKING")
        self._pool.submit(self._say, message, self._request(message.text), self._cancel)

    def _stop(self, ending: str) -> None:
        """Stop speaking; a module that is silent does not reply."""
        with self._state:
            if self._cancel is not None:
                self._ending = ending
                self._cancel.set()

    def _request(self, text: str) -> SpeechRequest:
        """Return a request with the settings: the named voice, or one of the language and, if possible, the gender."""
        voices, settings = self._engine.voices(), self._settings
        name = settings.get("synthesis_voice")
        if name not in [voice.name for voice in voices]:
            found = voices_of(settings.get("language", ""), voices) or voices
            gender = "female" if "female" in settings.get("voice", "") else "male"
            name = next((voice.name for voice in found if voice.gender == gender), found[0].name)
        return SpeechRequest(text, name, 2.0 ** (int(settings.get("rate", 0)) / MAX_NUMBER))

    def _say(self, message: MarkedText, request: SpeechRequest, cancel: threading.Event) -> None:
        """Send the audio and marks of a message; from the engine's thread."""
        marks = deque(message.marks)
        try:
            self._send("701 BEGIN")
            with suppress(NothingToSpeak):
                for chunk in self._engine.synthesize(request, cancel=cancel):
                    self._send_chunk(chunk, marks, cancel)
            self._send_marks(marks)
        except (Canceled, OSError):  # stopped, or speech-dispatcher has ended
            pass
        except EngineError as error:
            log.warning("%s", error)
        except Exception:  # the module outlives a message that fails
            log.exception("A message failed.")
        with self._state:
            self._cancel = None
            with suppress(OSError):
                self._send(self._ending)

    def _send_chunk(self, chunk: AudioChunk, marks: deque[tuple[int, str]], cancel: threading.Event) -> None:
        """Send the audio of a chunk, with each mark before the word that follows it. Raises `Canceled`."""
        volume = (int(self._settings.get("volume", MAX_NUMBER)) + MAX_NUMBER) / (2 * MAX_NUMBER)
        pcm = to_pcm(chunk.samples * np.float32(volume)).astype("<i2")
        sent = 0
        for word in chunk.words:
            if marks and marks[0][0] <= word.start:
                self._send_audio(pcm[sent : word.start_sample], chunk.sample_rate_hz, cancel)
                sent = word.start_sample
                self._send_marks(marks, word.start)
        self._send_audio(pcm[sent:], chunk.sample_rate_hz, cancel)

    def _send_marks(self, marks: deque[tuple[int, str]], end: float = math.inf) -> None:
        """Send the marks up to a character."""
        while marks and marks[0][0] <= end:
            self._send(f"700-{marks.popleft()[1]}", "700 INDEX MARK")

    def _send_audio(self, pcm: Pcm, sample_rate_hz: int, cancel: threading.Event) -> None:
        for start in range(0, len(pcm), BLOCK_SAMPLES):
            raise_if_set(cancel)
            block = pcm[start : start + BLOCK_SAMPLES]
            facts = {"bits": 16, "num_channels": 1, "sample_rate": sample_rate_hz, "num_samples": len(block)}
            head = "".join(f"705-{name}={value}\n" for name, value in {**facts, "big_endian": 0}.items())
            self._write(f"{head}705-AUDIO\0".encode() + escaped(block.tobytes()) + b"\n705 AUDIO\n")


def escaped(content: bytes) -> bytes:
    """Return audio without line breaks: they, and the escape byte, follow one with bit 5 inverted."""
    return content.replace(b"\x7d", b"\x7d\x5d").replace(b"\n", b"\x7d\x2a")


def _is_known_audio(name: str, value: str) -> bool:
    """Return whether an audio setting is the supported one: audio through the server."""
    return (name, value) == ("audio_output_method", "server")


def _named(text: str) -> MarkedText:
    """Return the name of a character or key, such as `space` or `control_a`."""
    if len(text) == 1 and not text.isalnum():
        return MarkedText(unicodedata.name(text, "").lower())
    return MarkedText(text.upper() if len(text) == 1 else re.sub("[_-]+", " ", text))
