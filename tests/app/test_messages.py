import ast
import inspect
import re
from pathlib import Path

import pytest

import engine.errors
from app.audio.output import AudioDeviceLost, NoAudioDevice
from app.messages import MessageAction, Severity, message_for, message_for_document, message_for_notices
from engine.compiler.artifacts.manifest import Manifest
from engine.errors import (
    CompileError,
    DamagedDocument,
    DamagedFile,
    DamagedModel,
    DownloadError,
    EngineError,
    InvalidRequest,
    MissingModel,
    NothingToSpeak,
    OutputError,
    RecoveryAction,
    UnknownModel,
    UnknownVoice,
)
from engine.models.store import ModelStore
from engine.speech import Notice
from engine.system.paths import project_folder

ERROR_TYPES = [kind for _, kind in inspect.getmembers(engine.errors, inspect.isclass) if issubclass(kind, EngineError)]
ERROR_NAMES = tuple(kind.__name__ for kind in ERROR_TYPES)
COMMAND = re.compile(r"python -m|“make |git checkout|--device|models fetch")
TO_TYPE_ANYWAY = (
    "engine/cli/benchmark.py",
    "engine/cli/mcp.py",
    "engine/cli/speak.py",
    "engine/audio/loudspeaker.py",
    "engine/export/cluster.py",
    "engine/server/hosting.py",
    "engine/training/distillation/",
    "engine/report/",
    "engine/training/starter/",
)
"""Hints that only the command line can show."""


def made(kind: type[EngineError]) -> EngineError:
    if kind is UnknownVoice:
        return UnknownVoice("bela", ("af_bella", "am_adam"), "af_bella")
    if issubclass(kind, DamagedFile):
        return kind(Path("x"), "The file is damaged.", "Do this.")
    return kind("It failed.", "Do this.")


@pytest.mark.parametrize("kind", ERROR_TYPES)
def test_every_error_names_the_problem_and_a_remedy(kind: type[EngineError]) -> None:
    error = made(kind)
    message = message_for(error)
    assert message.text.startswith(f"{error.message} ")
    assert message.text.endswith(error.hint)
    assert "Traceback" not in message.text


def test_window_messages_never_ask_the_user_to_type_a_command(tmp_path: Path) -> None:
    with pytest.raises(MissingModel, match="models fetch") as missing:
        ModelStore(tmp_path).verify("kokoro-82m")
    (tmp_path / "kokoro-82m").mkdir()
    (tmp_path / "kokoro-82m" / "manifest.json").touch()
    with pytest.raises(DamagedModel) as damaged:
        ModelStore(tmp_path).verify("kokoro-82m")
    with pytest.raises(DamagedFile, match="kokoro-desk compile") as unreadable:
        Manifest.load(tmp_path)
    for error in (missing.value, damaged.value, unreadable.value):
        assert not COMMAND.search(message_for(error).text)


def test_every_hint_that_is_a_command_has_a_recovery_action() -> None:
    """Otherwise the window could not express it in its own words."""
    hints = [
        (path.relative_to(project_folder()).as_posix(), call)
        for path in (project_folder() / "engine").rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "").startswith(ERROR_NAMES)
    ]
    typed = [(path, ast.unparse(call)) for path, call in hints if COMMAND.search(ast.unparse(call))]
    assert len(typed) > 8
    assert [text for path, text in typed if "RecoveryAction." not in text and not path.startswith(TO_TYPE_ANYWAY)] == []


@pytest.mark.parametrize("recovery_action", RecoveryAction)
def test_every_recovery_action_has_advice(recovery_action: RecoveryAction) -> None:
    message = message_for(CompileError("It failed.", "Run “kokoro-desk doctor”.", recovery_action))
    assert message.text.startswith("It failed. ")
    assert message.text.endswith(".")
    assert not COMMAND.search(message.text)


@pytest.mark.parametrize(
    ("recovery_action", "action"),
    [
        (RecoveryAction.GET_MODEL, MessageAction.MODELS),
        (RecoveryAction.COMPILE_AGAIN, MessageAction.COMPILE_AGAIN),
        (RecoveryAction.ADD_LANGUAGE, MessageAction.CHOOSE_VOICE),
        (RecoveryAction.INSTALL_AGAIN, None),
    ],
)
def test_a_recovery_action_has_its_own_button(recovery_action: RecoveryAction, action: MessageAction | None) -> None:
    assert message_for(EngineError("It failed.", "Do this.", recovery_action)).action is action


@pytest.mark.parametrize(
    ("error", "tone", "action"),
    [
        (NothingToSpeak("Nothing."), Severity.WARNING, MessageAction.EDIT_TEXT),
        (made(UnknownVoice), Severity.WARNING, MessageAction.CHOOSE_VOICE),
        (OutputError("Full."), Severity.ERROR, MessageAction.SAVE_ELSEWHERE),
        (made(DamagedFile), Severity.ERROR, MessageAction.TRY_AGAIN),
        (made(DamagedModel), Severity.ERROR, MessageAction.MODELS),
        (MissingModel("Gone."), Severity.ERROR, MessageAction.MODELS),
        (UnknownModel("Which?"), Severity.ERROR, MessageAction.MODELS),
        (DownloadError("Lost."), Severity.ERROR, MessageAction.TRY_AGAIN),
        (DamagedDocument("Damaged."), Severity.ERROR, MessageAction.OPEN_ANOTHER),
        (InvalidRequest("Speed."), Severity.ERROR, None),
        (NoAudioDevice(), Severity.WARNING, MessageAction.SAVE),
        (AudioDeviceLost(), Severity.WARNING, MessageAction.PLAY_ON),
    ],
)
def test_the_type_decides_on_tone_and_button(error: EngineError, tone: Severity, action: MessageAction | None) -> None:
    message = message_for(error)
    assert (message.tone, message.action) == (tone, action)


def test_a_more_special_type_gets_the_button_of_the_nearest_above() -> None:
    class DiskFull(OutputError):
        pass

    assert message_for(DiskFull("Full.")).action is MessageAction.SAVE_ELSEWHERE


def test_the_unexpected_shows_no_traceback_but_keeps_it() -> None:
    message = message_for(ZeroDivisionError("division by zero"))
    assert "ZeroDivisionError" not in message.text
    assert message.action is MessageAction.COPY_DETAILS
    assert "ZeroDivisionError: division by zero" in message.details


def test_notices_are_counted_and_all_kept() -> None:
    one, two = Notice("The emoji was skipped.", 3, 4), Notice("A link was spelled.", 9, 20)
    assert message_for_notices([one]).text == "The emoji was skipped."
    both = message_for_notices([one, two])
    assert both.text == "The emoji was skipped. And 1 more."
    assert both.details == "The emoji was skipped.\nA link was spelled."
    assert both.action is MessageAction.SHOW_IN_TEXT


def test_document_guesses_fit_one_line_and_can_be_shown_in_full() -> None:
    message = message_for_document(["The encoding was guessed.", "A page is missing."])
    assert message.text == "The encoding was guessed. And 1 more."
    assert message.details == "The encoding was guessed.\nA page is missing."
    assert (message.tone, message.action) == (Severity.NOTE, MessageAction.SHOW_NOTICES)
    assert message_for_document(["A page is missing."]).action is None
