"""Tests that everything the workflows use exists, and that every shell step works with stand-ins for its programs."""

import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from app.__main__ import build_parser as build_app_parser
from engine.cli.parser import build_parser
from engine.cli.report import DEFAULT_OUTPUT
from engine.compiler.artifacts.manifest import CPU_DEVICE, METAL_DEVICE
from tests.architecture.stand_ins import ONLY_ON_A_MAC, Scratch, programs_of, silent

ROOT = Path(__file__).resolve().parents[2]
PYTHON = [".venv/bin/python", "-m"]
PYTEST = ".venv/bin/pytest"
REPORT = "make mac-report"
BY_HAND = "${{ inputs.metal }}"
WORKFLOWS = {
    path.stem: yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
NEEDS_A_MAC = {
    "Verify the signature of every shipped library": "codesign, which decides what a Mac loads, is Apple's",
    "Compile every kernel with Apple's compiler": "the compiler of Metal is Apple's",
}
"""Steps that can pass only on a Mac; here a stand-in shows that they ask for the right thing."""


@dataclass(frozen=True)
class Step:
    """A step with a command, and the machine that it is for."""

    job: str
    machine: str | list[str]
    name: str
    command: str

    @property
    def hosted(self) -> bool:
        """True if it runs on one of GitHub's machines."""
        return "self-hosted" not in self.machine

    @property
    def words(self) -> list[str]:
        return shlex.split(self.command)

    def __str__(self) -> str:
        return f"{self.job}: {self.name}"


JOBS = [(f"{file}/{name}", job) for file, workflow in WORKFLOWS.items() for name, job in workflow["jobs"].items()]
MACS = list(WORKFLOWS["macos"]["jobs"].values())
STEPS = [
    Step(name, job["runs-on"], step["name"], step["run"])
    for name, job in JOBS
    for step in job["steps"]
    if "run" in step
]
every_step = pytest.mark.parametrize("step", STEPS, ids=str)


def targets() -> set[str]:
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    return {name for line in lines if line.startswith(".PHONY:") for name in line.split()[1:]}


def engine_options(step: Step):
    """Return the options of a command of the engine; None for any other."""
    return build_parser().parse_args(step.words[3:]) if step.words[:3] == [*PYTHON, "engine"] else None


@every_step
def test_workflow_steps_use_existing_targets_tests_and_options(step, tmp_path, monkeypatch):
    words = step.words
    if words[0] == "make":
        assert {word for word in words[1:] if "=" not in word} <= targets()
    elif words[0] == PYTEST:
        path, _, test = words[1].partition("::")
        assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")
    elif words[:3] == [*PYTHON, "app"]:
        monkeypatch.chdir(tmp_path)
        build_app_parser().parse_args(words[3:])
    elif words[0] not in ONLY_ON_A_MAC:
        assert engine_options(step) is not None


@every_step
def test_a_step_runs_here_and_fails_with_any_of_its_programs(step, tmp_path):
    assert silent(step.command, tmp_path) == []


def test_listed_mac_steps_match_the_steps_that_need_a_mac(tmp_path):
    scratch = Scratch(tmp_path)
    needing = {step.name for step in STEPS if programs_of(scratch.run(step.command).calls) & set(ONLY_ON_A_MAC)}
    assert needing == set(NEEDS_A_MAC)


def test_every_shipped_library_for_macs_is_verified(tmp_path):
    (step,) = (step for step in STEPS if step.words[0] == "codesign")
    (call,) = Scratch(tmp_path).run(step.command).calls
    libraries = {str(path.relative_to(ROOT)) for path in (ROOT / "compiled_models").rglob("*.dylib")}
    assert libraries
    assert libraries <= set(call.split())


@pytest.mark.parametrize("job", MACS)
def test_the_report_runs_first_and_uploads_immediately_even_after_a_failure(job):
    names = [step.get("run", step.get("uses", "")).partition("@")[0] for step in job["steps"]]
    place = names.index(REPORT)
    assert names[place - 1 : place + 2] == ["make setup-test", REPORT, "actions/upload-artifact"]
    kept = job["steps"][place + 1]
    assert kept["if"] == "${{ !cancelled() }}"
    assert kept["with"]["path"] == str(DEFAULT_OUTPUT)
    assert kept["with"]["if-no-files-found"] == "error"


@pytest.mark.parametrize("job", MACS)
def test_mac_steps_run_even_after_earlier_failures_if_setup_succeeded(job):
    """Each step runs if the setup succeeded."""
    (ready,) = (place for place, step in enumerate(job["steps"]) if step.get("id") == "set-up")
    judging = [step for step in job["steps"][ready + 1 :] if "run" in step and step["run"] != REPORT]
    assert len(judging) > 3
    assert {step["if"] for step in judging} == {"${{ !cancelled() && steps.set-up.outcome == 'success' }}"}


def test_reports_have_unique_artifact_names():
    kept = [step["with"]["name"] for job in MACS for step in job["steps"] if "upload-artifact" in step.get("uses", "")]
    assert len(set(kept)) == len(kept) == len(MACS)


@pytest.mark.parametrize("step", [step for step in STEPS if step.hosted], ids=str)
def test_no_hosted_machine_is_asked_for_metal(step):
    """Its GPU lacks the matrix units that kernels use, and on a Mac `auto` means Metal."""
    device = getattr(engine_options(step), "device", None)
    assert device != METAL_DEVICE
    if "macos" in step.machine:
        assert device in (None, CPU_DEVICE)
        assert step.words[:2] != ["make", "test"] or "ARGS=--without-metal" in step.words


def test_the_tests_run_on_hosted_macs_and_with_metal_on_our_own():
    tests = {step.hosted: step.words for step in STEPS if step.words[:2] == ["make", "test"]}
    hosted = ["make", "test", "ARGS=--without-metal", "WORKERS=2"]
    assert tests == {True: hosted, False: ["make", "test"]}


def test_our_own_machine_works_only_by_hand():
    own = [job for _, job in JOBS if "self-hosted" in job["runs-on"]]
    assert own
    assert {job["if"] for job in own} == {BY_HAND}
    assert WORKFLOWS["macos"]["on"]["workflow_dispatch"]["inputs"]["metal"]["default"] == "false"


def test_our_own_machine_validates_metal():
    parsed = [engine_options(step) for step in STEPS if not step.hosted]
    assert {one.command for one in parsed if getattr(one, "device", None) == METAL_DEVICE} == {"validate"}
