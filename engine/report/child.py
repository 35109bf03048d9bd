"""Runs a module as a step: `python -m engine.report.child OUTPUT MODULE [ARGUMENT ...]`.

What it prints goes to the file `OUTPUT`. It leads a new process group, with which its children are ended, too,
also when whoever started it has ended. It has nothing to read.
"""

from __future__ import annotations

import faulthandler
import os
import runpy
import signal
import sys
import threading
from collections.abc import Sequence


def main(arguments: Sequence[str]) -> None:
    """Run the module; what it raises is raised."""
    output, module, *rest = arguments
    os.setpgid(0, 0)
    _end_with_its_parent()
    faulthandler.enable()
    with open(output, "wb") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
    sys.argv = [module, *rest]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _end_with_its_parent() -> None:
    """Have a thread end the group when standard input ends, which becomes empty for everybody else."""
    parent = os.dup(sys.stdin.fileno())
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), sys.stdin.fileno())

    def watch() -> None:
        os.read(parent, 1)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, name="parent", daemon=True).start()


if __name__ == "__main__":
    main(sys.argv[1:])
