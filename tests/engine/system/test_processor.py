from types import SimpleNamespace

import pytest

from engine.system import processor


def test_it_is_described_by_its_features_in_any_order(tmp_path):
    described = set()
    for name, features in enumerate(("avx2 fma", "fma avx2", "avx2 avx512f fma")):
        path = tmp_path / str(name)
        path.write_text(f"processor : 0\nmodel : 167\ncpu MHz : {name}\nflags : {features}\n")
        described.add(processor._on_linux(path))
    assert len(described) == 2


def test_its_features_are_those_of_the_first_processor(tmp_path):
    path = tmp_path / "description"
    path.write_text("model : 2\nflags : avx2 avx512_bf16\n\nmodel : 2\nflags : amx_bf16\n")
    assert processor._features(path) == {"avx2", "avx512_bf16"}
    assert processor._features(tmp_path / "missing") == set()
    assert processor.processor_features() == processor._features(processor._DESCRIPTION)


def test_a_mac_is_described_by_its_chip(monkeypatch):
    monkeypatch.setattr(processor.sys, "platform", "darwin")
    monkeypatch.setattr(processor.subprocess, "run", lambda *_, **__: SimpleNamespace(stdout="Apple M2\n"))
    assert processor._described() == "Apple M2"


def test_a_mac_says_its_chip_and_its_build(monkeypatch):
    said = {"machdep.cpu.brand_string": "Apple M2\n", "kern.osversion": "25A354\n"}
    monkeypatch.setattr(processor.sys, "platform", "darwin")
    monkeypatch.setattr(processor.subprocess, "run", lambda command, **_: SimpleNamespace(stdout=said[command[-1]]))
    assert processor.chip.__wrapped__() == "Apple M2"
    assert processor.system_build.__wrapped__() == "25A354"
    monkeypatch.setattr(processor.subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=""))
    assert processor.system_build.__wrapped__() == processor.platform.platform()


def test_elsewhere_they_are_what_the_system_says(monkeypatch):
    monkeypatch.setattr(processor.sys, "platform", "linux")
    assert processor.chip.__wrapped__() == processor.host_processor()
    assert processor.system_build.__wrapped__() == processor.platform.platform()


def test_a_system_that_says_nothing_is_described_all_the_same(monkeypatch, tmp_path):
    def fail(*_, **__):
        raise OSError

    monkeypatch.setattr(processor.subprocess, "run", fail)
    assert processor._on_mac() == processor._on_linux(tmp_path / "missing")


@pytest.mark.parametrize("chip", ["Apple M2", "Apple M4"])
def test_another_chip_is_another_processor(monkeypatch, chip):
    here = processor.host_processor()
    monkeypatch.setattr(processor, "_described", lambda: chip)
    there = processor.host_processor.__wrapped__()
    assert there != here
    assert there.rsplit("-", 1)[0] == here.rsplit("-", 1)[0]


def test_the_second_level_cache_is_found_among_the_others(tmp_path):
    for index, (level, size) in enumerate((("1", "32K"), ("2", "512K"), ("3", "32768K"))):
        folder = tmp_path / f"index{index}"
        folder.mkdir()
        (folder / "level").write_text(f"{level}\n")
        (folder / "size").write_text(f"{size}\n")
    assert processor._second_level(tmp_path) == 512 * 1024


def test_a_system_that_says_nothing_has_no_known_cache(tmp_path):
    (tmp_path / "index2").mkdir()
    assert processor._second_level(tmp_path) is None


def test_another_cache_is_another_processor(monkeypatch):
    here = processor.host_processor()
    monkeypatch.setattr(processor, "second_level_cache_bytes", lambda: 3 * 1024)
    assert processor.host_processor.__wrapped__() != here
