"""A whole benchmark, as short as one can be, with real peers in processes of their own."""

import pytest

from engine.benchmark.comparison_data import as_data
from engine.benchmark.job import Job
from engine.benchmark.lengths import exact_length
from engine.benchmark.measuring import measure
from engine.benchmark.peers import ONNX_RUNTIME, OURS, PYTORCH, Choice
from engine.stages import DEVICE_STAGES

SECONDS = 0.25


@pytest.fixture(scope="module")
def measured():
    job = Job("starter", None, 1)
    lengths = [exact_length(SECONDS, job.config)]
    return measure(job, lengths, Choice((PYTORCH, ONNX_RUNTIME), {"somebody": "it is not here"}), 2, str)


def test_everybody_ran_every_stage_in_every_round(measured):
    (length,) = measured.lengths
    assert len(length.rounds) == 2
    for turn in length.rounds:
        assert list(turn) == [OURS, PYTORCH, ONNX_RUNTIME]
        for stages in turn.values():
            assert list(stages) == [stage.name for stage in DEVICE_STAGES]
            assert all(seconds > 0 for seconds in stages.values())


def test_the_other_figures_are_there(measured):
    assert measured.peak_flop_per_second > 1e8
    assert all(figures.peak_bytes > 1e6 for figures in measured.processes.values())
    assert measured.speech.command_peak_bytes > 1e6
    assert 0 < measured.speech.short_seconds < measured.speech.cold_seconds
    assert measured.export_seconds > 0
    assert set(measured.compile_seconds) == {stage.name for stage in DEVICE_STAGES}
    assert measured.left_out == {"somebody": "it is not here"}


def test_the_decoder_needs_most(measured):
    (length,) = measured.lengths
    assert max(length.flop, key=length.flop.get) == "decoder"
    assert length.flop["source"] == 0


def test_it_can_be_shown(measured):
    (length,) = as_data(measured)["lengths"]
    assert length["audio_seconds"] == SECONDS
    assert length["times_faster_than_best_peer"] > 0
