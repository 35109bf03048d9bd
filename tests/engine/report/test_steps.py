"""Tests of the steps as data: their commands exist, and they run where they can."""

import re

import pytest

from app.__main__ import build_parser as build_app_parser
from engine.cli.parser import build_parser
from engine.models.checkpoints import FULL_SIZE, STARTER
from engine.report import steps
from engine.report.steps import WAYS, all_steps, benchmark, estimate, validation
from engine.report.task import TASKS


@pytest.fixture(params=["linux", "darwin"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(steps.sys, "platform", request.param)
    monkeypatch.setattr(
        steps, "metal_unavailable_reason", lambda: None if request.param == "darwin" else "Metal needs a Mac"
    )
    return request.param


def test_every_step_command_is_accepted_by_its_program(system: str, tmp_path, monkeypatch) -> None:
    (tmp_path / "{folder}").mkdir()  # where a picture is expected
    monkeypatch.chdir(tmp_path)
    known = {"engine": build_parser().parse_args, "app": build_app_parser().parse_args}
    for step in all_steps(with_tests=True):
        module, *arguments = step.command
        if module == "tests.software_metal":
            module, *arguments = arguments
        if module == "engine.report.task":
            assert arguments[0] in TASKS
        elif module != "pytest":
            known[module](arguments)


def test_each_step_has_a_unique_folder_and_a_time_limit(system: str) -> None:
    found = all_steps()
    assert len({step.name for step in found}) == len(found)
    assert all(re.fullmatch(r"[a-z0-9-]+", step.name) for step in found)
    assert all(0 < step.limit_seconds <= 600 or step.name.startswith("tests") for step in found)


def test_on_a_mac_only_tests_and_speech_without_weights_are_omitted(monkeypatch) -> None:
    monkeypatch.setattr(steps.sys, "platform", "darwin")
    monkeypatch.setattr(steps, "metal_unavailable_reason", lambda: None)
    left_out = {step.name for step in all_steps() if step.unavailable_reason}
    assert left_out - {f"speech-{FULL_SIZE}-cpu", f"speech-{FULL_SIZE}-metal"} == {"tests", "tests-alone"}
    assert not any(step.command[0].startswith("tests.") for step in all_steps())


def test_every_way_of_both_models_is_validated_timed_and_estimated(system: str) -> None:
    names = {step.name for step in all_steps()}
    for model in (STARTER, FULL_SIZE):
        assert {estimate(model), *(name(model, *way) for way in WAYS for name in (validation, benchmark))} <= names


def test_gpu_steps_on_other_systems_run_in_software_or_report_a_reason(monkeypatch) -> None:
    monkeypatch.setattr(steps.sys, "platform", "linux")
    monkeypatch.setattr(steps, "metal_unavailable_reason", lambda: "Metal needs a Mac")
    monkeypatch.setattr(steps.shutil, "which", lambda name: f"/usr/bin/{name}")
    here = {step.name: step for step in all_steps()}
    assert here[validation(STARTER, *WAYS[1])].command[0] == here["kernels"].command[0] == "tests.software_metal"
    assert not here[validation(STARTER, *WAYS[1])].unavailable_reason
    assert all(here[validation(STARTER, *way)].unavailable_reason for way in WAYS[2:])
    monkeypatch.setattr(steps.shutil, "which", lambda name: None)
    assert "clang++" in {step.name: step for step in all_steps()}["kernels"].unavailable_reason


def test_a_model_with_trained_weights_is_tried_with_them(monkeypatch) -> None:
    monkeypatch.setattr(steps, "installed_models", lambda: (STARTER,))
    name = benchmark(FULL_SIZE, *WAYS[0])
    assert "random:0" in {step.name: step for step in all_steps()}[name].command
    monkeypatch.setattr(steps, "installed_models", lambda: (FULL_SIZE, STARTER))
    assert "random:0" not in {step.name: step for step in all_steps()}[name].command


def test_the_window_shows_nothing_of_the_user(system: str) -> None:
    windows = [step for step in all_steps() if step.command[0] == "app"]
    assert len(windows) == 2
    for step in windows:
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "CFFIXED_USER_HOME"):
            assert step.environment[name].startswith("{scratch}")


def test_tests_run_when_asked_for() -> None:
    assert [step.unavailable_reason for step in all_steps(with_tests=True) if step.command[0] == "pytest"] == ["", ""]
