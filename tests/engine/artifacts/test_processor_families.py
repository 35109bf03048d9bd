import pytest

from engine.artifacts import processor_families
from engine.artifacts.processor_families import APPLE, ARM, X86_64, X86_64_V4, families_here, runs_here

ZEN = X86_64.features | {"fpu", "sha_ni"}
ZEN4 = X86_64_V4.features | ZEN


@pytest.fixture
def on(monkeypatch):
    """Be on a machine, and find its families."""

    def machine(system, name, features):
        monkeypatch.setattr(processor_families.platform, "system", lambda: system)
        monkeypatch.setattr(processor_families.platform, "machine", lambda: name)
        monkeypatch.setattr(processor_families, "processor_features", lambda: frozenset(features))
        return families_here()

    return machine


@pytest.mark.parametrize(
    ("system", "machine", "features", "fitting"),
    [
        ("Linux", "x86_64", ZEN4, [X86_64_V4, X86_64]),
        ("Linux", "x86_64", ZEN, [X86_64]),
        ("Linux", "aarch64", {"fp", "asimd"}, [ARM]),
        ("Darwin", "arm64", (), [APPLE]),
    ],
)
def test_the_families_of_a_machine_the_fastest_modules_first(on, system, machine, features, fitting):
    assert [family for family, obstacle in on(system, machine, features).items() if not obstacle] == fitting
    assert all(runs_here(family.name) for family in fitting)


@pytest.mark.parametrize("feature", sorted(X86_64_V4.features))
def test_a_feature_that_a_processor_lacks_or_hides_is_named(on, feature):
    obstacles = on("Linux", "x86_64", ZEN4 - {feature})
    assert feature in obstacles[X86_64_V4]
    assert bool(obstacles[X86_64]) is (feature in X86_64.features)
    assert not runs_here(X86_64_V4.name)


@pytest.mark.parametrize(("system", "machine"), [("Darwin", "x86_64"), ("Linux", "riscv64"), ("Windows", "AMD64")])
def test_other_systems_have_no_shipped_modules(on, system, machine):
    assert on(system, machine, ZEN4) == {}
