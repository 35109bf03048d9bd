"""Tests that shipped modules are complete, current, small enough, what the compiler builds today, and exact."""

import platform
import subprocess
import sys
from dataclasses import replace
from functools import cache

import pytest

from engine.compiler.artifacts.manifest import (
    MANIFEST_NAME,
    Fresh,
    Manifest,
    Variant,
    expected_identity,
    freshness,
    library_suffix,
    modules_folder,
    verify,
)
from engine.compiler.artifacts.processor_families import ARM, FAMILIES, runs_here
from engine.compiler.build import build
from engine.compiler.mps_bridge.bridge import BRIDGE_NAME
from engine.models.checkpoints import FULL_SIZE, MODEL_NAMES, STARTER, model_config, open_checkpoint
from engine.stages import DEVICE_STAGES, stage_named
from engine.system.paths import project_folder, shipped_modules_folder
from engine.validator.data.results import Verdict
from engine.validator.runs import built_modules
from engine.validator.runs.built_modules import compare_built
from tests.engine.compiler.elf import c_library_versions, is_arm64_library, is_x86_64_library
from tests.engine.compiler.mac_symbols import provided_symbols, tvm_symbols
from tests.engine.compiler.mach_o import MachO

MACS = Variant("metal-macos")
GPUS = (MACS, Variant("metal-macos", lstm_method="mps"))
PROCESSORS = tuple(Variant("cpu", family=name) for name in FAMILIES)
STAGES = [stage.name for stage in DEVICE_STAGES]
MAX_BYTES = 40_000_000
FAMILIES_HERE = [name for name in FAMILIES if runs_here(name)]
"""The families whose modules run on this machine."""
NEWEST_C_LIBRARY = (2, 17)
MIN_MAC_SYSTEM = (14, 0)
LOAD = """
import ctypes, os, sys
from engine.runtime.runners.tvm_runtime import Runtime
Runtime("cpu")
for path in sys.argv[1:]:
    ctypes.CDLL(path, os.RTLD_NOW)
"""


def each(*variants):
    return pytest.mark.parametrize(("model", "variant"), [(model, one) for model in MODEL_NAMES for one in variants])


def on_linux(variants):
    return [variant for variant in variants if library_suffix(variant) == ".so"]


def on_macs(variants):
    return [variant for variant in variants if library_suffix(variant) == ".dylib"]


def shipped(model, variant):
    """Return the folder that “make compiled-models” writes; run it after every change of the compiler."""
    return modules_folder(shipped_modules_folder(), model_config(model), variant)


def libraries_in(folder):
    return [path for path in sorted(folder.iterdir()) if path.name != MANIFEST_NAME]


@each(*GPUS, *PROCESSORS)
def test_all_stages_are_shipped_and_current(model, variant):
    folder = shipped(model, variant)
    manifest = Manifest.load(folder)
    assert freshness(folder, expected_identity(model_config(model), variant), STAGES) == Fresh(manifest)
    bridge = [] if manifest.bridge is None else [manifest.bridge.file]
    libraries = (f"{name}{library_suffix(variant)}" for name in STAGES)
    assert {path.name for path in folder.iterdir()} == {MANIFEST_NAME, *libraries, *bridge}


@each(*on_macs([*GPUS, *PROCESSORS]))
def test_libraries_are_for_macs_and_need_nothing_that_macs_lack(model, variant):
    provided = provided_symbols()
    for artifact in Manifest.load(shipped(model, variant)).artifacts:
        library = MachO(verify(shipped(model, variant), artifact))
        assert library.is_arm64_library
        assert library.undefined <= provided


@each(*on_macs([*GPUS, *PROCESSORS]))
def test_macos_14_can_load_the_libraries(model, variant):
    by_tvm = set().union(*tvm_symbols().values())
    for path in libraries_in(shipped(model, variant)):
        library = MachO(path)
        assert library.min_system == library.sdk == MIN_MAC_SYSTEM
        assert not library.names_dynamic_linker
        assert len(library.image_infos) == (path.name == BRIDGE_NAME)
        assert library.is_signed_ad_hoc
        assert {name for name, where in library.bound.items() if not where} <= by_tvm


@each(*on_linux(PROCESSORS))
def test_linux_libraries_match_their_cpu_and_support_an_old_c_library(model, variant):
    is_library = is_arm64_library if variant.family == ARM.name else is_x86_64_library
    for artifact in Manifest.load(shipped(model, variant)).artifacts:
        library = verify(shipped(model, variant), artifact)
        assert is_library(library)
        assert all(version <= NEWEST_C_LIBRARY for version in c_library_versions(library))


def test_every_library_for_this_system_can_be_loaded():
    """With TVM's own libraries, and every symbol resolved immediately."""
    names = ["*/*.dylib"] if platform.system() == "Darwin" else [f"*-{family}/*.so" for family in FAMILIES_HERE]
    paths = sorted(path for name in names for path in shipped_modules_folder().glob(name))
    assert paths
    subprocess.run([sys.executable, "-c", LOAD, *map(str, paths)], cwd=project_folder(), check=True)


@pytest.fixture(scope="module", params=[(STARTER, None), (FULL_SIZE, "random:0")], ids=[STARTER, FULL_SIZE])
def checkpoint(request):
    checkpoint = open_checkpoint(*request.param)
    return replace(checkpoint, load_weights=cache(checkpoint.load_weights))


@pytest.mark.parametrize("family", FAMILIES_HERE)
def test_shipped_modules_compute_the_same_as_pytorch(checkpoint, family, tmp_path, monkeypatch):
    (tmp_path / "text.txt").write_text("Hi.")
    monkeypatch.setattr(built_modules, "sample_text_path", lambda: tmp_path / "text.txt")
    variant = Variant("cpu", family=family)
    rows = compare_built(checkpoint, shipped(checkpoint.name, variant), STAGES, variant, lambda _: None)
    assert {row.stage for row in rows} == set(STAGES)
    assert {row.verdict for row in rows} == {Verdict.PASS}


def test_all_is_small_enough_to_come_with_the_program():
    assert sum(path.stat().st_size for path in shipped_modules_folder().rglob("*")) <= MAX_BYTES


@pytest.mark.parametrize("variant", [MACS, *PROCESSORS], ids=lambda variant: variant.name)
def test_the_compiler_reproduces_the_shipped_modules(variant, tmp_path):
    cheap = [stage_named(name) for name in ("source", "istft", "text_encoder")]
    rebuilt = build(model_config(STARTER), cheap, variant, tmp_path, lambda _: None)
    for artifact in rebuilt.artifacts:
        before = Manifest.load(shipped(STARTER, variant)).artifact(artifact.stage)
        assert before is not None
        assert artifact.fingerprint == before.fingerprint
