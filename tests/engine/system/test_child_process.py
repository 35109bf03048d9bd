import json
import queue
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engine.errors import Canceled, DamagedFile, EngineError, RecoveryAction, StorageError, UnknownVoice
from engine.system.child_process import ChildProcess, error_fields, python_command
from engine.system.paths import project_folder
from tests.patience import PATIENCE_SECONDS
from tests.processes import exists


def child(program: str, **environment: str) -> ChildProcess:
    return ChildProcess([sys.executable, "-c", program], environment)


def test_a_module_is_run_by_this_python() -> None:
    done = subprocess.run(python_command("platform", "terse"), capture_output=True, check=True)
    assert done.stdout


def test_objects_of_both_streams_are_messages_and_other_lines_are_not() -> None:
    program = "import sys; print('a word\\n[1]\\n{\"a\": 1}'); print('{\"b\": 2}', file=sys.stderr)"
    with child(program) as process:
        messages = list(process.messages())
        assert process.wait() == 0
    assert sorted(messages, key=str) == [{"a": 1}, {"b": 2}]


def test_it_runs_in_the_project_folder_with_the_environment_asked_for() -> None:
    program = "import json, os; print(json.dumps({'folder': os.getcwd(), 'said': os.environ['SAID']}))"
    with child(program, SAID="words") as process:
        assert list(process.messages()) == [{"folder": str(project_folder()), "said": "words"}]


def test_standard_error_lines_are_reported_while_the_child_runs() -> None:
    reports: queue.Queue[str] = queue.Queue()
    program = (
        "import sys; print('  first\\n\\n{}', file=sys.stderr, flush=True); input(); print('last', file=sys.stderr)"
    )
    with ChildProcess([sys.executable, "-c", program], on_error_line=reports.put) as process:
        assert reports.get(timeout=PATIENCE_SECONDS) == "  first"
        process.send({})
        assert reports.get(timeout=PATIENCE_SECONDS) == "last"
        process.wait()
    assert reports.empty()


def test_the_child_answers_sent_messages() -> None:
    with child("import sys\nfor line in sys.stdin: print(line, flush=True)") as process:
        answers = process.messages()
        for count in range(3):
            process.send({"count": count})
            assert next(answers) == {"count": count}


def test_a_silent_one_is_not_waited_for_once_canceled() -> None:
    cancel = threading.Event()
    with child("print('{}', flush=True); import time; time.sleep(600)") as process:
        messages = process.messages(cancel)
        assert next(messages) == {}
        cancel.set()
        with pytest.raises(Canceled):
            next(messages)
    assert not exists(process.number)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (StorageError("No space.", "Make some.", RecoveryAction.EXAMINE), StorageError),
        (DamagedFile(Path("a"), "It is damaged.", "Replace it."), EngineError),
        (UnknownVoice("x", ("y",), None), UnknownVoice.__base__),
    ],
)
def test_an_error_is_raised_here_as_the_nearest_type(error: EngineError, kind: type[EngineError]) -> None:
    line = json.dumps(error_fields(error))
    with child(f"print({line!r})") as process, pytest.raises(EngineError) as caught:
        list(process.messages())
    assert type(caught.value) is kind
    assert str(caught.value) == str(error)
    assert caught.value.recovery_action is error.recovery_action


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import os; os.abort()", "SIGABRT"),
        ("import sys; sys.exit('one line\\nthe reason\\n\\n')", "the reason"),
        ("import os; os._exit(3)", "code 3"),
    ],
)
def test_the_end_reason_is_the_signal_last_line_or_exit_code(program: str, words: str) -> None:
    with child(program) as process:
        assert process.end_reason() == words


def test_one_that_has_ended_can_still_be_sent_to() -> None:
    with child("pass") as process:
        process.wait()
        process.send({"text": "Hello."})
        assert list(process.messages()) == []


def test_it_may_end_on_its_own_in_the_time_it_is_given() -> None:
    process = child("import sys; sys.stdin.read()")
    process.close(30)
    assert process.wait() == 0


def test_one_that_does_not_end_is_killed() -> None:
    process = child("import time; time.sleep(600)")
    process.close(0.1)
    assert process.wait() < 0


def test_error_lines_exclude_messages_and_empty_lines() -> None:
    with child("import sys\nfor i in range(300): print(f'line {i}\\n\\n{{}}', file=sys.stderr)") as process:
        lines = process.error_lines()
    assert lines[-1] == "line 299"
    assert len(lines) == 200


def test_while_it_says_nothing_something_else_can_be_done() -> None:
    idle = threading.Event()
    with child("import sys; sys.stdin.readline(); print('{}')") as process:

        def answer() -> None:
            idle.set()
            process.send({})

        assert list(process.messages(idle=answer)) == [{}]
    assert idle.is_set()


def test_a_bundle_runs_modules_by_its_own_program(monkeypatch: pytest.MonkeyPatch) -> None:
    assert python_command("engine", "doctor") == (sys.executable, "-m", "engine", "doctor")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert python_command("engine", "doctor") == (sys.executable, "--module", "engine", "doctor")
