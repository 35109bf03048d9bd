import argparse
import json
from pathlib import Path

import pytest

from engine.benchmark import layer_timing
from engine.benchmark.estimate import counting
from engine.benchmark.peers import PeerSelection
from engine.cli import benchmark
from engine.cli.benchmark import add_options, run_benchmark
from engine.cli.command import STANDARD_OUTPUT
from engine.compiler.artifacts.manifest import Variant
from engine.errors import EngineError, InvalidRequest
from engine.runtime.preparation.devices import DeviceChoice
from engine.runtime.runners import tvm_runtime
from engine.stages import DEVICE_STAGES
from engine.system.cores import usable_cores
from tests.engine.benchmark.estimate.example_work import estimate
from tests.engine.benchmark.example_measurement import measurement
from tests.engine.benchmark.test_layers import TIMES


def options(*arguments):
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(arguments)


@pytest.fixture
def quick(monkeypatch):
    """Estimate without counting, which has its own tests."""
    monkeypatch.setattr(counting, "estimate_metal", lambda model, *_: estimate(model))


@pytest.fixture
def asked_for(monkeypatch):
    """The arguments of the call that measures; it returns a measurement of given numbers."""
    asked = []

    def instead(*arguments):
        asked.append(arguments)
        return measurement()

    monkeypatch.setattr(benchmark, "measure", instead)
    return asked


def test_an_unknown_target_is_refused():
    with pytest.raises(InvalidRequest, match="Unknown estimate “cuda”"):
        run_benchmark(options("--estimate", "cuda"), print)


@pytest.mark.parametrize("kind", [["--estimate", "metal"], ["--layers"]])
@pytest.mark.parametrize("extra", [["--peers"], ["--plot", "x.png"], ["--seconds", "1", "2"]])
def test_estimates_and_layers_accept_one_length_and_no_peers_or_plot(kind, extra):
    with pytest.raises(InvalidRequest, match="one length"):
        run_benchmark(options(*kind, *extra), print)


def test_layers_are_not_estimated():
    with pytest.raises(InvalidRequest, match="estimated"):
        run_benchmark(options("--estimate", "metal", "--layers"), print)


def test_layers_are_timed_at_the_length_and_in_the_rounds_asked_for(monkeypatch):
    asked = []

    def instead(*arguments):
        asked.append(arguments)
        return TIMES

    monkeypatch.setattr(layer_timing, "layer_times", instead)
    outcome = run_benchmark(options("--layers", "--seconds", "4", "--threads", "1", "--rounds", "3"), print)
    ((stages, sizes, threads, rounds, _),) = asked
    assert (stages, threads, rounds) == (DEVICE_STAGES, 1, 3)
    assert sizes.lengths == {"frames": 160, "tokens": 53}
    assert outcome.data["audio_seconds"] == 4
    assert "all direct" in outcome.words


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (["--seconds", "0"], "can’t be 0 seconds"),
        (["--seconds", "10", "-1"], "can’t be -1 seconds"),
        (["--seconds", "1e9"], "An utterance can’t be"),
        (["--peers", "tensorflow"], "Unknown peer “tensorflow”"),
        (["--device", "cuda"], "Unknown device “cuda”"),
        (["--lstm-method", "abacus"], "Unknown LSTM method “abacus”"),
        (["--lstm-method", "mps"], "needs a Mac"),
        (["--device", "metal", "--layers"], "Only whole stages"),
        (["--device", "metal", "--estimate", "metal"], "Only whole stages"),
        (["--threads", "0"], "0 threads aren’t available"),
        (["--threads", "10000"], "10000 threads aren’t available"),
        (["--rounds", "0"], "--rounds 0 is too small"),
        (["--model", "nonesuch"], "Unknown model"),
        (["--model", "kokoro-82m", "--weights", "random"], "Unknown weights “random”"),
    ],
)
def test_invalid_options_are_reported_before_any_work(asked_for, mistake, words):
    with pytest.raises(InvalidRequest, match=words):
        run_benchmark(options(*mistake), print)
    assert asked_for == []


def test_ours_alone_at_three_lengths_unless_asked_otherwise(asked_for):
    run_benchmark(options("--model", "kokoro-82m", "--weights", "random:0"), print)
    ((job, lengths, choice, rounds, _),) = asked_for
    assert (job.model, job.weights, job.threads) == ("kokoro-82m", "random:0", len(usable_cores()))
    assert [length.seconds for length in lengths] == [2, 10, 30]
    assert choice.names == ()
    assert rounds == benchmark.DEFAULT_ROUNDS


def test_lengths_peers_and_threads_are_those_asked_for(asked_for):
    run_benchmark(options("--seconds", "1", "4", "--peers", "pytorch", "--threads", "1", "--rounds", "2"), print)
    ((job, lengths, choice, rounds, _),) = asked_for
    assert [length.seconds for length in lengths] == [1, 4]
    assert (job.threads, choice.names, rounds) == (1, ("pytorch",), 2)


def test_metal_is_refused_where_there_is_none_before_any_work(asked_for, monkeypatch):
    monkeypatch.setattr(tvm_runtime, "_METAL", (8, 7))  # more than any machine has
    with pytest.raises(EngineError, match="no Metal device"):
        run_benchmark(options("--device", "metal"), print)
    assert asked_for == []


def test_the_cpu_is_timed_alongside_metal(asked_for, monkeypatch):
    on_metal = DeviceChoice("metal", Variant("metal-macos"), "requested")
    monkeypatch.setattr(benchmark, "choose_device", lambda *_: on_metal)
    run_benchmark(options("--device", "metal", "--peers", "pytorch"), print)
    ((job, _, choice, _, _),) = asked_for
    assert job.device == "metal"
    assert choice.names == ("ours-on-cpu", "pytorch")


@pytest.mark.usefixtures("asked_for")
def test_omitted_peers_are_reported(monkeypatch):
    monkeypatch.setattr(benchmark, "choose_peers", lambda *_: PeerSelection((), {"somebody": "it is not here"}))
    heard = []
    run_benchmark(options("--peers"), heard.append)
    assert heard == ["note: somebody is omitted: it is not here"]


def test_a_plot_is_of_many_lengths(asked_for, tmp_path):
    run_benchmark(options("--plot", str(tmp_path / "x.png")), print)
    assert [length.seconds for length in asked_for[0][1]] == [1, 2, 5, 10, 20, 30, 60]
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("asked_for")
def test_a_measurement_goes_into_a_file_and_into_words(tmp_path):
    path = tmp_path / "figures.json"
    outcome = run_benchmark(options("--json", str(path)), print)
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(json.dumps(outcome.data))
    assert "best peer" in outcome.words


def test_a_file_that_cannot_be_written_is_found_before_the_work(tmp_path):
    with pytest.raises(EngineError, match="exist"):
        run_benchmark(options("--estimate", "metal", "--json", str(tmp_path / "no" / "x.json")), print)


@pytest.mark.usefixtures("quick")
def test_figures_go_into_a_file(tmp_path):
    path = tmp_path / "figures.json"
    outcome = run_benchmark(options("--estimate", "metal", "--model", "kokoro-82m", "--json", str(path)), print)
    assert json.loads(path.read_text(encoding="utf-8"))["model"] == "kokoro-82m"
    assert "kokoro-82m" in outcome.words


@pytest.mark.usefixtures("quick")
def test_json_without_a_name_is_standard_output():
    asked = options("--estimate", "metal", "--json")
    assert asked.json == STANDARD_OUTPUT
    assert run_benchmark(asked, print).data["model"] == "starter"
    assert not Path("-").exists()
