import configparser
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from app.desktop.desktop_entry import PROGRAM, add_entry, entry_text, remove_entry
from engine.system.paths import project_folder, resources_folder


def read(text: str) -> dict[str, str]:
    parser = configparser.RawConfigParser(strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return dict(parser["Desktop Entry"])


def test_it_is_in_the_users_own_folder_with_its_icon(tmp_path: Path) -> None:
    path = add_entry({"XDG_DATA_HOME": str(tmp_path)})
    assert path == tmp_path / "applications" / "kokoro-desk.desktop"
    entry = read(path.read_text(encoding="utf-8"))
    picture = tmp_path / "icons" / "hicolor" / "scalable" / "apps" / f"{entry['Icon']}.svg"
    assert picture.read_bytes() == (resources_folder() / "icons" / "app.svg").read_bytes()
    assert shlex.split(entry["Exec"]) == [sys.executable, "-m", "app", "%f"]
    assert entry["Path"] == str(project_folder())
    assert (entry["Type"], entry["Name"], entry["StartupWMClass"]) == ("Application", "Kokoro Desk", PROGRAM)


def test_a_bundle_is_started_by_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/kokoro-desk/kokoro-desk")
    entry = read(add_entry({"XDG_DATA_HOME": str(tmp_path)}).read_text(encoding="utf-8"))
    assert entry["Exec"] == '"/opt/kokoro-desk/kokoro-desk" %f'


@pytest.mark.parametrize("data_home", ["", "relative"])
def test_without_a_data_folder_it_is_where_the_desktop_looks(
    data_home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert add_entry({"XDG_DATA_HOME": data_home}).is_relative_to(tmp_path / ".local" / "share")


def test_special_characters_in_the_path_are_preserved() -> None:
    entry = read(entry_text(['/a b/100%/$x"`\\'], Path("/a b")))
    quoted = entry["Exec"].removesuffix(" %f").replace("\\\\", "\\")  # without the escapes of entry strings
    said = subprocess.run(["sh", "-c", f"printf %s {quoted}"], capture_output=True, text=True, check=True).stdout
    assert said == '/a b/100%%/$x"`\\'  # the shell has the same rules within double quotes


def test_it_can_be_removed_and_removed_again(tmp_path: Path) -> None:
    environment = {"XDG_DATA_HOME": str(tmp_path)}
    add_entry(environment)
    for _ in range(2):
        remove_entry(environment)
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
