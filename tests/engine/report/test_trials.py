"""Trials with every difference: the processor's modules, tried against themselves."""

import numpy as np
import pytest

from engine.artifacts.manifest import CPU
from engine.config import ModelConfig
from engine.errors import EngineError
from engine.report import task
from engine.report.task import measured, tried
from engine.runtime.preparation import module_probe
from engine.runtime.preparation.probes import ProbeResult, Trial, TrialRequest
from tests.engine.runtime.preparation.tried_modules import STAGES, built_folder

pytestmark = pytest.mark.slow
BATCHES = ((5,), (9, 1, 4))


@pytest.fixture(scope="module")
def request_here(tiny_config: ModelConfig) -> TrialRequest:
    folder = built_folder(tiny_config, CPU)
    return TrialRequest(Trial("try", STAGES, BATCHES, calls=2), tiny_config, folder, {"same": folder})


def test_every_run_has_its_time_and_its_difference(request_here: TrialRequest) -> None:
    runs = list(measured(request_here))
    assert [(run["call"], tuple(run["tokens"]), run["stage"]) for run in runs] == [
        (call, batch, stage) for call in (1, 2) for batch in BATCHES for stage in STAGES
    ]
    assert all(run["tried"] == "same" and run["difference"] == 0 and run["milliseconds"] > 0 for run in runs)
    assert not any(run["problem"] for run in runs)


@pytest.mark.parametrize(("difference", "told"), [(0.5, 0.5), (np.nan, "nan"), (np.inf, "inf")])
def test_what_is_wrong_is_a_problem_and_the_rest_is_run(
    request_here: TrialRequest, monkeypatch: pytest.MonkeyPatch, difference: float, told: object
) -> None:
    monkeypatch.setattr(module_probe, "relative_difference", lambda ours, truth: difference)
    runs = list(measured(request_here))
    assert len(runs) == 8
    assert all(run["difference"] == told and run["problem"].startswith("same differs by") for run in runs)


def test_modules_that_cannot_be_used_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "ensure_modules", lambda *_: None)
    monkeypatch.setattr(Trial, "request", lambda *_: ProbeResult(False, "the modules for metal cannot be used: stale"))
    with pytest.raises(EngineError, match="cannot be used: stale"):
        list(tried("metal", "starter"))
