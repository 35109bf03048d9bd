from dataclasses import replace

import pytest

from engine.artifacts.comparison import (
    Comparison,
    forget_failure,
    libraries_key,
    load_comparison,
    load_failure,
    save_failure,
)
from engine.artifacts.manifest import Bridge, Manifest
from tests.engine.example_libraries import IDENTITY, library

KEPT = Comparison("these", 1.0, 1.5)


def test_a_comparison_is_kept_for_the_libraries_it_was_made_with_only(tmp_path):
    assert load_comparison(tmp_path, "these") is None
    KEPT.save(tmp_path)
    assert load_comparison(tmp_path, "these") == KEPT
    assert load_comparison(tmp_path, "others") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", "\x00", '{"libraries": "these", "built_seconds": 0}'])
def test_a_damaged_comparison_is_none(tmp_path, text):
    (tmp_path / "comparison.json").write_text(text)
    assert load_comparison(tmp_path, "these") is None


@pytest.mark.parametrize("seconds", ["0", '"fast"', "null"])
def test_times_that_make_no_sense_are_no_comparison(tmp_path, seconds):
    values = f'{{"libraries": "these", "built_seconds": {seconds}, "shipped_seconds": 1}}'
    (tmp_path / "comparison.json").write_text(values)
    assert load_comparison(tmp_path, "these") is None


@pytest.mark.parametrize(("built", "faster"), [(0.9, True), (0.98, False), (1.0, False), (2.0, False)])
def test_a_gain_that_may_be_chance_is_none(built, faster):
    assert Comparison("these", built, 1.0).built_is_faster is faster


def test_the_key_follows_every_library_of_both_sets():
    plain = Manifest(IDENTITY, (library("bert"), library("decoder")))
    changed = plain.with_artifact(replace(library("bert"), sha256="other"))
    pairs = [(plain, plain), (changed, plain), (plain, changed), (changed, changed)]
    assert len({libraries_key(*pair) for pair in pairs}) == 4
    assert libraries_key(Manifest(IDENTITY, plain.artifacts[::-1]), plain) == libraries_key(plain, plain)
    bridged = {libraries_key(replace(plain, bridge=Bridge("b.dylib", digest, 1))) for digest in ("one", "other")}
    assert len({libraries_key(plain), *bridged}) == 3


def test_a_failure_is_kept_until_a_success(tmp_path):
    folder = tmp_path / "cpu"
    assert load_failure(folder) == ""
    save_failure(folder, "There is no C compiler.")
    assert load_failure(folder) == "There is no C compiler."
    forget_failure(folder)
    forget_failure(folder)
    assert load_failure(folder) == ""


def test_a_failure_that_cannot_be_kept_is_no_further_one(tmp_path):
    (tmp_path / "file").touch()
    save_failure(tmp_path / "file" / "cpu", "The disk is full.")
    assert load_failure(tmp_path / "file" / "cpu") == ""
