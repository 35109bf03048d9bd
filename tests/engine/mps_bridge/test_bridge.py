"""The bridge's sources are what Apple's declarations allow, and its library for Macs is one that a Mac can load."""

from __future__ import annotations

import subprocess

import pytest

from engine.compiler.linking import link_bridge
from engine.errors import CompileError
from engine.mps_bridge import bridge
from engine.mps_bridge.bridge import BRIDGE_NAME, FRAMEWORKS, SOURCES, bridge_arguments, header_folders
from tests.engine.compiler.mac_symbols import system_symbols, tvm_symbols
from tests.engine.compiler.mach_o import MachO
from tests.engine.mps_bridge.stand_in import compiler_flags

OBJECTS = ("_OBJC_CLASS_$_MPS", "_OBJC_CLASS_$_NS", "_OBJC_METACLASS_$_NS", "_objc_", "__objc_", "_MPSSupports")


def test_sources_fit_the_declarations():
    strict = ("-Wextra", "-Wno-unused-parameter", "-fsyntax-only")
    for source in SOURCES:
        subprocess.run(["clang", *compiler_flags(), *strict, str(source)], check=True)


def test_the_library_for_macs_loads_what_it_calls(tmp_path):
    path = tmp_path / BRIDGE_NAME
    link_bridge(path)
    library = MachO(path)
    assert library.is_arm64_library
    assert library.least_system == (13, 0)
    assert library.name == f"@rpath/{BRIDGE_NAME}"
    frameworks = {name.split("/")[-1] for name in library.loaded if name.startswith("/System/Library/Frameworks/")}
    assert frameworks == set(FRAMEWORKS)
    foreign = {name for name in library.undefined if not name.startswith(OBJECTS)}
    assert foreign <= system_symbols().union(*tvm_symbols().values())


def test_apples_own_headers_are_taken_on_a_mac(tmp_path):
    arguments = bridge_arguments(tmp_path / BRIDGE_NAME, stubs=False)
    assert not any("stubs" in argument for argument in arguments)
    assert [arguments[index + 1] for index, word in enumerate(arguments) if word == "-framework"] == list(FRAMEWORKS)


def test_without_tvm_there_are_no_headers(monkeypatch):
    monkeypatch.setattr(bridge, "find_spec", lambda _: None)
    with pytest.raises(CompileError, match="TVM is not installed"):
        header_folders(stubs=True)
