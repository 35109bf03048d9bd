"""Speech with each kind of edit is what it was: bit for bit with the same modules, and in its features with any."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from engine.compiler.artifacts.manifest import Manifest
from engine.models.checkpoints import open_checkpoint
from engine.system.paths import shipped_modules_folder
from engine.validator.data.run_context import Build
from tests.engine.runtime.golden_edits import FILE, KINDS, Spoken, build_here, speak

GOLDEN: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
BUILD = Build(**GOLDEN["build"])


@pytest.fixture(scope="module")
def spoken() -> dict[str, Spoken]:
    return dict(speak())


@pytest.mark.parametrize("kind", KINDS)
def test_the_samples_are_the_same_with_the_same_modules(spoken, kind):
    if build_here() != BUILD:
        pytest.skip(f"The hashes are of modules for {BUILD.processor}.")
    assert spoken[kind].sha256 == GOLDEN["spoken"][kind]["sha256"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_features_are_the_same_with_any_modules(spoken, kind):
    now, then = spoken[kind], GOLDEN["spoken"][kind]
    assert np.abs(np.subtract(now.frames, then["frames"])).max() <= 1
    assert now.seconds == pytest.approx(then["seconds"], abs=0.06)
    assert now.pitch_hz == pytest.approx(then["pitch_hz"], rel=0.01)
    np.testing.assert_allclose(now.bands_db, then["bands_db"], atol=1.0)


def test_every_kind_of_edit_changes_the_samples(spoken):
    assert len({each.sha256 for each in spoken.values()}) == len(KINDS)


def test_the_file_belongs_to_the_shipped_modules():
    (folder,) = shipped_modules_folder().glob(f"{open_checkpoint().config.fingerprint()}-cpu-x86_64-linux-gnu")
    shipped = Build.of(Manifest.load(folder).identity)
    assert BUILD.compiler_source_hash == shipped.compiler_source_hash, "make golden"
    assert BUILD.tvm_version == shipped.tvm_version, "make golden"
