import struct

import pytest

from app.bundle.mach_o import for_apple_processor, is_mach_o, is_signed, least_system
from engine.artifacts.processor_families import APPLE
from engine.system.paths import shipped_modules_folder
from tests.engine.artifacts.test_digest import signed_anew, unsigned

INTEL, APPLES = 0x01000007, 0x0100000C


@pytest.fixture(scope="module")
def library() -> bytes:
    return next(shipped_modules_folder().glob(f"*{APPLE.triple}/bert.dylib")).read_bytes()


def universal(*parts: tuple[int, bytes]) -> bytes:
    """A file with parts for several kinds of processors."""
    header, start = struct.pack(">4sI", b"\xca\xfe\xba\xbe", len(parts)), 4096
    content = bytearray(start)
    for processor, part in parts:
        header += struct.pack(">5I", processor, 0, len(content), len(part), 14)
        content += part
    content[: len(header)] = header
    return bytes(content)


def test_the_part_for_apple_processors_is_found(library: bytes) -> None:
    both = universal((INTEL, b"something else"), (APPLES, library))
    assert for_apple_processor(both) == for_apple_processor(library) == library
    assert for_apple_processor(universal((INTEL, library))) is None
    assert for_apple_processor(library[:4] + struct.pack("<I", INTEL) + library[8:]) is None


def test_what_a_mac_runs_is_told_from_other_files(library: bytes) -> None:
    assert is_mach_o(library)
    assert is_mach_o(universal((APPLES, library)))
    assert not is_mach_o(b"\x7fELF")


def test_the_oldest_system_is_that_of_the_linker(library: bytes) -> None:
    assert least_system(library) in ((13, 0), (14, 0))


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
