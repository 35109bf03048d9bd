"""A whole benchmark, as short as possible, with real peers in separate processes."""

from __future__ import annotations

import importlib.util
from dataclasses import asdict

import pytest
from safetensors.numpy import load_file

from engine.benchmark import measuring
from engine.benchmark.job import BenchmarkJob, Length, exact_length, utterance_path, weights_path
from engine.benchmark.measuring import (
    LONG_WORDS,
    MIDDLE_TEXT,
    SHORT_TEXT,
    RoundRobin,
    long_text,
    longest_text,
    measure,
    measure_commands,
    rounds_at,
    speak_command,
)
from engine.benchmark.peer_runners import WHOLE_MODEL
from engine.benchmark.peers import HIBARI, ONNX_RUNTIME, OPENVINO_STATIC, OURS, PYTORCH, PeerSelection
from engine.benchmark.preparing import ARRAYS, WEIGHTS, Preparing
from engine.benchmark.utterances import load_utterance
from engine.cli.parser import build_parser
from engine.errors import EngineError
from engine.models.checkpoints import open_checkpoint
from engine.runtime.planning import check_request
from engine.speech import SpeechRequest
from engine.stages import DEVICE_STAGES
from engine.text.g2p import Phonemizer
from engine.text.g2p.split import max_phonemes

SECONDS = 0.25
WITH_OPENVINO = (OPENVINO_STATIC,) if importlib.util.find_spec("openvino") else ()
WITH_HIBARI = (HIBARI,) if importlib.util.find_spec("hibari") else ()
RAN = (PYTORCH, ONNX_RUNTIME, *WITH_OPENVINO, *WITH_HIBARI)


@pytest.fixture(scope="module")
def measured():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "REPEATS", 1)
        yield measured_shortly()


def measured_shortly():
    job = BenchmarkJob("starter", None, 1, stage_seconds=0, warm_up_seconds=0)
    lengths = [exact_length(SECONDS, job.config)]
    return measure(job, lengths, PeerSelection(RAN, {"somebody": "it is not here"}), 1, str)


def test_every_runner_ran_every_stage_in_every_round(measured):
    (length,) = measured.lengths
    assert len(length.rounds) == 5
    for turn in length.rounds:
        assert list(turn) == [OURS, *RAN]
        for name, stages in turn.items():
            assert list(stages) == ([WHOLE_MODEL] if name == HIBARI else [stage.name for stage in DEVICE_STAGES])
            assert all(seconds > 0 for seconds in stages.values())


def test_the_other_figures_are_there(measured):
    assert measured.peak_flop_per_second > 0
    assert all(figures.peak_bytes > 1e6 for figures in measured.processes.values())
    short, middle, max_phonemes = (command.utterance_seconds for command in measured.commands)
    assert short < 2 < middle < 8 < max_phonemes
    assert all(command.peak_bytes > 1e7 for command in measured.commands)
    assert measured.speech.short_seconds > 0
    assert measured.speech.cold_seconds > 0
    assert list(measured.speech.seconds_by_words) == [*measuring.PHRASES, measuring.LONG_WORDS]
    assert all(seconds > 0 for seconds in measured.speech.seconds_by_words.values())
    assert measured.export_seconds > 0
    assert set(measured.compile_seconds) == {stage.name for stage in DEVICE_STAGES}
    assert "for" in measured.modules
    assert measured.modules.endswith("LSTMs by tir")
    assert measured.left_out == {"somebody": "it is not here"}


@pytest.mark.skipif(not WITH_OPENVINO, reason="needs openvino")
def test_compiling_for_a_length_is_not_timed(measured):
    (length,) = measured.lengths
    assert measured.processes[OPENVINO_STATIC].preparation_seconds[SECONDS] > length.seconds(OPENVINO_STATIC)


def test_the_decoder_needs_most(measured):
    (length,) = measured.lengths
    assert max(length.flop, key=length.flop.get) == "decoder"
    assert length.flop["source"] == 0


class Runner:
    """Stands in for a process: logs its turns, and takes a second longer with each."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name = name
        self._log = log
        self._seconds = 0.0

    def warm_up(self, length: Length) -> None:
        self._log.append(f"{self.name} gets warm at {length.frames}")

    def measure_length(self, length: Length) -> dict[str, float]:
        self._log.append(self.name)
        self._seconds += 1
        return {"bert": self._seconds}


class Meter:
    """Stands in for the process that measures the peak."""

    def __init__(self) -> None:
        self._reached = [3.0, 5.0, 4.0]

    def ask(self, question: str) -> dict[str, float]:
        return {"flop_per_second": self._reached.pop(0)}


@pytest.mark.parametrize(("seconds", "expected"), [(0.2, 15), (2.0, 15), (4.0, 8), (5.0, 6), (10.0, 3), (60.0, 3)])
def test_short_speech_gets_more_rounds(seconds, expected):
    assert rounds_at(Length(8, 3, seconds), 3) == expected


def test_runners_take_turns_and_the_first_round_is_not_measured():
    log: list[str] = []
    heard: list[str] = []
    turns = RoundRobin([Runner(OURS, log), Runner(PYTORCH, log)], Meter(), 3, heard.append)
    rounds = turns.at(Length(400, 133, 10.0))
    assert log == [OURS, PYTORCH] * 4
    assert [one[PYTORCH]["bert"] for one in rounds] == [2.0, 3.0, 4.0]
    assert turns.peak_flop_per_second == 5.0
    assert heard[0] == "10 s of speech: warming up"
    assert heard[-1] == "10 s of speech: round 3 of 3: ours 4.000 s, pytorch 4.000 s"


def test_the_long_text_has_enough_words_and_can_be_spoken():
    assert LONG_WORDS <= len(long_text().split()) < LONG_WORDS + 100
    check_request(SpeechRequest(long_text(), "anybody"))


JOB = BenchmarkJob("starter", None, 1)


def test_the_last_text_fills_two_utterances_and_the_others_take_one():
    config = open_checkpoint().config
    phonemizer = Phonemizer("en-US", frozenset(config.vocab), config.phoneme_limit)
    plans = (phonemizer.plan(text) for text in (SHORT_TEXT, MIDDLE_TEXT, longest_text(JOB)))
    [short], [middle], last = ([len(utterance.phonemes) for utterance in plan.utterances] for plan in plans)
    assert short < middle < 200
    assert last == 2 * [max_phonemes(config.phoneme_limit, speed=1.0)]


@pytest.mark.parametrize("weights", [None, "random:0"])
def test_the_command_exists(weights, tmp_path):
    _, _, _, *words = speak_command(BenchmarkJob("kokoro-82m", weights, 1), SHORT_TEXT, tmp_path)
    options = build_parser().parse_args(words)
    assert (options.text, options.model, options.weights) == (SHORT_TEXT, "kokoro-82m", weights)


def test_the_command_speaks_on_the_device_of_the_job(tmp_path):
    for device in ("cpu", "metal"):
        _, _, _, *words = speak_command(BenchmarkJob("starter", None, 1, device=device), SHORT_TEXT, tmp_path)
        assert build_parser().parse_args(words).device == device


def test_a_failing_command_is_reported_with_its_own_message(tmp_path):
    with pytest.raises(EngineError, match="The command speak failed: error: Unknown weights “random”"):
        measure_commands(BenchmarkJob("kokoro-82m", "random", 1), tmp_path)


@pytest.fixture
def preparing(tmp_path):
    return Preparing(JOB, tmp_path)


def test_all_runners_are_given_the_weights_of_the_model(preparing, tmp_path):
    answer = preparing.answer(WEIGHTS, {})
    written, own = load_file(weights_path(tmp_path)), open_checkpoint("starter").load_weights()
    assert written.keys() == own.keys()
    assert all((written[name] == own[name]).all() for name in own)
    assert answer["bytes"] == sum(array.nbytes for array in own.values())


def test_all_runners_are_given_the_same_arrays(preparing, tmp_path):
    lengths = [exact_length(seconds, JOB.config) for seconds in (0.25, 0.5)]
    assert preparing.answer(ARRAYS, {"lengths": [asdict(length) for length in lengths]}) == {}
    for length in lengths:
        arrays = load_utterance(utterance_path(tmp_path, length.frames))
        assert arrays["audio"].shape == (1, length.frames * JOB.config.samples_per_frame)


def test_other_questions_are_refused(preparing):
    with pytest.raises(ValueError, match="sing"):
        preparing.answer("sing", {})
