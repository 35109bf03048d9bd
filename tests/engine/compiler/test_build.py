import dataclasses
import hashlib
import shutil
from importlib.metadata import version

import pytest

from engine.compiler import build as building
from engine.compiler.artifacts.embedded_modules import metal_kernels, metal_module
from engine.compiler.artifacts.manifest import (
    CPU,
    MANIFEST_NAME,
    Fresh,
    Manifest,
    Stale,
    Variant,
    expected_identity,
    freshness,
    verify,
)
from engine.compiler.artifacts.processor_families import FAMILIES
from engine.compiler.build import build, precision_of, weightless_modules
from engine.compiler.kernels.precision import Precision
from engine.compiler.tuning import Search
from engine.errors import CompileError
from engine.speech import PreparationEvent
from engine.stages import DEVICE_STAGES, stage_named
from tests.engine.compiler.elf import is_arm64_library, is_x86_64_library
from tests.engine.compiler.mac_symbols import provided_symbols, tvm_symbols
from tests.engine.compiler.mach_o import MachO

MACS = Variant("metal-macos")
PROBED = Variant("cpu", probed=True)
STAGES = [stage_named("source"), stage_named("istft")]


def make(config, folder, stages=STAGES, report=lambda _: None, variant=CPU):
    return build(config, stages, variant, folder, report)


@pytest.fixture(scope="module")
def built(tiny_config, tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    events = []
    manifest = make(tiny_config, folder, report=events.append)
    return folder, manifest, events


def test_built_libraries_are_fresh_and_intact(built, tiny_config):
    folder, manifest, _ = built
    names = [stage.name for stage in STAGES]
    assert freshness(folder, expected_identity(tiny_config, CPU), names) == Fresh(manifest)
    for artifact in manifest.artifacts:
        content = verify(folder, artifact).read_bytes()
        assert artifact.bytes == len(content)
        assert artifact.sha256 == hashlib.sha256(content).hexdigest()
        assert artifact.seconds > 0


def test_parameters_are_named_in_order(built):
    _, manifest, _ = built
    names = [parameter.name for parameter in manifest.artifact("source").parameters]
    merging = "decoder.generator.m_source.l_linear"
    assert names == [f"{merging}.weight", f"{merging}.bias"]
    assert manifest.artifact("istft").parameters == ()


def test_progress_names_each_stage_and_ends_full(built):
    _, _, events = built
    assert [(event.done, event.total) for event in events] == [(0, 2), (1, 2), (2, 2)]
    assert events[0] == PreparationEvent("Compiling harmonic source", 0, 2)


def test_only_libraries_and_the_manifest_are_left_behind(built):
    folder, _, _ = built
    assert {path.name for path in folder.iterdir()} == {"source.so", "istft.so", "manifest.json"}


def test_one_stage_can_be_built_again_among_the_others(built, tiny_config, tmp_path):
    folder, before, _ = built
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    after = make(tiny_config, copy, [stage_named("istft")])
    assert {artifact.stage for artifact in after.artifacts} == {"source", "istft"}
    assert after.artifact("source") == before.artifact("source")


def test_libraries_with_a_different_identity_are_discarded(built, tiny_config, tmp_path):
    folder, before, _ = built
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    older = dataclasses.replace(before, identity=dataclasses.replace(before.identity, compiler_source_hash="older"))
    older.save(copy)
    after = make(tiny_config, copy, [stage_named("istft")])
    assert [artifact.stage for artifact in after.artifacts] == ["istft"]
    state = freshness(copy, expected_identity(tiny_config, CPU), ["source", "istft"])
    assert state == Stale("the module of stage source is missing")


@pytest.fixture(scope="module")
def built_with_probes(tiny_config, tmp_path_factory):
    folder = tmp_path_factory.mktemp("probed")
    return folder, make(tiny_config, folder, [stage_named("text_encoder"), stage_named("istft")], variant=PROBED)


def test_libraries_with_and_without_probes_do_not_stand_for_each_other(built_with_probes, tiny_config, tmp_path):
    folder, manifest = built_with_probes
    names = ["text_encoder", "istft"]
    plain, probed = (expected_identity(tiny_config, variant) for variant in (CPU, PROBED))
    assert manifest.artifact("text_encoder").probes == ("text_encoder.cnn.0", "text_encoder.cnn.1", "text_encoder.lstm")
    assert manifest.artifact("istft").probes == ()
    assert freshness(folder, probed, names) == Fresh(manifest)
    assert freshness(folder, plain, names) == Stale("built with different intermediate activations")
    copy = shutil.copytree(folder, tmp_path / "copy")
    manifest = make(tiny_config, copy, [stage_named("istft")])
    assert [artifact.stage for artifact in manifest.artifacts] == ["istft"]
    assert freshness(copy, probed, ["istft"]) == Stale("built with different intermediate activations")


def test_a_damaged_manifest_is_replaced(built, tiny_config, tmp_path):
    (tmp_path / "manifest.json").write_text("{")
    manifest = make(tiny_config, tmp_path, [stage_named("istft")])
    assert Manifest.load(tmp_path) == manifest


def test_the_manifest_comes_last(tiny_config, tmp_path, monkeypatch):
    def fail(*_):
        raise CompileError("no registers left")

    monkeypatch.setattr(building, "link", fail)
    with pytest.raises(CompileError, match="no registers left"):
        make(tiny_config, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_output_folder_that_cannot_be_written_is_an_error(tiny_config, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CompileError, match="be written"):
        make(tiny_config, tmp_path / "file" / "folder")


@pytest.fixture(scope="module")
def for_macs(tiny_config, tmp_path_factory):
    folder = tmp_path_factory.mktemp("macs")
    return folder, make(tiny_config, folder, [stage_named("istft")], variant=MACS)


def test_libraries_for_macs_say_so(for_macs, tiny_config):
    folder, manifest = for_macs
    assert {path.name for path in folder.iterdir()} == {"istft.dylib", MANIFEST_NAME}
    assert freshness(folder, expected_identity(tiny_config, MACS), ["istft"]) == Fresh(manifest)
    assert freshness(folder, expected_identity(tiny_config, CPU), ["istft"]) == Stale("built for a different CPU")


def test_libraries_for_macs_run_on_apple_silicon(for_macs):
    library = mac_library(for_macs)
    assert library.is_arm64_library
    assert library.min_system == (14, 0)
    assert library.name == "@rpath/stage.dylib"  # no word of the machine that built it


def test_libraries_for_macs_ask_for_nothing_that_is_not_there(for_macs):
    assert set(tvm_symbols()) == {f"{name} {version(name)}" for name in ("apache-tvm", "apache-tvm-ffi")}
    needed = mac_library(for_macs).undefined
    assert needed
    assert needed <= provided_symbols()


def test_kernels_can_be_read_back_from_libraries_for_macs(for_macs):
    folder, manifest = for_macs
    kernels = metal_kernels(metal_module(verify(folder, manifest.artifact("istft"))))
    assert len(kernels) == 2
    assert all(f"kernel void {name}(" in text for name, text in kernels.items())


def mac_library(made):
    folder, manifest = made
    return MachO(verify(folder, manifest.artifact("istft")))


@pytest.mark.parametrize("probed", [False, True])
def test_modules_without_values_cover_every_device_stage(tiny_config, probed):
    assert set(weightless_modules(tiny_config, probed)) == {stage.name for stage in DEVICE_STAGES}


def test_the_method_mps_brings_its_bridge(tiny_config, tmp_path):
    variant = Variant("metal-macos", lstm_method="mps")
    stages = [stage_named("text_encoder")]
    manifest = make(tiny_config, tmp_path, stages, variant=variant)
    expected, names = expected_identity(tiny_config, variant), ["text_encoder"]
    assert freshness(tmp_path, expected, names) == Fresh(manifest)
    library = verify(tmp_path, manifest.bridge)
    assert MachO(library).is_arm64_library
    assert b"tvm.contrib.mps.lstm_packed" in (tmp_path / "text_encoder.dylib").read_bytes()
    library.write_bytes(library.read_bytes()[:-1])
    assert freshness(tmp_path, expected, names) == Stale(f"{library.name} is damaged")
    dataclasses.replace(manifest, bridge=None).save(tmp_path)
    assert "Metal Performance Shaders" in freshness(tmp_path, expected, names).why


def test_other_methods_and_semantics_reach_the_library(tiny_config, tmp_path):
    stages = [stage_named("text_encoder")]
    contents = set()
    for variant in (Variant("cpu", lstm_method="torch"), Variant("cpu", "torch", "no-pack")):
        folder = tmp_path / variant.name
        assert make(tiny_config, folder, stages, variant=variant).bridge is None
        contents.add((folder / "text_encoder.so").read_bytes())
    assert len(contents) == 2
    assert [b"kokoro.torch.lstm_packed" in content for content in contents] == [True, True]


def test_only_the_decoder_has_float16_factors():
    float16 = Variant("metal-macos", precision="float16")
    chosen = {stage.name for stage in DEVICE_STAGES if precision_of(stage, float16) is Precision.FLOAT16}
    assert chosen == {"decoder"}
    assert all(precision_of(stage, Variant("metal-macos")) is Precision.FLOAT32 for stage in DEVICE_STAGES)


LIBRARY_OF = {
    "x86_64-linux-gnu": is_x86_64_library,
    "x86_64-v4-linux-gnu": is_x86_64_library,
    "aarch64-linux-gnu": is_arm64_library,
    "arm64-apple-macos": lambda path: MachO(path).is_arm64_library,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_stage_can_be_built_for_every_cpu_family(family, tiny_config, tmp_path):
    variant = Variant("cpu", family=family)
    manifest = make(tiny_config, tmp_path, [stage_named("istft")], variant=variant)
    path = verify(tmp_path, manifest.artifact("istft"))
    assert LIBRARY_OF[family](path)
    assert freshness(tmp_path, expected_identity(tiny_config, variant), ["istft"]) == Fresh(manifest)
    assert isinstance(freshness(tmp_path, expected_identity(tiny_config, CPU), ["istft"]), Stale)


def test_the_manifest_contains_the_tuning_results(built_with_probes, tiny_config, tmp_path, monkeypatch):
    search = Search(60, 0, lambda sizes, choice, length: 1 / choice.rows, lambda _: None, lambda: 0)
    monkeypatch.setattr(building, "search_on", lambda *_: search)
    stage = stage_named("text_encoder")
    manifest = build(tiny_config, [stage], CPU, tmp_path, lambda _: None, tuning_seconds=60)
    _, untuned = built_with_probes
    assert untuned.artifact("text_encoder").tuning == ()
    assert manifest.artifact("text_encoder").tuning
    assert Manifest.load(tmp_path) == manifest
    assert freshness(tmp_path, expected_identity(tiny_config, CPU), ["text_encoder"]) == Fresh(manifest)
