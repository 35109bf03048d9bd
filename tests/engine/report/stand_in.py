"""A module that acts like steps, as a program: `python -m tests.engine.report.stand_in WAY [ARGUMENT]`."""

import os
import subprocess
import sys
import time
from pathlib import Path

from engine.report.running import FOLDER, SCRATCH, ReportStep


def step(name: str, way: str = "works", *arguments: str, **options) -> ReportStep:
    return ReportStep(name, ("tests.engine.report.stand_in", way, *arguments), **options)


def _works(*_: str) -> None:
    sys.stdout.write("a result\n")
    sys.stderr.write("all is well\n")


def _fails(*_: str) -> None:
    sys.stdout.write("half a result\n")
    sys.stdout.flush()
    sys.exit("error: It cannot be done.")


def _crashes(*_: str) -> None:
    sys.stdout.write("half a result\n")
    sys.stdout.flush()
    os.abort()


def _hangs(started: str) -> None:
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
    Path(started).write_text(str(child.pid))
    time.sleep(600)


def _writes(name: str, content: str) -> None:
    Path(name).write_text(content.replace("\\0", "\0"))


def _fills(folder: str, *_: str) -> None:
    for number in range(12):
        Path(folder, f"{number:02}.bin").write_bytes(os.urandom(1_000_000))


def _remembers(scratch: str, folder: str) -> None:
    Path(scratch, "file").write_text("for the step only")
    sys.stdout.write(f"{os.environ['CACHE'] == scratch} {Path(folder).is_dir()}\n")


WAYS = {"works": _works, "fails": _fails, "crashes": _crashes, "hangs": _hangs, "writes": _writes, "fills": _fills}
WAYS |= {"remembers": _remembers}
PLACES = (SCRATCH, FOLDER)

if __name__ == "__main__":
    WAYS[sys.argv[1]](*sys.argv[2:])
