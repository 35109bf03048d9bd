from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from engine.compiler.artifacts.manifest import CPU, Variant
from engine.config import ModelConfig
from engine.errors import EngineError, InvalidRequest
from engine.models.checkpoints import model_config
from engine.runtime.preparation import devices, probes
from engine.runtime.preparation.devices import (
    DEVICES,
    DeviceChoice,
    check_device,
    choose_device,
    metal_unavailable_reason,
)
from engine.runtime.preparation.probes import ProbeResult, ProbeTrial, TrialRequest, run_probe, tried
from tests.engine.runtime.preparation.trial_outcomes import crashes, hangs
from tests.engine.runtime.preparation.tried_modules import (
    MACS,
    restart,
    tried_on_software_metal,
    tried_wrongly,
    try_in_software,
)

CONFIG = model_config("starter")


WORKS = ProbeResult(True, "", {"metal": 0.1})


def on(monkeypatch: pytest.MonkeyPatch, system: str, processor: str, result: ProbeResult) -> None:
    monkeypatch.setattr(devices.sys, "platform", system)
    monkeypatch.setattr(devices.platform, "machine", lambda: processor)
    monkeypatch.setattr(ProbeTrial, "result", lambda *_: result)


def test_a_mac_with_a_working_gpu_chooses_metal_automatically(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, "darwin", "arm64", WORKS)
    choice = choose_device("auto", CONFIG)
    assert (choice.device, choice.variant, choice.is_fallback) == ("metal", MACS, False)
    assert metal_unavailable_reason() is None


@pytest.mark.parametrize(
    ("system", "processor", "why", "is_fallback"),
    [
        ("darwin", "arm64", "the GPU isn’t used: its process ended (SIGABRT)", True),
        ("darwin", "x86_64", "Metal needs a Mac with Apple silicon", False),
        ("linux", "aarch64", "Metal needs a Mac", False),
    ],
)
def test_any_other_machine_chooses_the_cpu_and_reports_the_reason(
    monkeypatch: pytest.MonkeyPatch, system: str, processor: str, why: str, is_fallback: bool
) -> None:
    on(monkeypatch, system, processor, ProbeResult(False, "its process ended (SIGABRT)"))
    assert choose_device("auto", CONFIG) == DeviceChoice("cpu", CPU, why, is_fallback)


@pytest.mark.parametrize(
    ("trying", "chosen", "why"),
    [
        (tried_on_software_metal, "metal", "this Mac has an Apple GPU, which passed its self-test"),
        (crashes, "cpu", "the GPU isn’t used: its process ended (SIGABRT)"),
        (tried_wrongly, "cpu", "the GPU isn’t used: metal differs by 1 of the values in the pho"),
        (tried, "cpu", "the GPU isn’t used: This computer has no Metal device."),
    ],
    ids=["right", "crashes", "wrong", "absent"],
)
def test_a_child_process_runs_a_stage_and_the_outcome_is_stored(
    tiny_config: ModelConfig,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    trying: Callable[[TrialRequest], dict[str, float]],
    chosen: str,
    why: str,
) -> None:
    try_in_software(tiny_config, monkeypatch, tmp_path)
    monkeypatch.setattr(probes, "tried", trying)
    monkeypatch.setattr(devices, "metal_unavailable_reason", lambda: None)
    monkeypatch.setattr(devices, "metal_variant", lambda: MACS)
    choice = choose_device("auto", tiny_config)
    assert choice.device == chosen
    assert choice.why.startswith(why)
    restart(monkeypatch)
    assert choose_device("auto", tiny_config) == choice


def test_a_hanging_gpu_is_abandoned_and_the_cpu_is_used(
    tiny_config: ModelConfig, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    try_in_software(tiny_config, monkeypatch, tmp_path)
    monkeypatch.setattr(probes, "tried", hangs)
    monkeypatch.setattr(probes, "run_probe", partial(run_probe, seconds=0.5))
    monkeypatch.setattr(devices, "metal_unavailable_reason", lambda: None)
    monkeypatch.setattr(devices, "metal_variant", lambda: MACS)
    choice = choose_device("auto", tiny_config)
    assert choice == DeviceChoice("cpu", CPU, "the GPU isn’t used: it timed out after 0.5 seconds", is_fallback=True)
    restart(monkeypatch)
    assert choose_device("auto", tiny_config) == choice


def test_the_cpu_can_be_requested_on_any_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, "darwin", "arm64", WORKS)
    assert choose_device("cpu", CONFIG).variant == CPU


def test_metal_that_was_asked_for_is_never_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise EngineError("No Metal.")

    monkeypatch.setattr("engine.runtime.runners.tvm_runtime.require_metal", missing)
    with pytest.raises(EngineError, match="No Metal"):
        choose_device("metal", CONFIG)
    monkeypatch.setattr("engine.runtime.runners.tvm_runtime.require_metal", lambda: None)
    monkeypatch.setattr(devices.sys, "platform", "linux")
    assert choose_device("metal", CONFIG).variant == Variant("metal-host")
    monkeypatch.setattr(devices.sys, "platform", "darwin")
    assert choose_device("metal", CONFIG).variant == MACS


def test_names_that_are_no_device_are_refused() -> None:
    for device in DEVICES:
        check_device(device)
    with pytest.raises(InvalidRequest, match="abacus"):
        choose_device("abacus", CONFIG)
