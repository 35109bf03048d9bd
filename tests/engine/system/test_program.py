import os
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec
from threading import Event
from types import ModuleType, SimpleNamespace

import pytest

from engine.errors import CompileError, MissingReference, RecoveryAction
from engine.system import bundle
from engine.system.bundle import (
    added_packages_folder,
    has_compiler,
    is_bundle,
    reference_requirements,
    require_compiler,
    require_reference,
)
from engine.system.imports import SETTINGS, hidden_module, stay_offline
from engine.system.paths import data_folder, project_folder


def test_an_installation_is_no_bundle(monkeypatch):
    assert not is_bundle()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert is_bundle()


def test_added_packages_are_part_of_the_users_data():
    assert added_packages_folder().parent == data_folder()


def test_the_packages_for_comparison_are_installed():
    require_reference()


def test_packages_hidden_from_imports_by_a_different_thread_count_as_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    require_reference()


def test_missing_comparison_packages_are_named(monkeypatch):
    finder = SimpleNamespace(find_spec=lambda name, path: None if name in ("torch", "kokoro") else name)
    monkeypatch.setattr(sys, "meta_path", [finder])
    with pytest.raises(MissingReference, match="torch, kokoro") as error:
        require_reference()
    assert error.value.recovery_action is RecoveryAction.ADD_REFERENCE


def test_packages_added_while_the_program_runs_are_noticed(tmp_path, monkeypatch):
    folder = tmp_path / "packages"
    monkeypatch.setattr(bundle, "REFERENCE_PACKAGES", ("a_late_package",))
    monkeypatch.syspath_prepend(str(folder))
    with pytest.raises(MissingReference):
        require_reference()
    folder.mkdir()
    (folder / "a_late_package.py").touch()
    require_reference()


def test_the_versions_to_add_are_those_of_the_program():
    project = tomllib.loads((project_folder() / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(reference_requirements()) < set(project["dependencies"])
    assert {one.partition("==")[0] for one in reference_requirements()} == set(bundle.REFERENCE_PACKAGES)


def test_the_libraries_that_run_modules_are_no_compiler(tmp_path, monkeypatch):
    assert has_compiler()
    (tmp_path / "lib").mkdir()
    spec = ModuleSpec("tvm", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(bundle, "find_spec", lambda name: spec)
    assert not has_compiler()
    with pytest.raises(CompileError):
        require_compiler()


def test_environment_settings_keep_libraries_offline():
    environment: dict[str, str] = {"HF_HUB_OFFLINE": "0"}
    stay_offline(environment)
    assert environment == SETTINGS


@pytest.mark.parametrize("command", ["engine", "app"])
def test_each_command_line_does_so_before_anything_else(command):
    code = (
        f"import sys; from {command}.__main__ import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "from huggingface_hub import constants\n"
        "sys.exit(not (constants.HF_HUB_OFFLINE and constants.HF_HUB_DISABLE_TELEMETRY))"
    )
    without = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=without, check=False)
    assert done.returncode == 0


def test_a_hidden_module_comes_back():
    with hidden_module("wave_that_is_not_there"), pytest.raises(ImportError):
        __import__("wave_that_is_not_there")
    assert "wave_that_is_not_there" not in sys.modules
    with hidden_module("sys"):
        assert sys.modules["sys"] is sys


def test_a_replacement_can_be_imported_instead_of_a_hidden_module():
    other = ModuleType("wave_that_is_not_there")
    with hidden_module(other.__name__, other):
        assert __import__(other.__name__) is other
    assert other.__name__ not in sys.modules


def test_two_threads_take_turns():
    started, finish = Event(), Event()

    def hide_first() -> None:
        with hidden_module("wave_that_is_not_there"):
            started.set()
            finish.wait()

    def hide_second() -> bool:
        with hidden_module("wave_that_is_not_there"):
            return "wave_that_is_not_there" in sys.modules

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(hide_first)
        started.wait()
        second = pool.submit(hide_second)
        finish.set()
        first.result()
        assert second.result()
    assert "wave_that_is_not_there" not in sys.modules
