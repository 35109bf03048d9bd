"""Fixtures of the server's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.runtime.synthesizer import Synthesizer
from tests.engine.server.running import Running, running


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    """A server with the bundled model."""
    with running(Synthesizer("starter")) as server:
        yield server
