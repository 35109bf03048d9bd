from pathlib import Path

import pytest

from engine.artifacts.comparison import Comparison, save_failure
from engine.artifacts.freshness import Fresh, Freshness, Missing, Stale
from engine.artifacts.manifest import CPU, Identity, Manifest, Variant
from engine.artifacts.processor_families import ARM, X86_64, FamilyChoice
from engine.model_store.checkpoints import model_config
from engine.preparation import module_choice
from engine.preparation.module_choice import find_modules, module_sets
from tests.engine.example_libraries import IDENTITY, library

CONFIG = model_config("starter")
FRESH = Fresh(Manifest(IDENTITY, (library("bert"),)))
STALE = Stale("they are of another TVM version")
SHIPPED, BUILT = "shipped", "built"


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(module_choice, "shipped_modules_folder", lambda: tmp_path / SHIPPED)
    monkeypatch.setattr(module_choice, "built_modules_folder", lambda: tmp_path / BUILT)
    monkeypatch.setattr(module_choice, "family_here", lambda: FamilyChoice(X86_64))
    return tmp_path


def there(monkeypatch: pytest.MonkeyPatch, shipped: Freshness, built: Freshness) -> None:
    states = {SHIPPED: shipped, BUILT: built}
    monkeypatch.setattr(module_choice, "freshness", lambda folder, *_: states[folder.parent.name])


def keep_comparison(places: Path, built_seconds: float) -> None:
    sets = module_sets(CONFIG, CPU)
    sets.built.folder.mkdir(parents=True)
    Comparison(sets.libraries, built_seconds, 1.0).save(sets.built.folder)


@pytest.mark.parametrize(
    ("built", "words"),
    [
        (Missing(), "none are built here yet"),
        (STALE, "those built for this machine cannot be used: they are of another TVM version"),
        (FRESH, "those built for this machine have not been compared with them"),
    ],
)
def test_shipped_modules_speak_until_others_are_known_to_be_faster(
    places: Path, monkeypatch: pytest.MonkeyPatch, built: Freshness, words: str
) -> None:
    there(monkeypatch, FRESH, built)
    found = find_modules(CONFIG, CPU)
    assert found.folder == places / SHIPPED / f"{CONFIG.fingerprint()}-cpu-x86_64-linux-gnu"
    assert found.why == f"shipped for x86-64-v3 processors; {words}"


@pytest.mark.parametrize(
    ("built_seconds", "place", "words"),
    [
        (0.5, BUILT, "built for this machine, 2.00 times as fast as those shipped"),
        (0.99, SHIPPED, "shipped for x86-64-v3 processors; those built for this machine are 1.01 times as fast"),
        (2.0, SHIPPED, "shipped for x86-64-v3 processors; those built for this machine are 0.50 times as fast"),
    ],
)
def test_the_faster_ones_speak(
    places: Path, monkeypatch: pytest.MonkeyPatch, built_seconds: float, place: str, words: str
) -> None:
    there(monkeypatch, FRESH, FRESH)
    keep_comparison(places, built_seconds)
    found = find_modules(CONFIG, CPU)
    assert found.folder is not None
    assert found.folder.parent == places / place
    assert found.why == words


@pytest.mark.parametrize("changed", [SHIPPED, BUILT])
def test_a_comparison_with_modules_that_have_been_replaced_does_not_count(
    places: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    there(monkeypatch, FRESH, FRESH)
    keep_comparison(places, 0.5)
    other = Fresh(Manifest(IDENTITY, (library("decoder"),)))
    there(monkeypatch, other if changed == SHIPPED else FRESH, other if changed == BUILT else FRESH)
    assert module_sets(CONFIG, CPU).comparison is None
    found = find_modules(CONFIG, CPU)
    assert found.folder is not None
    assert found.folder.parent == places / SHIPPED


def test_why_building_failed_is_told(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there(monkeypatch, FRESH, Missing())
    save_failure(module_sets(CONFIG, CPU).built.folder, "There is no C compiler.")
    assert find_modules(CONFIG, CPU).why.endswith("building some for this machine failed: There is no C compiler.")


@pytest.mark.parametrize("obstacle", ["", "they are for x86-64-v3 processors, and this one lacks avx2"])
def test_where_shipped_modules_cannot_be_used_those_built_here_are_and_the_reason_is_named(
    places: Path, monkeypatch: pytest.MonkeyPatch, obstacle: str
) -> None:
    if obstacle:
        monkeypatch.setattr(module_choice, "family_here", lambda: FamilyChoice(None, obstacle))
    there(monkeypatch, STALE, FRESH)
    reason = f"those shipped cannot be used: {obstacle or STALE.why}"
    assert find_modules(CONFIG, CPU).why == f"built for this machine; {reason}"
    there(monkeypatch, STALE, Missing())
    missing = find_modules(CONFIG, CPU)
    assert missing.folder is None
    assert missing.problem == f"they are not built yet; {reason}"
    assert missing.shipped_problem == (obstacle or STALE.why)


def test_modules_that_none_are_shipped_of_are_built_here(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there(monkeypatch, Missing(), FRESH)
    found = find_modules(CONFIG, Variant("cpu", probed=True))
    assert found == module_choice.FoundModules(places / BUILT / f"{CONFIG.fingerprint()}-cpu-probed", why=found.why)
    assert found.why == "built for this machine"
    there(monkeypatch, Missing(), Stale("decoder.so is damaged"))
    assert find_modules(CONFIG, CPU).problem == "decoder.so is damaged"


def test_each_place_is_asked_for_the_identity_of_its_own_modules(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, str] = {}

    def freshness(folder: Path, expected: Identity, stages: object) -> Freshness:
        asked[folder.parent.name] = expected.target
        return Missing()

    monkeypatch.setattr(module_choice, "freshness", freshness)
    monkeypatch.setattr(module_choice, "family_here", lambda: FamilyChoice(ARM))
    find_modules(CONFIG, CPU)
    assert asked[SHIPPED] == "cpu aarch64-linux-gnu generic"
    assert asked[BUILT] == module_choice.expected_identity(CONFIG, CPU).target
