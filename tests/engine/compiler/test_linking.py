"""The output of Zig's linker is put right; its original output shows that the tests see the difference."""

import struct
from types import SimpleNamespace

import pytest

from engine.compiler import linking
from engine.compiler.artifacts.manifest import CPU, MIN_MAC_SYSTEM
from engine.compiler.linking import (
    LinuxLinker,
    find_linker,
    link_bridge,
    link_for_mac,
    linker_command,
    linker_for,
    run_linker,
    zig_command,
)
from engine.compiler.mac_library import put_right
from engine.errors import CompileError
from tests.engine.compiler.elf import c_library_versions, is_arm64_library, is_x86_64_library
from tests.engine.compiler.mach_o import MachO, linked_by_zig


def test_without_a_linker_the_package_to_install_is_named(monkeypatch):
    monkeypatch.setattr(linking.shutil, "which", lambda _: None)
    with pytest.raises(CompileError, match="apt-get install gcc"):
        find_linker()


def test_a_linker_that_fails_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(linking, "find_linker", lambda: "false")
    with pytest.raises(CompileError, match="Linking failed"):
        linker_for(CPU)(str(tmp_path / "stage.so"), [])


def test_zig_is_asked_for_a_target():
    assert zig_command("aarch64-macos.14.0", "Macs")[1:] == ["-m", "ziglang", "cc", "-target", "aarch64-macos.14.0"]


def test_a_missing_linker_is_named_in_the_error(monkeypatch):
    monkeypatch.setattr(linking, "find_spec", lambda _: None)
    with pytest.raises(CompileError, match="Zig, which links for Macs"):
        zig_command("aarch64-macos.14.0", "Macs")


def test_the_linker_message_appears_in_the_error(tmp_path):
    with pytest.raises(CompileError, match="Linking for a Mac failed: ls"):
        run_linker(["ls", str(tmp_path / "none.o")], "a Mac")
    with pytest.raises(CompileError, match="Linking for a Mac failed"):
        run_linker([str(tmp_path / "no program")], "a Mac")


def test_linux_libraries_target_arm_and_may_have_undefined_symbols(tmp_path):
    source, library = tmp_path / "one.c", tmp_path / "one.so"
    source.write_text("int two(void); int one(void) { return two() - 1; }")
    LinuxLinker("aarch64-linux-gnu")(str(library), [str(source)])
    assert is_arm64_library(library)


def test_libraries_for_linux_run_with_an_old_c_library(tmp_path):
    source, library = tmp_path / "one.c", tmp_path / "one.so"
    source.write_text("#include <math.h>\nint one(double x) { return pow(x, x) > 1; }")
    LinuxLinker("x86_64-linux-gnu")(str(library), [str(source)])
    assert is_x86_64_library(library)
    assert c_library_versions(library)
    assert max(c_library_versions(library)) <= (2, 17)


def test_the_linux_linker_message_appears_in_the_error(tmp_path):
    with pytest.raises(CompileError, match=r"Linking for Linux failed: .*none"):
        LinuxLinker("aarch64-linux-gnu")(str(tmp_path / "out.so"), [str(tmp_path / "none.o")])


def test_zig_links_where_there_is_no_mac(monkeypatch):
    monkeypatch.setattr(linking.sys, "platform", "linux")
    assert linker_command()[1:] == ["-m", "ziglang", "cc", "-target", "aarch64-macos.14.0"]


def test_the_systems_compiler_links_on_a_mac(monkeypatch):
    monkeypatch.setattr(linking.sys, "platform", "darwin")
    monkeypatch.setattr(linking.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert linker_command() == ["/usr/bin/clang", "-arch", "arm64", "-mmacosx-version-min=14.0"]


def test_nothing_of_where_a_library_was_linked_is_in_it(tmp_path):
    source = tmp_path / "one.c"
    source.write_text("int one(void) { return 1; }")
    libraries = [tmp_path / "one.dylib", tmp_path / "other folder" / "one.dylib"]
    libraries[1].parent.mkdir()
    for library in libraries:
        link_for_mac(str(library), [str(source)])
    assert libraries[0].read_bytes() == libraries[1].read_bytes()
    assert str(tmp_path).encode() not in libraries[0].read_bytes()


@linked_by_zig
def test_libraries_for_macs_are_as_apples_linker_writes_them(tmp_path):
    source, path = tmp_path / "one.c", tmp_path / "one.dylib"
    source.write_text("#include <math.h>\ndouble two(void); double one(double x) { return two() + cos(x); }")
    link_for_mac(str(path), [str(source)])
    library = MachO(path)
    assert library.min_system == library.sdk == tuple(map(int, MIN_MAC_SYSTEM.split(".")))
    assert not library.names_dynamic_linker
    assert library.is_signed_ad_hoc
    assert library.bound["_cos"] == "/usr/lib/libSystem.B.dylib"
    assert library.bound["_two"] == ""  # found when the library is loaded


def test_output_of_the_apple_linker_is_left_unchanged(tmp_path, monkeypatch):
    written = tmp_path / "one.dylib"
    monkeypatch.setattr(linking, "sys", SimpleNamespace(platform="darwin"))
    monkeypatch.setattr(linking.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(linking, "run_linker", lambda *_: written.write_bytes(b"by Apple"))
    link_for_mac(str(written), [])
    assert written.read_bytes() == b"by Apple"


def test_a_missing_linker_is_named(monkeypatch):
    monkeypatch.setattr(linking.sys, "platform", "darwin")
    monkeypatch.setattr(linking.shutil, "which", lambda _: None)
    with pytest.raises(CompileError, match="xcode-select"):
        linker_command()


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


@linked_by_zig
def test_it_was_not_right(by_zig):
    assert by_zig.sdk != SDK
    assert by_zig.names_dynamic_linker
    assert len(by_zig.image_infos) > 1
    assert by_zig.is_signed_ad_hoc


@linked_by_zig
def test_it_is_right(by_zig, right):
    assert right.sdk == SDK
    assert not right.names_dynamic_linker
    assert right.image_infos == by_zig.image_infos[:1]
    assert right.is_signed_ad_hoc


@linked_by_zig
def test_all_else_is_as_it_was(by_zig, right):
    assert len(right.content) == len(by_zig.content)
    assert right.min_system == by_zig.min_system
    assert (right.name, right.loaded, right.bound) == (by_zig.name, by_zig.loaded, by_zig.bound)
    first_code = 0x1000  # the header and the load commands end before it
    changed = {
        place for place in range(first_code, len(right.content)) if right.content[place] != by_zig.content[place]
    }
    assert len(changed) <= 32  # the hash of the first page


@linked_by_zig
def test_a_page_that_was_changed_later_is_found(right, tmp_path):
    path = tmp_path / "changed.dylib"
    path.write_bytes(right.content.replace(b"lstm_packed", b"lstm_Packed", 1))
    assert not MachO(path).is_signed_ad_hoc


@linked_by_zig
def test_a_corrected_library_is_not_mistaken_for_zig_output(right):
    with pytest.raises(CompileError, match="0 load commands 0xe where there must be one"):
        put_right(right.content, SDK)


@linked_by_zig
def test_sources_compiled_with_different_flags_are_an_error(by_zig):
    infos = b"".join(by_zig.image_infos)
    different = infos[:-4] + struct.pack("<I", 0)
    with pytest.raises(CompileError, match="different flags"):
        put_right(by_zig.content.replace(infos, different), SDK)


@linked_by_zig
def test_half_a_library_is_an_error(by_zig):
    with pytest.raises(CompileError, match="ends too early"):
        put_right(by_zig.content[: len(by_zig.content) // 2], SDK)
