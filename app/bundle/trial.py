"""Tries a finished bundle, isolated from this machine's Python: it speaks into a file and opens its window."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import wave
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from engine.errors import EngineError
from engine.system.bundle import MODULE_OPTION

PLACE = "/app"
"""The path of the read-only bundle in the root folder."""
DESKTOP_LIBRARIES = (
    "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libresolv.so.2", "libutil.so.1",
    "libEGL.so.1", "libGL.so.1", "libOpenGL.so.0", "libX11.so.6", "libX11-xcb.so.1", "libxcb.so.1",
    "libfontconfig.so.1", "libasound.so.2",
)  # fmt: skip
"""The C library, and libraries that PyInstaller leaves to the system because drivers or settings belong to it."""
_SETTINGS = (
    "/etc/fonts", "/usr/share/fonts/truetype/dejavu", "/usr/share/fontconfig", "/usr/share/X11/xkb", "/usr/share/alsa",
    "/usr/lib/locale/C.utf8",
)  # fmt: skip
"""Settings and fonts of these libraries; without ALSA's settings, PortAudio ends the program."""
_LINKED = re.compile(r"(/\S+) \(0x")
_MOUNT = (
    'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && mount --bind /sys "$0/sys"'
    f' && mount --bind "$1" "$0{PLACE}" && mount -o remount,ro,bind "$0{PLACE}"'
    ' && root="$0" && shift && exec chroot "$root" "$@"'
)
_SECONDS = 300
SPOKEN = "Good morning from a bundle."
MIN_SECONDS, MIN_LEVEL = 1.0, 0.01
"""The minimum length of the audio, in seconds, and its minimum root mean square."""
MIN_COLORS = 50
"""The minimum for a screenshot of the window: without fonts or icons, it has only a few."""
Start = Callable[[Sequence[str], Mapping[str, str]], subprocess.CompletedProcess[str]]
"""Runs the bundle's program with arguments and an environment."""


def make_empty_root(root: Path) -> None:
    """Fill a folder with the loader, libraries and fonts of a desktop, and nothing else."""
    for folder in ("tmp", "proc", "dev", "sys", "home", PLACE.lstrip("/")):
        (root / folder).mkdir()
    known = _known_libraries()
    for name in DESKTOP_LIBRARIES:
        if name not in known:
            raise EngineError(f"The library {name} isn’t installed.", "Run “make setup”.")
        for library in (known[name], *_needed(known[name])):
            _copy(library, root)
    for settings in _SETTINGS:
        shutil.copytree(settings, root / settings.lstrip("/"), dirs_exist_ok=True)


def run_inside(
    root: Path, bundle: Path, command: Sequence[str], environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command with the folder as its root, the bundle at `PLACE`, and only this environment."""
    return subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "sh", "-c", _MOUNT, str(root), str(bundle.absolute()), *command],
        env={"PATH": os.environ["PATH"], "HOME": "/home", "LANG": "C.UTF-8", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )


def _known_libraries() -> dict[str, str]:
    """Return the paths of the system's libraries for this CPU type, by name."""
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.splitlines()
    found = [line.split() for line in listed if " => " in line]
    return {words[0]: words[-1] for words in reversed(found)}


def _needed(library: str) -> list[str]:
    """Return the libraries that a library is linked with, and the loader."""
    return _LINKED.findall(subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout)


def _copy(library: str, root: Path) -> None:
    target = root / library.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(library, target)


def try_on_linux(bundle: Path, pictures: Path) -> None:
    """Try a bundle in an empty root, and save a screenshot of its window; raises `EngineError`."""
    with tempfile.TemporaryDirectory() as folder, _display() as display:
        root = Path(folder)
        make_empty_root(root)
        program = f"{PLACE}/{bundle.name}"

        def start(arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
            return run_inside(root, bundle, [program, *arguments], environment)

        speak_into(start, "/tmp/speech.wav", root / "tmp/speech.wav")
        _have_pip(start)
        show_in(start, "/tmp/window.png", root / "tmp/window.png", {"DISPLAY": display})
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

        speak_into(start, f"{folder}/speech.wav", Path(folder, "speech.wav"))
        _have_pip(start)
        show_in(start, str(pictures / "window.png"), pictures / "window.png", {})


def speak_into(start: Start, named: str, written: Path) -> None:
    """Generate speech into a file that the bundle knows as `named`; raises `EngineError` if it is short or silent."""
    _succeed(start([MODULE_OPTION, "engine", "speak", SPOKEN, "--out", named], {}), "It doesn’t speak")
    seconds, level = _length_and_level(written)
    if seconds < MIN_SECONDS or level < MIN_LEVEL:
        raise EngineError(f"Its speech lasts {seconds:.1f} s at a level of {level:.3f}.", "The audio is almost silent.")


def _have_pip(start: Start) -> None:
    """Check for pip, which downloads models and installs the packages for comparing."""
    _succeed(start([MODULE_OPTION, "pip", "--version"], {}), "It doesn’t run pip")


def show_in(start: Start, named: str, written: Path, environment: Mapping[str, str]) -> None:
    """Open the window and save a screenshot under a name; raises `EngineError` if it is empty."""
    _succeed(start(["--text", SPOKEN, "--screenshot", named], environment), "Its window doesn’t open")
    if (colors := _colors(written)) < MIN_COLORS:
        raise EngineError(f"The picture of its window has only {colors} colors.", "Look at it.")


def _succeed(done: subprocess.CompletedProcess[str], what: str) -> None:
    if done.returncode:
        raise EngineError(f"{what}: it ended with code {done.returncode}.", done.stderr.strip())


def _length_and_level(path: Path) -> tuple[float, float]:
    """Return the length of a WAV file in seconds, and its root mean square, at most 1."""
    with wave.open(str(path)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), np.int16) / 32768
        return file.getnframes() / file.getframerate(), float(np.sqrt(np.mean(samples**2)))


def _colors(path: Path) -> int:
    from PySide6.QtGui import QImage

    picture = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    return len(np.unique(np.frombuffer(picture.constBits(), np.uint32)))


@contextmanager
def _display() -> Iterator[str]:
    """Yield the address of a separate, invisible X display."""
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
