import subprocess
from types import SimpleNamespace

import pytest

from engine.errors import InvalidRequest
from engine.system import cores
from engine.system.cores import check_threads, usable_cores


@pytest.fixture
def topology(tmp_path, monkeypatch):
    def describe(*siblings: str) -> None:
        for processor, text in enumerate(siblings):
            folder = tmp_path / f"cpu{processor}" / "topology"
            folder.mkdir(parents=True)
            (folder / "thread_siblings_list").write_text(f"{text}\n")
        monkeypatch.setattr(cores, "_TOPOLOGY", tmp_path)
        monkeypatch.setattr(cores, "_allowed", lambda: tuple(range(len(siblings))))
        monkeypatch.setattr(cores.sys, "platform", "linux")

    return describe


def test_virtual_processors_without_siblings_are_all_used(topology):
    topology("0", "1")
    assert usable_cores() == (0, 1)


def test_one_of_two_hyper_threads_is_used(topology):
    topology("0,2", "1,3", "0,2", "1,3")
    assert usable_cores() == (0, 1)


def test_only_allowed_processors_are_used(topology, monkeypatch):
    topology("0,2", "1,3", "0,2", "1,3")
    monkeypatch.setattr(cores, "_allowed", lambda: (2, 3))
    assert usable_cores() == (2, 3)


def test_an_unknown_topology_counts_every_processor(tmp_path, monkeypatch):
    monkeypatch.setattr(cores, "_TOPOLOGY", tmp_path)
    monkeypatch.setattr(cores, "_allowed", lambda: (0, 1, 2))
    monkeypatch.setattr(cores.sys, "platform", "linux")
    assert usable_cores() == (0, 1, 2)


def test_a_mac_uses_its_performance_cores(monkeypatch):
    monkeypatch.setattr(cores.sys, "platform", "darwin")
    monkeypatch.setattr(cores.subprocess, "run", lambda *_, **__: SimpleNamespace(stdout="4\n"))
    assert usable_cores() == (0, 1, 2, 3)


def test_an_older_mac_uses_all_cores(monkeypatch):
    def fail(*_, **__):
        raise subprocess.CalledProcessError(1, "sysctl")

    monkeypatch.setattr(cores.sys, "platform", "darwin")
    monkeypatch.setattr(cores.subprocess, "run", fail)
    monkeypatch.setattr(cores.os, "cpu_count", lambda: 2)
    assert usable_cores() == (0, 1)


@pytest.mark.parametrize("threads", [0, -1, 4])
def test_a_number_of_threads_that_there_cannot_be_is_refused(topology, threads):
    topology("0", "1", "2")
    check_threads(None)
    check_threads(1)
    check_threads(3)
    with pytest.raises(InvalidRequest, match=f"{threads} threads cannot be used here. Choose 1 to 3"):
        check_threads(threads)


def test_one_core_leaves_no_choice(topology):
    topology("0")
    with pytest.raises(InvalidRequest, match="Choose 1, or leave"):
        check_threads(2)
