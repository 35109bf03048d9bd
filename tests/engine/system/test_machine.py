"""Tests of the CPU, its cores and memory, the Mac, and the supported systems."""

import ctypes
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.errors import InvalidRequest
from engine.system import cores, mac, processor, supported
from engine.system.cores import check_threads, usable_cores
from engine.system.mac import ObjectiveC, is_quarantined, release_command
from engine.system.memory import give_back_freed_memory, keep_freed_memory, keep_little_freed_memory
from engine.system.supported import Machine, unsupported_reason

BIG = 0x7FFF_1234_5678
"""An address that does not fit into 32 bits, the default size of arguments in ctypes."""
_Address = ctypes.c_void_p


class Library:
    """Stands in for Apple's runtime: C functions, called through the same prototypes."""

    def __init__(self) -> None:
        self.sent: list[tuple[int, bytes, int, int]] = []
        self.names: list[bytes] = []
        self.classes: list[bytes] = []
        self.answer = BIG
        self.implementation: Any = None
        self.encoding = b""
        self.objc_getClass = ctypes.CFUNCTYPE(_Address, ctypes.c_char_p)(self.get_class)
        self.sel_registerName = ctypes.CFUNCTYPE(_Address, ctypes.c_char_p)(self.register)
        send = ctypes.CFUNCTYPE(_Address, _Address, _Address, _Address, _Address)
        self.objc_msgSend = send(self.send)
        self.objc_allocateClassPair = ctypes.CFUNCTYPE(_Address, _Address, ctypes.c_char_p, ctypes.c_size_t)(
            self.allocate
        )
        self.class_addMethod = self.add_method
        self.objc_registerClassPair = lambda made: None

    def get_class(self, name: bytes) -> int:
        self.names.append(name)
        return BIG + len(self.names)

    def allocate(self, parent: int, name: bytes, extra: int) -> int | None:
        if name in self.classes:
            return None
        self.classes.append(name)
        return self.get_class(name)

    def register(self, name: bytes) -> int:
        self.names.append(name)
        return BIG + len(self.names)

    def send(self, receiver: int, selector: int, first: int, second: int) -> int:
        self.sent.append((receiver, self.names[selector - BIG - 1], first, second))
        return self.answer

    def add_method(self, made: Any, selector: Any, implementation: Any, encoding: bytes) -> bool:
        self.implementation, self.encoding = implementation, encoding
        return True


@pytest.fixture
def library() -> Library:
    return Library()


def test_whole_addresses_are_sent_and_answered(library):
    runtime = ObjectiveC(library)
    assert runtime.send(BIG, "doThis:withThat:", BIG + 7, ctypes.c_uint64(0x00FF_FFFF_FFFF)) == BIG
    assert library.sent == [(BIG, b"doThis:withThat:", BIG + 7, 0x00FF_FFFF_FFFF)]


def test_nothing_is_zero(library):
    library.answer = 0
    assert ObjectiveC(library).send(BIG, "answer", 0, 0) == 0
    assert ObjectiveC(library).words(0) == ""


def test_text_is_sent_as_utf_8(library):
    held = ctypes.create_string_buffer("Grüße".encode())
    library.answer = ctypes.addressof(held)
    runtime = ObjectiveC(library)
    assert runtime.words(BIG) == "Grüße"
    runtime.text("Grüße")
    _, selector, content, _ = library.sent[-1]
    assert selector == b"stringWithUTF8String:"
    assert content


def test_an_object_calls_a_function_with_its_arguments(library):
    received = []
    runtime = ObjectiveC(library)
    assert runtime.object_with("Desk", "do:with:and:", lambda *objects: received.append(objects)) == BIG
    assert library.encoding == b"v@:@@^@"
    library.implementation(1, 2, BIG, BIG + 1, None)
    assert received == [(BIG, BIG + 1, 0)]


def test_a_second_object_has_a_separate_class(library):
    first, second = [], []
    for received in (first, second):
        ObjectiveC(library).object_with(
            "Desk", "do:with:and:", lambda *objects, received=received: received.append(objects)
        )
        library.implementation(1, 2, BIG, BIG + 1, None)
    assert len(set(library.classes)) == 2
    assert first == second == [(BIG, BIG + 1, 0)]


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands in for xattr: a file is quarantined if its name says so."""
    path = tmp_path / "xattr"
    path.write_text(
        '#!/bin/sh\ntest "$1 $2" = "-p com.apple.quarantine" && case "$3" in *fetched*) ;; *) exit 1; esac\n'
    )
    path.chmod(0o755)
    monkeypatch.setattr(mac, "_TOOL", str(path))
    return path


@pytest.mark.parametrize("name", ["fetched.dylib", "cloned.dylib"])
def test_the_system_is_asked(tool, name):
    assert is_quarantined(Path(name)) == (name == "fetched.dylib")


def test_a_bundle_is_trusted_as_a_whole(tool, monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert not is_quarantined(Path("fetched.dylib"))


def test_the_command_ends_it_for_everything_in_a_folder():
    assert release_command(Path("/my apps/desk")) == "xattr -dr com.apple.quarantine '/my apps/desk'"


@pytest.fixture
def on_linux(monkeypatch, tmp_path):
    """Describe a CPU, or none, as Linux does."""

    def describe(*lines: str) -> None:
        path = tmp_path / "cpuinfo"
        path.write_text("\n".join(lines))
        monkeypatch.setattr(processor, "DESCRIPTION", path if lines else tmp_path / "missing")

    monkeypatch.setattr(processor.sys, "platform", "linux")
    return describe


def test_it_is_described_by_its_features_in_any_order(on_linux):
    described = set()
    for speed, features in enumerate(("avx2 fma", "fma avx2", "avx2 avx512f fma")):
        on_linux("processor : 0", "model : 167", f"cpu MHz : {speed}", f"flags : {features}")
        described.add(processor.host_processor.__wrapped__())
    assert len(described) == 2


def test_features_come_from_the_first_cpu(on_linux):
    on_linux("model : 2", "flags : avx2 avx512_bf16", "", "model : 2", "flags : amx_bf16")
    assert processor.processor_features() == {"avx2", "avx512_bf16"}
    on_linux()
    assert processor.processor_features() == set()
    assert processor.host_processor.__wrapped__()


def test_a_mac_says_its_chip_and_its_build(monkeypatch):
    said = {"machdep.cpu.brand_string": "Apple M2\n", "kern.osversion": "25A354\n"}
    monkeypatch.setattr(processor.sys, "platform", "darwin")
    monkeypatch.setattr(processor.subprocess, "run", lambda command, **_: SimpleNamespace(stdout=said[command[-1]]))
    assert processor.chip.__wrapped__() == "Apple M2"
    assert processor.system_build.__wrapped__() == "25A354"
    monkeypatch.setattr(processor.subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=""))
    assert processor.system_build.__wrapped__() == processor.platform.platform()


def test_chip_and_build_use_system_descriptions_outside_macos(monkeypatch):
    monkeypatch.setattr(processor.sys, "platform", "linux")
    assert processor.chip.__wrapped__() == processor.host_processor()
    assert processor.system_build.__wrapped__() == processor.platform.platform()


def test_a_mac_that_says_nothing_is_described_all_the_same(monkeypatch):
    def fail(*_, **__):
        raise OSError

    monkeypatch.setattr(processor.sys, "platform", "darwin")
    monkeypatch.setattr(processor.subprocess, "run", fail)
    assert processor.chip.__wrapped__() == processor.platform.processor()


def test_a_different_chip_changes_the_cpu_identity(monkeypatch):
    here = processor.host_processor()
    monkeypatch.setattr(processor.sys, "platform", "darwin")
    for chip in ("Apple M2", "Apple M4"):
        monkeypatch.setattr(processor.subprocess, "run", lambda *_, said=chip, **__: SimpleNamespace(stdout=said))
        there = processor.host_processor.__wrapped__()
        assert there != here
        assert there.rsplit("-", 1)[0] == here.rsplit("-", 1)[0]
        here = there


def test_the_second_level_cache_is_found_among_the_others(monkeypatch, tmp_path):
    monkeypatch.setattr(processor, "CACHES", tmp_path)
    (tmp_path / "index2").mkdir()
    assert processor.second_level_cache_bytes() is None
    for index, (level, size) in enumerate((("1", "32K"), ("2", "512K"), ("3", "32768K"))):
        folder = tmp_path / f"index{index}"
        folder.mkdir(exist_ok=True)
        (folder / "level").write_text(f"{level}\n")
        (folder / "size").write_text(f"{size}\n")
    assert processor.second_level_cache_bytes() == 512 * 1024


def test_a_different_cache_changes_the_cpu_identity(monkeypatch):
    here = processor.host_processor()
    monkeypatch.setattr(processor, "second_level_cache_bytes", lambda: 3 * 1024)
    assert processor.host_processor.__wrapped__() != here


@pytest.fixture
def topology(tmp_path, monkeypatch):
    def describe(*siblings: str) -> None:
        for number, text in enumerate(siblings):
            folder = tmp_path / f"cpu{number}" / "topology"
            folder.mkdir(parents=True)
            (folder / "thread_siblings_list").write_text(f"{text}\n")
        monkeypatch.setattr(cores, "TOPOLOGY", tmp_path)
        monkeypatch.setattr(cores.os, "sched_getaffinity", lambda _: range(len(siblings)), raising=False)
        monkeypatch.setattr(cores.sys, "platform", "linux")

    return describe


def test_virtual_cpus_without_siblings_are_all_used(topology):
    topology("0", "1")
    assert usable_cores() == (0, 1)


def test_one_of_two_hyper_threads_is_used(topology):
    topology("0,2", "1,3", "0,2", "1,3")
    assert usable_cores() == (0, 1)


def test_only_allowed_cpus_are_used(topology, monkeypatch):
    topology("0,2", "1,3", "0,2", "1,3")
    monkeypatch.setattr(cores.os, "sched_getaffinity", lambda _: {2, 3}, raising=False)
    assert usable_cores() == (2, 3)


def test_an_unknown_topology_counts_every_cpu(tmp_path, monkeypatch):
    monkeypatch.setattr(cores, "TOPOLOGY", tmp_path)
    monkeypatch.setattr(cores.os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
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
    with pytest.raises(InvalidRequest, match=f"{threads} threads aren’t available. Choose 1 to 3"):
        check_threads(threads)


def test_one_core_leaves_no_choice(topology):
    topology("0")
    with pytest.raises(InvalidRequest, match="Choose 1, or omit"):
        check_threads(2)


MEBIBYTE = 1 << 20
PEAK_PROGRAM = """
import numpy as np
from engine.system.memory import peak_bytes
before = peak_bytes()
held = np.ones(8 * 2**20)
del held
print(before, peak_bytes())
"""
PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from engine.system.memory import give_back_freed_memory, keep_freed_memory, keep_little_freed_memory

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

def work():
    np.ones(30 << 20, np.uint8)  # the C library then keeps twice as much by default
    arrays = [np.ones(2 << 20, np.uint8) for _ in range(25)]

if sys.argv[1] == "little":
    keep_little_freed_memory()
if sys.argv[1] == "all":
    keep_little_freed_memory()
    keep_freed_memory()
before = resident()
work()
if sys.argv[1] == "none":
    small = [bytes(50_000) for _ in range(1_000)]
    last = bytes(50_000)  # keeps what is before it from being cut off
    del small
    give_back_freed_memory()
print(resident() - before)
"""


KEEPING = """
import gc
from engine.system.memory import collect_garbage_rarely
collect_garbage_rarely()
before = gc.get_stats()[0]["collections"]
kept = [[number] for number in range(10_000)]
print(gc.get_stats()[0]["collections"] - before)
"""


def test_objects_that_stay_cause_few_collections():
    done = subprocess.run([sys.executable, "-c", KEEPING], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 1


def kept_bytes(mode):
    done = subprocess.run([sys.executable, "-c", PROGRAM, mode], capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_freed_memory_below_memory_in_use_returns_to_the_system():
    if hasattr(ctypes.CDLL(None), "malloc_trim"):
        assert kept_bytes("none") < 4 * MEBIBYTE
    else:
        give_back_freed_memory()


def test_little_freed_memory_is_retained():
    if hasattr(ctypes.CDLL(None), "mallopt"):
        assert kept_bytes("default") > 40 * MEBIBYTE
        assert kept_bytes("little") < 18 * MEBIBYTE
    else:
        keep_little_freed_memory()


def test_all_freed_memory_is_retained():
    if hasattr(ctypes.CDLL(None), "mallopt"):
        assert kept_bytes("all") > 48 * MEBIBYTE
    else:
        keep_freed_memory()


def test_the_peak_of_a_process_is_the_most_it_held():
    done = subprocess.run([sys.executable, "-c", PEAK_PROGRAM], capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert MEBIBYTE < before < 500 * MEBIBYTE
    assert 60 * MEBIBYTE < after - before < 70 * MEBIBYTE


MAC = Machine("Darwin", "arm64", (3, 11), "14.0")


@pytest.mark.parametrize(
    "machine",
    [
        MAC,
        MAC._replace(python=(3, 12), macos="27.1"),
        Machine("Linux", "x86_64", (3, 11)),
        Machine("Linux", "aarch64", (3, 12)),
    ],
)
def test_it_can_be_installed(machine):
    assert unsupported_reason(machine) == ""


@pytest.mark.parametrize(
    ("machine", "named"),
    [
        (MAC._replace(processor="x86_64"), "Intel"),
        (MAC._replace(processor="x86_64", translated=True), "Rosetta"),
        (MAC._replace(translated=True), "Rosetta"),
        (MAC._replace(macos="13.7.8"), "macOS 13.7.8"),
        (MAC._replace(macos="10.16"), "macOS 10.16"),
        (MAC._replace(python=(3, 13)), "Python 3.13"),
        (MAC._replace(python=(3, 9)), "Python 3.9"),
        (Machine("Linux", "x86_64", (3, 10)), "Python 3.10"),
        (Machine("Linux", "armv7l", (3, 11)), "armv7l"),
        (Machine("FreeBSD", "x86_64", (3, 11)), "FreeBSD"),
    ],
)
def test_it_cannot_and_one_sentence_says_why(machine, named):
    words = unsupported_reason(machine)
    assert named in words
    assert len(words.splitlines()) == 1


def test_unfixable_obstacles_are_reported_before_fixable_ones():
    assert "Intel" in unsupported_reason(MAC._replace(processor="x86_64", macos="13.7", python=(3, 13)))
    assert "macOS 13.7" in unsupported_reason(MAC._replace(macos="13.7", python=(3, 13)))


def test_this_machine_can():
    done = subprocess.run([sys.executable, "-I", str(supported.__file__)], check=False)
    assert done.returncode == 0


def test_pythons_of_the_program_and_of_its_packages_are_the_same():
    project = (Path(__file__).resolve().parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    oldest, newest = supported.OLDEST_PYTHON, supported.NEWEST_PYTHON
    assert f'requires-python = ">={oldest[0]}.{oldest[1]},<{newest[0]}.{newest[1] + 1}"' in project
