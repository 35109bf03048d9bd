"""What the workflows ask for exists: targets of the Makefile, and commands with options that the command line takes."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from engine.cli.parser import build_parser

ROOT = Path(__file__).resolve().parents[2]
ENGINE = [".venv/bin/python", "-m", "engine"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def steps() -> Iterator[dict]:
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        for job in workflow["jobs"].values():
            yield from job["steps"]


def commands() -> list[str]:
    return [line for step in steps() if "run" in step for line in step["run"].splitlines()]


def targets() -> set[str]:
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    return {name for line in lines if line.startswith(".PHONY:") for name in line.split()[1:]}


@pytest.mark.parametrize("command", commands())
def test_commands_exist(command):
    words = shlex.split(command)
    if words[0] == "make":
        assert set(words[1:]) <= targets()
    elif words[0] == "mkdir":
        assert words[2:] == [step["with"]["path"] for step in steps() if "upload-artifact" in step.get("uses", "")]
    else:
        assert words[:3] == ENGINE
        build_parser().parse_args(words[3:])


def test_the_tests_run_on_a_mac():
    assert any(step.get("run") == "make test" for step in steps())
