import json
import sys
from pathlib import Path

import pytest

from app import __main__ as command
from app.options import Options
from app.system.display import NO_DISPLAY


def test_without_a_display_one_sentence_explains_the_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "why_no_window", lambda: NO_DISPLAY)
    assert command.main(["--text", "Hello."]) == 1
    assert capsys.readouterr() == ("", f"{NO_DISPLAY}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        *(([f"--speed={speed}"], f"“{speed}” isn’t a speed") for speed in ("0", "-1", "nan", "100", "fast", "inf")),
        (["--screenshot", "/no/such/folder/a.png"], "/no/such/folder"),
        (["story.txt", "--text", "Hello."], "not allowed with"),
    ],
)
def test_invalid_arguments_are_rejected(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_options_reach_the_application(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import app.start

    seen = []
    monkeypatch.setattr(app.start, "run_application", lambda options: seen.append(options) or 7)
    monkeypatch.setattr(command, "why_no_window", lambda: None)
    picture = tmp_path / "a.png"
    arguments = ["--text", "Hi.", "--voice", "am_adam", "--speed", "1.5", "--screenshot", str(picture), "--diagnostics"]
    arguments += ["--model", "starter", "--fetch", "kokoro-82m"]
    assert command.main(arguments) == 7
    assert seen == [Options("Hi.", "am_adam", 1.5, picture, diagnostics=True, model="starter", fetch="kokoro-82m")]


@pytest.mark.parametrize(
    ("arguments", "window"),
    [
        ([], True),
        (["--text", "Hi."], True),
        (["book.epub"], True),
        (["./README"], True),
        (["speak", "Hi.", "--out", "a.wav"], False),
        (["doctor"], False),
    ],
)
def test_one_program_opens_the_window_or_runs_a_command(
    arguments: list[str], window: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr(sys, "argv", ["kokoro-desk", *arguments])
    monkeypatch.setattr(command, "main", lambda given: seen.append((True, given)) or 0)
    monkeypatch.setattr(command, "run_command", lambda given: seen.append((False, given)) or 0)
    assert command.kokoro_desk() == 0
    assert seen == [(window, arguments)]


def test_a_file_reaches_the_application(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import app.start

    seen = []
    monkeypatch.setattr(app.start, "run_application", lambda options: seen.append(options) or 0)
    monkeypatch.setattr(command, "why_no_window", lambda: None)
    assert command.main([str(tmp_path / "story.txt")]) == 0
    assert seen == [Options(file=tmp_path / "story.txt")]


def test_the_desktop_entry_needs_no_display(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(command, "why_no_window", lambda: NO_DISPLAY)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    entry = tmp_path / "applications" / "kokoro-desk.desktop"
    assert command.main(["--desktop-entry", "add"]) == 0
    assert entry.is_file()
    assert command.main(["--desktop-entry", "remove"]) == 0
    assert not entry.exists()
    said = capsys.readouterr().out.splitlines()
    assert said == [
        f"The desktop menu now lists the app: {entry}",
        f"The desktop menu no longer lists the app: {entry}",
    ]


def test_a_desktop_entry_that_cannot_be_written_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    assert command.main(["--desktop-entry", "add"]) == 1
    assert str(tmp_path / "file" / "applications") in capsys.readouterr().err


def test_a_mac_has_no_desktop_entries(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert command.main(["--desktop-entry", "add"]) == 1
    assert "on Linux only" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options("Two\nlines 🙂.", "am_adam", 1.5, model="starter", fetch="kokoro-82m", diagnostics=True),
        Options(file=Path("/texts/a story.txt"), screenshot=Path("/a.png")),
    ],
)
def test_options_survive_as_one_line(options: Options) -> None:
    line = options.to_json()
    assert "\n" not in line
    assert Options.from_json(line) == options


def test_a_file_path_is_found_from_a_different_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Options.from_json(Options(file=Path("story.txt")).to_json()).file == tmp_path / "story.txt"


def test_unknown_options_from_a_different_version_are_ignored() -> None:
    assert Options.from_json(json.dumps({"text": "Hello.", "colour": "red"})) == Options("Hello.")
