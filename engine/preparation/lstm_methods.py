"""Which method computes the LSTMs of compiled modules: what was asked for, or the best that works here.

On Metal the best is Metal Performance Shaders, if their modules exist and a probe in a child process succeeds; its
result is kept for each version of the system.
"""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from engine.artifacts.manifest import Manifest, Variant
from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.ops.packed_lstm import LstmMethod
from engine.preparation.devices import AUTO
from engine.preparation.module_choice import find_modules
from engine.system.child_process import ChildProcess, python_command
from engine.system.paths import cache_folder
from engine.system.whole_file import write_atomically

LSTM_METHODS = (AUTO, *LstmMethod)
_MACS = "metal-macos"
_PROBE = "engine.runners.lstm_probe"
_PROBE_SECONDS = 60
_RESULTS = "lstm_probe.json"


@dataclass(frozen=True)
class MethodChoice:
    """The method that is used, and the reason as text."""

    method: LstmMethod
    why: str

    @property
    def words(self) -> str:
        """The method and the reason, in one line."""
        return f"{self.method} ({self.why})"


@dataclass(frozen=True)
class ProbeResult:
    """Whether the LSTM of Metal Performance Shaders works here, and why not."""

    works: bool
    why: str = ""


Probe = Callable[[Path], ProbeResult]


def check_lstm_method(wanted: str) -> None:
    """Raise `InvalidRequest` for a name not in `LSTM_METHODS`."""
    if wanted not in LSTM_METHODS:
        raise InvalidRequest(f"There is no LSTM method “{wanted}”.", f"Use one of: {', '.join(LSTM_METHODS)}.")


def choose_lstm_method(
    wanted: str, config: ModelConfig, variant: Variant, probe: Probe | None = None
) -> tuple[Variant, MethodChoice]:
    """`variant` with the LSTM method to use, and how that method was chosen.

    Raises `InvalidRequest` for a name not in `LSTM_METHODS`, or a method that the target of `variant` lacks.
    """
    check_lstm_method(wanted)
    if wanted == LstmMethod.MPS and variant.target != _MACS:
        raise InvalidRequest("The LSTM method mps needs a Mac with an Apple GPU.", "Use tir, or auto.")
    choice = (
        _automatic(config, variant, probe or kept_result)
        if wanted == AUTO
        else MethodChoice(LstmMethod(wanted), "it was asked for")
    )
    return replace(variant, lstm_method=str(choice.method)), choice


def _automatic(config: ModelConfig, variant: Variant, probe: Probe) -> MethodChoice:
    if variant.target != _MACS:
        return MethodChoice(LstmMethod.TIR, "kernels in the modules; Metal Performance Shaders need a Mac's GPU")
    found = find_modules(config, replace(variant, lstm_method=str(LstmMethod.MPS)))
    if found.folder is None:
        return MethodChoice(
            LstmMethod.TIR, f"the modules for Metal Performance Shaders cannot be used: {found.problem}"
        )
    bridge = Manifest.load(found.folder).bridge
    result = ProbeResult(False, "their library is missing") if bridge is None else probe(found.folder / bridge.file)
    if result.works:
        return MethodChoice(LstmMethod.MPS, "Metal Performance Shaders' LSTM works here")
    return MethodChoice(LstmMethod.TIR, f"Metal Performance Shaders' LSTM does not work here: {result.why}")


def kept_result(library: Path) -> ProbeResult:
    """The result of probing this library on this version of the system, from the cache if it was probed before."""
    path = cache_folder() / _RESULTS
    key = f"{platform.platform()} {hashlib.sha256(library.read_bytes()).hexdigest()[:16]}"
    results = _kept(path)
    if key not in results:
        results[key] = run_probe(python_command(_PROBE, str(library)))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps({name: asdict(one) for name, one in results.items()}, indent=1).encode())
    return results[key]


def run_probe(command: Sequence[str], seconds: float = _PROBE_SECONDS) -> ProbeResult:
    """Run the probe in a child process; a crash and a timeout are results too."""
    with ChildProcess(command) as child:
        try:
            code = child.wait(seconds)
        except subprocess.TimeoutExpired:
            return ProbeResult(False, f"it was not done after {seconds:g} seconds")
        if code < 0:
            return ProbeResult(False, f"it ended its process ({child.last_words()})")
        return ProbeResult(True) if code == 0 else ProbeResult(False, child.last_words())


def _kept(path: Path) -> dict[str, ProbeResult]:
    try:
        return {name: ProbeResult(**one) for name, one in json.loads(path.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
