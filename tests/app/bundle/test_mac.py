import plistlib
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from app.bundle import mac
from app.bundle.mac import (
    AD_HOC,
    ENTITLEMENTS,
    ICON_NAME,
    for_apple_processor,
    info_plist,
    is_mach_o,
    is_signed,
    make_image,
    min_system,
    notarize,
    sign,
    write_icon,
)
from app.system.mac import SERVICE_MESSAGE
from engine.compiler.artifacts.processor_families import APPLE
from engine.system.paths import shipped_modules_folder
from engine.text.documents import SUFFIXES
from tests.engine.compiler.artifacts.test_libraries import signed_anew, unsigned


def test_the_property_list_is_writable_and_states_mac_requirements() -> None:
    values = plistlib.loads(plistlib.dumps(info_plist()))
    assert values["CFBundleExecutable"] == values["CFBundleName"] == "Kokoro Desk"
    assert values["LSMinimumSystemVersion"] == "14.0"
    assert values["CFBundleIconFile"] == ICON_NAME
    assert values["CFBundleVersion"].count(".") == 2


def test_documents_are_opened_but_not_taken_over() -> None:
    *types, project = info_plist()["CFBundleDocumentTypes"]
    assert project["CFBundleTypeExtensions"] == ["kokoro"]
    assert {suffix for one in types for suffix in one["CFBundleTypeExtensions"]} == {
        suffix.removeprefix(".") for suffix in SUFFIXES
    }
    assert {one["LSHandlerRank"] for one in types} == {"Alternate"}
    declared = {one["UTTypeIdentifier"] for one in info_plist()["UTImportedTypeDeclarations"]}
    kinds = {kind for one in types for kind in one["LSItemContentTypes"]}
    assert declared == {"net.daringfireball.markdown"} < kinds  # macOS knows the others


def test_a_double_click_on_a_project_opens_the_app() -> None:
    project = info_plist()["CFBundleDocumentTypes"][-1]
    assert (project["CFBundleTypeRole"], project["LSHandlerRank"]) == ("Editor", "Owner")
    (declared,) = info_plist()["UTExportedTypeDeclarations"]
    assert project["LSItemContentTypes"] == [declared["UTTypeIdentifier"]]
    assert declared["UTTypeTagSpecification"] == {"public.filename-extension": ["kokoro"]}


def test_the_service_is_the_one_that_the_window_answers() -> None:
    (service,) = info_plist()["NSServices"]
    assert service["NSMenuItem"]["default"] == "Speak with Kokoro Desk"
    assert service["NSMessage"] == SERVICE_MESSAGE
    assert service["NSPortName"] == info_plist()["CFBundleName"]
    assert "public.utf8-plain-text" in service["NSSendTypes"]


def test_one_exception_from_the_hardened_runtime_is_asked_for() -> None:
    assert ENTITLEMENTS == {"com.apple.security.cs.disable-library-validation": True}


def test_the_icon_has_every_size(tmp_path: Path) -> None:
    content = write_icon(tmp_path / ICON_NAME).read_bytes()
    assert struct.unpack(">4sI", content[:8]) == (b"icns", len(content))
    sizes, start = {}, 8
    while start < len(content):
        kind, size = struct.unpack_from(">4sI", content, start)
        picture = QImage.fromData(content[start + 8 : start + size], "PNG")
        assert picture.width() == picture.height()
        sizes[kind.decode()] = picture.width()
        start += size
    assert sizes == {
        "ic11": 32,
        "ic12": 64,
        "ic07": 128,
        "ic13": 256,
        "ic08": 256,
        "ic14": 512,
        "ic09": 512,
        "ic10": 1024,
    }


def test_the_icon_is_drawn(tmp_path: Path) -> None:
    picture = QImage.fromData(write_icon(tmp_path / ICON_NAME).read_bytes()).convertToFormat(
        QImage.Format.Format_RGBA8888
    )
    pixels = np.frombuffer(picture.constBits(), np.uint8).reshape(-1, 4)
    assert len(np.unique(pixels, axis=0)) > 50
    assert (pixels[0, 3], pixels[len(pixels) // 2 + picture.width() // 2, 3]) == (0, 255), "corner and middle"


@pytest.fixture
def application(tmp_path: Path) -> Path:
    """An application with a program, a library in its frameworks, a link to it, and a library in its resources."""
    folder = next(path for path in shipped_modules_folder().iterdir() if path.name.endswith(APPLE.triple))
    library = next(folder.glob("*.dylib")).read_bytes()
    contents = tmp_path / "Desk.app" / "Contents"
    for place in ("MacOS/Desk", "Frameworks/a.dylib", "Resources/modules/b.dylib"):
        (contents / place).parent.mkdir(parents=True, exist_ok=True)
        (contents / place).write_bytes(library)
    (contents / "Frameworks/link.dylib").symlink_to("a.dylib")
    (contents / "Info.plist").write_text("<plist/>")
    return contents.parent


class Commands:
    """Collects commands instead of running them."""

    def __init__(self) -> None:
        self.lines: list[list[str]] = []
        self.entitlements: list[dict] = []

    def __call__(self, command: Sequence[str]) -> None:
        self.lines.append(list(command))
        if "--entitlements" in command:
            path = Path(command[command.index("--entitlements") + 1])
            self.entitlements.append(plistlib.loads(path.read_bytes()))


def test_everything_is_signed_once_and_the_application_last(application: Path) -> None:
    commands = Commands()
    sign(application, "Developer ID", commands)
    *parts, whole, check = commands.lines
    signed = [Path(line[-1]).relative_to(application).as_posix() for line in parts]
    assert sorted(signed) == [
        "Contents/Frameworks/a.dylib",
        "Contents/MacOS/Desk",
        "Contents/Resources/modules/b.dylib",
    ]
    assert whole[-1] == str(application)
    assert commands.entitlements == [ENTITLEMENTS]
    assert all("runtime" in line and "--timestamp" in line and "Developer ID" in line for line in [*parts, whole])
    assert check == ["codesign", "--verify", "--deep", "--strict", str(application)]


def test_without_a_certificate_no_time_stamp_is_asked_for(application: Path) -> None:
    commands = Commands()
    sign(application, AD_HOC, commands)
    assert not any("--timestamp" in line or "runtime" in line for line in commands.lines)


def test_an_image_has_a_link_to_where_applications_belong(application: Path, tmp_path: Path) -> None:
    seen = []

    def run(command: Sequence[str]) -> None:
        if command[0] == "cp":
            subprocess.run(command, check=True)
        else:
            folder = Path(command[command.index("-srcfolder") + 1])
            seen.extend(sorted(path.name for path in folder.iterdir()))

    make_image(application, tmp_path / "Desk.dmg", run)
    assert seen == ["Applications", "Desk.app"]


def test_notarizing_waits_for_the_answer_and_keeps_it(tmp_path: Path) -> None:
    commands = Commands()
    notarize(tmp_path / "Desk.dmg", "profile", commands)
    assert [line[1] for line in commands.lines] == ["notarytool", "stapler"]
    assert "--wait" in commands.lines[0]


def test_mac_programs_and_libraries_are_recognized_by_their_content(application: Path) -> None:
    found = {path.name for path in mac.programs_and_libraries(application)}
    assert found == {"Desk", "a.dylib", "b.dylib"}


INTEL, APPLES = 0x01000007, 0x0100000C


@pytest.fixture(scope="module")
def library() -> bytes:
    return next(shipped_modules_folder().glob(f"*{APPLE.triple}/bert.dylib")).read_bytes()


def universal(*parts: tuple[int, bytes]) -> bytes:
    """Return a file with parts for several kinds of CPUs."""
    header, start = struct.pack(">4sI", b"\xca\xfe\xba\xbe", len(parts)), 4096
    content = bytearray(start)
    for processor, part in parts:
        header += struct.pack(">5I", processor, 0, len(content), len(part), 14)
        content += part
    content[: len(header)] = header
    return bytes(content)


def test_the_part_for_apple_cpus_is_found(library: bytes) -> None:
    both = universal((INTEL, b"something else"), (APPLES, library))
    assert for_apple_processor(both) == for_apple_processor(library) == library
    assert for_apple_processor(universal((INTEL, library))) is None
    assert for_apple_processor(library[:4] + struct.pack("<I", INTEL) + library[8:]) is None


def test_mac_binaries_are_distinguished_from_other_files(library: bytes) -> None:
    assert is_mach_o(library)
    assert is_mach_o(universal((APPLES, library)))
    assert not is_mach_o(b"\x7fELF")


def test_the_oldest_system_is_that_of_the_linker(library: bytes) -> None:
    assert min_system(library) in ((13, 0), (14, 0))


def test_a_signature_must_fit_every_page(library: bytes) -> None:
    assert is_signed(library)
    for position in (200, len(library) // 2):
        changed = bytearray(library)
        changed[position] ^= 1
        assert not is_signed(bytes(changed))


def test_without_a_signature_nothing_fits(library: bytes) -> None:
    assert not is_signed(unsigned(library))
    with pytest.raises(struct.error):
        is_signed(signed_anew(library, b""))
