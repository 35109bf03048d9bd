"""`engine validate --kernels`: searches stages for the faulty kernel."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from engine.validator.data.results import KernelRequest, ValidationEvent, ValidationRequest
from engine.validator.data.wording import counted
from engine.validator.inspection.results import (
    GraphEvent,
    GraphNode,
    KernelEvent,
    KernelFinding,
    KernelMeasurement,
    KernelVerdict,
    NodeKind,
)
from engine.validator.kernels.kernel_inspection import EVERY_STAGE, KernelInspection, check_stage_names
from engine.validator.reports.text_report import WIDTH
from engine.validator.runs.validation import ValidationObserver, Validator

_SHOWN = 8
"""The number of kernels of a stage to list in the text, the worst first."""
_MILLI = 1e3


def add_kernels(parser: Any) -> None:
    """Add --kernels."""
    parser.add_argument(
        "--kernels",
        nargs="?",
        const="",
        metavar="STAGE,...",
        help=f"find the faulty kernel: in failing stages (default), in the given stages, or in `{EVERY_STAGE}`",
    )


def check_kernels(stages: str | None) -> None:
    """Raise `InvalidRequest` if --kernels names an unknown stage."""
    check_stage_names(_named(stages or ""))


@dataclass
class KernelReport:
    """The results of an inspection, collected from its events: nodes and measurements by stage."""

    asked: bool
    nodes: dict[str, dict[str, GraphNode]] = field(default_factory=dict)
    measured: dict[str, dict[str, KernelMeasurement]] = field(default_factory=dict)
    findings: tuple[KernelFinding, ...] = ()

    def handle_event(self, event: ValidationEvent) -> None:
        """Record the content of an event."""
        if isinstance(event, GraphEvent):
            kernels = {node.id: node for node in event.graph.nodes if node.kind is NodeKind.KERNEL}
            self.nodes[event.graph.stage] = kernels
            self.measured[event.graph.stage] = {}
        elif isinstance(event, KernelEvent):
            self.measured[event.measurement.stage][event.measurement.node] = event.measurement

    @property
    def passed(self) -> bool:
        """True if no kernel is wrong; excessive rounding alone does not fail the validation."""
        verdicts = (one.verdict for measured in self.measured.values() for one in measured.values())
        return KernelVerdict.WRONG not in verdicts

    def to_dict(self) -> dict[str, Any] | None:
        """Return plain values for `json.dump`, or None if kernels were not requested."""
        if not self.asked:
            return None
        stages = [
            {
                "stage": stage,
                "kernels": [{**asdict(self.nodes[stage][name]), **asdict(one)} for name, one in measured.items()],
            }
            for stage, measured in self.measured.items()
        ]
        return {"stages": stages, "findings": [asdict(finding) for finding in self.findings]}

    def to_text(self) -> str:
        """Return the findings, then the worst kernels of each stage; empty if kernels were not requested."""
        if not self.asked:
            return ""
        return "\n".join([*_findings(self), *(line for stage in self.measured for line in self._table(stage))])

    def _table(self, stage: str) -> Iterator[str]:
        measured = sorted(self.measured[stage].values(), key=_badness, reverse=True)
        yield f"\n{stage}: {counted(len(measured), 'kernel')}, those furthest from PyTorch on their own inputs:"
        yield f"{'kernel':<22}{'verdict':<11}{'error':>10}{'x floor':>9}{'ms':>9}  what"
        yield from (_line(self.nodes[stage][one.node], one) for one in measured[:_SHOWN])


def inspected(
    validator: Validator, request: ValidationRequest, stages: str | None, observe: ValidationObserver
) -> KernelReport:
    """Inspect the named stages, separated by commas; an empty name stands for the failing ones.

    The report is empty if `stages` is None.
    """
    report = KernelReport(asked=stages is not None)
    if stages is None:
        return report

    def handle_event(event: ValidationEvent) -> None:
        report.handle_event(event)
        observe(event)

    kernels = KernelRequest(request, stages=_named(stages))
    report.findings = KernelInspection(validator).inspect(kernels, handle_event)
    return report


def _named(stages: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in stages.split(",") if name.strip())


def _findings(report: KernelReport) -> Sequence[str]:
    if report.findings:
        words = (f"Kernel of {finding.stage}: {finding.words}" for finding in report.findings)
        return [line for one in words for line in textwrap.wrap(one, WIDTH, subsequent_indent="  ")]
    if not report.measured:
        return ["All stages pass, so no kernels were inspected. Name a stage to inspect it anyway."]
    return [f"No kernel is wrong in {', '.join(report.measured)}."]


def _badness(measured: KernelMeasurement) -> float:
    """Return a sort key: values that are not finite are the worst; unmeasured kernels come last."""
    if measured.times_floor is not None:
        return measured.times_floor
    return math.inf if measured.verdict is KernelVerdict.WRONG else -1.0


def _line(node: GraphNode, measured: KernelMeasurement) -> str:
    error = "" if measured.relative_l2 is None else f"{measured.relative_l2:.1e}"
    times = "" if measured.times_floor is None else f"{measured.times_floor:.3g}"
    what = f"{node.label}, {node.schedule}" + (f", {node.module_path}" if node.module_path else "")
    return f"{node.id:<22.21}{measured.verdict:<11}{error:>10}{times:>9}{_MILLI * measured.seconds:>9.2f}  {what}"
