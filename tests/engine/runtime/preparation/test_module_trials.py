"""Tests of the modules that a trial covers, and of the request to its child process."""

from __future__ import annotations

import json

import pytest

from engine.compiler.artifacts.manifest import CPU, Artifact, Manifest, Variant, expected_identity
from engine.runtime.preparation import probes
from engine.runtime.preparation.modules import FoundModules
from engine.runtime.preparation.probes import ProbeResult, ProbeTrial, TrialRequest
from engine.system.remote import decoded, encoded

METAL = Variant("metal-host")
TRIAL = ProbeTrial("try", ("text_encoder",), ((30,), (400, 3)), 2)


@pytest.fixture
def folders(tiny_config, monkeypatch, tmp_path):
    """The folders of the modules that are found, by variant."""
    found = {variant: tmp_path / variant.name for variant in (CPU, METAL)}
    for variant, folder in found.items():
        folder.mkdir()
        Manifest(expected_identity(tiny_config, variant), ()).save(folder)
    monkeypatch.setattr(probes, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(
        probes,
        "find_modules",
        lambda _, one: FoundModules(found.get(one), "" if one in found else "they are old"),
    )
    return found


def test_the_child_process_receives_the_trial_request(tiny_config, folders, monkeypatch):
    asked = []
    result = ProbeResult(True, "", {"metal": 0.1})
    monkeypatch.setattr(probes, "run_probe", lambda request: asked.append(request) or result)
    assert TRIAL.result(tiny_config, {"metal": METAL}) == result
    (request,) = asked
    assert (request.config, request.reference) == (tiny_config, folders[CPU])
    assert request.tried == {"metal": folders[METAL]}
    limit = tiny_config.token_limit
    assert request.trial == ProbeTrial("try", ("text_encoder",), ((30,), (limit, 3)), 2)
    line = json.dumps(encoded(request, TrialRequest))
    assert decoded(json.loads(line), TrialRequest) == request


@pytest.mark.parametrize(("gone", "name"), [(CPU, "cpu"), (METAL, "metal")])
def test_without_modules_nothing_is_tried(tiny_config, folders, monkeypatch, gone, name):
    monkeypatch.setattr(probes, "run_probe", lambda _: pytest.fail("there is nothing to try"))
    del folders[gone]
    result = TRIAL.result(tiny_config, {"metal": METAL})
    assert result == ProbeResult(False, f"the modules for {name} can’t be used: they are old")
    assert TRIAL.result(tiny_config, {"metal": METAL}, may_try=False) == result


def test_a_known_result_is_reported_without_a_new_trial(tiny_config, folders, monkeypatch):
    assert TRIAL.result(tiny_config, {"metal": METAL}, may_try=False) == ProbeResult(False, "not tested yet")
    result = ProbeResult(True, "", {"metal": 0.1})
    monkeypatch.setattr(probes, "run_probe", lambda _: result)
    TRIAL.result(tiny_config, {"metal": METAL})
    assert TRIAL.result(tiny_config, {"metal": METAL}, may_try=False) == result


def test_other_modules_are_tried_again(tiny_config, folders, monkeypatch):
    asked = []
    result = ProbeResult(True, "", {"metal": 0.1})
    monkeypatch.setattr(probes, "run_probe", lambda request: asked.append(request) or result)
    TRIAL.result(tiny_config, {"metal": METAL})
    TRIAL.result(tiny_config, {"metal": METAL})
    changed = Manifest.load(folders[METAL]).with_artifact(Artifact("source", "source.so", "0" * 64, 1, 0.1, ()))
    changed.save(folders[METAL])
    TRIAL.result(tiny_config, {"metal": METAL})
    assert len(asked) == 2
