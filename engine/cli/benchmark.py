"""`engine benchmark`: speed, measured against other runtimes, layer by layer, or estimated."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.benchmark import layers
from engine.benchmark import report as benchmark_report
from engine.benchmark.estimate import report as estimate_report
from engine.benchmark.job import BenchmarkJob, exact_length
from engine.benchmark.measuring import DEFAULT_SECONDS, MAX_TIMES_THE_ROUNDS, PLOT_SECONDS, measure
from engine.benchmark.peers import PEER_NAMES, beside_a_gpu, choose_peers
from engine.cli.command import STANDARD_OUTPUT, Command, Outcome, add_json_file, add_model, save_json
from engine.cli.progress import show_line
from engine.compiler.artifacts.manifest import CPU_DEVICE
from engine.errors import InvalidRequest
from engine.models.checkpoints import model_config, open_checkpoint
from engine.runtime.preparation.devices import AUTO, DEVICES, choose_device
from engine.runtime.preparation.lstm_methods import LSTM_METHODS, choose_lstm_method
from engine.stages import DEVICE_STAGES
from engine.system.atomic_write import atomic_write, ensure_writable
from engine.system.cores import check_threads, usable_cores

ONE_LENGTH_SECONDS = 10.0
DEFAULT_ROUNDS = 5
TARGETS = ("metal",)

OnProgress = Callable[[str], None]


def add_options(parser: Any) -> None:
    """Add the options: what to measure or estimate, at which lengths, against which runtimes."""
    lengths = " ".join(f"{seconds:g}" for seconds in DEFAULT_SECONDS)
    parser.add_argument(
        "--seconds", type=float, nargs="+", metavar="N", help=f"seconds of audio to time (default: {lengths})"
    )
    names = ", ".join(PEER_NAMES)
    parser.add_argument(
        "--peers", nargs="*", metavar="NAME", help=f"runtimes to compare with: {names} (default: all that can run)"
    )
    device = f"device for our own modules: {', '.join(DEVICES)} (default: cpu); with a GPU, the CPU is timed too"
    parser.add_argument("--device", default=CPU_DEVICE, help=device)
    method = f"how they compute LSTMs: {', '.join(LSTM_METHODS)} (default: auto)"
    parser.add_argument("--lstm-method", default=AUTO, help=method)
    parser.add_argument("--threads", type=int, metavar="K", help="CPU threads of each runtime (default: one per core)")
    rounds = f"rounds at each length, up to {MAX_TIMES_THE_ROUNDS} times as many for short speech (default: 5)"
    parser.add_argument("--rounds", type=int, default=DEFAULT_ROUNDS, metavar="N", help=rounds)
    add_json_file(parser)
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE.png",
        help="plot time per second of audio: bars at one length, else curves, from 1 to 60 s by default",
    )
    parser.add_argument(
        "--layers", action="store_true", help="time each convolution by itself, as a share of the CPU’s peak"
    )
    parser.add_argument("--estimate", metavar="TARGET", help="metal: estimate Macs from the compiled modules")
    add_model(parser)


def run_benchmark(options: argparse.Namespace, on_progress: OnProgress = show_line) -> Outcome:
    """Run the benchmark that the options request and write the files that they name.

    `on_progress` receives a line per step. Raises `InvalidRequest`, `EngineError`, `CompileError`.
    """
    files = [path for path in (options.json, options.plot) if path not in (None, STANDARD_OUTPUT)]
    for path in files:
        ensure_writable(path)
    if options.plot is not None and options.plot.suffix.lower() != ".png":
        raise InvalidRequest(f"{options.plot} isn’t a valid name for a plot.", "Use a name that ends in .png.")
    outcome = _kind(options)(options, on_progress)
    save_json(options, outcome)
    return outcome


def _kind(options: argparse.Namespace) -> Callable[[argparse.Namespace, OnProgress], Outcome]:
    if options.layers and options.estimate is not None:
        raise InvalidRequest("Layers can’t be estimated.", "Omit --layers or --estimate.")
    if options.device != CPU_DEVICE and (options.layers or options.estimate is not None):
        raise InvalidRequest("Only whole stages can be timed on a device.", "Omit --device.")
    if options.layers:
        return _by_layer
    return _measured if options.estimate is None else _estimated


def _measured(options: argparse.Namespace, on_progress: OnProgress) -> Outcome:
    choice = choose_peers(options.peers, options.model)
    config = open_checkpoint(options.model, options.weights).config
    choice_of_device = choose_device(options.device, config)
    choose_lstm_method(options.lstm_method, config, choice_of_device.variant, may_try=False)
    device = choice_of_device.device
    if device != CPU_DEVICE:
        choice = beside_a_gpu(choice)
    seconds = options.seconds or (DEFAULT_SECONDS if options.plot is None else PLOT_SECONDS)
    lengths = [exact_length(one, config) for one in seconds]
    job = BenchmarkJob(
        options.model, options.weights, _threads(options.threads), device=device, lstm_method=options.lstm_method
    )
    for name, why in choice.left_out.items():
        on_progress(f"note: {name} is omitted: {why}")
    measured = measure(job, lengths, choice, _rounds(options.rounds), on_progress)
    if options.plot is not None:
        from engine.benchmark.plot import as_png  # imports matplotlib

        with atomic_write(options.plot) as file:
            file.write(as_png(measured))
    return Outcome(benchmark_report.to_dict(measured), benchmark_report.to_text(measured))


def _by_layer(options: argparse.Namespace, on_progress: OnProgress) -> Outcome:
    _one_length(options, "A measurement of layers")
    (seconds,) = options.seconds or [ONE_LENGTH_SECONDS]
    config = model_config(options.model)
    length = exact_length(seconds, config)
    threads, rounds = _threads(options.threads), _rounds(options.rounds)
    from engine.benchmark.estimate.counting import RunSizes
    from engine.benchmark.layer_timing import layer_times  # imports torch and tvm

    run = RunSizes(config, 1, {"frames": length.frames, "tokens": length.tokens})
    times = layer_times(DEVICE_STAGES, run, threads, rounds, on_progress)
    return Outcome(layers.to_dict(options.model, length, times), layers.to_text(options.model, length, times))


def _estimated(options: argparse.Namespace, on_progress: OnProgress) -> Outcome:
    if options.estimate not in TARGETS:
        raise InvalidRequest(f"Unknown estimate “{options.estimate}”.", "Use “--estimate metal”.")
    _one_length(options, "An estimate")
    (seconds,) = options.seconds or [ONE_LENGTH_SECONDS]
    from engine.benchmark.estimate.counting import estimate_metal  # imports torch and tvm

    config = model_config(options.model)
    estimate = estimate_metal(options.model, config, seconds, lambda stage: on_progress(f"Counted {stage}"))
    return Outcome(estimate_report.to_dict(estimate), estimate_report.to_text(estimate))


def _one_length(options: argparse.Namespace, what: str) -> None:
    if options.peers is not None or options.plot is not None or len(options.seconds or []) > 1:
        raise InvalidRequest(f"{what} takes one length, no peers, and no plot.", "Omit these options.")


def _threads(wanted: int | None) -> int:
    check_threads(wanted)
    return wanted or len(usable_cores())


def _rounds(number: int) -> int:
    if number < 1:
        raise InvalidRequest(f"--rounds {number} is too small.", "Use a whole number above zero.")
    return number


COMMAND = Command(
    "benchmark", "Measure speed next to other runtimes, or estimate it for Macs.", add_options, run_benchmark
)
