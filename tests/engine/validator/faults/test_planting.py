"""Faults in the tiny model, built for real; that each is found is the matter of the validator's tests."""

import re
from dataclasses import replace
from functools import cache
from threading import Event

import pytest

from engine.artifacts.freshness import Stale, freshness
from engine.artifacts.manifest import CPU, Manifest, expected_identity, verify
from engine.compiler.build import build, weightless_modules
from engine.compiler.export import trace, translate
from engine.compiler.targets import target_of
from engine.errors import Cancelled, CompileError
from engine.models.checkpoints import model_config
from engine.stages import stage_named
from engine.validator.faults.catalogue import FAULTS, fault_named
from engine.validator.faults.fault import Edit
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


def test_the_attributes_of_a_kernel_stay():
    graph = starter_graph("istft")
    faulty, name, _ = with_fault(graph, fault_named("shifted-frame"))
    assert dict(faulty[name].attrs) == dict(graph[name].attrs)


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


def test_progress_ends_full(tiny_config, healthy, tmp_path):
    events = []
    planted_in(tiny_config, healthy, tmp_path, observe=events.append)
    assert [event.done for event in events] == [0, 1, 2, 3]
    assert events[-1].done == events[-1].total


def test_planting_that_is_stopped_leaves_nothing(tiny_config, healthy, tmp_path):
    stop = Event()
    with pytest.raises(Cancelled):
        planted_in(tiny_config, healthy, tmp_path / "faulty", observe=lambda event: stop.set(), cancel=stop)
    assert not (tmp_path / "faulty").exists()


def test_a_kernel_without_the_part_is_refused_by_name():
    absent = replace(NOISE, edit=Edit("there is no such text", ""))
    with pytest.raises(CompileError, match="“zeroed-noise” cannot be planted: no kernel “harmonic_source”"):
        with_fault(starter_graph("source"), absent)


def test_a_script_that_is_none_is_refused():
    broken = replace(NOISE, edit=Edit(r"T\.Cast", "T.Cast(("))
    with pytest.raises(CompileError, match="cannot be parsed"):
        with_fault(starter_graph("source"), broken)
