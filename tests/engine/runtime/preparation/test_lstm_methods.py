"""Tests of choosing the LSTM method: a real child process, software Metal, and a stand-in for Apple's layers."""

import subprocess
import sys

import pytest

from engine.compiler.artifacts.manifest import CPU, Variant
from engine.errors import InvalidRequest
from engine.network.ops.packed_lstm import LstmMethod
from engine.runtime.preparation import crash_guard, lstm_methods, probes
from engine.runtime.preparation.devices import AUTO
from engine.runtime.preparation.lstm_methods import (
    LSTM_TRIAL,
    MethodChoice,
    choose_lstm_method,
    forget_crashes,
    remembered_lstm_method,
)
from engine.runtime.preparation.probes import ProbeResult, ProbeTrial
from tests.engine.runtime.preparation.tried_modules import MACS, MPS, restart, try_in_software

CRASHES = """
import os, pathlib, sys
from engine.runtime.preparation import crash_guard
from engine.runtime.preparation.lstm_methods import MethodChoice
from engine.network.ops.packed_lstm import LstmMethod
crash_guard.cache_folder = lambda: pathlib.Path(sys.argv[1])
with MethodChoice(LstmMethod.MPS, "requested").around_use():
    os.abort()
"""


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """The folder of results and marks."""
    for user in (probes, crash_guard):
        monkeypatch.setattr(user, "cache_folder", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def result_of(monkeypatch, cache):
    """Return a function that sets the trial's result."""

    def set_result(result):
        monkeypatch.setattr(ProbeTrial, "result", lambda *_, **__: result)

    return set_result


def mps_crashes_while_speaking(cache):
    ended = subprocess.run([sys.executable, "-c", CRASHES, str(cache)], check=False)
    assert ended.returncode < 0


def test_the_cpu_uses_the_kernels_built_into_the_modules(tiny_config, result_of):
    result_of(None)
    variant, choice = choose_lstm_method(AUTO, tiny_config, CPU)
    assert variant == CPU
    assert choice.words.startswith("tir (built-in kernels")


def test_a_requested_method_is_used_without_a_trial(tiny_config, cache):
    variant, choice = choose_lstm_method("torch", tiny_config, CPU)
    assert variant == Variant("cpu", lstm_method="torch")
    assert choice.why == "requested"
    assert choose_lstm_method("mps", tiny_config, MACS)[0] == MPS


def test_an_unavailable_method_is_refused(tiny_config):
    with pytest.raises(InvalidRequest, match="Use one of: auto, mps, tir, torch"):
        choose_lstm_method("cudnn", tiny_config, CPU)
    with pytest.raises(InvalidRequest, match="needs a Mac"):
        choose_lstm_method("mps", tiny_config, CPU)
    with pytest.raises(InvalidRequest, match="Use one of: auto, mps, tir, torch"):
        remembered_lstm_method("cudnn", tiny_config, CPU)


@pytest.mark.parametrize(
    ("result", "method", "why"),
    [
        (ProbeResult(True, "", {"tir": 0.005, "mps": 0.004}), "mps", "correct and no slower: tir 5.0 ms, mps 4.0 ms"),
        (ProbeResult(True, "", {"tir": 0.005, "mps": 0.005}), "mps", "correct and no slower: tir 5.0 ms, mps 5.0 ms"),
        (ProbeResult(True, "", {"tir": 0.005, "mps": 0.006}), "tir", "faster: tir 5.0 ms, mps 6.0 ms"),
        (
            ProbeResult(False, "mps differs"),
            "tir",
            "the LSTM of Metal Performance Shaders doesn’t work here: mps differs",
        ),
    ],
)
def test_a_mac_uses_the_method_that_is_correct_and_faster(tiny_config, result_of, result, method, why):
    result_of(result)
    variant, choice = choose_lstm_method(AUTO, tiny_config, MACS)
    assert (variant.lstm_method, choice) == (method, MethodChoice(LstmMethod(method), why, result.seconds))


@pytest.mark.parametrize("method", ["tir", "mps"])
def test_a_persons_choice_wins_and_both_times_are_still_told(tiny_config, result_of, method):
    result_of(ProbeResult(True, "", {"tir": 0.005, "mps": 0.006}))
    variant, choice = remembered_lstm_method(method, tiny_config, MACS)
    assert variant.lstm_method == method
    assert choice.words == f"{method} (requested; tir 5.0 ms, mps 6.0 ms)"
    assert choice.seconds == {"tir": 0.005, "mps": 0.006}


def test_a_preference_counts_on_a_macs_gpu_only(tiny_config, cache):
    assert remembered_lstm_method("mps", tiny_config, CPU)[0] == CPU


def test_a_crash_while_speaking_disables_it_until_it_is_chosen_again(tiny_config, result_of, cache):
    result_of(ProbeResult(True, "", {"tir": 0.005, "mps": 0.004}))
    assert remembered_lstm_method("mps", tiny_config, MACS)[0] == MPS
    mps_crashes_while_speaking(cache)
    for _ in range(2):  # the mark is found once, and its result is stored
        for preference in (AUTO, "mps"):
            variant, choice = remembered_lstm_method(preference, tiny_config, MACS)
            assert variant == MACS
            assert choice.is_fallback
            assert choice.why.startswith("Metal Performance Shaders crashed the app; choose them")
    assert choose_lstm_method(AUTO, tiny_config, MACS)[0] == MACS
    forget_crashes()
    assert remembered_lstm_method("mps", tiny_config, MACS)[0] == MPS
    assert not remembered_lstm_method(AUTO, tiny_config, MACS)[1].is_fallback


def test_choosing_it_again_right_after_a_crash_counts(tiny_config, result_of, cache):
    result_of(ProbeResult(True, "", {"tir": 0.005, "mps": 0.004}))
    mps_crashes_while_speaking(cache)
    forget_crashes()
    assert remembered_lstm_method("mps", tiny_config, MACS)[0] == MPS


def test_a_new_system_build_may_try_again_after_a_crash(tiny_config, result_of, cache, monkeypatch):
    result_of(ProbeResult(True, "", {"tir": 0.005, "mps": 0.004}))
    mps_crashes_while_speaking(cache)
    assert choose_lstm_method(AUTO, tiny_config, MACS)[0] == MACS
    monkeypatch.setattr(probes, "system_build", lambda: "26A1")
    assert choose_lstm_method(AUTO, tiny_config, MACS)[0] == MPS


def test_only_metal_performance_shaders_are_marked(cache):
    for method, marks in ((LstmMethod.TIR, 0), (LstmMethod.MPS, 1)):
        with MethodChoice(method, "").around_use():
            assert len(list(cache.iterdir())) == marks


def test_the_lengths_and_batches_that_are_known_to_fail_are_tried():
    assert [batch[0] for batch in LSTM_TRIAL.batches if len(batch) == 1] == [30, 133, 400]
    assert {len(batch) for batch in LSTM_TRIAL.batches} == {1, 3}
    assert all(len(set(batch)) > 1 for batch in LSTM_TRIAL.batches if len(batch) > 1)
    assert LSTM_TRIAL.calls > 1


class TestOnSoftwareMetal:
    """End to end: child process, real kernels, the real bridge over the stand-in."""

    @pytest.fixture(autouse=True)
    def _small_modules(self, tiny_config, monkeypatch, tmp_path):
        try_in_software(tiny_config, monkeypatch, tmp_path)
        monkeypatch.setattr(
            lstm_methods, "LSTM_TRIAL", ProbeTrial("lstm", LSTM_TRIAL.stages, ((5,), (9,), (9, 2, 4)), 2)
        )

    def test_a_correct_method_is_timed_and_the_result_is_stored(self, tiny_config, monkeypatch):
        _, choice = choose_lstm_method(AUTO, tiny_config, MACS)
        assert set(choice.seconds) == {"tir", "mps"}
        assert "does not work" not in choice.why
        restart(monkeypatch)
        assert choose_lstm_method(AUTO, tiny_config, MACS)[1] == choice

    @pytest.mark.parametrize(
        ("fault", "value"),
        [("STAND_IN_ABORTS_AT_CALL", "17"), ("STAND_IN_ABORTS_AT_OTHER_LENGTH", "1")],
    )
    def test_a_method_that_ends_its_process_is_never_used(self, tiny_config, monkeypatch, fault, value):
        monkeypatch.setenv(fault, value)
        words = "tir (the LSTM of Metal Performance Shaders doesn’t work here: its process ended (code 6))"
        assert choose_lstm_method(AUTO, tiny_config, MACS)[1].words == words
        restart(monkeypatch)
        variant, choice = choose_lstm_method(AUTO, tiny_config, MACS)
        assert (variant, choice.words) == (MACS, words)

    def test_a_slower_method_is_not_used(self, tiny_config, monkeypatch):
        monkeypatch.setenv("STAND_IN_TAKES_MS", "100")
        monkeypatch.setattr(lstm_methods, "LSTM_TRIAL", ProbeTrial("lstm", LSTM_TRIAL.stages, ((5,),), 2))
        _, choice = choose_lstm_method(AUTO, tiny_config, MACS)
        assert choice.method is LstmMethod.TIR
        assert choice.seconds["mps"] > choice.seconds["tir"]
        restart(monkeypatch)
        assert choose_lstm_method(AUTO, tiny_config, MACS)[1] == choice
