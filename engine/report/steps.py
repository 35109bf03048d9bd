"""The steps of a report, in the order in which they run.

A step is a command of the program itself if there is one. On a computer that is not a Mac, steps for a GPU run on the
tests' software Metal device, if the project's tests and their compiler are available.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec

from engine.compiler.artifacts.manifest import CPU_DEVICE, METAL_DEVICE
from engine.models.checkpoints import FULL_SIZE, STARTER, installed_models
from engine.network.ops.packed_lstm import LstmMethod
from engine.report.running import FOLDER, SCRATCH, ReportStep
from engine.runtime.preparation.devices import METAL_TRIAL, metal_unavailable_reason
from engine.runtime.preparation.lstm_methods import LSTM_TRIAL
from engine.system.bundle import has_compiler, is_bundle
from engine.system.paths import project_folder

MODELS = (STARTER, FULL_SIZE)
TEXT = "The quick brown fox jumps over the lazy dog, and the dog does not mind."
"""The sentence that the steps speak and validate."""
SECONDS = 10
"""The length of the audio that is timed and estimated."""
FIGURES = "figures.json"
FIRST_START = "first-start"
WAYS = ((CPU_DEVICE, None), (METAL_DEVICE, LstmMethod.TIR), (METAL_DEVICE, LstmMethod.MPS))
"""The devices for the compiled modules, and the methods that compute their LSTMs there."""
_TASK = ("engine.report.task",)
_SOFTWARE_METAL = "tests.software_metal"
_SOFTWARE_COMPILER = "clang++"
_SHORT_TEXT = "Hello."
"""The text for the software device, which is slow."""
_ONLY_A_MAC = "only a Mac has it"
_LINES = "findings.jsonl"
_EMPTY = {f"XDG_{kind}_HOME": f"{SCRATCH}/{kind.lower()}" for kind in ("CACHE", "CONFIG", "DATA", "STATE")}
"""An environment without a previous run, so that no user data is shown."""
_OWN_PREFERENCES = {"CFFIXED_USER_HOME": SCRATCH}
"""The variable for the folder of an application's settings on a Mac."""
_SPEAK = ("engine", "speak", TEXT, "--json", "--out", f"{FOLDER}/speech.flac")
_OFFSCREEN = {} if sys.platform == "darwin" else {"QT_QPA_PLATFORM": "offscreen"}
_TESTS = ("pytest", "-q", "-p", "no:cacheprovider")
_TESTS_SECONDS = 5400


def all_steps(with_tests: bool = False) -> tuple[ReportStep, ...]:
    """Return every step, including those that do not apply to this machine."""
    return (*_of_the_machine(), *_of_the_gpu(), *_of_speech(), *_of_the_window(), *_afterwards(), *_tests(with_tests))


def validation(model: str, device: str, method: LstmMethod | None) -> str:
    """Return the name of the step that validates a model."""
    return "-".join(["validate", model, device, *([method] if method else [])])


def benchmark(model: str, device: str, method: LstmMethod | None) -> str:
    """Return the name of the step that times a model; its results are in the file `FIGURES`."""
    return "-".join(["benchmark", model, device, *([method] if method else [])])


def estimate(model: str) -> str:
    """Return the name of the step that estimates a model's times on Metal; its results are in the file `FIGURES`."""
    return f"estimate-{model}"


def _of_the_machine() -> Iterator[ReportStep]:
    on_a_mac = "" if sys.platform == "darwin" else _ONLY_A_MAC
    yield ReportStep("system", (*_TASK, "system"), output=_LINES)
    yield ReportStep("tools", (*_TASK, "tools"), output=_LINES)
    yield ReportStep("packages", (*_TASK, "packages"), output=_LINES)
    yield ReportStep("quarantine", (*_TASK, "quarantine"), unavailable_reason=on_a_mac, output=_LINES)
    yield ReportStep("signatures", (*_TASK, "signatures"), unavailable_reason=on_a_mac, output=_LINES)
    yield ReportStep("libraries", (*_TASK, "libraries"), output=_LINES)
    # must precede any step that fills a system's cache of kernels
    yield ReportStep(FIRST_START, (*_SPEAK, "--model", STARTER), environment=_EMPTY, output=FIGURES)
    yield ReportStep("doctor", ("engine", "doctor", "--json"), output=FIGURES)


def _of_the_gpu() -> Iterator[ReportStep]:
    """Yield the compilation of kernels and the trials; a model's first Metal step builds its modules if necessary."""
    yield ReportStep("kernels", _on_metal(*_TASK, "kernels"), 600, _no_metal(), output=_LINES)
    for model in MODELS:
        command = _on_metal(*_TASK, "trial", METAL_TRIAL.name, model)
        yield ReportStep(
            f"trial-{METAL_TRIAL.name}-{model}", command, unavailable_reason=_no_metal(model), output=_LINES
        )
        lstm_command = (*_TASK, "trial", LSTM_TRIAL.name, model)
        yield ReportStep(
            f"trial-{LSTM_TRIAL.name}-{model}",
            lstm_command,
            unavailable_reason=metal_unavailable_reason() or "",
            output=_LINES,
        )


def _of_speech() -> Iterator[ReportStep]:
    for model in MODELS:
        untrained = "" if model == STARTER or model in installed_models() else "its trained weights aren’t installed"
        for device in (CPU_DEVICE, METAL_DEVICE):
            missing = untrained or (metal_unavailable_reason() or "" if device == METAL_DEVICE else "")
            command = (*_SPEAK, "--model", model, "--device", device)
            yield ReportStep(f"speech-{model}-{device}", command, unavailable_reason=missing, output=FIGURES)
    for model in MODELS:
        for way in WAYS:
            yield _validation(model, *way)
    for model in MODELS:
        for way in WAYS:
            yield _benchmark(model, *way)
    for model in MODELS:
        on_paper = ("engine", "benchmark", "--model", model, "--estimate", METAL_DEVICE, "--seconds", str(SECONDS))
        unavailable_reason = "" if has_compiler() else "it needs an installation from source"
        yield ReportStep(
            estimate(model), (*on_paper, "--json", f"{FOLDER}/{FIGURES}"), unavailable_reason=unavailable_reason
        )


def _validation(model: str, device: str, method: LstmMethod | None) -> ReportStep:
    in_software = device == METAL_DEVICE and sys.platform != "darwin"
    command = ("engine", "validate", *_weights(model), "--text", _SHORT_TEXT if in_software else TEXT)
    command = (*command, *_device(device, method), "--json", f"{FOLDER}/{FIGURES}")
    unavailable_reason = "it needs PyTorch and the original network" if is_bundle() else ""
    if device == METAL_DEVICE:
        unavailable_reason = unavailable_reason or _no_metal(model, method)
        command = _on_metal(*command)
    return ReportStep(validation(model, device, method), command, 600, unavailable_reason)


def _benchmark(model: str, device: str, method: LstmMethod | None) -> ReportStep:
    command = ("engine", "benchmark", *_weights(model), *_device(device, method), "--seconds", str(SECONDS))
    unavailable_reason = (metal_unavailable_reason() or "") if device == METAL_DEVICE else ""
    if is_bundle():
        unavailable_reason = "it needs PyTorch and the compiler"
    command = (*command, "--rounds", "3", "--json", f"{FOLDER}/{FIGURES}")
    return ReportStep(benchmark(model, device, method), command, 600, unavailable_reason)


def _of_the_window() -> Iterator[ReportStep]:
    environment = {**_EMPTY, **_OWN_PREFERENCES, **_OFFSCREEN}
    for appearance in ("light", "dark"):
        picture = ("--appearance", appearance, "--screenshot", f"{FOLDER}/window.png")
        yield ReportStep(f"window-{appearance}", ("app", "--model", STARTER, *picture), environment=environment)


def _afterwards() -> Iterator[ReportStep]:
    yield ReportStep("remembered", (*_TASK, "remembered"), output=_LINES)
    unavailable_reason = "" if sys.platform == "darwin" else "only macOS writes crash reports"
    yield ReportStep("crashes", (*_TASK, "crashes", FOLDER), unavailable_reason=unavailable_reason, output=_LINES)


def _tests(wanted: bool) -> Iterator[ReportStep]:
    """Yield the tests, run as by `make test`."""
    unavailable_reason = (
        "" if find_spec("pytest") and find_spec("xdist") else "its packages are missing; run: make setup-test"
    )
    if not wanted:
        unavailable_reason = "not requested (use --tests)"
    aside = ("--numprocesses", "2", "--dist", "loadfile", "-m", "not alone and not long")
    yield ReportStep("tests", (*_TESTS, *aside), _TESTS_SECONDS, unavailable_reason)
    yield ReportStep("tests-alone", (*_TESTS, "-m", "alone and not long"), _TESTS_SECONDS, unavailable_reason)


def _weights(model: str) -> tuple[str, ...]:
    """Return the options for the model, with trained weights if installed, else random ones."""
    random = () if model == STARTER or model in installed_models() else ("--weights", "random:0")
    return ("--model", model, *random)


def _device(device: str, method: LstmMethod | None) -> tuple[str, ...]:
    return ("--device", device, *(("--lstm-method", method) if method else ()))


def _on_metal(*command: str) -> tuple[str, ...]:
    return command if sys.platform == "darwin" else (_SOFTWARE_METAL, *command)


def _no_metal(model: str = STARTER, method: LstmMethod | None = None) -> str:
    """Return why a model cannot run on Metal or a software device here; empty if it can."""
    if sys.platform == "darwin":
        return metal_unavailable_reason() or ""
    if method is LstmMethod.MPS:
        return "Metal Performance Shaders need a Mac"
    if model != STARTER:
        return "Metal needs a Mac; in software it takes too long"
    is_here = (project_folder() / _SOFTWARE_METAL.replace(".", "/")).is_dir() and shutil.which(_SOFTWARE_COMPILER)
    return "" if is_here else "Metal needs a Mac; the device in software needs the project’s tests and clang++"
