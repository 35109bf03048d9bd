from pathlib import Path

import pytest

from engine.artifacts.manifest import CPU, Variant
from engine.errors import EngineError, InvalidRequest
from engine.model_store.checkpoints import model_config
from engine.preparation import devices
from engine.preparation.devices import DEVICES, DeviceChoice, check_device, choose_device, metal_obstacle
from engine.preparation.module_choice import FoundModules

CONFIG = model_config("starter")
MACS = Variant("metal-macos")


def on(monkeypatch: pytest.MonkeyPatch, system: str, processor: str, found: FoundModules) -> None:
    monkeypatch.setattr(devices.sys, "platform", system)
    monkeypatch.setattr(devices.platform, "machine", lambda: processor)
    monkeypatch.setattr(devices, "find_modules", lambda *_: found)


def test_a_mac_with_its_modules_takes_metal_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, "darwin", "arm64", FoundModules(Path()))
    choice = choose_device("auto", CONFIG)
    assert (choice.device, choice.variant) == ("metal", MACS)
    assert metal_obstacle() is None


@pytest.mark.parametrize(
    ("system", "processor", "why"),
    [
        ("darwin", "arm64", "the modules for Metal cannot be used: they are not built yet"),
        ("darwin", "x86_64", "Metal needs a Mac with an Apple processor"),
        ("linux", "aarch64", "Metal needs a Mac"),
    ],
)
def test_anything_else_takes_the_processor_and_says_why(
    monkeypatch: pytest.MonkeyPatch, system: str, processor: str, why: str
) -> None:
    on(monkeypatch, system, processor, FoundModules(None, "they are not built yet"))
    assert choose_device("auto", CONFIG) == DeviceChoice("cpu", CPU, why)


def test_the_processor_can_be_asked_for_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, "darwin", "arm64", FoundModules(Path()))
    assert choose_device("cpu", CONFIG).variant == CPU


def test_metal_that_was_asked_for_is_never_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise EngineError("This computer has no Metal device.")

    monkeypatch.setattr("engine.runners.tvm_runtime.require_metal", missing)
    with pytest.raises(EngineError, match="no Metal device"):
        choose_device("metal", CONFIG)
    monkeypatch.setattr("engine.runners.tvm_runtime.require_metal", lambda: None)
    monkeypatch.setattr(devices.sys, "platform", "linux")
    assert choose_device("metal", CONFIG).variant == Variant("metal-host")
    monkeypatch.setattr(devices.sys, "platform", "darwin")
    assert choose_device("metal", CONFIG).variant == MACS


def test_names_that_are_no_device_are_refused() -> None:
    for device in DEVICES:
        check_device(device)
    with pytest.raises(InvalidRequest, match="abacus"):
        choose_device("abacus", CONFIG)
