"""What is shipped for Macs: whole, current, small enough, and what the compiler makes today."""

import pytest

from engine.artifacts.freshness import Fresh, freshness
from engine.artifacts.manifest import (
    MANIFEST_NAME,
    Manifest,
    Variant,
    expected_identity,
    modules_folder,
    verify,
)
from engine.compiler.build import build
from engine.model_store.checkpoints import MODEL_NAMES, STARTER, model_config
from engine.stages import DEVICE_STAGES, stage_named
from engine.system.paths import shipped_modules_folder
from tests.engine.compiler.mac_symbols import provided_symbols
from tests.engine.compiler.mach_o import MachO

MACS = Variant("metal-macos")
VARIANTS = (MACS, Variant("metal-macos", lstm_method="mps"))
STAGES = [stage.name for stage in DEVICE_STAGES]
MOST_BYTES = 40_000_000
each = pytest.mark.parametrize(("model", "variant"), [(model, one) for model in MODEL_NAMES for one in VARIANTS])


def shipped(model, variant):
    """Made by “make compiled-models”, which is to be run after every change of the compiler."""
    return modules_folder(shipped_modules_folder(), model_config(model), variant)


@each
def test_all_stages_are_shipped_and_current(model, variant):
    folder = shipped(model, variant)
    manifest = Manifest.load(folder)
    assert freshness(folder, expected_identity(model_config(model), variant), STAGES) == Fresh(manifest)
    bridge = [] if manifest.bridge is None else [manifest.bridge.file]
    assert {path.name for path in folder.iterdir()} == {MANIFEST_NAME, *(f"{name}.dylib" for name in STAGES), *bridge}


@each
def test_libraries_are_for_macs_and_need_nothing_that_macs_lack(model, variant):
    provided = provided_symbols()
    for artifact in Manifest.load(shipped(model, variant)).artifacts:
        library = MachO(verify(shipped(model, variant), artifact))
        assert library.is_arm64_library
        assert library.undefined <= provided


def test_all_is_small_enough_to_come_with_the_program():
    assert sum(path.stat().st_size for path in shipped_modules_folder().rglob("*")) <= MOST_BYTES


def test_the_compiler_makes_what_is_shipped(tmp_path):
    cheap = [stage_named(name) for name in ("source", "istft", "text_encoder")]
    rebuilt = build(model_config(STARTER), cheap, MACS, tmp_path, lambda _: None)
    for artifact in rebuilt.artifacts:
        before = Manifest.load(shipped(STARTER, MACS)).artifact(artifact.stage)
        assert before is not None
        assert artifact.fingerprint == before.fingerprint
