"""The macOS side of the bundle: property list, icon, entitlements, signatures and notarization.

It also parses macOS binaries. Everything but signing and notarization works, and is tested, on any system.
"""

from __future__ import annotations

import hashlib
import plistlib
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from app.system.mac import SERVICE_MESSAGE
from engine.compiler.artifacts.mach_o import BUILD_VERSION, CODE_SIGNATURE, MACH_O_MAGIC, load_commands
from engine.system.paths import APPLICATION_NAME, resources_folder
from engine.text.documents import PROJECT_SUFFIX

_ARM64 = 0x0100000C
_FAT_MAGIC = b"\xca\xfe\xba\xbe"
_FAT_HEADER, _FAT_ENTRY = struct.Struct(">4x I"), struct.Struct(">2I2I4x")
"""The number of slices, one per CPU type; then CPU type, subtype, offset and size of each slice."""
_MIN_SYSTEM_BEFORE_2018 = 0x24
_SUPER_BLOB, _BLOB_INDEX, _DIRECTORY = 0xFADE0CC0, struct.Struct(">2I"), 0xFADE0C02
_DIRECTORY_FIELDS = struct.Struct(">9I4B")
_SHA256 = 2
IDENTIFIER = "io.github.kokoro-desk"
MIN_SYSTEM = "14.0"
"""The oldest macOS that the packages' libraries support."""
ICON_NAME = "icon.icns"
ENTITLEMENTS = {"com.apple.security.cs.disable-library-validation": True}
"""Modules compiled on the user's Mac are unsigned, and must load anyway."""
_DOCUMENT_TYPES = (
    ("Text", "public.plain-text", ("txt", "text", "srt", "vtt")),
    ("Markdown text", "net.daringfireball.markdown", ("md", "markdown")),
    ("Web page", "public.html", ("html", "htm", "xhtml", "mht", "mhtml")),
    ("Word document", "org.openxmlformats.wordprocessingml.document", ("docx",)),
    ("Word document", "org.openxmlformats.wordprocessingml.document.macroenabled", ("docm",)),
    ("Word template", "org.openxmlformats.wordprocessingml.template", ("dotx",)),
    ("Word template", "org.openxmlformats.wordprocessingml.template.macroenabled", ("dotm",)),
    ("Book", "org.idpf.epub-container", ("epub",)),
    ("PDF document", "com.adobe.pdf", ("pdf",)),
)
_PROJECT = ("Kokoro Desk project", f"{IDENTIFIER}.project", (PROJECT_SUFFIX.removeprefix("."),))
_PASTEBOARD_TYPES = ["public.utf8-plain-text", "NSStringPboardType"]
_ICONS = {"ic11": 32, "ic12": 64, "ic07": 128, "ic13": 256, "ic08": 256, "ic14": 512, "ic09": 512, "ic10": 1024}
"""The pixel sizes of an icon's images, by their types on macOS."""
_HEADER_BYTES = 32
AD_HOC = "-"
"""The ad hoc identity: such a signature is valid but does not identify the signer."""
Run = Callable[[Sequence[str]], None]


def is_mach_o(content: bytes) -> bool:
    """Return whether a file is a program or library for macOS, for one CPU type or several."""
    return content.startswith((MACH_O_MAGIC, _FAT_MAGIC))


def for_apple_processor(content: bytes) -> bytes | None:
    """Return the slice for Apple silicon; None if there is none."""
    if not content.startswith(_FAT_MAGIC):
        return content if struct.unpack_from("<I", content, 4)[0] == _ARM64 else None
    (count,) = _FAT_HEADER.unpack_from(content)
    for index in range(count):
        processor, _, start, size = _FAT_ENTRY.unpack_from(content, _FAT_HEADER.size + index * _FAT_ENTRY.size)
        if processor == _ARM64:
            return content[start : start + size]
    return None


def min_system(content: bytes) -> tuple[int, int] | None:
    """Return the oldest macOS that a slice runs on; None if it does not specify one."""
    for command in load_commands(content):
        if command.kind in (BUILD_VERSION, _MIN_SYSTEM_BEFORE_2018):
            start = command.start + (12 if command.kind == BUILD_VERSION else 8)
            (version,) = struct.unpack_from("<I", content, start)
            return version >> 16, version >> 8 & 0xFF
    return None


def is_signed(content: bytes) -> bool:
    """Return whether a slice has a signature that matches its content: the hash of each page up to the signature."""
    signature = next((one for one in load_commands(content) if one.kind == CODE_SIGNATURE), None)
    if signature is None:
        return False
    start, size = struct.unpack_from("<2I", content, signature.start + 8)
    blob = content[start : start + size]
    magic, _, count = struct.unpack_from(">3I", blob)
    places = [_BLOB_INDEX.unpack_from(blob, 12 + index * _BLOB_INDEX.size)[1] for index in range(count)]
    directories = [place for place in places if struct.unpack_from(">I", blob, place)[0] == _DIRECTORY]
    return magic == _SUPER_BLOB and any(_fits(content, blob, place) for place in directories)


def _fits(content: bytes, blob: bytes, place: int) -> bool:
    """Return whether a list of SHA-256 hashes, one per page, matches the content."""
    fields = _DIRECTORY_FIELDS.unpack_from(blob, place)
    hashes_start, count, limit = fields[4], fields[7], fields[8]
    hash_bytes, kind, _, page_power = fields[9:]
    if kind != _SHA256:
        return False
    page = 1 << page_power
    pages = [content[start : min(start + page, limit)] for start in range(0, limit, page)]
    first = place + hashes_start
    stored = [blob[first + index * hash_bytes :][:hash_bytes] for index in range(count)]
    return stored == [hashlib.sha256(one).digest() for one in pages]


def _run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True)


def info_plist() -> dict[str, Any]:
    """Return the app's property list: the files it opens, the service it offers, the oldest supported system."""
    released = version("kokoro-desk")
    return {
        "CFBundleName": APPLICATION_NAME,
        "CFBundleDisplayName": APPLICATION_NAME,
        "CFBundleIdentifier": IDENTIFIER,
        "CFBundleExecutable": APPLICATION_NAME,
        "CFBundleIconFile": ICON_NAME,
        "CFBundlePackageType": "APPL",
        "CFBundleInfoDictionaryVersion": "6.0",
        "CFBundleShortVersionString": released,
        "CFBundleVersion": released,
        "CFBundleDocumentTypes": [*(_document_type(*kind) for kind in _DOCUMENT_TYPES), _project_type()],
        "UTImportedTypeDeclarations": [_declaration(*_DOCUMENT_TYPES[1], "public.plain-text")],
        "UTExportedTypeDeclarations": [_declaration(*_PROJECT, "public.json")],
        "NSServices": [_service()],
        "LSMinimumSystemVersion": MIN_SYSTEM,
        "LSApplicationCategoryType": "public.app-category.productivity",
        "NSHighResolutionCapable": True,
        "NSPrincipalClass": "NSApplication",
        "NSSupportsAutomaticTermination": False,
        "NSHumanReadableCopyright": "Apache License 2.0",
    }


def _document_type(title: str, kind: str, suffixes: tuple[str, ...]) -> dict[str, Any]:
    return {
        "CFBundleTypeName": title,
        "CFBundleTypeRole": "Viewer",
        "LSHandlerRank": "Alternate",  # a text editor stays the default application
        "LSItemContentTypes": [kind],
        "CFBundleTypeExtensions": list(suffixes),
    }


def _project_type() -> dict[str, Any]:
    """Return the document type of projects, which a double click opens in this app."""
    return {**_document_type(*_PROJECT), "CFBundleTypeRole": "Editor", "LSHandlerRank": "Owner"}


def _declaration(title: str, kind: str, suffixes: tuple[str, ...], like: str) -> dict[str, Any]:
    """Return the declaration of a type that macOS itself lacks."""
    return {
        "UTTypeIdentifier": kind,
        "UTTypeConformsTo": [like],
        "UTTypeDescription": title,
        "UTTypeTagSpecification": {"public.filename-extension": list(suffixes)},
    }


def _service() -> dict[str, Any]:
    return {
        "NSMenuItem": {"default": f"Speak with {APPLICATION_NAME}"},
        "NSMessage": SERVICE_MESSAGE,
        "NSPortName": APPLICATION_NAME,
        "NSSendTypes": _PASTEBOARD_TYPES,
        "NSRequiredContext": {},
    }


def write_icon(path: Path) -> Path:
    """Draw the application's icon in every size that macOS uses, into one file."""
    pictures = b"".join(_entry(kind, _picture(size)) for kind, size in _ICONS.items())
    path.write_bytes(_entry("icns", pictures))
    return path


def _entry(kind: str, content: bytes) -> bytes:
    return kind.encode() + struct.pack(">I", len(content) + 8) + content


def _picture(size_pixels: int) -> bytes:
    """Return the drawing as PNG."""
    from PySide6.QtCore import QBuffer, Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(size_pixels, size_pixels, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(resources_folder() / "icons" / "app.svg")).render(painter)
    painter.end()
    buffer = QBuffer()
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # at run time it accepts no bytes
    return bytes(buffer.data().data())


def programs_and_libraries(application: Path) -> Iterator[Path]:
    """Yield everything in an application that has to be signed, innermost first."""
    files = [path for path in application.rglob("*") if path.is_file() and not path.is_symlink()]
    for path in sorted(files, key=lambda path: -len(path.parts)):
        with path.open("rb") as file:
            if is_mach_o(file.read(_HEADER_BYTES)):
                yield path


def sign(application: Path, identity: str, run: Run = _run) -> None:
    """Sign every library and program, then the application; the identity “-” signs for this Mac alone.

    With a certificate's identity, it adds the hardened runtime and a time stamp, which notarization requires.
    """
    hardened = [] if identity == AD_HOC else ["--options", "runtime", "--timestamp"]
    with tempfile.TemporaryDirectory() as folder:
        entitlements = Path(folder) / "entitlements.plist"
        entitlements.write_bytes(plistlib.dumps(ENTITLEMENTS))
        command = ["codesign", "--force", "--sign", identity, *hardened]
        for path in programs_and_libraries(application):
            run([*command, str(path)])
        run([*command, "--entitlements", str(entitlements), str(application)])
    run(["codesign", "--verify", "--deep", "--strict", str(application)])


def notarize(image: Path, profile: str, run: Run = _run) -> None:
    """Submit a disk image to Apple for notarization, and staple the ticket to it.

    `profile` names credentials in the keychain.
    """
    run(["xcrun", "notarytool", "submit", str(image), "--keychain-profile", profile, "--wait"])
    run(["xcrun", "stapler", "staple", str(image)])


def make_image(application: Path, image: Path, run: Run = _run) -> None:
    """Pack an application into a compressed disk image, together with a link to the Applications folder."""
    with tempfile.TemporaryDirectory() as folder:
        run(["cp", "-R", str(application), folder])
        Path(folder, "Applications").symlink_to("/Applications")
        name = ["-volname", APPLICATION_NAME]
        run(["hdiutil", "create", "-ov", "-format", "ULMO", *name, "-srcfolder", folder, str(image)])
