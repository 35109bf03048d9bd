import pytest

from engine.compiler import mac_linker
from engine.compiler.mac_linker import link_for_mac, linker_command
from engine.errors import CompileError


def test_zig_links_where_there_is_no_mac(monkeypatch):
    monkeypatch.setattr(mac_linker.sys, "platform", "linux")
    assert linker_command()[1:] == ["-m", "ziglang", "cc", "-target", "aarch64-macos.13.0"]


def test_the_systems_compiler_links_on_a_mac(monkeypatch):
    monkeypatch.setattr(mac_linker.sys, "platform", "darwin")
    monkeypatch.setattr(mac_linker.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert linker_command() == ["/usr/bin/clang", "-arch", "arm64", "-mmacosx-version-min=13.0"]


def test_nothing_of_where_a_library_was_linked_is_in_it(tmp_path):
    source = tmp_path / "one.c"
    source.write_text("int one(void) { return 1; }")
    libraries = [tmp_path / "one.dylib", tmp_path / "another folder" / "one.dylib"]
    libraries[1].parent.mkdir()
    for library in libraries:
        link_for_mac(str(library), [str(source)])
    assert libraries[0].read_bytes() == libraries[1].read_bytes()
    assert str(tmp_path).encode() not in libraries[0].read_bytes()


def test_a_missing_linker_is_named(monkeypatch):
    monkeypatch.setattr(mac_linker.sys, "platform", "darwin")
    monkeypatch.setattr(mac_linker.shutil, "which", lambda _: None)
    with pytest.raises(CompileError, match="xcode-select"):
        linker_command()
