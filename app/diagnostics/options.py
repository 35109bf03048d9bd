"""What the user chose to compare, as plain data.

It does not know the text or the voice that is spoken.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.validator.results import Regime

USUAL_PADDING = 1.0


@dataclass(frozen=True)
class DiagnosticsOptions:
    """Part of a `ValidationRequest`, field by field under the same names; `regimes` does not list the reference."""

    regimes: tuple[Regime, ...] = (Regime.UPSTREAM, Regime.COMPILED)
    reference: Regime = Regime.DYNAMIC
    padding: float = USUAL_PADDING
    device: str = "auto"
    lstm_method: str = "auto"
    probes: bool = False
