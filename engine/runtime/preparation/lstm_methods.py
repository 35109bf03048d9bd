"""Chooses the method that computes the LSTMs of compiled modules: the requested one, or the best that works here.

On Metal, the best is Metal Performance Shaders if a child process finds them correct, with lengths that change between
calls, and no slower than the built-in kernels. If they nevertheless crash the speaking process, the next one avoids
them until they are chosen again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial

from engine.compiler.artifacts.manifest import METAL_MACOS, Variant
from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.network.ops.packed_lstm import LstmMethod
from engine.runtime.preparation.crash_guard import crash_guarded, crashed_last_time
from engine.runtime.preparation.devices import AUTO
from engine.runtime.preparation.probes import ProbeResult, ProbeTrial, StoredResult, forget_results

LSTM_METHODS = (AUTO, *LstmMethod)
_CRASH = StoredResult("mps-in-speech", "any")
_CRASHED = "Metal Performance Shaders crashed the app; choose them in Settings > Advanced to try again"
_ON_METAL = (LstmMethod.TIR, LstmMethod.MPS)
LSTM_PREFERENCES = (AUTO, *_ON_METAL)
"""The methods that users can choose for speech on a Mac's GPU."""
LSTM_TRIAL = ProbeTrial(
    "lstm",
    stages=("text_encoder", "duration"),
    batches=((30,), (133,), (400,), (30, 7, 19), (133, 133, 1), (400, 12, 260)),
    calls=3,
)
"""The trial of LSTM methods: five full-size LSTMs with 512 and 640 inputs and 256 units.

The lengths range from a short sentence to nearly the longest utterance. On some systems, the second call crashes the
process, or the first with a different length.
"""


@dataclass(frozen=True)
class MethodChoice:
    """The method in use, and the reason as text; `seconds` maps methods to their times in a trial.

    `is_fallback` is true if Metal Performance Shaders have crashed.
    """

    method: LstmMethod
    why: str
    seconds: Mapping[str, float] = field(default_factory=dict)
    is_fallback: bool = False

    @property
    def words(self) -> str:
        """The method and the reason, on one line."""
        return f"{self.method} ({self.why})"

    @property
    def around_use(self) -> Callable[[], AbstractContextManager[object]]:
        """The context manager to enter while the method runs, so that crashes are detected later."""
        return partial(crash_guarded, LstmMethod.MPS) if self.method is LstmMethod.MPS else nullcontext


def check_lstm_method(wanted: str) -> None:
    """Raise `InvalidRequest` for a name not in `LSTM_METHODS`."""
    if wanted not in LSTM_METHODS:
        raise InvalidRequest(f"Unknown LSTM method “{wanted}”.", f"Use one of: {', '.join(LSTM_METHODS)}.")


def choose_lstm_method(
    wanted: str, config: ModelConfig, variant: Variant, may_try: bool = True
) -> tuple[Variant, MethodChoice]:
    """Return `variant` with the LSTM method to use, and how it was chosen; `may_try` is as for `choose_device`.

    Raises `InvalidRequest` for a name not in `LSTM_METHODS`, or a method that the target of `variant` lacks.
    """
    check_lstm_method(wanted)
    if wanted == LstmMethod.MPS and variant.target != METAL_MACOS:
        raise InvalidRequest("The LSTM method mps needs a Mac with an Apple GPU.", "Use tir, or auto.")
    choice = _automatic(config, variant, may_try) if wanted == AUTO else _asked_for(LstmMethod(wanted), config, variant)
    return replace(variant, lstm_method=str(choice.method)), choice


def remembered_lstm_method(
    preference: str, config: ModelConfig, variant: Variant, may_try: bool = True
) -> tuple[Variant, MethodChoice]:
    """Choose like `choose_lstm_method`, but ignore an outdated `preference`.

    The preference counts only on a Mac's GPU, and `mps` only if it has not crashed since. Raises `InvalidRequest` for a
    name not in `LSTM_METHODS`.
    """
    check_lstm_method(preference)
    outdated = variant.target != METAL_MACOS or (preference == LstmMethod.MPS and _has_crashed())
    return choose_lstm_method(AUTO if outdated else preference, config, variant, may_try)


def forget_crashes() -> None:
    """Allow Metal Performance Shaders again after they have crashed."""
    crashed_last_time(LstmMethod.MPS)
    forget_results(_CRASH.probe)


def _asked_for(method: LstmMethod, config: ModelConfig, variant: Variant) -> MethodChoice:
    if variant.target != METAL_MACOS:
        return MethodChoice(method, "requested")
    seconds = LSTM_TRIAL.result(config, lstm_variants(variant), may_try=False).seconds
    return MethodChoice(method, f"requested; {_times(seconds)}" if seconds else "requested", seconds)


def _automatic(config: ModelConfig, variant: Variant, may_try: bool) -> MethodChoice:
    if variant.target != METAL_MACOS:
        return MethodChoice(LstmMethod.TIR, "built-in kernels (Metal Performance Shaders need a Mac GPU)")
    if _has_crashed():
        return MethodChoice(LstmMethod.TIR, _CRASHED, is_fallback=True)
    result = LSTM_TRIAL.result(config, lstm_variants(variant), may_try)
    if not result.works:
        return MethodChoice(LstmMethod.TIR, f"the LSTM of Metal Performance Shaders doesn’t work here: {result.why}")
    return _faster(result.seconds)


def _faster(seconds: Mapping[str, float]) -> MethodChoice:
    if seconds[LstmMethod.MPS] <= seconds[LstmMethod.TIR]:
        return MethodChoice(LstmMethod.MPS, f"correct and no slower: {_times(seconds)}", seconds)
    return MethodChoice(LstmMethod.TIR, f"faster: {_times(seconds)}", seconds)


def _times(seconds: Mapping[str, float]) -> str:
    return ", ".join(f"{method} {1000 * seconds[method]:.1f} ms" for method in _ON_METAL)


def lstm_variants(variant: Variant) -> dict[str, Variant]:
    """Return the variants of the modules for each method, without probes."""
    return {str(method): replace(variant, lstm_method=str(method), probed=False) for method in _ON_METAL}


def _has_crashed() -> bool:
    """Return whether a process crashed while using Metal Performance Shaders, on this chip and build of the system."""
    if crashed_last_time(LstmMethod.MPS):
        with suppress(OSError):
            _CRASH.save(ProbeResult(False, _CRASHED))
        return True
    return _CRASH.load() is not None
