"""A task of the report's own: `python -m engine.report.task NAME [ARGUMENT ...]` writes JSON, a line for each finding.

A finding with a `problem` makes the task fail when all are written.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from engine.errors import EngineError
from engine.report import kernels, libraries, machine, trials
from engine.system.child_process import abort_quietly

PROBLEM = "problem"

TASKS: Mapping[str, Callable[..., Iterator[dict[str, Any]]]] = MappingProxyType(
    {
        "system": machine.system,
        "tools": machine.tools,
        "packages": machine.packages,
        "quarantine": libraries.quarantine,
        "signatures": libraries.signatures,
        "libraries": libraries.loaded,
        "kernels": kernels.compiled,
        "trial": trials.tried,
        "crashes": machine.crashes,
        "remembered": machine.remembered,
    }
)


def main(arguments: Sequence[str]) -> int:
    """Exit code 0, or 1 with the reason on standard error."""
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
