"""Tries a finished bundle: it speaks into a file and shows its window, with nothing of this machine's Python."""

from __future__ import annotations

import os
import subprocess
import tempfile
import wave
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from app.bundle.empty_root import PLACE, make_empty_root, run_inside
from engine.errors import EngineError
from engine.system.bundle import MODULE_OPTION

SPOKEN = "Good morning from a bundle."
LEAST_SECONDS, LEAST_LEVEL = 1.0, 0.01
"""Of the sound that speaking must make: its length, and the root of its mean square."""
LEAST_COLOURS = 50
"""Of the picture of the window: a window without fonts or icons has a few."""

Start = Callable[[Sequence[str], Mapping[str, str]], subprocess.CompletedProcess[str]]
"""Runs the bundle's program with arguments and an environment."""


def try_on_linux(bundle: Path, pictures: Path) -> None:
    """Try a bundle in an empty root, and keep a picture of its window; raises `EngineError`."""
    with tempfile.TemporaryDirectory() as folder, _display() as display:
        root = Path(folder)
        make_empty_root(root)
        program = f"{PLACE}/{bundle.name}"

        def start(arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
            return run_inside(root, bundle, [program, *arguments], environment)

        _speak(start, "/tmp/speech.wav", root / "tmp/speech.wav")
        _have_pip(start)
        _show(start, "/tmp/window.png", root / "tmp/window.png", {"DISPLAY": display})
        (root / "tmp/window.png").replace(pictures / "window.png")


def try_on_mac(application: Path, pictures: Path) -> None:
    """Try an application with an empty environment; raises `EngineError`."""
    program = application / "Contents" / "MacOS" / application.stem
    with tempfile.TemporaryDirectory() as folder:

        def start(arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
            bare = {"HOME": folder, "PATH": "/usr/bin:/bin", **environment}
            return subprocess.run(
                [program, *arguments], env=bare, capture_output=True, text=True, timeout=300, check=False
            )

        _speak(start, f"{folder}/speech.wav", Path(folder, "speech.wav"))
        _have_pip(start)
        _show(start, str(pictures / "window.png"), pictures / "window.png", {})


def _speak(start: Start, named: str, written: Path) -> None:
    _succeed(start([MODULE_OPTION, "engine", "speak", SPOKEN, "--out", named], {}), "It does not speak")
    seconds, level = _length_and_level(written)
    if seconds < LEAST_SECONDS or level < LEAST_LEVEL:
        raise EngineError(f"Its speech lasts {seconds:.1f} s at a level of {level:.3f}.", "There is hardly any sound.")


def _have_pip(start: Start) -> None:
    """It fetches models, and adds what comparing needs."""
    _succeed(start([MODULE_OPTION, "pip", "--version"], {}), "It does not run pip")


def _show(start: Start, named: str, written: Path, environment: Mapping[str, str]) -> None:
    _succeed(start(["--text", SPOKEN, "--screenshot", named], environment), "Its window does not open")
    if (colours := _colours(written)) < LEAST_COLOURS:
        raise EngineError(f"The picture of its window has {colours} colours only.", "Look at it.")


def _succeed(done: subprocess.CompletedProcess[str], what: str) -> None:
    if done.returncode:
        raise EngineError(f"{what}: it ended with code {done.returncode}.", done.stderr.strip())


def _length_and_level(path: Path) -> tuple[float, float]:
    """The seconds of a WAV file, and the root of its mean square, of 1 at most."""
    with wave.open(str(path)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), np.int16) / 32768
        return file.getnframes() / file.getframerate(), float(np.sqrt(np.mean(samples**2)))


def _colours(path: Path) -> int:
    from PySide6.QtGui import QImage

    picture = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    return len(np.unique(np.frombuffer(picture.constBits(), np.uint32)))


@contextmanager
def _display() -> Iterator[str]:
    """A virtual display of its own; what is on it is never seen."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-ac"]
    server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as answer:
            yield f":{int(answer.readline())}"
    finally:
        server.terminate()
        server.wait()
