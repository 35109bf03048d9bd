"""Tests of the command line's arguments and its progress lines: each step once, and again while it lasts."""

import argparse
import io
import json
import sys
import threading
from argparse import Namespace
from collections.abc import Iterator

import pytest

from engine.__main__ import main
from engine.cli import command
from engine.cli.command import Outcome, model_with, save_json
from engine.cli.documents import document_of
from engine.cli.parser import COMMANDS, build_parser
from engine.cli.progress import REPEAT_SECONDS, SLOWEST_LINE_SECONDS, Steps
from engine.cli.speak import DEFAULT_OUTPUT, text_of
from engine.cli.validate import request_from
from engine.errors import EngineError, InvalidRequest, MissingModel, UnknownVoice, UnusableDocument
from engine.speech import DeviceEvent, FallbackEvent, Notice, Plan, PlanEvent, PreparationEvent
from tests.patience import PATIENCE_SECONDS
from tests.starter_voices import FEMALE, MALE


def test_every_command_can_be_carried_out(capsys):
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(["--help"])
    assert ended.value.code == 0
    words = capsys.readouterr().out
    listed = [line.split()[0] for line in words.splitlines() if line.startswith("    ") and line[4] != " "]
    assert listed == list(COMMANDS)
    assert build_parser().parse_args(["voices"]).command == "voices"


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from parsers(below)


@pytest.mark.parametrize("parser", list(parsers(build_parser())), ids=lambda parser: parser.prog)
def test_every_command_and_option_has_its_help(parser):
    assert parser.description
    plain = [action for action in parser._actions if not isinstance(action, argparse._SubParsersAction)]
    assert [action.dest for action in plain if not action.help] == []


def test_help_names_the_regimes_that_are_compared_by_default():
    (validate,) = (each for each in parsers(build_parser()) if each.prog.endswith(" validate"))
    options = validate.parse_args([])
    (regimes,) = (action for action in validate._actions if action.dest == "regimes")
    assert regimes.help is not None
    assert f"(default: {','.join(request_from(options).regimes)};" in regimes.help


@pytest.mark.parametrize("words", [[], ["sing"], ["speak", "Hi", "--seed", "one"]])
def test_an_invalid_command_is_refused_with_the_usage(words, capsys):
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(words)
    assert ended.value.code == 2
    assert "usage: " in capsys.readouterr().err


def test_without_a_name_the_best_model_is_meant(monkeypatch, capsys):
    parser = build_parser()
    monkeypatch.setattr(command, "default_model", lambda: "the best")
    for words in (["speak", "Hi"], ["voices"], ["voices", "save", "a", "b"], ["validate"]):
        assert parser.parse_args(words).model == "the best"
    named = ["voices", "--model", "kokoro-82m-8bit", "save", "a", "b"]
    assert parser.parse_args(named).model == parser.parse_args([*named[:1], *named[3:], *named[1:3]]).model == named[2]

    def damaged() -> str:
        raise EngineError("The list of models can’t be read.")

    monkeypatch.setattr(command, "default_model", damaged)
    with pytest.raises(SystemExit):
        parser.parse_args(["speak", "Hi"])
    assert "The list of models can’t be read." in capsys.readouterr().err


def piped(content: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="ascii")


@pytest.mark.parametrize("content", ["Grüße".encode(), "Grüße".encode("cp1252"), "Grüße".encode("utf-16")])
def test_standard_input_is_decoded_as_a_file_is(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", piped(content))
    assert text_of(build_parser().parse_args(["speak", "-"]), None).text == "Grüße"


def test_a_guessed_encoding_of_standard_input_is_reported(monkeypatch):
    monkeypatch.setattr(sys, "stdin", piped("Grüße".encode("cp1252")))
    (notice,) = text_of(build_parser().parse_args(["speak", "-"]), None).notices
    assert "Windows-1252" in notice


@pytest.mark.parametrize(
    ("stdin", "words"), [(None, "Standard input is closed"), (piped(b"\x89PNG\x00\x01"), "valid text")]
)
def test_standard_input_that_has_no_text_is_refused(monkeypatch, stdin, words):
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(InvalidRequest, match=words):
        text_of(build_parser().parse_args(["speak", "-"]), None)


def test_the_text_comes_from_the_line_a_file_or_standard_input(tmp_path, monkeypatch):
    def asked(*words: str) -> str:
        options = build_parser().parse_args(["speak", *words])
        return text_of(options, document_of(options)).text

    path = tmp_path / DEFAULT_OUTPUT.with_suffix(".txt")
    path.write_text("Grüße", encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", piped(b"from a pipe"))
    assert asked("Hi") == "Hi"
    assert asked("--file", str(path)) == "Grüße"
    assert asked("-") == "from a pipe"
    with pytest.raises(InvalidRequest, match="No text was given"):
        asked()
    with pytest.raises(UnusableDocument, match="missing"):
        asked("--file", str(tmp_path / "missing.txt"))


def short(name: str) -> str:
    """Return the name without language and gender."""
    return name.partition("_")[2]


def chosen(voice: str | None, *words: str) -> str:
    return model_with(build_parser().parse_args(["speak", "Hi", *words]), voice)


@pytest.mark.usefixtures("compact_model_installed")
@pytest.mark.parametrize(
    ("voice", "model"),
    [
        (None, "kokoro-82m-8bit"),
        ("heart", "kokoro-82m-8bit"),
        ("af_heart(2)+bm_george", "kokoro-82m-8bit"),
        (MALE, "starter"),
        (f"{short(MALE)}+{short(FEMALE)}", "starter"),
    ],
)
def test_the_voice_brings_its_model(voice, model):
    assert chosen(voice) == model


@pytest.mark.usefixtures("compact_model_installed")
def test_a_named_model_is_used_or_refused():
    assert chosen(None, "--model", "starter") == chosen(short(MALE), "--model", "starter") == "starter"
    assert chosen("af_random", "--model", "kokoro-82m", "--weights", "random:0") == "kokoro-82m"
    with pytest.raises(InvalidRequest, match="starter doesn’t include “adam”, but kokoro-82m-8bit does"):
        chosen("adam", "--model", "starter")
    with pytest.raises(InvalidRequest, match=f"kokoro-82m-8bit doesn’t include “{MALE}”, but starter does"):
        chosen(MALE, "--model", "kokoro-82m-8bit")


@pytest.mark.usefixtures("compact_model_installed")
def test_a_voice_that_none_here_has_names_a_model_or_all_voices():
    with pytest.raises(MissingModel, match="models fetch kokoro-82m”"):
        chosen("ef_dora")
    with pytest.raises(UnknownVoice, match=rf"Did you mean “af_heart”.*{MALE}"):
        chosen("af_haert")


@pytest.mark.parametrize("words", [["--voice", short(MALE)], ["--voice", f"{MALE}(2)+{FEMALE}"]])
@pytest.mark.usefixtures("compact_model_installed")
def test_the_model_of_the_voice_speaks(starter, words, tmp_path, capsys):
    assert main(["speak", "Hello.", *words, "--out", str(tmp_path / "a.wav"), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["model"], figures["voice"]) == ("starter", words[1])
    assert main(["voices", "preview", words[1], "--out", str(tmp_path / "b.wav"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"] == "starter"
    arguments = ["validate", "--text", "Hello.", *words, "--regimes", "dynamic,compiled", "--json"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["request"]["model"] == "starter"


def test_half_a_character_is_json_in_a_file(tmp_path):
    save_json(Namespace(json=tmp_path / "a.json"), Outcome({"text": "Say \udcff."}, ""))
    assert json.loads((tmp_path / "a.json").read_bytes()) == {"text": "Say \udcff."}


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def steps(lines: list[str], clock: Clock) -> Steps:
    return Steps(lines.append, clock)


def pass_seconds(steps: Steps, clock: Clock, seconds: int) -> None:
    for _ in range(seconds):
        clock.seconds += 1
        steps.tick()


def test_a_long_step_is_repeated_with_its_elapsed_time(steps, clock, lines):
    steps.show(PreparationEvent("Compiling", 1, 2))
    assert lines == ["Compiling (1 of 2)"]
    pass_seconds(steps, clock, 5)
    assert lines[1:] == ["Compiling (1 of 2), 2 s elapsed", "Compiling (1 of 2), 4 s elapsed"]


def test_a_finished_step_is_not_repeated_but_a_long_successor_is_reported(steps, clock, lines):
    steps.show(PreparationEvent("Compiled", 2, 2))
    pass_seconds(steps, clock, 3)
    assert lines == ["Compiled (2 of 2)", "Resuming, 2 s elapsed"]


def test_a_step_that_two_processes_tell_is_written_once(steps, clock, lines):
    for _ in range(2):
        steps.show(PreparationEvent("Packing", 0, 7))
        clock.seconds += 1
    assert lines == ["Packing (0 of 7)"]
    clock.seconds += 1
    steps.tick()
    assert lines[1:] == ["Packing (0 of 7), 3 s elapsed"]


def test_nothing_repeats_after_a_separate_line(steps, clock, lines):
    steps.begin_step("Compiling")
    steps.write_line("Spoke 1")
    pass_seconds(steps, clock, 9)
    assert lines == ["Compiling", "Spoke 1"]


def test_a_step_expected_to_be_short_is_shown_only_if_it_lasts(steps, clock, lines):
    steps.expect_step("Speaking 1")
    pass_seconds(steps, clock, 1)
    assert lines == []
    pass_seconds(steps, clock, 1)
    assert lines == ["Speaking 1, 2 s elapsed"]


def test_progress_figures_are_throttled_and_repeat_when_stalled(steps, clock, lines):
    for number in range(20):
        steps.advance(f"fetching {number}", "fetching")
        clock.seconds += SLOWEST_LINE_SECONDS / 8
    assert lines == ["fetching 0", "fetching 8", "fetching 16"]
    for _ in range(4):
        steps.advance("fetching 19", "fetching")
        pass_seconds(steps, clock, 1)
    assert lines[3:] == ["fetching 19, 4 s elapsed", "fetching 19, 6 s elapsed"]


def test_figures_of_a_new_kind_start_again_immediately(steps, clock, lines):
    steps.advance("fetching 1", "fetching")
    clock.seconds += 0.1
    steps.advance("checking 0", "checking")
    pass_seconds(steps, clock, 2)
    assert lines == ["fetching 1", "checking 0", "checking 0, 2 s elapsed"]


def test_notices_of_a_whole_plan_are_shown_while_the_step_continues(steps, clock, lines):
    steps.expect_step("Speaking 1")
    notice = Notice("“ß” is spelt.", 0, 1)
    steps.show(PlanEvent(Plan((), (notice,), characters_left=9)))
    steps.show(PlanEvent(Plan((), (notice,))))
    pass_seconds(steps, clock, 2)
    assert lines == ["note: “ß” is spelt.", "Speaking 1, 2 s elapsed"]


def test_a_gpu_that_is_not_used_is_noted(steps, lines):
    steps.show(DeviceEvent("cpu (why)", "tir (why)", {}))
    assert lines == []
    steps.show(DeviceEvent("cpu (why)", "tir (why)", {}, "no GPU"))
    assert lines == ["note: no GPU"]


def test_a_thread_repeats_long_steps(monkeypatch):
    monkeypatch.setattr("engine.cli.progress.REPEAT_SECONDS", REPEAT_SECONDS / 1000)
    repeated = threading.Event()
    with Steps(lambda line: repeated.set() if "elapsed" in line else None) as steps:
        steps.begin_step("Compiling")
        assert repeated.wait(PATIENCE_SECONDS)
    assert "progress" not in [thread.name for thread in threading.enumerate()]


def test_a_cpu_fallback_is_noted_once_per_reason(steps, lines):
    steps.expect_step("Speaking 2")
    for reason in ("It failed.", "It failed.", "It failed three times."):
        steps.show(FallbackEvent(reason))
    assert lines == ["note: It failed.", "note: It failed three times."]
