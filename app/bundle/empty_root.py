"""An empty root to try a bundle for Linux in: no Python and no compiler, only what every desktop has.

Needs the rights of root, as in a container.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.errors import EngineError

PLACE = "/app"
"""Where the bundle is in the root, read-only."""
DESKTOP_LIBRARIES = (
    "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libresolv.so.2", "libutil.so.1",
    "libEGL.so.1", "libGL.so.1", "libOpenGL.so.0", "libX11.so.6", "libX11-xcb.so.1", "libxcb.so.1",
    "libfontconfig.so.1", "libasound.so.2",
)  # fmt: skip
"""The C library, and what PyInstaller leaves to the system because drivers or settings belong to it."""
_SETTINGS = (
    "/etc/fonts", "/usr/share/fonts/truetype/dejavu", "/usr/share/fontconfig", "/usr/share/X11/xkb", "/usr/share/alsa",
    "/usr/lib/locale/C.utf8",
)  # fmt: skip
"""Settings and fonts that come with these libraries; without ALSA's, PortAudio ends the program."""
_LINKED = re.compile(r"(/\S+) \(0x")
_MOUNT = (
    'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && mount --bind /sys "$0/sys"'
    f' && mount --bind "$1" "$0{PLACE}" && mount -o remount,ro,bind "$0{PLACE}"'
    ' && root="$0" && shift && exec chroot "$root" "$@"'
)
_SECONDS = 300


def make_empty_root(root: Path) -> None:
    """Fill a folder with the loader, libraries and fonts of a desktop, and nothing else."""
    for folder in ("tmp", "proc", "dev", "sys", "home", PLACE.lstrip("/")):
        (root / folder).mkdir()
    known = _known_libraries()
    for name in DESKTOP_LIBRARIES:
        if name not in known:
            raise EngineError(f"The library {name} is not installed.", "Run “make setup”.")
        for library in (known[name], *_needed(known[name])):
            _copy(library, root)
    for settings in _SETTINGS:
        shutil.copytree(settings, root / settings.lstrip("/"), dirs_exist_ok=True)


def run_inside(
    root: Path, bundle: Path, command: Sequence[str], environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command with the folder as its root, the bundle at `PLACE`, and nothing but this environment."""
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
    """The system's libraries for this kind of processor: their paths by name."""
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.splitlines()
    found = [line.split() for line in listed if " => " in line]
    return {words[0]: words[-1] for words in reversed(found)}


def _needed(library: str) -> list[str]:
    """The libraries that one is linked with, and the loader."""
    return _LINKED.findall(subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout)


def _copy(library: str, root: Path) -> None:
    target = root / library.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(library, target)
