"""Checks whether a window can be opened here, and what to do if not."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

SPEAK_INSTEAD = 'To save speech to a file, run: kokoro-desk speak "Hello." --out hello.wav'
NO_DISPLAY = f"No display was found. {SPEAK_INSTEAD}"
X_LIBRARY = "libxcb-cursor.so.0"
MISSING_LIBRARY = f"Required system libraries are missing. Run “make setup”. {SPEAK_INSTEAD}"
TIMEOUT_SECONDS = 2.0
X_PORT = 6000


def why_no_window(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return why no window can be opened, in one sentence, or None if one can.

    It is checked first because Qt ends the process if it finds no display.
    """
    if sys.platform != "linux" or environment.get("QT_QPA_PLATFORM"):
        return None
    wayland = environment.get("WAYLAND_DISPLAY")
    if wayland and _answers(str(Path(environment.get("XDG_RUNTIME_DIR", ""), wayland))):
        return None
    if not _x_display_answers(environment.get("DISPLAY", "")):
        return NO_DISPLAY
    return None if _can_load(X_LIBRARY) else MISSING_LIBRARY


def _x_display_answers(display: str) -> bool:
    """Return whether the X server of `display` answers; the format is that of DISPLAY: [host]:number[.screen]."""
    host, _, number = display.rpartition(":")
    number = number.partition(".")[0]
    if not number.isdigit():
        return False
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"
        return _answers(path) or _answers(f"\0{path}")
    try:
        socket.create_connection((host, X_PORT + int(number)), TIMEOUT_SECONDS).close()
    except OSError:
        return False
    return True


def _answers(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        try:
            connection.connect(address)
        except OSError:
            return False
    return True


def _can_load(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
