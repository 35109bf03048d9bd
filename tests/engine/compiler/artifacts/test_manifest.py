import dataclasses
import json
from dataclasses import replace

import pytest

from engine.compiler.artifacts import manifest as artifacts_manifest
from engine.compiler.artifacts import processor_families
from engine.compiler.artifacts.manifest import (
    CPU,
    Bridge,
    Fresh,
    Identity,
    Manifest,
    Missing,
    Stale,
    Variant,
    expected_identity,
    freshness,
    libraries_key,
    library_suffix,
    modules_folder,
    verify,
)
from engine.compiler.artifacts.processor_families import (
    APPLE,
    ARM,
    FAMILIES,
    X86_64,
    X86_64_V4,
    families_here,
    runs_here,
)
from engine.errors import DamagedFile
from tests.engine.example_libraries import IDENTITY, library, save_libraries

MACS = Variant("metal-macos")
PROBED = Variant("cpu", probed=True)


@pytest.fixture
def folder(tmp_path):
    return save_libraries(tmp_path)


def test_a_manifest_survives_saving(folder):
    assert Manifest.load(folder) == Manifest(IDENTITY, (library("bert"), library("decoder")))


def test_a_library_replaces_the_older_one_of_its_stage():
    manifest = Manifest(IDENTITY, (library("bert"), library("decoder")))
    newer = replace(library("bert"), seconds=2.0)
    assert manifest.with_artifact(newer).artifact("bert") == newer
    assert len(manifest.with_artifact(newer).artifacts) == 2


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"identity": {}, "artifacts": []}', "\x00", pytest.param("[" * 100_000, id="deep")]
)
def test_a_damaged_manifest_is_named(folder, text):
    (folder / "manifest.json").write_text(text)
    with pytest.raises(DamagedFile, match=r"manifest\.json"):
        Manifest.load(folder)


@pytest.mark.parametrize("damage", [b"", b"librarx", b"library "])
def test_a_damaged_library_is_refused(folder, damage):
    (folder / "decoder.so").write_bytes(damage)
    with pytest.raises(DamagedFile, match="is damaged"):
        verify(folder, library("decoder"))


def test_a_deleted_library_is_refused(folder):
    (folder / "decoder.so").unlink()
    with pytest.raises(DamagedFile, match="be read"):
        verify(folder, library("decoder"))


def test_verify_gives_the_path_of_an_intact_library(folder):
    assert verify(folder, library("bert")) == folder / "bert.so"


def test_the_identity_depends_on_config_cpu_and_sources(tiny_config, monkeypatch):
    here = expected_identity(tiny_config, CPU)
    assert here.config == tiny_config.fingerprint()
    assert here.target.startswith("cpu ")
    monkeypatch.setattr(artifacts_manifest, "host_processor", lambda: "linux-other")
    monkeypatch.setattr(artifacts_manifest, "compiler_source_hash", lambda: "other")
    elsewhere = expected_identity(tiny_config, CPU)
    assert elsewhere.target == "cpu linux-other"
    assert elsewhere.compiler_source_hash == "other"
    assert elsewhere.declaration == here.declaration


def test_the_source_hash_follows_every_compiler_source(tmp_path, monkeypatch):
    for folder in ("engine/compiler", "engine/compiler/kernels/cpu", "engine/network/exportable"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.setattr(artifacts_manifest, "project_folder", lambda: tmp_path)
    hash_now = artifacts_manifest.compiler_source_hash.__wrapped__
    hashes = {hash_now()}
    for file in ("engine/compiler/a.py", "engine/compiler/kernels/cpu/b.py", "engine/network/exportable/c.py"):
        (tmp_path / file).write_text("x = 1")
        hashes.add(hash_now())
    (tmp_path / "engine/compiler/kernels/cpu/b.py").write_text("x = 2")
    hashes.add(hash_now())
    assert len(hashes) == 5


def test_libraries_without_probes_are_never_taken_for_those_with(tiny_config, monkeypatch):
    plain, probed = (expected_identity(tiny_config, variant) for variant in (CPU, PROBED))
    assert plain.probes == ""
    assert replace(probed, probes="") == plain != probed
    monkeypatch.setattr(artifacts_manifest, "STAGES", artifacts_manifest.STAGES[:2])
    assert expected_identity(tiny_config, CPU) == plain
    assert expected_identity(tiny_config, PROBED).probes not in ("", probed.probes)


def test_a_manifest_from_before_there_were_variants_is_read(folder):
    path = folder / "manifest.json"
    values = json.loads(path.read_text())
    for name in ("lstm_method", "lstm_semantics", "precision", "probes"):
        del values["identity"][name]
    for entry in values["artifacts"]:
        del entry["probes"]
    path.write_text(json.dumps(values))
    assert Manifest.load(folder) == Manifest(IDENTITY, (library("bert"), library("decoder")))


def test_the_order_of_probes_survives_saving(tmp_path):
    probed = replace(library("bert"), probes=("b.lstm", "a.lstm"))
    manifest = Manifest(IDENTITY, (probed,))
    manifest.save(tmp_path)
    assert Manifest.load(tmp_path) == manifest


def test_folders_are_apart_by_architecture_and_variant(tmp_path, tiny_config):
    folder = modules_folder(tmp_path, tiny_config, CPU)
    assert folder.parent == tmp_path
    assert folder.name == f"{tiny_config.fingerprint()}-cpu"
    assert modules_folder(tmp_path, tiny_config, PROBED).name == f"{folder.name}-probed"


@pytest.mark.parametrize(
    ("variant", "name"),
    [
        (MACS, "metal-macos"),
        (Variant("metal-macos", lstm_method="mps"), "metal-macos-mps"),
        (
            Variant("metal-macos", "torch", "no-pack", "float16", probed=True),
            "metal-macos-torch-no-pack-float16-probed",
        ),
    ],
)
def test_a_variant_name_lists_only_nondefault_settings(variant, name):
    assert variant.name == name


def test_any_difference_between_variants_changes_the_identity(tiny_config):
    others = [replace(MACS, **{field: "other"}) for field in ("lstm_method", "lstm_semantics", "precision")]
    others.append(Variant("cpu", family="aarch64-linux-gnu"))
    variants = [CPU, PROBED, MACS, replace(MACS, probed=True), *others]
    assert len({expected_identity(tiny_config, variant) for variant in variants}) == len(variants)


def test_libraries_for_macs_are_the_same_wherever_they_are_built(tiny_config, monkeypatch):
    here = expected_identity(tiny_config, MACS)
    monkeypatch.setattr(artifacts_manifest, "host_processor", lambda: "abacus")
    assert expected_identity(tiny_config, MACS) == here
    assert expected_identity(tiny_config, CPU).target == "cpu abacus"
    assert (library_suffix(MACS), library_suffix(CPU)) == (".dylib", ".so")


def test_libraries_for_other_systems_use_their_suffixes(tiny_config, monkeypatch):
    macs, linux = (Variant("cpu", family=family) for family in ("arm64-apple-macos", "aarch64-linux-gnu"))
    assert (library_suffix(macs), library_suffix(linux)) == (".dylib", ".so")
    here = expected_identity(tiny_config, linux)
    monkeypatch.setattr(artifacts_manifest, "host_processor", lambda: "abacus")
    assert expected_identity(tiny_config, linux) == here


@pytest.mark.parametrize("family", FAMILIES.values())
def test_a_family_identity_names_its_oldest_cpu_instead_of_the_host(tiny_config, monkeypatch, family):
    variant = Variant("cpu", family=family.name)
    here = expected_identity(tiny_config, variant)
    assert here.target == f"cpu {family.name} {family.processor}"
    monkeypatch.setattr(artifacts_manifest, "host_processor", lambda: "abacus")
    assert expected_identity(tiny_config, variant) == here


def test_the_key_of_several_sets_follows_every_library():
    plain = Manifest(IDENTITY, (library("bert"), library("decoder")))
    changed = plain.with_artifact(replace(library("bert"), sha256="other"))
    pairs = [(plain, plain), (changed, plain), (plain, changed), (changed, changed)]
    assert len({libraries_key(*pair) for pair in pairs}) == 4
    assert libraries_key(Manifest(IDENTITY, plain.artifacts[::-1]), plain) == libraries_key(plain, plain)
    bridged = {libraries_key(replace(plain, bridge=Bridge("b.dylib", digest, 1))) for digest in ("one", "other")}
    assert len({libraries_key(plain), *bridged}) == 3


def test_no_manifest_means_missing(tmp_path):
    assert freshness(tmp_path, IDENTITY, ["bert"]) == Missing()


def test_intact_libraries_of_the_same_identity_are_fresh(folder):
    assert freshness(folder, IDENTITY, ["bert", "decoder"]) == Fresh(Manifest.load(folder))


def test_any_difference_in_identity_makes_libraries_stale_and_is_named(folder):
    names = [field.name for field in dataclasses.fields(Identity)]
    found = [freshness(folder, replace(IDENTITY, **{name: "other"}), ["bert"]) for name in names]
    assert {type(each) for each in found} == {Stale}
    assert len(set(found)) == len(names)


def test_a_stage_without_library_is_stale(folder):
    assert freshness(folder, IDENTITY, ["bert", "istft"]) == Stale("the module of stage istft is missing")


@pytest.mark.parametrize("damage", [b"", b"librarx", b"library "])
def test_a_damaged_library_is_stale(folder, damage):
    (folder / "decoder.so").write_bytes(damage)
    assert freshness(folder, IDENTITY, ["bert", "decoder"]) == Stale("decoder.so is damaged")


def test_a_deleted_library_is_stale(folder):
    (folder / "decoder.so").unlink()
    assert freshness(folder, IDENTITY, ["decoder"]) == Stale("decoder.so is damaged")


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
    assert [
        family for family, unavailable_reason in on(system, machine, features).items() if not unavailable_reason
    ] == fitting
    assert all(runs_here(family.name) for family in fitting)


@pytest.mark.parametrize("feature", sorted(X86_64_V4.features))
def test_a_missing_or_hidden_cpu_feature_is_named(on, feature):
    unavailable_reasons = on("Linux", "x86_64", ZEN4 - {feature})
    assert feature in unavailable_reasons[X86_64_V4]
    assert bool(unavailable_reasons[X86_64]) is (feature in X86_64.features)
    assert not runs_here(X86_64_V4.name)


@pytest.mark.parametrize(("system", "machine"), [("Darwin", "x86_64"), ("Linux", "riscv64"), ("Windows", "AMD64")])
def test_other_systems_have_no_shipped_modules(on, system, machine):
    assert on(system, machine, ZEN4) == {}
