from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.artifacts.freshness import Fresh, Freshness, Missing, Stale
from engine.artifacts.manifest import CPU, Manifest, Variant, expected_identity
from engine.artifacts.processor_families import ARM, X86_64, X86_64_V4, ProcessorFamily
from engine.model_store.checkpoints import model_config
from engine.preparation import module_choice
from engine.preparation.module_choice import find_modules
from tests.engine.example_libraries import IDENTITY, library

CONFIG = model_config("starter")
FRESH = Fresh(Manifest(IDENTITY, (library("bert"),)))
STALE = Stale("they are of another TVM version")
HIDDEN = "this processor lacks avx512f"
SHIPPED, BUILT = "shipped", "built"
FOLDERS = {name: f"{CONFIG.fingerprint()}-cpu{name and '-'}{name}" for name in ("", X86_64.name, X86_64_V4.name)}
"""By family; of the one without any, for this machine alone."""


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(module_choice, "shipped_modules_folder", lambda: tmp_path / SHIPPED)
    monkeypatch.setattr(module_choice, "built_modules_folder", lambda: tmp_path / BUILT)
    here(monkeypatch, {X86_64_V4: "", X86_64: ""})
    return tmp_path


def here(monkeypatch: pytest.MonkeyPatch, families: Mapping[ProcessorFamily, str]) -> None:
    monkeypatch.setattr(module_choice, "families_here", lambda: families)


def there(monkeypatch: pytest.MonkeyPatch, fast: Freshness, common: Freshness, built: Freshness) -> None:
    """Modules shipped for the families with and without AVX-512, and those built here."""
    states = {FOLDERS[X86_64_V4.name]: fast, FOLDERS[X86_64.name]: common, FOLDERS[""]: built}
    monkeypatch.setattr(module_choice, "freshness", lambda folder, *_: states[folder.name])


@pytest.mark.parametrize(
    ("fast", "common", "built", "place", "family"),
    [
        (FRESH, FRESH, Missing(), SHIPPED, X86_64_V4.name),
        (FRESH, FRESH, STALE, SHIPPED, X86_64_V4.name),
        (STALE, FRESH, Missing(), SHIPPED, X86_64.name),
        (Missing(), FRESH, Missing(), SHIPPED, X86_64.name),
        (FRESH, FRESH, FRESH, BUILT, ""),
        (STALE, STALE, FRESH, BUILT, ""),
    ],
)
def test_those_built_here_speak_else_the_fastest_that_can_be_used(
    places: Path,
    monkeypatch: pytest.MonkeyPatch,
    fast: Freshness,
    common: Freshness,
    built: Freshness,
    place: str,
    family: str,
) -> None:
    there(monkeypatch, fast, common, built)
    found = find_modules(CONFIG, CPU)
    assert found.folder == places / place / FOLDERS[family]
    assert not found.problem


def test_why_better_ones_are_not_used_is_told(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there(monkeypatch, STALE, FRESH, Stale("decoder.so is damaged"))
    why = find_modules(CONFIG, CPU).why
    assert X86_64.title in why
    assert f"{X86_64_V4.title} cannot be used: {STALE.why}" in why
    assert "decoder.so is damaged" in why


def test_a_processor_that_hides_what_it_can_do_gets_what_it_shows(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there(monkeypatch, FRESH, FRESH, Missing())
    here(monkeypatch, {X86_64_V4: HIDDEN, X86_64: ""})
    found = find_modules(CONFIG, CPU)
    assert found.folder == places / SHIPPED / FOLDERS[X86_64.name]
    assert HIDDEN in found.why


def test_without_any_that_can_be_used_every_reason_is_named(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there(monkeypatch, FRESH, STALE, Missing())
    here(monkeypatch, {X86_64_V4: HIDDEN, X86_64: ""})
    found = find_modules(CONFIG, CPU)
    assert found.folder is None
    assert HIDDEN in found.problem
    assert STALE.why in found.problem
    assert HIDDEN in found.shipped_problem


def test_a_system_that_none_are_shipped_for_is_named(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there(monkeypatch, FRESH, FRESH, Missing())
    here(monkeypatch, {})
    monkeypatch.setattr(module_choice.platform, "machine", lambda: "riscv64")
    assert "riscv64" in find_modules(CONFIG, CPU).shipped_problem


def test_modules_that_none_are_shipped_of_are_built_here(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    probed = Variant("cpu", probed=True)
    states: dict[str, Freshness] = {BUILT: FRESH, SHIPPED: Missing()}
    monkeypatch.setattr(module_choice, "freshness", lambda folder, *_: states[folder.parent.name])
    assert find_modules(CONFIG, probed).folder == places / BUILT / f"{CONFIG.fingerprint()}-cpu-probed"
    states[BUILT] = Stale("decoder.so is damaged")
    assert find_modules(CONFIG, probed).problem == "decoder.so is damaged"
    assert not find_modules(CONFIG, probed).shipped_problem


def test_each_place_is_asked_for_the_identity_of_its_own_modules(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, object] = {}

    def freshness(folder: Path, expected: object, stages: object) -> Freshness:
        asked[folder.parent.name] = expected
        return Missing()

    monkeypatch.setattr(module_choice, "freshness", freshness)
    here(monkeypatch, {ARM: ""})
    find_modules(CONFIG, CPU)
    assert asked == {
        SHIPPED: expected_identity(CONFIG, Variant("cpu", family=ARM.name)),
        BUILT: expected_identity(CONFIG, CPU),
    }
