"""Checks a finished bundle without starting it."""

from __future__ import annotations

import plistlib
import re
import struct
from collections.abc import Iterator
from pathlib import Path

from app.bundle import contents, mac
from app.bundle.mac import for_apple_processor, is_signed, min_system
from engine.compiler.artifacts.manifest import MANIFEST_NAME, Artifact, Bridge, Manifest, verify
from engine.errors import DamagedFile

_MIN_SYSTEM = tuple(int(part) for part in mac.MIN_SYSTEM.split("."))
_NAMES_A_NEWER_SYSTEM = re.compile(r"(PySide6|shiboken6)/[^/]+$")
"""Libraries that name macOS 15 in wheels for macOS 13: macOS checks the requirement of programs, not of libraries."""


def size_megabytes(bundle: Path) -> float:
    """Return the size of a file, or of all files in a folder, each counted once."""
    return sum(path.stat().st_size for path in _files(bundle)) / 1e6


def problems(bundle: Path) -> list[str]:
    """Return the problems of a bundle for any system: denied files and damaged modules."""
    places = (path.relative_to(bundle).as_posix() for path in _files(bundle))
    denied = [f"{place} must not be there" for place in places if contents.is_denied(place)]
    return [*denied, *_damaged_modules(bundle)]


def problems_of_application(application: Path) -> list[str]:
    """Return the problems of a macOS app: `problems`, its property list, its libraries and their signatures."""
    found = [f"Info.plist has an unexpected {key}" for key in _differences(application)]
    for path in mac.programs_and_libraries(application):
        place = path.relative_to(application).as_posix()
        found += [f"{place} {problem}" for problem in _problems_of(place, path.read_bytes())]
    return [*found, *problems(application)]


def problem_of_python(python: Path) -> str:
    """Return why this Python for macOS cannot build a bundle, and which one can; empty if it can.

    The bundle starts on the systems that its Python supports. Homebrew's Python requires the system that it was built
    on, python.org's an old one.
    """
    part = for_apple_processor(python.read_bytes())
    oldest = min_system(part) if part else None
    if oldest and oldest <= _MIN_SYSTEM:
        return ""
    needs = f"needs macOS {oldest[0]}.{oldest[1]}" if oldest else "isn’t for Apple silicon"
    return (
        f"The Python at {python} {needs}, and the bundle is for macOS {mac.MIN_SYSTEM} and later: install Python "
        "3.12 from python.org, then run: make clean && make bundle "
        "PYTHON=/Library/Frameworks/Python.framework/Versions/3.12/bin/python3.12"
    )


def _differences(application: Path) -> list[str]:
    listed = plistlib.loads((application / "Contents" / "Info.plist").read_bytes())
    return [key for key, value in mac.info_plist().items() if listed.get(key) != value]


def _problems_of(place: str, content: bytes) -> Iterator[str]:
    if for_apple_processor(content) is None:
        yield "isn’t for Apple silicon only"
        return
    oldest = min_system(content)
    if (oldest is None or oldest > _MIN_SYSTEM) and not _NAMES_A_NEWER_SYSTEM.search(place):
        yield f"needs macOS {oldest}"
    try:
        if not is_signed(content):
            yield "has no valid signature"
    except struct.error:
        yield "has a damaged signature"


def _damaged_modules(bundle: Path) -> Iterator[str]:
    for listed in bundle.rglob(f"compiled_models/*/{MANIFEST_NAME}"):
        manifest = Manifest.load(listed.parent)
        libraries: list[Artifact | Bridge] = [*manifest.artifacts, *([manifest.bridge] if manifest.bridge else [])]
        for library in libraries:
            try:
                verify(listed.parent, library)
            except DamagedFile as error:
                yield error.message


def _files(bundle: Path) -> Iterator[Path]:
    """Yield the files of a folder, or the file itself."""
    yield from (path for path in (bundle, *bundle.rglob("*")) if path.is_file() and not path.is_symlink())
