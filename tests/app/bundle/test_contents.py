import os
import plistlib
import shutil
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.bundle import contents
from app.bundle.check import problem_of_python, problems, problems_of_application, size_megabytes
from app.bundle.contents import is_denied
from app.bundle.mac import info_plist
from engine.compiler.artifacts.digest import content_digest
from engine.compiler.artifacts.mach_o import load_commands
from engine.compiler.artifacts.manifest import METAL_DEVICE, Manifest, compiler_sources, student_sources
from engine.compiler.artifacts.processor_families import APPLE
from engine.system.paths import project_folder, shipped_modules_folder
from tests.app.bundle.test_mac import APPLES, INTEL, universal
from tests.engine.compiler.artifacts.test_libraries import signed_anew

IMPORT_ALL = """
import importlib, sys
from app.bundle.contents import LEFT_OUT, modules
for name in LEFT_OUT:
    sys.modules[name] = None
for name in modules():
    if name.startswith("app.") and not name.endswith("__main__"):
        importlib.import_module(name)
print(*(name for name, module in sys.modules.items() if module is not None))
"""
"""Imports every module of the window in a process that cannot import excluded modules."""


@pytest.fixture(scope="module")
def imported() -> list[str]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL],
        cwd=project_folder(),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_the_window_needs_nothing_that_is_left_out(imported: list[str]) -> None:
    assert "app.application" in imported
    assert "app.diagnostics.panel" in imported


@pytest.mark.parametrize(("system", "there"), [("linux", True), ("darwin", False)])
def test_the_bus_of_linux_desktops_is_for_linux(monkeypatch: pytest.MonkeyPatch, system: str, there: bool) -> None:
    monkeypatch.setattr(sys, "platform", system)
    assert ("app.desktop.mpris" in contents.modules()) is there
    assert "app.desktop.feature" in contents.modules()


def test_nothing_that_the_window_imports_is_denied(imported: list[str]) -> None:
    parts = [name for name in imported if name.startswith("PySide6.")]
    assert {"PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets", "PySide6.QtSvg"} <= set(parts)
    for system in ("{}.abi3.so", "Qt/lib/lib{}.so.6", "Qt/lib/{}.framework/Versions/A/{}"):
        places = [f"PySide6/{system.replace('{}', name.partition('.')[2])}" for name in parts]
        assert [place for place in places if is_denied(place)] == []


@pytest.mark.parametrize(
    "place",
    [
        "PySide6/QtWebEngineCore.abi3.so", "PySide6/Qt/lib/libQt6Qml.so.6", "PySide6/Qt/lib/libQt6Quick3D.so.6",
        "PySide6/Qt/lib/QtQml.framework/Versions/A/QtQml", "PySide6/Qt/lib/libQt6Charts.so.6",
        "PySide6/Qt/translations/qt_de.qm", "PySide6/Qt/qml/QtQuick/qmldir",
        "PySide6/Qt/plugins/sqldrivers/libqsqlite.so", "PySide6/Qt/plugins/platforms/libqeglfs.so",
        "Kokoro Desk.app/Contents/Frameworks/PySide6/Qt/plugins/tls/libqopensslbackend.dylib",
        "PySide6/Qt/plugins/platforminputcontexts/libqtvirtualkeyboardplugin.so",
        "tvm/lib/libtvm_compiler.so", "torch/lib/libtorch.so", "_internal/scipy/__init__.py", "libasound.so.2",
        "espeakng_loader/espeak-ng-data/ru_dict", "misaki-0.9.4.dist-info/RECORD",
    ],
)  # fmt: skip
def test_files_that_only_add_size_are_denied(place: str) -> None:
    assert is_denied(place)


@pytest.mark.parametrize(
    "place",
    [
        "PySide6/Qt/lib/libQt6Core.so.6", "PySide6/Qt/lib/libQt6XcbQpa.so.6", "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/platforms/libqcocoa.dylib", "PySide6/Qt/plugins/platforms/libqwayland.so",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so", "PySide6/Qt/plugins/styles/libqmacstyle.dylib",
        "PySide6/Qt/plugins/imageformats/libqsvg.so", "PySide6/Qt/plugins/iconengines/libqsvgicon.so",
        "PySide6/Qt/plugins/platformthemes/libqxdgdesktopportal.so", "PySide6/Qt/lib/libQt6WaylandClient.so.6",
        "tvm/lib/libtvm_runtime.so", "tvm/lib/libtvm_runtime_metal.dylib", "tvm_ffi/lib/libtvm_ffi.so",
        "resources/starter/model.safetensors", "compiled_models/a-cpu/bert.so",
        "engine/compiler/kernels/cpu/convolution.py", "espeakng_loader/espeak-ng-data/en_dict",
        "misaki-0.9.4.dist-info/METADATA",
    ],
)  # fmt: skip
def test_files_that_the_window_and_speech_need_are_not_denied(place: str) -> None:
    assert not is_denied(place)


def test_every_module_of_the_program_is_collected() -> None:
    found = set(contents.modules())
    assert {
        "engine",
        "engine.__main__",
        "engine.cli.speak",
        "app.diagnostics.runs.bundle_files",
        "pickletools",
    } <= found
    assert {"logging.handlers", "xml.etree.ElementTree", "concurrent.futures.thread"} <= found
    assert not {"tkinter", "ctypes.test", "msilib"} & found


def test_the_programs_own_files_are_where_it_looks_for_them() -> None:
    places = {f"{folder}/{Path(file).name}" for file, folder in contents.own_files()}
    assert {
        "resources/starter/model.safetensors",
        "resources/icons/app.svg",
        "resources/kokoro-82m/voices.safetensors",
    } <= places
    assert {"./LICENSE", "./NOTICE"} <= places
    sources = (*compiler_sources(), *student_sources())
    assert {path.relative_to(project_folder()).as_posix() for path in sources} <= places


def test_files_that_packages_load_by_path_are_included() -> None:
    names = {Path(file).name for file, _ in [*contents.data_files(), *contents.libraries()]}
    assert {"us_gold.json", "en-lexicon.txt", "phondata"} <= names
    libraries = {"libtvm_runtime", "libtvm_ffi", "libespeak-ng"}
    if sys.platform == "linux":  # a Mac's is in a package
        libraries.add("libportaudio")
    assert {name.partition(".")[0] for name in names} >= libraries
    assert "direct_url.json" not in names


def test_nothing_that_is_collected_is_denied() -> None:
    files = [*contents.data_files(), *contents.libraries(), *contents.shipped_modules()]
    assert [file for file, folder in files if is_denied(f"{folder}/{Path(file).name}")] == []


@pytest.mark.parametrize(
    ("system", "machine", "suffix"),
    [("Linux", "x86_64", ".so"), ("Linux", "aarch64", ".so"), ("Darwin", "arm64", ".dylib")],
)
def test_modules_are_those_of_the_system(system: str, machine: str, suffix: str) -> None:
    files = [Path(file) for file, _ in contents.shipped_modules(system, machine)]
    folders = {path.parent for path in files}
    targets = [Manifest.load(folder).identity.target for folder in folders]
    assert {path.suffix for path in files} == {suffix, ".json"}
    assert all(machine in target or METAL_DEVICE in target for target in targets)
    assert len({folder.name.partition("-")[0] for folder in folders}) == 2, "those of both architectures"
    assert any(METAL_DEVICE in target for target in targets) == (system == "Darwin")


def test_libraries_that_served_only_denied_files_are_left_out() -> None:
    linked = {
        "window": ["libQt6Gui.so.6"], "gui": ["libQt6Core.so.6", "libz.so.1"], "core": [], "gtk": ["libgtk.so"],
        "python": [], "tvm": [], "z": [], "link": ["libgtk.so"],
    }  # fmt: skip
    kept = [
        ("PySide6/QtWidgets.abi3.so", "window", "EXTENSION"),
        ("tvm/lib/libtvm_runtime.so", "tvm", "BINARY"),
        ("libpython3.11.so.1.0", "python", "BINARY"),
        ("PySide6/Qt/lib/libQt6Gui.so.6", "gui", "BINARY"),
        ("PySide6/Qt/lib/libQt6Core.so.6", "core", "BINARY"),
        ("libQt6Core.so.6", "PySide6/Qt/lib/libQt6Core.so.6", "SYMLINK"),
        ("libz.so.1", "z", "BINARY"),
    ]
    orphans = [("libpango.so.0", "gtk", "BINARY"), ("libgtk.so", "gtk", "BINARY")]
    assert set(contents.without_orphans([*orphans, *kept], linked.__getitem__)) == set(kept)


MIN_SYSTEM = 0x32
"""The kind of load command that names the minimum macOS version."""


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
    """Return a program or library with its minimum macOS version changed."""
    place = next(command.start for command in load_commands(content) if command.kind == MIN_SYSTEM)
    return content[: place + 12] + struct.pack("<I", major << 16) + content[place + 16 :]


def module_of(application: Path) -> Path:
    return next(application.rglob("compiled_models/*/decoder.dylib"))


def test_a_sound_application_has_no_problems(application: Path) -> None:
    assert problems_of_application(application) == []


def test_signing_a_module_again_damages_nothing(application: Path) -> None:
    module = module_of(application)
    module.write_bytes(signed_anew(module.read_bytes(), b"a new signature"))
    assert problems(application) == []


def test_a_changed_module_is_found(application: Path) -> None:
    module = module_of(application)
    content = bytearray(module.read_bytes())
    content[len(content) // 2] ^= 1
    module.write_bytes(content)
    found = problems_of_application(application)
    assert any("no valid signature" in problem for problem in found)
    assert any("is damaged" in problem for problem in found)


def test_forbidden_files_are_found(application: Path) -> None:
    unwanted = application / "Contents/Frameworks/PySide6/Qt/lib/QtQml.framework/Versions/A/QtQml"
    unwanted.parent.mkdir(parents=True)
    shutil.copy(module_of(application), unwanted)
    assert problems(application) == [f"{unwanted.relative_to(application).as_posix()} must not be there"]


def test_a_different_cpu_and_a_newer_system_are_found(application: Path) -> None:
    program = application / "Contents/MacOS/Desk"
    content = program.read_bytes()
    program.write_bytes(content[:4] + struct.pack("<I", 0x01000007) + content[8:])
    assert any("Apple silicon" in problem for problem in problems_of_application(application))
    program.write_bytes(for_system(content, 15))
    assert any("needs macOS (15, 0)" in problem for problem in problems_of_application(application))


def test_a_different_property_list_is_found(application: Path) -> None:
    (application / "Contents/Info.plist").write_bytes(plistlib.dumps(info_plist() | {"LSMinimumSystemVersion": "11.0"}))
    assert problems_of_application(application) == ["Info.plist has an unexpected LSMinimumSystemVersion"]


@pytest.mark.parametrize(("major", "refused"), [(11, False), (14, False), (15, True), (26, True)])
def test_a_python_for_newer_systems_is_refused_before_building(tmp_path: Path, major: int, refused: bool) -> None:
    library = next(shipped_modules_folder().glob(f"*{APPLE.triple}/bert.dylib")).read_bytes()
    python = tmp_path / "python3.12"
    python.write_bytes(universal((INTEL, library), (APPLES, for_system(library, major))))
    assert bool(problem_of_python(python)) == refused
    assert not refused or f"macOS {major}.0" in problem_of_python(python)


def test_a_python_for_other_cpus_is_refused(tmp_path: Path) -> None:
    python = tmp_path / "python3.12"
    python.write_bytes(universal((INTEL, b"something else")))
    assert "Apple silicon" in problem_of_python(python)


def test_a_linked_file_counts_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(1_000_000))
    (tmp_path / "b").symlink_to("a")
    assert size_megabytes(tmp_path) == 1.0
