import ctypes.util
import subprocess
import sys
from pathlib import Path

import pytest

from app.bundle import launcher
from app.bundle.launcher import find_own_libraries, main, restore_library_path
from engine.system.bundle import MODULE_OPTION
from engine.system.child_process import python_command
from engine.system.paths import project_folder
from tests.starter_voices import MALE


def launched(*arguments: str, code: str = "pass") -> subprocess.CompletedProcess[str]:
    """Run the program as a bundle starts it, through a separate script."""
    start = f"import sys; {code}; from app.bundle.launcher import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", start, *arguments], cwd=project_folder(), capture_output=True, text=True, check=False
    )


def test_a_module_is_run_with_its_arguments() -> None:
    done = launched(MODULE_OPTION, "engine", "voices", "--model", "starter")
    assert done.returncode == 0, done.stderr
    assert MALE in done.stdout


def test_commands_run_as_in_an_installation() -> None:
    done = launched("voices", "--model", "starter")
    assert done.returncode == 0, done.stderr
    assert MALE in done.stdout


def test_the_exit_code_is_the_modules_own() -> None:
    assert launched(MODULE_OPTION, "engine", "speak", "Hi.", "--voice", "nobody").returncode == 1


def test_a_module_finds_its_own_name_and_arguments() -> None:
    done = launched(MODULE_OPTION, "json.tool", "--help")
    assert done.returncode == 0
    assert "usage: " in done.stdout


def test_a_missing_module_fails_with_the_reason() -> None:
    with pytest.raises(SystemExit, match="module"):
        main([MODULE_OPTION])


def test_children_of_a_bundle_are_run_by_it() -> None:
    """A bundle's command for a child process is one that its program understands."""
    code = (
        "sys.frozen = True; from engine.system.child_process import python_command as c; print(*c('engine', 'voices'))"
    )
    command = launched("--help", code=code).stdout.splitlines()[0].split()
    assert command == [sys.executable, MODULE_OPTION, *python_command("engine", "voices")[2:]]


def test_otherwise_the_window_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    monkeypatch.setattr("app.__main__.main", lambda arguments: opened.append(arguments) or 0)
    assert main(["--text", "Hi."]) == 0
    assert opened == [["--text", "Hi."]]


def test_packages_that_were_added_come_after_the_programs_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "added_packages_folder", lambda: tmp_path)
    monkeypatch.setattr("app.__main__.main", lambda arguments: 0)
    monkeypatch.setattr(sys, "path", list(sys.path))
    main([])
    assert sys.path[-1] == str(tmp_path)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"LD_LIBRARY_PATH": "/app", "LD_LIBRARY_PATH_ORIG": "/mine"}, {"LD_LIBRARY_PATH": "/mine"}),
        ({"LD_LIBRARY_PATH": "/app"}, {}),
        ({}, {}),
    ],
)
def test_other_programs_do_not_load_the_bundles_libraries(
    before: dict[str, str], after: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    restore_library_path(before)
    assert before == after


def test_libraries_of_the_bundle_come_before_those_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "project_folder", lambda: tmp_path)
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: f"the system's {name}")
    (tmp_path / "libportaudio.so.2").touch()
    find_own_libraries()
    assert ctypes.util.find_library("portaudio") == str(tmp_path / "libportaudio.so.2")
    assert ctypes.util.find_library("c") == "the system's c"


def test_an_installation_keeps_its_library_path() -> None:
    environment = {"LD_LIBRARY_PATH": "/mine"}
    restore_library_path(environment)
    assert environment == {"LD_LIBRARY_PATH": "/mine"}
