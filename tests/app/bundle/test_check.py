import plistlib
import shutil
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from app.bundle.check import problem_of_python, problems, problems_of_application, size_megabytes
from app.bundle.mac import info_plist
from engine.artifacts.digest import content_digest
from engine.artifacts.mach_o import load_commands
from engine.artifacts.manifest import Manifest
from engine.artifacts.processor_families import APPLE
from engine.system.paths import shipped_modules_folder
from tests.app.bundle.test_mach_o import APPLES, INTEL, universal
from tests.engine.artifacts.test_digest import signed_anew

LEAST_SYSTEM = 0x32
"""The kind of load command that names it."""


@pytest.fixture
def application(tmp_path: Path) -> Path:
    """A small application: a program, and modules that its signing would change."""
    contents = tmp_path / "Desk.app" / "Contents"
    shipped = next(path for path in shipped_modules_folder().iterdir() if path.name.endswith(APPLE.triple))
    modules = contents / "Resources" / "compiled_models" / shipped.name
    shutil.copytree(shipped, modules)
    manifest = Manifest.load(modules)
    replace(
        manifest,
        artifacts=tuple(
            replace(one, sha256=content_digest((modules / one.file).read_bytes())) for one in manifest.artifacts
        ),
    ).save(modules)
    (contents / "MacOS").mkdir()
    shutil.copy(modules / "bert.dylib", contents / "MacOS" / "Desk")
    (contents / "Info.plist").write_bytes(plistlib.dumps(info_plist() | {"CFBundleSignature": "????"}))
    return contents.parent


def for_system(content: bytes, major: int) -> bytes:
    """A program or library with another oldest macOS than it has."""
    place = next(command.start for command in load_commands(content) if command.kind == LEAST_SYSTEM)
    return content[: place + 12] + struct.pack("<I", major << 16) + content[place + 16 :]


def module_of(application: Path) -> Path:
    return next(application.rglob("compiled_models/*/decoder.dylib"))


def test_a_sound_application_has_no_problems(application: Path) -> None:
    assert problems_of_application(application) == []


def test_signing_a_module_anew_damages_nothing(application: Path) -> None:
    module = module_of(application)
    module.write_bytes(signed_anew(module.read_bytes(), b"another signature"))
    assert problems(application) == []


def test_a_changed_module_is_found(application: Path) -> None:
    module = module_of(application)
    content = bytearray(module.read_bytes())
    content[len(content) // 2] ^= 1
    module.write_bytes(content)
    found = problems_of_application(application)
    assert any("no signature that fits" in problem for problem in found)
    assert any("is damaged" in problem for problem in found)


def test_what_must_not_be_there_is_found(application: Path) -> None:
    unwanted = application / "Contents/Frameworks/PySide6/Qt/lib/QtQml.framework/Versions/A/QtQml"
    unwanted.parent.mkdir(parents=True)
    shutil.copy(module_of(application), unwanted)
    assert problems(application) == [f"{unwanted.relative_to(application).as_posix()} must not be there"]


def test_another_processor_and_a_newer_system_are_found(application: Path) -> None:
    program = application / "Contents/MacOS/Desk"
    content = program.read_bytes()
    program.write_bytes(content[:4] + struct.pack("<I", 0x01000007) + content[8:])
    assert any("not for Apple's processors" in problem for problem in problems_of_application(application))
    program.write_bytes(for_system(content, 15))
    assert any("needs macOS (15, 0)" in problem for problem in problems_of_application(application))


def test_another_property_list_is_found(application: Path) -> None:
    (application / "Contents/Info.plist").write_bytes(plistlib.dumps(info_plist() | {"LSMinimumSystemVersion": "11.0"}))
    assert problems_of_application(application) == ["Info.plist has another LSMinimumSystemVersion than is wanted"]


@pytest.mark.parametrize(("major", "refused"), [(11, False), (14, False), (15, True), (26, True)])
def test_a_python_for_newer_systems_is_refused_before_building(tmp_path: Path, major: int, refused: bool) -> None:
    library = next(shipped_modules_folder().glob(f"*{APPLE.triple}/bert.dylib")).read_bytes()
    python = tmp_path / "python3.12"
    python.write_bytes(universal((INTEL, library), (APPLES, for_system(library, major))))
    assert bool(problem_of_python(python)) == refused
    assert not refused or f"macOS {major}.0" in problem_of_python(python)


def test_a_python_for_other_processors_is_refused(tmp_path: Path) -> None:
    python = tmp_path / "python3.12"
    python.write_bytes(universal((INTEL, b"something else")))
    assert "Apple's processors" in problem_of_python(python)


def test_what_is_linked_to_counts_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(1_000_000))
    (tmp_path / "b").symlink_to("a")
    assert size_megabytes(tmp_path) == 1.0
