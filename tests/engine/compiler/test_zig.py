import pytest

from engine.compiler import zig
from engine.compiler.zig import run_linker, zig_command
from engine.errors import CompileError


def test_zig_is_asked_for_a_target():
    assert zig_command("aarch64-macos.13.0", "Macs")[1:] == ["-m", "ziglang", "cc", "-target", "aarch64-macos.13.0"]


def test_where_it_is_missing_the_error_says_so(monkeypatch):
    monkeypatch.setattr(zig, "find_spec", lambda _: None)
    with pytest.raises(CompileError, match="Zig, which links for Macs, is not installed"):
        zig_command("aarch64-macos.13.0", "Macs")


def test_what_the_linker_says_reaches_the_error(tmp_path):
    with pytest.raises(CompileError, match="Linking for a Mac failed: ls"):
        run_linker(["ls", str(tmp_path / "none.o")], "a Mac")
    with pytest.raises(CompileError, match="Linking for a Mac failed"):
        run_linker([str(tmp_path / "no program")], "a Mac")
