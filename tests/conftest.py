"""What all tests share: folders of their own, so that nothing of the user's is read or changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from engine.synthesizer import Synthesizer
    from tests.software_metal.loader import SoftwareMetal

BUILD_FOLDER = Path(__file__).resolve().parents[1] / "build" / "test"
os.environ["XDG_CACHE_HOME"] = str(BUILD_FOLDER / "cache")  # modules stay built between runs; stale ones are found out
os.environ["XDG_CONFIG_HOME"] = str(BUILD_FOLDER / "config")
os.environ["OMP_NUM_THREADS"] = "1"  # torch's and TVM's thread pools, spinning in one process, halve each other


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
    """A Metal device in software: TVM's `metal` modules load and run, with every access checked, slowly."""
    from tests.software_metal.loader import install

    return install()
