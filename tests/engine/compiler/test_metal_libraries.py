"""Kernels compiled ahead by a stand-in for Apple's compiler, which wraps their source."""

import stat
from pathlib import Path

import pytest
import tvm_ffi

from engine.artifacts.manifest import Variant
from engine.compiler.build import build
from engine.compiler.metal_libraries import CALLBACK, kernels_compiled_ahead
from engine.errors import CompileError
from engine.stages import stage_named
from tests.engine.tiny_model import TINY

MARK = b"MTLB of a stand-in"
STAND_IN = """#!/bin/sh
echo "$@" >> "{log}"
test "$1 $2 $3" = "-sdk macosx metal" || exit 2
for last; do :; done
grep -q "kernel void" "$7" || exit 3
printf "{mark}" > "$last"
"""
REFUSES = """#!/bin/sh
echo "kernel.metal:7: error: unknown type name 'flot'" >&2
exit 1
"""


@pytest.fixture
def xcrun(monkeypatch, tmp_path):
    """Makes this text the program `xcrun`; returns the file that it may write to."""

    def make(text):
        program = tmp_path / "bin" / "xcrun"
        program.parent.mkdir()
        program.write_text(text.format(log=tmp_path / "log", mark=MARK.decode()))
        program.chmod(program.stat().st_mode | stat.S_IEXEC)
        monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
        return tmp_path / "log"

    return make


def built(folder: Path):
    (artifact,) = build(TINY, [stage_named("source")], Variant("metal-macos"), folder, lambda _: None).artifacts
    return artifact, (folder / artifact.file).read_bytes()


def test_compiled_kernels_take_the_place_of_their_sources(xcrun, tmp_path):
    log = xcrun(STAND_IN)
    with kernels_compiled_ahead():
        artifact, library = built(tmp_path / "ahead")
    assert library.count(MARK) == len(artifact.kernels) == 3
    assert b"kernel void" not in library
    commands = log.read_text().splitlines()
    assert len(commands) == 3
    assert all("-std=macos-metal2.3 -ffast-math -mmacosx-version-min=14.0" in command for command in commands)
    usual, library = built(tmp_path / "usual")
    assert library.count(b"kernel void") == 3
    assert artifact.fingerprint == usual.fingerprint  # they are made of the same sources
    assert artifact.kernels == usual.kernels


def test_nothing_stays_behind(xcrun):
    xcrun(STAND_IN)
    with kernels_compiled_ahead():
        assert tvm_ffi.get_global_func(CALLBACK, allow_missing=True) is not None
    assert tvm_ffi.get_global_func(CALLBACK, allow_missing=True) is None


def test_what_apples_compiler_says_is_told(xcrun, tmp_path):
    xcrun(REFUSES)
    with kernels_compiled_ahead(), pytest.raises(CompileError, match=r"refuses a kernel: .*unknown type name 'flot'"):
        built(tmp_path)


def test_without_apples_compiler_nothing_is_built(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CompileError, match="Install Xcode"), kernels_compiled_ahead():
        pytest.fail("it went on")
