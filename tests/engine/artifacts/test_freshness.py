import dataclasses
from dataclasses import replace

import pytest

from engine.artifacts import freshness as module
from engine.artifacts.freshness import Fresh, Missing, Stale, freshness
from engine.artifacts.manifest import Identity, Manifest
from tests.engine.example_libraries import IDENTITY, save_libraries


@pytest.fixture
def folder(tmp_path):
    return save_libraries(tmp_path)


def test_no_manifest_means_missing(tmp_path):
    assert freshness(tmp_path, IDENTITY, ["bert"]) == Missing()


def test_intact_libraries_of_the_same_identity_are_fresh(folder):
    assert freshness(folder, IDENTITY, ["bert", "decoder"]) == Fresh(Manifest.load(folder))


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Identity)])
def test_any_difference_in_identity_makes_libraries_stale(folder, field):
    assert freshness(folder, replace(IDENTITY, **{field: "other"}), ["bert"]) == Stale(module._WORDS[field])


def test_a_stage_without_library_is_stale(folder):
    assert freshness(folder, IDENTITY, ["bert", "istft"]) == Stale("the module of stage istft is not among them")


@pytest.mark.parametrize("damage", [b"", b"librarx", b"library "])
def test_a_damaged_library_is_stale(folder, damage):
    (folder / "decoder.so").write_bytes(damage)
    assert freshness(folder, IDENTITY, ["bert", "decoder"]) == Stale("decoder.so is damaged")


def test_a_deleted_library_is_stale(folder):
    (folder / "decoder.so").unlink()
    assert freshness(folder, IDENTITY, ["decoder"]) == Stale("decoder.so is damaged")
