"""`python -m app.bundle`: builds, checks, tries and packs the bundle for the current system, and prints its size."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

from app.bundle import mac
from app.bundle.check import problem_of_python, problems, problems_of_application, size_megabytes
from app.bundle.mac_tree import lay_out
from app.bundle.trial import try_on_linux, try_on_mac
from app.desktop.desktop_entry import PROGRAM
from engine.errors import EngineError
from engine.system.paths import APPLICATION_NAME, project_folder, shipped_modules_folder

BUILD = project_folder() / "build" / "bundle"
RECIPE = Path(__file__).with_name("kokoro_desk.spec")
_DEBUGGING = b".debug_info"
"""The name of the debug section in Linux libraries."""
_IDENTITY, _PROFILE = "SIGNING_IDENTITY", "NOTARY_PROFILE"
"""Environment variables with the names of a certificate and of the notarization credentials, both in the keychain."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the requested bundle; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m app.bundle", description="Builds the application as a bundle.")
    parser.add_argument(
        "--mac-tree", action="store_true", help="assemble an .app on Linux to check its structure and size"
    )
    options = parser.parse_args(arguments)
    try:
        if options.mac_tree:
            _lay_out_for_mac()
        elif sys.platform == "darwin":
            _make_for_mac()
        else:
            _make_for_linux()
    except EngineError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _make_for_linux() -> None:
    _build()
    bundle, packed = BUILD / PROGRAM, BUILD / f"{PROGRAM}.tar.xz"
    _strip(bundle)
    _check(bundle, problems(bundle))
    try_on_linux(bundle, BUILD)
    with tarfile.open(packed, "w:xz") as archive:
        archive.add(bundle, bundle.name)
    _say_size(packed)


def _make_for_mac() -> None:
    if problem := problem_of_python(Path(sys.executable).resolve()):
        raise EngineError(problem)
    _build()
    application, image = BUILD / f"{APPLICATION_NAME}.app", BUILD / f"{APPLICATION_NAME}.dmg"
    mac.sign(application, os.environ.get(_IDENTITY, mac.AD_HOC))
    _check(application, problems_of_application(application))
    try_on_mac(application, BUILD)
    mac.make_image(application, image)
    if profile := os.environ.get(_PROFILE):
        mac.notarize(image, profile)
    _say_size(image)


def _lay_out_for_mac() -> None:
    application = BUILD / "mac" / f"{APPLICATION_NAME}.app"
    lay_out(BUILD / PROGRAM, BUILD / "wheels", application)
    _check(application, problems_of_application(application))


def _build() -> None:
    folders = ["--distpath", str(BUILD), "--workpath", str(BUILD / "work")]
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", *folders, str(RECIPE)]
    subprocess.run(command, cwd=project_folder(), check=True)


def _strip(bundle: Path) -> None:
    """Remove debug information, which makes up most of some Linux packages' libraries.

    Compiled modules have digests, and stripping would break libraries in folders that end in .libs, whose layout the
    packages' builders have changed.
    """
    for path in bundle.rglob("*.so*"):
        stays = shipped_modules_folder().name in path.parts or path.parent.suffix == ".libs"
        if not path.is_symlink() and not stays and _DEBUGGING in path.read_bytes():
            subprocess.run(["strip", "--strip-debug", str(path)], check=True)


def _check(bundle: Path, found: Sequence[str]) -> None:
    _say_size(bundle)
    if found:
        raise EngineError(f"The bundle has problems: {'; '.join(found)}.")


def _say_size(made: Path) -> None:
    print(f"{made.relative_to(project_folder())}: {size_megabytes(made):.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
