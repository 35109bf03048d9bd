from types import SimpleNamespace

import pytest

from tests import metal_device as module
from tests.metal_device import REQUIRED, RealMetal, metal_device
from tests.software_metal import loader

SKIPPED = pytest.skip.Exception
FAILED = pytest.fail.Exception


@pytest.fixture
def on_a_mac(monkeypatch):
    def choose(with_metal: bool) -> None:
        monkeypatch.setattr(module, "sys", SimpleNamespace(platform="darwin"))
        monkeypatch.setattr(RealMetal, "device", lambda _: SimpleNamespace(exist=with_metal))

    return choose


def test_a_mac_brings_its_own(on_a_mac):
    on_a_mac(with_metal=True)
    assert isinstance(metal_device(), RealMetal)


def test_a_mac_without_one_runs_the_other_tests(on_a_mac, monkeypatch):
    monkeypatch.delenv(REQUIRED, raising=False)
    on_a_mac(with_metal=False)
    with pytest.raises(SKIPPED):
        metal_device()


def test_a_real_one_can_be_required(on_a_mac, monkeypatch):
    monkeypatch.setenv(REQUIRED, "1")
    on_a_mac(with_metal=False)
    with pytest.raises(FAILED, match="required"):
        metal_device()


def test_it_is_in_software_elsewhere(monkeypatch):
    monkeypatch.setattr(module, "sys", SimpleNamespace(platform="linux"))
    monkeypatch.setattr(loader, "install", lambda: "the software device")
    monkeypatch.delenv(REQUIRED, raising=False)
    assert metal_device() == "the software device"
    monkeypatch.setenv(REQUIRED, "1")
    with pytest.raises(FAILED, match="required"):
        metal_device()
