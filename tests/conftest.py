"""What all tests share: folders of their own, so that nothing of the user's is read or changed.

Several processes may run them, each on processors of its own: threads that wait for each other by spinning, as TVM's
do, take ten times as long where they meet others. What needs all of the machine is marked `alone`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from engine.synthesizer import Synthesizer
    from tests.software_metal.loader import SoftwareMetal

BUILD_FOLDER = Path(__file__).resolve().parents[1] / "build" / "test"
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
os.environ["XDG_CACHE_HOME"] = str(BUILD_FOLDER / "cache")  # modules stay built between runs; stale ones are found out
os.environ["XDG_CONFIG_HOME"] = str(BUILD_FOLDER / "config" / WORKER)
os.environ["XDG_DATA_HOME"] = str(BUILD_FOLDER / "data" / WORKER)
os.environ["OMP_NUM_THREADS"] = "1"  # torch's and TVM's thread pools, spinning in one process, halve each other


def _own_processors() -> None:
    """Keep this process, and those it starts, to its share of the processors where the system can do that."""
    if WORKER and hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        share = allowed[int(WORKER.removeprefix("gw")) :: int(os.environ["PYTEST_XDIST_WORKER_COUNT"])]
        os.sched_setaffinity(0, share or allowed)


_own_processors()


@pytest.fixture(scope="session")
def starter() -> Iterator[Synthesizer]:
    """The bundled model, ready to speak."""
    from engine.synthesizer import Synthesizer  # not before the folders above are set

    synthesizer = Synthesizer("starter")
    synthesizer.prepare()
    yield synthesizer
    synthesizer.close()


@pytest.fixture(scope="session")
def software_metal() -> SoftwareMetal:
    """A Metal device in software: TVM's `metal` modules load and run, with every access checked, slowly.

    For tests that ask it what it did; others take `tests.metal_device`, which is the real one on a Mac.
    """
    if sys.platform == "darwin":
        pytest.skip("The real device is in the place of the one in software.")
    from tests.software_metal.loader import install

    return install()
