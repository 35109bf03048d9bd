import subprocess
import wave
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from app.bundle import trial
from engine.errors import EngineError


def started(writes: object = None, code: int = 0) -> trial.Start:
    def start(arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(arguments, code, "", "ImportError: no module\n")

    return start


def sound(path: Path, samples: np.ndarray) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 24_000, 0, "NONE", ""))
        file.writeframes((samples * 32767).astype(np.int16).tobytes())
    return path


def test_speech_is_sound_of_some_length(tmp_path: Path) -> None:
    path = sound(tmp_path / "speech.wav", np.sin(np.arange(48_000)) / 4)
    trial._speak(started(), str(path), path)


@pytest.mark.parametrize("samples", [np.zeros(48_000), np.sin(np.arange(4800)) / 4])
def test_silence_and_a_snippet_are_no_speech(tmp_path: Path, samples: np.ndarray) -> None:
    path = sound(tmp_path / "speech.wav", samples)
    with pytest.raises(EngineError, match="lasts"):
        trial._speak(started(), str(path), path)


def test_a_program_that_fails_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"ended with code 1\. ImportError: no module"):
        trial._speak(started(code=1), "speech.wav", tmp_path / "speech.wav")


def test_an_empty_window_is_no_window(tmp_path: Path) -> None:
    picture = QImage(100, 100, QImage.Format.Format_RGB32)
    picture.fill(QColor("white"))
    picture.save(str(tmp_path / "window.png"))
    with pytest.raises(EngineError, match="1 colours"):
        trial._show(started(), "window.png", tmp_path / "window.png", {})
    for index in range(100):
        picture.setPixelColor(index, index, QColor(index, 2 * index, 0))
    picture.save(str(tmp_path / "window.png"))
    trial._show(started(), "window.png", tmp_path / "window.png", {})
