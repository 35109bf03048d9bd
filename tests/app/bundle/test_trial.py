import os
import shutil
import subprocess
import sys
import wave
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from app.bundle import trial
from app.bundle.trial import PLACE, make_empty_root, run_inside
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
    trial.speak_into(started(), str(path), path)


@pytest.mark.parametrize("samples", [np.zeros(48_000), np.sin(np.arange(4800)) / 4])
def test_silence_and_a_snippet_are_no_speech(tmp_path: Path, samples: np.ndarray) -> None:
    path = sound(tmp_path / "speech.wav", samples)
    with pytest.raises(EngineError, match="lasts"):
        trial.speak_into(started(), str(path), path)


def test_a_program_that_fails_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"ended with code 1\. ImportError: no module"):
        trial.speak_into(started(code=1), "speech.wav", tmp_path / "speech.wav")


def test_an_empty_window_is_no_window(tmp_path: Path) -> None:
    picture = QImage(100, 100, QImage.Format.Format_RGB32)
    picture.fill(QColor("white"))
    picture.save(str(tmp_path / "window.png"))
    with pytest.raises(EngineError, match="1 color"):
        trial.show_in(started(), "window.png", tmp_path / "window.png", {})
    for index in range(100):
        picture.setPixelColor(index, index, QColor(index, 2 * index, 0))
    picture.save(str(tmp_path / "window.png"))
    trial.show_in(started(), "window.png", tmp_path / "window.png", {})


needs_root = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="making a root needs the rights of root on Linux"
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    make_empty_root(root)
    return root


@needs_root
def test_there_is_no_python_no_compiler_and_no_shell(root: Path) -> None:
    programs = [
        path.name for path in root.rglob("*") if path.is_file() and ".so" not in path.name and os.access(path, os.X_OK)
    ]
    assert programs == []
    assert not list(root.rglob("*python*"))


@needs_root
def test_a_program_sees_this_root_alone_and_cannot_change_the_bundle(root: Path, tmp_path: Path) -> None:
    shutil.copy("/bin/ls", tmp_path / "ls")
    shutil.copy("/bin/touch", tmp_path / "touch")
    for library in ("libselinux.so.1", "libpcre2-8.so.0"):
        for folder in ("lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"):
            if (Path("/") / folder / library).exists():
                shutil.copy(Path("/") / folder / library, root / folder / library)
    seen = run_inside(root, tmp_path, [f"{PLACE}/ls", "/"], {})
    assert seen.returncode == 0, seen.stderr
    assert not {"usr", "work", "root"} & set(seen.stdout.split()) - {"usr"}
    written = run_inside(root, tmp_path, [f"{PLACE}/touch", f"{PLACE}/new"], {})
    assert written.returncode != 0
    assert "Read-only" in written.stderr
