"""Runs a task of the report: `python -m engine.report.task NAME [ARGUMENT ...]` writes a line of JSON for each finding.

A finding with a `problem` makes the task fail after all are written.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from engine.compiler.artifacts.manifest import METAL_DEVICE, Variant
from engine.errors import EngineError
from engine.models.checkpoints import model_config
from engine.report import machine, shipped
from engine.runtime.preparation.devices import METAL_TRIAL, metal_variant
from engine.runtime.preparation.lstm_methods import LSTM_TRIAL, lstm_variants
from engine.runtime.preparation.module_probe import ProbeModules, is_right
from engine.runtime.preparation.modules import ensure_modules
from engine.runtime.preparation.probes import ProbeResult, ProbeTrial, TrialRequest
from engine.speech import PreparationEvent
from engine.system.child_process import abort_quietly

PROBLEM = "problem"
TRIALS: Mapping[str, ProbeTrial] = MappingProxyType({trial.name: trial for trial in (METAL_TRIAL, LSTM_TRIAL)})


def tried(name: str, model: str) -> Iterator[dict[str, Any]]:
    """Run a trial of a model's modules, building missing ones, and yield every run. Raises the errors of the runs."""
    yield from measured(_request(TRIALS[name], model))


def measured(request: TrialRequest) -> Iterator[dict[str, Any]]:
    """Yield every run: modules, stage, token counts, milliseconds, and the relative error."""
    bench = ProbeModules(request)
    for name, folder in request.tried.items():
        with bench.opened(folder) as runner:
            for call in range(1, request.trial.calls + 1):
                for case in bench.cases:
                    seconds, difference = case.measured(runner)
                    wrong = f"{name} differs by {difference:.2g} of the values in the {case.stage.title.lower()}"
                    yield {
                        "tried": name,
                        "stage": case.stage.name,
                        "tokens": case.counts,
                        "call": call,
                        "milliseconds": 1e3 * seconds,
                        "difference": difference if math.isfinite(difference) else str(difference),
                        "problem": "" if is_right(difference) else wrong,
                    }


def _request(trial: ProbeTrial, model: str) -> TrialRequest:
    config, metal = model_config(model), metal_variant()
    variants: Mapping[str, Variant] = {METAL_DEVICE: metal} if trial is METAL_TRIAL else lstm_variants(metal)
    for variant in variants.values():
        ensure_modules(model, config, variant, _report_step)
    request = trial.request(config, variants)
    if isinstance(request, ProbeResult):
        raise EngineError(request.why)
    return request


def _report_step(event: PreparationEvent) -> None:
    sys.stderr.write(f"{event.title} ({event.done} of {event.total})\n")


TASKS: Mapping[str, Callable[..., Iterator[dict[str, Any]]]] = MappingProxyType(
    {
        "system": machine.system,
        "tools": machine.tools,
        "packages": machine.packages,
        "quarantine": shipped.quarantine,
        "signatures": shipped.signatures,
        "libraries": shipped.loaded,
        "kernels": shipped.compiled,
        "trial": tried,
        "crashes": machine.crashes,
        "remembered": machine.remembered,
    }
)


def main(arguments: Sequence[str]) -> int:
    """Run a task; return exit code 0, or 1 with the reason on standard error."""
    name, *rest = arguments
    count, problems = 0, list[str]()
    try:
        for finding in TASKS[name](*rest):
            count += 1
            sys.stdout.write(f"{json.dumps(finding)}\n")
            sys.stdout.flush()
            if finding.get(PROBLEM):
                problems.append(str(finding[PROBLEM]))
    except EngineError as error:
        problems.append(str(error))
    if problems:
        of_all = f"{len(problems)} of {count} failed; the first: " if count > 1 else ""
        sys.stderr.write(f"{of_all}{' '.join(problems[0].split())}\n")
    return int(bool(problems))


if __name__ == "__main__":
    abort_quietly()
    sys.exit(main(sys.argv[1:]))
