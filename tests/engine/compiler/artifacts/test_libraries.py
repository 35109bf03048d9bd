"""The load commands of a Mach-O file made by hand."""

import hashlib
import struct

import pytest

from engine.compiler.artifacts.digest import content_digest
from engine.compiler.artifacts.embedded_modules import metal_kernels, metal_libraries, metal_module
from engine.compiler.artifacts.mach_o import (
    BUILD_VERSION,
    DYNAMIC_LINKER,
    MACH_O_MAGIC,
    LoadCommand,
    content_at,
    forget,
    load_commands,
)
from engine.compiler.artifacts.manifest import MANIFEST_NAME, Manifest
from engine.models.checkpoints import STARTER, model_config
from engine.system.paths import shipped_modules_folder

CODE_SIGNATURE, SEGMENT, HEADER_BYTES = 0x1D, 0x19, 32


def place_of(content: bytes, wanted: int, name: bytes = b"") -> int:
    """The offset of the load command of one kind and of one segment's name."""
    place = HEADER_BYTES
    for _ in range(struct.unpack_from("<I", content, 16)[0]):
        kind, size = struct.unpack_from("<2I", content, place)
        if kind == wanted and content[place + 8 :].startswith(name):
            return place
        place += size
    raise AssertionError("there is no such load command")


def signed_anew(content: bytes, signature: bytes) -> bytes:
    """As codesign does it: a new signature in the same place, whose size is noted in the header twice."""
    command, segment = place_of(content, CODE_SIGNATURE), place_of(content, SEGMENT, b"__LINKEDIT")
    start, size = struct.unpack_from("<2I", content, command + 8)
    changed = bytearray(content[:start] + signature)
    struct.pack_into("<I", changed, command + 12, len(signature))
    (file_size,) = struct.unpack_from("<Q", content, segment + 48)
    struct.pack_into("<Q", changed, segment + 48, file_size - size + len(signature))
    struct.pack_into("<Q", changed, segment + 32, -(-(file_size - size + len(signature)) // 0x4000) * 0x4000)
    return bytes(changed)


def unsigned(content: bytes) -> bytes:
    """As codesign leaves it after removing the signature, whose command is the last one."""
    changed = bytearray(signed_anew(content, b""))
    command = place_of(content, CODE_SIGNATURE)
    count, size = struct.unpack_from("<2I", content, 16)
    assert command + 16 == HEADER_BYTES + size, "the signature's command is the last one"
    struct.pack_into("<2I", changed, 16, count - 1, size - 16)
    changed[command : command + 16] = bytes(16)
    return bytes(changed)


@pytest.fixture(scope="module", params=["metal-macos", "metal-macos-mps", "cpu-arm64-apple-macos"])
def library(request: pytest.FixtureRequest) -> bytes:
    folder = shipped_modules_folder() / f"{model_config(STARTER).fingerprint()}-{request.param}"
    path = folder / Manifest.load(folder).artifacts[0].file
    assert (folder / MANIFEST_NAME).is_file()
    return path.read_bytes()


@pytest.mark.parametrize("signature", [b"short", bytes(100_000)])
def test_a_different_signature_does_not_change_the_digest(library, signature):
    changed = signed_anew(library, signature)
    assert changed != library
    assert content_digest(changed) == content_digest(library)


def test_a_library_that_is_not_signed_has_the_same_digest(library):
    assert content_digest(unsigned(library)) == content_digest(library)


@pytest.mark.parametrize("place", ["the header", "the code", "the last symbol"])
def test_a_change_outside_the_signature_changes_the_digest(library, place):
    (signature,) = struct.unpack_from("<I", library, place_of(library, CODE_SIGNATURE) + 8)
    position = {"the header": 24, "the code": signature // 2, "the last symbol": signature - 1}[place]
    changed = bytearray(library)
    changed[position] ^= 1
    assert content_digest(bytes(changed)) != content_digest(library)


@pytest.mark.parametrize("content", [b"", b"\x7fELF and more", b"\xcf\xfa\xed\xfe", b"\xcf\xfa\xed\xfe" + b"\xff" * 60])
def test_other_files_and_damaged_ones_are_digested_whole(content):
    assert content_digest(content) == hashlib.sha256(content).hexdigest()


def test_a_shortened_library_is_noticed(library):
    assert content_digest(library[: len(library) // 2]) != content_digest(library)


def header(*commands: tuple[int, int]) -> bytearray:
    """A header with load commands of these kinds and sizes, each filled with its kind."""
    bodies = b"".join(struct.pack("<2I", kind, size) + bytes([kind]) * (size - 8) for kind, size in commands)
    counts = struct.pack("<2I", len(commands), len(bodies))
    return bytearray(MACH_O_MAGIC.ljust(16, b"\0") + counts + bytes(8) + bodies + b"content")


def test_commands_are_found_one_after_the_other():
    content = header((DYNAMIC_LINKER, 16), (BUILD_VERSION, 24))
    assert list(load_commands(content)) == [LoadCommand(DYNAMIC_LINKER, 32, 16), LoadCommand(BUILD_VERSION, 48, 24)]


def test_a_forgotten_command_leaves_zeros_behind_the_others():
    content = header((DYNAMIC_LINKER, 16), (BUILD_VERSION, 24))
    length = len(content)
    forget(content, next(load_commands(content)))
    assert list(load_commands(content)) == [LoadCommand(BUILD_VERSION, 32, 24)]
    assert len(content) == length
    assert content[56:72] == bytes(16)
    assert content.endswith(b"content")


def test_a_command_without_a_size_is_refused():
    with pytest.raises(ValueError, match="without a size"):
        list(load_commands(header((BUILD_VERSION, 8))[:36] + bytes(12)))


def test_an_address_in_no_segment_is_refused():
    with pytest.raises(ValueError, match="in no segment"):
        content_at(header((BUILD_VERSION, 24)), 7)


@pytest.fixture(scope="module")
def module() -> bytes:
    return metal_module(next(metal_libraries(shipped_modules_folder())))


def test_every_shipped_library_for_macs_has_kernels():
    libraries = list(metal_libraries(shipped_modules_folder()))
    assert len({library.parent for library in libraries}) > 1
    for library in libraries:
        for name, text in metal_kernels(metal_module(library)).items():
            assert f"kernel void {name}(" in text


@pytest.mark.parametrize("kept", [7, 40, -1])
def test_a_module_that_is_cut_off_is_refused(module, kept):
    with pytest.raises(ValueError, match="cut off"):
        metal_kernels(module[:kept])


def test_a_module_with_something_behind_it_is_refused(module):
    with pytest.raises(ValueError, match="damaged"):
        metal_kernels(module + b"more")
