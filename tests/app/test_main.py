from pathlib import Path

import pytest

from app import __main__ as command
from app.options import Options
from app.system.display import NO_DISPLAY


def test_without_a_display_one_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "why_no_window", lambda: NO_DISPLAY)
    assert command.main(["--text", "Hello."]) == 1
    assert capsys.readouterr() == ("", f"{NO_DISPLAY}\n")


@pytest.mark.parametrize("speed", ["0", "-1", "nan", "100", "fast", "inf"])
def test_a_speed_that_cannot_be_is_refused(speed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main([f"--speed={speed}"])
    assert ended.value.code == 2
    assert f"“{speed}” is no speed" in capsys.readouterr().err


def test_a_picture_in_a_missing_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(["--screenshot", str(tmp_path / "none" / "a.png")])
    assert ended.value.code == 2
    assert "does not exist" in capsys.readouterr().err


def test_options_reach_the_application(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import app.start

    seen = []
    monkeypatch.setattr(app.start, "run", lambda options: seen.append(options) or 7)
    monkeypatch.setattr(command, "why_no_window", lambda: None)
    picture = tmp_path / "a.png"
    arguments = ["--text", "Hi.", "--voice", "am_adam", "--speed", "1.5", "--screenshot", str(picture), "--diagnostics"]
    arguments += ["--model", "starter", "--fetch", "kokoro-82m"]
    assert command.main(arguments) == 7
    assert seen == [Options("Hi.", "am_adam", 1.5, picture, diagnostics=True, model="starter", fetch="kokoro-82m")]


def test_a_file_reaches_the_application(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import app.start

    seen = []
    monkeypatch.setattr(app.start, "run", lambda options: seen.append(options) or 0)
    monkeypatch.setattr(command, "why_no_window", lambda: None)
    assert command.main([str(tmp_path / "story.txt")]) == 0
    assert seen == [Options(file=tmp_path / "story.txt")]


def test_a_file_and_a_text_are_one_too_many(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(["story.txt", "--text", "Hello."])
    assert ended.value.code == 2
    assert "not allowed with" in capsys.readouterr().err
