"""Faults in the tiny model, built for real; the validator's tests show that each is found."""

import re
from dataclasses import replace
from functools import cache
from threading import Event

import pytest

from engine.compiler.artifacts.manifest import CPU, Manifest, Stale, expected_identity, freshness, verify
from engine.compiler.build import build, weightless_modules
from engine.compiler.export import trace, translate
from engine.compiler.targets import target_of
from engine.errors import Canceled, CompileError, InvalidRequest
from engine.models.checkpoints import model_config
from engine.stages import DEVICE_STAGES, stage_named
from engine.validator.faults.catalog import FAULTS, fault_named
from engine.validator.faults.fault import ChangedLine, Edit, changed_lines
from engine.validator.faults.planting import plant, with_fault

NOISE = fault_named("zeroed-noise")
STAGES = [stage_named("source"), stage_named("istft")]


@cache
def starter_graph(name):
    stage, config = stage_named(name), model_config("starter")
    return translate(stage, trace(stage, weightless_modules(config)[name], config), target_of(CPU))


@pytest.fixture(scope="module")
def healthy(tiny_config, tmp_path_factory):
    folder = tmp_path_factory.mktemp("healthy")
    build(tiny_config, STAGES, CPU, folder, lambda _: None)
    return folder


def planted_in(tiny_config, healthy, folder, **others):
    return plant(NOISE, tiny_config, CPU, healthy, folder, **others)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_fault_changes_one_kernel_of_the_starter(fault):
    graph = starter_graph(fault.stage)
    faulty, name, changes = with_fault(graph, fault)
    different = [
        variable.name_hint
        for variable, function in graph.functions.items()
        if not function.same_as(faulty[variable]) and function.script() != faulty[variable].script()
    ]
    assert different == [name]
    assert changes


def test_the_other_modules_are_the_healthy_ones_byte_for_byte(tiny_config, healthy, tmp_path):
    planted = planted_in(tiny_config, healthy, tmp_path / "faulty")
    assert (planted.stage, planted.kernel) == ("source", "harmonic_source")
    assert [re.sub(".*deviation", "", line.after) for line in planted.changes] == [" * T.float64(0.0))"]
    assert (tmp_path / "faulty" / "istft.so").read_bytes() == (healthy / "istft.so").read_bytes()
    assert (tmp_path / "faulty" / "source.so").read_bytes() != (healthy / "source.so").read_bytes()


def test_the_manifest_fits_the_faulty_library(tiny_config, healthy, tmp_path):
    planted_in(tiny_config, healthy, tmp_path)
    before, after = Manifest.load(healthy), Manifest.load(tmp_path)
    assert verify(tmp_path, after.artifact("source"))
    assert after.artifact("source").parameters == before.artifact("source").parameters
    assert after.artifact("istft") == before.artifact("istft")


def test_faulty_modules_are_never_taken_for_those_that_speak(tiny_config, healthy, tmp_path):
    planted_in(tiny_config, healthy, tmp_path)
    state = freshness(tmp_path, expected_identity(tiny_config, CPU), ["source", "istft"])
    assert isinstance(state, Stale)


def test_a_canceled_injection_leaves_nothing_behind(tiny_config, healthy, tmp_path):
    stop = Event()
    with pytest.raises(Canceled):
        planted_in(tiny_config, healthy, tmp_path / "faulty", observe=lambda event: stop.set(), cancel=stop)
    assert not (tmp_path / "faulty").exists()


def test_a_kernel_without_the_part_is_refused_by_name():
    absent = replace(NOISE, edit=Edit("there is no such text", ""))
    with pytest.raises(CompileError, match="“zeroed-noise” can’t be injected: no kernel “harmonic_source”"):
        with_fault(starter_graph("source"), absent)


def test_an_invalid_script_is_refused():
    broken = replace(NOISE, edit=Edit(r"T\.Cast", "T.Cast(("))
    with pytest.raises(CompileError, match="parsed"):
        with_fault(starter_graph("source"), broken)


def test_an_edit_changes_the_first_match_or_all():
    assert Edit(r"a(\d)", r"b\1").made_in("a1 a2") == "b1 a2"
    assert Edit(r"a(\d)", r"b\1", everywhere=True).made_in("a1 a2") == "b1 b2"


def test_changed_lines_are_those_that_differ_without_their_indentation():
    assert changed_lines("a\n  b\nc", "a\n  x\nc") == (ChangedLine("b", "x"),)


def test_an_edit_that_adds_a_line_is_refused():
    with pytest.raises(CompileError, match="change lines"):
        changed_lines("a", "a\nb")


def test_an_excerpt_shows_the_difference_in_a_long_line():
    before, after = ChangedLine("x" * 500 + "right" + "y" * 500, "x" * 500 + "wrong" + "y" * 500).excerpts
    assert "right" in before
    assert "wrong" in after
    assert len(before) == len(after) <= 82


def test_names_are_unique_and_found():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert all(fault_named(fault.name) is fault for fault in FAULTS)


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(InvalidRequest, match="Unknown fault “bad-luck”") as refused:
        fault_named("bad-luck")
    assert FAULTS[0].name in refused.value.hint


def test_every_fault_is_in_a_compiled_stage_and_said_in_sentences():
    for fault in FAULTS:
        assert fault.stage in {stage.name for stage in DEVICE_STAGES}
        assert re.fullmatch(r"[A-Z].*\.", fault.planted)
        assert re.fullmatch(r"[A-Z].*\.", fault.symptom)
        assert not fault.title.endswith(".")


def test_a_kernel_is_recognized_by_its_name_and_number():
    fault = fault_named("winograd-coefficient")
    assert fault.is_in("conv1d")
    assert fault.is_in("conv1d12")
    assert not fault.is_in("conv_transpose1d")
