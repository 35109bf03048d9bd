import pytest

from engine.artifacts import processor_families
from engine.artifacts.processor_families import APPLE, ARM, X86_64, family_here

ZEN = X86_64.features | {"fpu", "sha_ni"}


@pytest.fixture
def on(monkeypatch):
    def machine(system, name, features):
        monkeypatch.setattr(processor_families.platform, "system", lambda: system)
        monkeypatch.setattr(processor_families.platform, "machine", lambda: name)
        monkeypatch.setattr(processor_families, "processor_features", lambda: frozenset(features))
        return family_here()

    return machine


@pytest.mark.parametrize(
    ("system", "machine", "features", "family"),
    [
        ("Linux", "x86_64", ZEN, X86_64),
        ("Linux", "aarch64", {"fp", "asimd"}, ARM),
        ("Darwin", "arm64", (), APPLE),
    ],
)
def test_the_family_of_a_machine(on, system, machine, features, family):
    assert on(system, machine, features).family == family


@pytest.mark.parametrize("feature", sorted(X86_64.features))
def test_a_processor_that_lacks_a_feature_is_of_no_family_and_the_feature_is_named(on, feature):
    choice = on("Linux", "x86_64", ZEN - {feature})
    assert choice.family is None
    assert choice.obstacle == f"they are for x86-64-v3 processors, and this one lacks {feature}"


@pytest.mark.parametrize(("system", "machine"), [("Darwin", "x86_64"), ("Linux", "riscv64"), ("Windows", "AMD64")])
def test_other_systems_have_no_shipped_modules(on, system, machine):
    choice = on(system, machine, ZEN)
    assert choice.family is None
    assert choice.obstacle == f"none are shipped for {system} on {machine}"
