from pathlib import Path

import pytest

from app.diagnostics.inspection.source_text import known_lines, source_text
from engine.inspection.results import SourceLine


def test_our_own_files_and_those_of_packages_are_found() -> None:
    ours = source_text("engine/network/exportable/prosody.py")
    theirs = source_text("kokoro/istftnet.py")
    assert ours is not None
    assert "class" in ours
    assert theirs is not None
    assert "AdaIN" in theirs


def test_the_first_folder_that_has_it_counts(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(name)
    assert source_text("a.py", (tmp_path / "none", tmp_path / "two", tmp_path / "one")) == "two"


@pytest.mark.parametrize("file", ["../secret.py", "/etc/hosts", "notes.txt", "folder.py", "bytes.py", "", "nowhere.py"])
def test_what_is_no_python_file_inside_the_program_is_not_shown(tmp_path: Path, file: str) -> None:
    inside = tmp_path / "program"
    (inside / "folder.py").mkdir(parents=True)
    (tmp_path / "secret.py").write_text("secret")
    (inside / "notes.txt").write_text("notes")
    (inside / "bytes.py").write_bytes(b"\xff\xfe\x00")
    assert source_text(file, (inside,)) is None


def test_a_link_out_of_the_program_is_not_followed(tmp_path: Path) -> None:
    inside = tmp_path / "program"
    inside.mkdir()
    (tmp_path / "secret.py").write_text("secret")
    (inside / "link.py").symlink_to(tmp_path / "secret.py")
    assert source_text("link.py", (inside,)) is None


def test_a_file_too_large_to_be_source_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.diagnostics.inspection.source_text.MOST_BYTES", 3)
    (tmp_path / "a.py").write_text("long")
    assert source_text("a.py", (tmp_path,)) is None


def test_lines_known_without_the_file_come_in_order() -> None:
    lines = [SourceLine("a.py", 9, "nine"), SourceLine("b.py", 1, "other"), SourceLine("a.py", 3, "three")]
    assert list(known_lines("a.py", lines).items()) == [(3, "three"), (9, "nine")]
