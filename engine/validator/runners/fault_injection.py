"""Fault injection: a fault in the compiled modules of a validation, and the report on it.

The faulty modules are in a temporary folder, which is deleted when the fault injection is closed or its process ends.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from engine.compiler.artifacts.manifest import Variant
from engine.config import ModelConfig
from engine.runtime.preparation.modules import PreparationObserver
from engine.stages import stage_named
from engine.validator.data.results import InputSource, Regime, Report, Row, Verdict
from engine.validator.faults.catalog import fault_named
from engine.validator.faults.fault import Fault, PlantedFault

NOTHING_FOUND = "Missed: every stage is within its tolerance."


class FaultInjection:
    """Injects one fault; `planted` describes it after that, and is None before."""

    def __init__(self, name: str) -> None:
        self.fault = fault_named(name)
        self.planted: PlantedFault | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="kokoro-desk-drill-")

    def modules(
        self,
        config: ModelConfig,
        variant: Variant,
        healthy: Path | None,
        observe: PreparationObserver,
        cancel: threading.Event | None = None,
    ) -> Path:
        """Return a folder with the modules of `healthy`, if given, and the faulty one; raises the errors of `plant`."""
        from engine.validator.faults.planting import plant  # loads torch and tvm

        folder = Path(self._folder.name) / variant.name
        self.planted = plant(self.fault, config, variant, healthy, folder, observe, cancel)
        return folder

    def close(self) -> None:
        """Delete the faulty modules."""
        self._folder.cleanup()


def fault_injection_regimes(fault: Fault) -> tuple[Regime, ...]:
    """Return the regimes that show the fault, after the noise floor."""
    padded = (Regime.COMPILED_PADDED,) if fault.needs_padding else ()
    return (Regime.UPSTREAM, Regime.COMPILED, *padded)


def fault_injection_text(report: Report) -> str:
    """Describe the injected fault and whether it was found, as lines for the terminal."""
    return "\n".join(_lines(report, report.planted)) if report.planted is not None else ""


def describe_fault_verdict(report: Report, planted: PlantedFault) -> str:
    """State in a sentence whether the validator named the stage with the fault."""
    title = stage_named(planted.stage).title
    failed, worse = ({row.stage for row in _wrong(report, verdict)} for verdict in (Verdict.FAIL, Verdict.WORSE))
    if failed:
        return f"Found: the fault is in {title}." if failed == {planted.stage} else f"Missed: the fault is in {title}."
    if worse == {planted.stage}:
        return f"Found: {title} is within its tolerance, but less accurate than expected."
    return f"Missed: the fault is in {title}." if worse else NOTHING_FOUND


def _wrong(report: Report, verdict: Verdict) -> Iterator[Row]:
    """Yield the outputs of isolated compiled stages with this verdict."""
    fed = (row for row in report.rows if row.decides and not row.probe and row.reading is InputSource.ISOLATED)
    return (row for row in fed if row.verdict is verdict)


def _lines(report: Report, planted: PlantedFault) -> Iterator[str]:
    fault = fault_named(planted.name)
    yield f"Drill: {describe_fault_verdict(report, planted)}"
    yield f"Planted: {fault.planted}"
    yield f"Kernel: {planted.kernel} of stage {planted.stage}"
    for line in planted.changes[:1]:
        before, after = line.excerpts
        yield from (f"  - {before}", f"  + {after}")
    yield f"How it would sound: {fault.symptom}"
