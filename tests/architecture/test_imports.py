"""Tests of the cost of importing the engine: no tensor library, no compiler, no tagger, no window."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HEAVY = ("torch", "tvm", "spacy", "PySide6", "transformers", "kokoro", "misaki")


@pytest.mark.parametrize(
    "module", ["engine", "engine.runtime.synthesizer", "engine.stages", "engine.text.g2p", "engine.__main__"]
)
def test_import_loads_nothing_heavy(module: str) -> None:
    code = f"import {module}, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


NOT_BEFORE_THE_WINDOW = (
    *HEAVY,
    "pyqtgraph",
    "matplotlib",
    "soundfile",
    "sounddevice",
    "cattrs",
    "safetensors",
    "jinja2",
)
"""Packages for speaking, diagnosing and saving, which may load after the window is shown."""


def test_the_window_is_shown_before_anything_heavy_is_loaded() -> None:
    code = (
        "import sys, app.__main__, app.application as application\n"
        "from app.settings import Settings\n"
        "from PySide6.QtCore import QSettings\n"
        "from PySide6.QtWidgets import QApplication\n"
        "qt = QApplication([])\n"
        "made = application.Application(qt, application.Options(), Settings(QSettings('none', 'none')))\n"
        "made.window.show()\n"
        f"print([name for name in {NOT_BEFORE_THE_WINDOW!r} if name in sys.modules and name != 'PySide6'])\n"
        "late = ('engine.text.g2p', 'engine.validator', 'engine.runtime.synth')\n"
        "print([name for name in sys.modules if name.startswith(late)])\n"
        "made.controller.shut_down(5000)\n"
    )
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["[]", "[]"]


def test_types_are_checked_without_the_packages_that_are_for_linux_only() -> None:
    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    only_linux = {
        re.split("[=<>;]", needed)[0].replace("-", "_")
        for needed in project["project"]["dependencies"]
        if "sys_platform == 'linux'" in needed
    }
    excused = [each for each in project["tool"]["mypy"]["overrides"] if each.get("ignore_missing_imports")]
    assert only_linux
    assert {f"{name}.*" for name in only_linux} <= {module for each in excused for module in each["module"]}
