"""What Zig's linker writes is put right; that tests see the difference is shown on what it wrote itself."""

import struct

import pytest

from engine.compiler import linking
from engine.compiler.linking import link_bridge
from engine.compiler.mac_library import put_right
from engine.errors import CompileError
from tests.engine.compiler.mach_o import MachO, linked_by_zig

pytestmark = linked_by_zig
SDK = (14, 0)


@pytest.fixture(scope="module")
def by_zig(tmp_path_factory):
    """The bridge, of several Objective-C sources, before anything is put right."""
    path = tmp_path_factory.mktemp("zig") / "bridge.dylib"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linking, "put_right", lambda library, _: library)
        link_bridge(path)
    return MachO(path)


@pytest.fixture(scope="module")
def right(by_zig, tmp_path_factory):
    path = tmp_path_factory.mktemp("right") / "bridge.dylib"
    path.write_bytes(put_right(by_zig.content, SDK))
    return MachO(path)


def test_it_was_not_right(by_zig):
    assert by_zig.sdk != SDK
    assert by_zig.names_dynamic_linker
    assert len(by_zig.image_infos) > 1
    assert by_zig.is_signed_ad_hoc


def test_it_is_right(by_zig, right):
    assert right.sdk == SDK
    assert not right.names_dynamic_linker
    assert right.image_infos == by_zig.image_infos[:1]
    assert right.is_signed_ad_hoc


def test_all_else_is_as_it_was(by_zig, right):
    assert len(right.content) == len(by_zig.content)
    assert right.least_system == by_zig.least_system
    assert (right.name, right.loaded, right.bound) == (by_zig.name, by_zig.loaded, by_zig.bound)
    first_code = 0x1000  # the header and the load commands end before it
    changed = {
        place for place in range(first_code, len(right.content)) if right.content[place] != by_zig.content[place]
    }
    assert len(changed) <= 32  # the hash of the first page


def test_a_page_that_was_changed_later_is_found(right, tmp_path):
    path = tmp_path / "changed.dylib"
    path.write_bytes(right.content.replace(b"lstm_packed", b"lstm_Packed", 1))
    assert not MachO(path).is_signed_ad_hoc


def test_a_library_that_was_put_right_is_not_taken_for_one_of_zigs(right):
    with pytest.raises(CompileError, match="0 load commands 0xe where there must be one"):
        put_right(right.content, SDK)


def test_sources_compiled_with_different_flags_are_an_error(by_zig):
    infos = b"".join(by_zig.image_infos)
    different = infos[:-4] + struct.pack("<I", 0)
    with pytest.raises(CompileError, match="different flags"):
        put_right(by_zig.content.replace(infos, different), SDK)


def test_half_a_library_is_an_error(by_zig):
    with pytest.raises(CompileError, match="ends too early"):
        put_right(by_zig.content[: len(by_zig.content) // 2], SDK)
