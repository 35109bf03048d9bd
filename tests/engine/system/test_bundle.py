import sys
import tomllib
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from engine.errors import CompileError, Cure, MissingReference
from engine.system import bundle
from engine.system.bundle import (
    added_packages_folder,
    has_compiler,
    is_bundle,
    reference_requirements,
    require_compiler,
    require_reference,
)
from engine.system.paths import data_folder, project_folder


def test_an_installation_is_no_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_bundle()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert is_bundle()


def test_what_is_added_is_the_users_data() -> None:
    assert added_packages_folder().parent == data_folder()


def test_what_comparing_needs_is_here() -> None:
    require_reference()


def test_what_another_thread_hides_from_imports_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    require_reference()


def test_what_comparing_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "_is_installed", lambda name: name not in ("torch", "kokoro"))
    with pytest.raises(MissingReference, match="torch, kokoro") as error:
        require_reference()
    assert error.value.cure is Cure.ADD_REFERENCE


def test_what_is_added_while_the_program_runs_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "packages"
    monkeypatch.setattr(bundle, "_REFERENCE", ("a_late_package",))
    monkeypatch.syspath_prepend(str(folder))
    with pytest.raises(MissingReference):
        require_reference()
    folder.mkdir()
    (folder / "a_late_package.py").touch()
    require_reference()


def test_the_versions_to_add_are_those_of_the_program() -> None:
    project = tomllib.loads((project_folder() / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(reference_requirements()) < set(project["dependencies"])
    assert {one.partition("==")[0] for one in reference_requirements()} == set(bundle._REFERENCE)


def test_the_libraries_that_run_modules_are_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert has_compiler()
    (tmp_path / "lib").mkdir()
    spec = ModuleSpec("tvm", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(bundle, "find_spec", lambda name: spec)
    assert not has_compiler()
    with pytest.raises(CompileError):
        require_compiler()
