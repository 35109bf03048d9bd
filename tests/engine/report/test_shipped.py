"""Tests of compiling kernels with Metal, with a stand-in that receives Objective-C's messages."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from safetensors import _safetensors_rust

from engine.compiler.artifacts.embedded_modules import metal_libraries
from engine.errors import EngineError
from engine.report import shipped as shipped_modules
from engine.report.shipped import Metal, all_compiled, libraries_here, loaded
from engine.system.mac import ObjectiveC
from engine.system.paths import shipped_modules_folder

DEVICE, ERROR = 7, 13
ANSWERS = {"maxTotalThreadsPerThreadgroup": 1024, "threadExecutionWidth": 32, "staticThreadgroupMemoryLength": 8192}
ANSWERS |= {"maxThreadgroupMemoryLength": 32768, "recommendedMaxWorkingSetSize": 2**34}


class Runtime(ObjectiveC):
    """Objects are numbers; `refuse` names messages that return none and leave an error."""

    def __init__(self, refuse: str = "", errors: bool = True) -> None:
        self.refuse, self.errors = refuse, errors
        self.texts: dict[int, str] = {ERROR: "program_source:3: error: unknown type name 'flot'"}
        self.alive: list[int] = []
        self._next = 100

    def class_named(self, name: str) -> int:
        return 1

    def text(self, words: str) -> int:
        self._next += 1
        self.texts[self._next] = words
        return self._next

    def words(self, text: int) -> str:
        return self.texts.get(text, "")

    def send(self, receiver: int, message: str, *arguments: Any, result: Any = None) -> Any:
        if message == "name":
            return self.text("Apple M9")
        if message == "supportsFamily:":
            return arguments[0].value <= 1007
        if message in ANSWERS:
            return ANSWERS[message]
        if message == "localizedDescription":
            return receiver
        if message in ("release", "drain"):
            self.alive.remove(receiver)
        elif message == self.refuse:
            if message.endswith("error:") and self.errors:
                ctypes.c_void_p.from_address(arguments[-1]).value = ERROR
            return 0
        elif message.startswith(("new", "init")):
            self._next += 1
            self.alive.append(self._next)
            return self._next
        return receiver


@pytest.fixture
def libraries() -> Iterator[Path]:
    return islice(metal_libraries(shipped_modules_folder()), 2)


def test_the_device_reports_its_capabilities() -> None:
    described = Metal(Runtime(), DEVICE).described()
    assert described["device"] == "Apple M9"
    assert described["families"] == ["Apple5", "Apple6", "Apple7"]
    assert (described["threadgroup_bytes"], described["working_set_bytes"]) == (32768, 2**34)


def test_a_kernel_is_compiled_and_described(libraries: Iterator[Path]) -> None:
    runtime = Runtime()
    found = list(all_compiled(libraries, Metal(runtime, DEVICE).compiled))
    assert len(found) == len({(one["kernel"], one["source"]) for one in found}) > 5
    for one in found:
        assert (one["most_threads"], one["simd_width"], one["threadgroup_bytes"]) == (1024, 32, 8192)
        assert one["library_milliseconds"] >= 0
        assert one["pipeline_milliseconds"] >= 0
        assert "problem" not in one
    assert runtime.alive == []


@pytest.mark.parametrize(
    ("refuse", "errors", "why"),
    [
        ("newLibraryWithSource:options:error:", True, "unknown type name 'flot'"),
        ("newComputePipelineStateWithFunction:error:", True, "unknown type name 'flot'"),
        ("newComputePipelineStateWithFunction:error:", False, "no reason"),
        ("newFunctionWithName:", True, "no such function"),
    ],
)
def test_metal_errors_are_quoted_and_the_next_kernel_still_compiles(
    refuse: str, errors: bool, why: str, libraries: Iterator[Path]
) -> None:
    found = list(all_compiled(libraries, Metal(Runtime(refuse, errors), DEVICE).compiled))
    assert len(found) > 5
    for one in found:
        assert one["problem"].startswith(f"{one['kernel']}: ")
        assert why in one["problem"]


LOADABLE = _safetensors_rust.__file__


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with one library that this system can load, replacing a shipped one."""
    copy = tmp_path / libraries_here()[0].relative_to(shipped_modules_folder())
    copy.parent.mkdir()
    shutil.copy(LOADABLE, copy)
    monkeypatch.setattr(shipped_modules, "shipped_modules_folder", lambda: tmp_path)
    return copy


def test_a_library_that_can_be_loaded_is_no_problem(shipped: Path) -> None:
    (finding,) = loaded()
    assert (finding["library"], finding["problem"]) == (f"{shipped.parent.name}/{shipped.name}", "")


def test_the_loader_error_of_a_damaged_library_is_reported(shipped: Path) -> None:
    whole = shipped.with_name(f"whole{shipped.suffix}")
    shutil.copy(shipped, whole)
    shipped.write_bytes(b"no library at all")
    damaged, intact = loaded()
    assert damaged["problem"]
    assert intact["problem"] == ""


def test_missing_libraries_are_reported(shipped: Path) -> None:
    shipped.unlink()
    with pytest.raises(EngineError, match="are missing"):
        libraries_here()


@pytest.mark.parametrize("quarantined", [True, False])
def test_quarantined_libraries_are_reported_with_the_xattr_command(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, quarantined: bool
) -> None:
    monkeypatch.setattr(shipped_modules, "is_quarantined", lambda path: quarantined)
    (finding,) = shipped_modules.quarantine()
    assert ("xattr" in finding["problem"]) == quarantined


@pytest.mark.parametrize(("script", "problem"), [("exit 0", ""), ("echo invalid signature >&2; exit 1", "invalid")])
def test_the_macos_verdict_on_a_signature_is_reported(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, problem: str
) -> None:
    tool = tmp_path / "codesign"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    monkeypatch.setattr(shipped_modules, "_CODESIGN", str(tool))
    (finding,) = shipped_modules.signatures()
    assert finding["problem"].startswith(problem)
    assert bool(finding["problem"]) == bool(problem)
