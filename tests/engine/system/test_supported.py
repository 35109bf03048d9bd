"""Whom the program tells that it cannot be installed, before anything is."""

import subprocess
import sys
from pathlib import Path

import pytest

from engine.system import supported
from engine.system.supported import Machine, obstacle

MAC = Machine("Darwin", "arm64", (3, 11), "14.0")


@pytest.mark.parametrize(
    "machine",
    [
        MAC,
        MAC._replace(python=(3, 12), macos="27.1"),
        Machine("Linux", "x86_64", (3, 11)),
        Machine("Linux", "aarch64", (3, 12)),
    ],
)
def test_it_can_be_installed(machine):
    assert obstacle(machine) == ""


@pytest.mark.parametrize(
    ("machine", "named"),
    [
        (MAC._replace(processor="x86_64"), "Intel"),
        (MAC._replace(processor="x86_64", translated=True), "Rosetta"),
        (MAC._replace(translated=True), "Rosetta"),
        (MAC._replace(macos="13.7.8"), "macOS 13.7.8"),
        (MAC._replace(macos="10.16"), "macOS 10.16"),
        (MAC._replace(python=(3, 13)), "Python 3.13"),
        (MAC._replace(python=(3, 9)), "Python 3.9"),
        (Machine("Linux", "x86_64", (3, 10)), "Python 3.10"),
        (Machine("Linux", "armv7l", (3, 11)), "armv7l"),
        (Machine("FreeBSD", "x86_64", (3, 11)), "FreeBSD"),
    ],
)
def test_it_cannot_and_one_sentence_says_why(machine, named):
    words = obstacle(machine)
    assert named in words
    assert len(words.splitlines()) == 1


def test_what_cannot_be_helped_is_said_before_what_can():
    assert "Intel" in obstacle(MAC._replace(processor="x86_64", macos="13.7", python=(3, 13)))
    assert "macOS 13.7" in obstacle(MAC._replace(macos="13.7", python=(3, 13)))


def test_this_machine_can():
    done = subprocess.run([sys.executable, "-I", str(supported.__file__)], check=False)
    assert done.returncode == 0


def test_pythons_of_the_program_and_of_its_packages_are_the_same():
    project = (Path(__file__).resolve().parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    oldest, newest = supported.OLDEST_PYTHON, supported.NEWEST_PYTHON
    assert f'requires-python = ">={oldest[0]}.{oldest[1]},<{newest[0]}.{newest[1] + 1}"' in project
