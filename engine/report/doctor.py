"""Checks this installation and reports problems and their remedies."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import logging
import platform
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from engine.compiler.artifacts.manifest import CPU
from engine.compiler.artifacts.packed_weights import is_intact
from engine.compiler.linking import LINKERS
from engine.errors import DamagedFile, EngineError
from engine.models.checkpoints import FULL_SIZE, STARTER, default_model, model_config, open_checkpoint
from engine.models.store import ModelState, ModelStatus, ModelStore
from engine.models.voices.blends import SavedVoices
from engine.runtime.preparation.devices import AUTO, choose_device
from engine.runtime.preparation.lstm_methods import choose_lstm_method
from engine.runtime.preparation.modules import find_modules
from engine.runtime.preparation.weights import all_packed_weights
from engine.system.mac import is_quarantined, release_command
from engine.system.paths import packed_weights_folder, project_folder, shipped_modules_folder

log = logging.getLogger(__name__)


class CheckStatus(Enum):
    """The status of a check."""

    GOOD = "good"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True)
class CheckResult:
    """The result of one check, as text."""

    title: str
    outcome: CheckStatus
    message: str

    @property
    def failed(self) -> bool:
        """True if this prevents speech."""
        return self.outcome is CheckStatus.PROBLEM


Check = Callable[[], tuple[CheckStatus, str]]


def format_findings(findings: Iterable[CheckResult]) -> str:
    """Format the findings as text, one line each."""
    return "\n".join(f"{finding.outcome.value:<8} {finding.title}: {finding.message}" for finding in findings)


def examine_installation() -> tuple[CheckResult, ...]:
    """Run every check; a check that raises becomes a finding, never a crash."""
    return tuple(_examine(title, check) for title, check in CHECKS.items())


def _examine(title: str, check: Check) -> CheckResult:
    try:
        status, message = check()
    except EngineError as error:
        return CheckResult(title, CheckStatus.PROBLEM, str(error))
    except Exception as error:
        log.debug("The check %r failed", title, exc_info=True)
        return CheckResult(title, CheckStatus.PROBLEM, f"the check itself failed ({type(error).__name__}: {error})")
    return CheckResult(title, status, message)


def _machine() -> tuple[CheckStatus, str]:
    return CheckStatus.GOOD, f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"


def _packages() -> tuple[CheckStatus, str]:
    names = ("kokoro-desk", "apache-tvm", "torch", "kokoro", "misaki", "PySide6-Essentials")
    return CheckStatus.GOOD, ", ".join(f"{name} {_version(name)}" for name in names)


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _quarantine() -> tuple[CheckStatus, str]:
    library = next(shipped_modules_folder().rglob("*.dylib"), None)
    if library is None or not is_quarantined(library):
        return CheckStatus.GOOD, "macOS doesn’t quarantine the modules"
    return CheckStatus.PROBLEM, f"macOS refuses to load the modules; run: {release_command(project_folder())}"


def _starter() -> tuple[CheckStatus, str]:
    checkpoint = open_checkpoint(STARTER)
    return CheckStatus.GOOD, f"intact, voices: {', '.join(checkpoint.voices)}"


def _models() -> tuple[CheckStatus, str]:
    store = ModelStore()
    statuses = [store.status(entry.name) for entry in store.catalog()]
    damaged = any(status.state is ModelState.DAMAGED for status in statuses)
    return CheckStatus.PROBLEM if damaged else CheckStatus.GOOD, ", ".join(
        _describe_status(status) for status in statuses
    )


def _describe_status(status: ModelStatus) -> str:
    return f"{status.entry.name} ({f'damaged: {status.problem}' if status.problem else status.state.value})"


def _modules() -> tuple[CheckStatus, str]:
    checks = [_modules_of(model) for model in (STARTER, FULL_SIZE)]
    there = all(status is CheckStatus.GOOD for status, _ in checks)
    return CheckStatus.GOOD if there else CheckStatus.NOTE, ". ".join(words for _, words in checks)


def _modules_of(model: str) -> tuple[CheckStatus, str]:
    config = model_config(model)
    device = choose_device(AUTO, config)
    variant, _ = choose_lstm_method(AUTO, config, device.variant)
    found = find_modules(config, variant)
    if found.folder is None:
        return CheckStatus.NOTE, f"{model}, {device.device}: missing: {found.problem}; built on first use"
    return CheckStatus.GOOD, f"{model}, {device.device}: {found.why}, in {found.folder}"


def _packed_weights() -> tuple[CheckStatus, str]:
    kept = all_packed_weights()
    if not kept:
        return CheckStatus.NOTE, f"none yet; stored in {packed_weights_folder()} on first use"
    intact = {path: is_intact(path) for path in kept}
    damaged = [str(path) for path in kept if intact[path] is False]
    if damaged:
        return CheckStatus.PROBLEM, f"damaged; delete {' and '.join(damaged)} (rebuilt on first use)"
    listed = ", ".join(_describe_weights(path, bool(intact[path])) for path in kept)
    return CheckStatus.GOOD, f"{listed}, in {kept[0].parent}"


def _describe_weights(path: Path, intact: bool) -> str:
    return f"{path.stem} ({path.stat().st_size / 1e6:.0f} MB{', intact' if intact else ''})"


def _saved_voices() -> tuple[CheckStatus, str]:
    try:
        names = SavedVoices().recipes()
    except DamagedFile as error:  # all other voices still work
        return CheckStatus.NOTE, str(error)
    return CheckStatus.GOOD, ", ".join(names) or "none"


def _device() -> tuple[CheckStatus, str]:
    choice = choose_device(AUTO, model_config(default_model()))
    return CheckStatus.NOTE if choice.is_fallback else CheckStatus.GOOD, choice.words


def _lstm_method() -> tuple[CheckStatus, str]:
    config = model_config(default_model())
    _, choice = choose_lstm_method(AUTO, config, choose_device(AUTO, config).variant)
    return CheckStatus.NOTE if choice.is_fallback else CheckStatus.GOOD, choice.words


def _linker() -> tuple[CheckStatus, str]:
    found = next((name for name in LINKERS if shutil.which(name)), None)
    if found:
        return CheckStatus.GOOD, f"{found} links modules"
    install = "no C compiler; install gcc (Linux) or the Xcode command line tools (Mac)"
    if find_modules(model_config(STARTER), CPU).folder is None:
        return CheckStatus.PROBLEM, install
    return CheckStatus.NOTE, f"{install} to build modules on this machine"


def _pronunciation() -> tuple[CheckStatus, str]:
    if importlib.util.find_spec("en_core_web_sm"):
        return CheckStatus.GOOD, "using the spaCy model"
    return CheckStatus.NOTE, "using the built-in tagger; install the spaCy model en_core_web_sm for better results"


def _audio() -> tuple[CheckStatus, str]:
    try:
        import sounddevice
    except OSError:
        return CheckStatus.NOTE, "PortAudio is missing; speech can be saved but not played"
    try:
        device = sounddevice.query_devices(kind="output")
    except (sounddevice.PortAudioError, ValueError):
        return CheckStatus.NOTE, "no audio device; speech can be saved but not played"
    return CheckStatus.GOOD, str(device["name"])


CHECKS: dict[str, Check] = {
    "Machine": _machine,
    "Packages": _packages,
    "Starter model": _starter,
    "Models": _models,
    "Compiled modules": _modules,
    **({"Quarantine": _quarantine} if sys.platform == "darwin" else {}),
    "Packed weights": _packed_weights,
    "Saved voices": _saved_voices,
    "Device": _device,
    "LSTM method": _lstm_method,
    "Linker": _linker,
    "Pronunciation": _pronunciation,
    "Audio": _audio,
}
