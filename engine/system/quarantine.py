"""Whether macOS quarantines the program's files, as it does with everything that a browser has fetched.

It then refuses to load libraries that no known developer has signed, such as the compiled modules.
"""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from engine.system.bundle import is_bundle

_ATTRIBUTE = "com.apple.quarantine"
_TOOL = "/usr/bin/xattr"


def is_quarantined(path: Path) -> bool:
    """Whether a Mac's file is quarantined; none is in a bundle, whose signature macOS checks as a whole."""
    return (
        Path(_TOOL).is_file()
        and not is_bundle()
        and subprocess.run([_TOOL, "-p", _ATTRIBUTE, str(path)], capture_output=True, check=False).returncode == 0
    )


def release_command(folder: Path) -> str:
    """The command that ends the quarantine of everything in a folder."""
    return shlex.join(["xattr", "-dr", _ATTRIBUTE, str(folder)])
