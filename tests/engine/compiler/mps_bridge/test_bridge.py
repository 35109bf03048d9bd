"""Tests that Apple's declarations allow the bridge's sources, and that a Mac can load its library for Macs."""

import subprocess

import pytest

from engine.compiler.linking import link_bridge
from engine.compiler.mps_bridge import bridge
from engine.compiler.mps_bridge.bridge import BRIDGE_NAME, FRAMEWORKS, SOURCES, bridge_arguments, header_folders
from engine.errors import CompileError
from tests.engine.compiler.mac_symbols import system_symbols, tvm_symbols
from tests.engine.compiler.mach_o import MachO, linked_by_zig
from tests.engine.compiler.mps_bridge.stand_in import compiler_flags

OBJECTIVE_C = "/usr/lib/libobjc.A.dylib"
CORE, SHADERS = (
    f"/System/Library/Frameworks/{name}.framework/Versions/A/{name}"
    for name in ("CoreFoundation", "MetalPerformanceShaders")
)


def test_sources_fit_the_declarations():
    strict = ("-Wextra", "-Wno-unused-parameter", "-fsyntax-only")
    for source in SOURCES:
        subprocess.run(["clang", *compiler_flags(), *strict, str(source)], check=True)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("bridge") / BRIDGE_NAME
    link_bridge(path)
    return MachO(path)


def test_the_library_for_macs_loads_its_dependencies(library):
    assert library.is_arm64_library
    assert library.min_system == (14, 0)
    assert library.name == f"@rpath/{BRIDGE_NAME}"
    frameworks = {name.split("/")[-1] for name in library.loaded if name.startswith("/System/Library/Frameworks/")}
    assert frameworks == set(FRAMEWORKS)
    assert OBJECTIVE_C in library.loaded


@linked_by_zig
def test_only_tvm_symbols_are_looked_up_in_all_libraries(library):
    """An Apple symbol that fails here is missing from the list in `engine/compiler/mps_bridge/stubs`."""
    assert {name for name, where in library.bound.items() if not where} <= set().union(*tvm_symbols().values())
    from_the_system = {name for name, where in library.bound.items() if where.startswith("/usr/lib/libSystem")}
    assert from_the_system <= system_symbols()


@linked_by_zig
def test_objects_are_looked_up_where_apple_has_them(library):
    assert library.bound["_objc_msgSend"] == library.bound["_OBJC_CLASS_$_NSObject"] == OBJECTIVE_C
    assert library.bound["_OBJC_CLASS_$_NSMutableArray"] == CORE
    assert library.bound["_OBJC_CLASS_$_MPSMatrix"] == library.bound["_MPSSupportsMTLDevice"] == SHADERS


@linked_by_zig
def test_it_is_as_apples_linker_writes_it(library):
    assert library.sdk == (14, 0)
    assert len(library.image_infos) == 1
    assert not library.names_dynamic_linker
    assert library.is_signed_ad_hoc


def test_apples_own_headers_are_taken_on_a_mac(tmp_path):
    arguments = bridge_arguments(tmp_path / BRIDGE_NAME, stubs=False)
    assert not any("stubs" in argument for argument in arguments)
    assert [arguments[index + 1] for index, word in enumerate(arguments) if word == "-framework"] == list(FRAMEWORKS)


def test_without_tvm_there_are_no_headers(monkeypatch):
    monkeypatch.setattr(bridge, "find_spec", lambda _: None)
    with pytest.raises(CompileError, match="TVM"):
        header_folders(stubs=True)
