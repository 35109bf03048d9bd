"""Lays out a macOS app from a bundle for Linux, to check its structure and size.

Libraries come from the packages' macOS wheels, everything else from the bundle. Python itself is missing, so the app
does not start; a working one is built on a Mac, with the same recipe.
"""

from __future__ import annotations

import plistlib
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import distributions, version
from pathlib import Path, PurePosixPath

from app.bundle import contents, mac
from app.bundle.mac import for_apple_processor, is_mach_o
from engine.errors import EngineError

_PLATFORM = "macosx_14_0_arm64"
_EXTENSION = re.compile(r"\.(cpython-\d+-darwin|abi3|cpython-\d+-x86_64-linux-gnu)?\.?so$")
"""The end of an extension module's name, which depends on the system."""
_FRAMEWORK = re.compile(r"PySide6/Qt/lib/(Qt\w+)\.framework/")


def lay_out(bundle: Path, wheels: Path, application: Path) -> None:
    """Build an app from a bundle for Linux and the packages' macOS wheels, which pip downloads."""
    inside = bundle / "_internal"
    shutil.rmtree(application, ignore_errors=True)
    parts = application / "Contents"
    for folder in ("MacOS", "Frameworks", "Resources"):
        (parts / folder).mkdir(parents=True)
    (parts / "Info.plist").write_bytes(plistlib.dumps(mac.info_plist()))
    mac.write_icon(parts / "Resources" / mac.ICON_NAME)
    for source, folder in (*contents.data_files(), *contents.shipped_modules("Darwin", "arm64")):
        _place(Path(source).read_bytes(), parts / "Resources" / folder / Path(source).name)
    shutil.copy(
        bundle / bundle.name, parts / "MacOS" / "modules"
    )  # compressed Python modules; the executable itself must be built on a Mac
    _download(_packages_in(inside), wheels)
    stems = {_stem(path.relative_to(inside).as_posix()) for path in inside.rglob("*.so*")}
    for place, content in _libraries(wheels, stems):
        _place(content, parts / "Frameworks" / place)


def _packages_in(inside: Path) -> list[str]:
    """Return the installed packages, with versions, that own libraries in the bundle."""
    there = {path.relative_to(inside).as_posix() for path in inside.rglob("*.so*")}
    found = [one for one in distributions() if any(file.as_posix() in there for file in one.files or ())]
    named = {f"{one.metadata['Name']}=={one.version.partition('+')[0]}" for one in found}
    return sorted({*named, f"sounddevice=={version('sounddevice')}"})  # its wheel has a library only on macOS


def _download(packages: list[str], wheels: Path) -> None:
    wheels.mkdir(parents=True, exist_ok=True)
    chosen = ["--platform", _PLATFORM, "--python-version", f"{sys.version_info[0]}.{sys.version_info[1]}"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", *chosen]
    subprocess.run([*command, "--dest", str(wheels), *packages], check=True)


def _stem(place: str) -> str:
    """Return the name of a library without the part that differs on macOS."""
    return _EXTENSION.sub("", place)


def _libraries(wheels: Path, stems: set[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the path and content of each library of the app, reduced to the slice for Apple silicon."""
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for place in archive.namelist():
                if _wanted(place, stems) and is_mach_o(content := archive.read(place)):
                    part = for_apple_processor(content)
                    if part is None:
                        raise EngineError(f"{place} in {wheel.name} isn’t for Apple silicon.")
                    yield place, part


def _wanted(place: str, stems: set[str]) -> bool:
    """Return whether to include a file.

    Extension modules and parts of Qt are included if the bundle has them, other libraries unless they are denied.
    """
    framework = _FRAMEWORK.match(place)
    is_library = PurePosixPath(place).suffix in (".so", ".dylib")
    if contents.is_denied(place) or not (framework or is_library):
        return False
    if framework:
        return any(stem.startswith(f"PySide6/Qt/lib/lib{framework[1].replace('Qt', 'Qt6', 1)}.") for stem in stems)
    is_extension = _EXTENSION.search(place) is not None and not PurePosixPath(place).name.startswith("lib")
    return not is_extension or _stem(place) in stems


def _place(content: bytes, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
