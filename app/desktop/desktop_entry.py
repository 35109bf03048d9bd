"""The desktop entry, by which Linux desktops list the app in their menus, show its icon and open files with it.

The user can unpack a bundle anywhere, so its path is not known in advance; therefore the app writes the entry itself on
request, into the user's own folder.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.system.atomic_write import write_atomically
from engine.system.bundle import is_bundle
from engine.system.paths import APPLICATION_NAME, project_folder, resources_folder

PROGRAM = "kokoro-desk"
"""The name of the entry without its suffix, of the icon, and of the program in a bundle."""
_ENTRY = """[Desktop Entry]
Type=Application
Name={name}
GenericName=Text to Speech
Comment=Natural text-to-speech that runs on your computer
Exec={command} %f
Path={folder}
Icon={program}
Terminal=false
Categories=AudioVideo;Audio;Utility;Accessibility;
Keywords=speech;voice;read;aloud;tts;kokoro;
MimeType=text/plain;text/markdown;
StartupWMClass={program}
"""
_RESERVED = re.compile(r'["`$\\]')


def add_entry(environment: Mapping[str, str] = os.environ) -> Path:
    """Write the entry and the icon, replacing older ones; return the path of the entry."""
    entry, picture = _places(environment)
    for path in (entry, picture):
        path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(resources_folder() / "icons" / "app.svg", picture)
    command = [sys.executable] if is_bundle() else [sys.executable, "-m", "app"]
    write_atomically(entry, entry_text(command, project_folder()).encode())
    return entry


def remove_entry(environment: Mapping[str, str] = os.environ) -> Path:
    """Delete the entry and the icon if they exist; return the path of the entry."""
    entry, picture = _places(environment)
    for path in (entry, picture):
        path.unlink(missing_ok=True)
    return entry


def entry_text(command: Sequence[str], folder: Path) -> str:
    """Return the entry of a program that this command starts in this folder."""
    words = " ".join(_quoted(word) for word in command)
    place = str(folder).replace("\\", "\\\\")
    return _ENTRY.format(name=APPLICATION_NAME, command=words, folder=place, program=PROGRAM)


def _places(environment: Mapping[str, str]) -> tuple[Path, Path]:
    """Return the paths of the entry and of the icon."""
    given = Path(environment.get("XDG_DATA_HOME", ""))
    data = given if given.is_absolute() else Path.home() / ".local" / "share"
    return (
        data / "applications" / f"{PROGRAM}.desktop",
        data / "icons" / "hicolor" / "scalable" / "apps" / f"{PROGRAM}.svg",
    )


def _quoted(word: str) -> str:
    """Quote a word of a command as the specification requires, then escape it like any text of an entry."""
    quoted = _RESERVED.sub(r"\\\g<0>", word).replace("%", "%%")
    return f'"{quoted}"'.replace("\\", "\\\\")
