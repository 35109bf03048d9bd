import ctypes
import subprocess
import sys

from engine.system.memory import give_back_freed_memory, keep_freed_memory, keep_little_freed_memory

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


def kept_bytes(mode):
    done = subprocess.run([sys.executable, "-c", PROGRAM, mode], capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_what_lies_before_memory_in_use_is_given_back():
    if hasattr(ctypes.CDLL(None), "malloc_trim"):
        assert kept_bytes("none") < 4 * MEBIBYTE
    else:
        give_back_freed_memory()


def test_little_freed_memory_is_kept():
    if hasattr(ctypes.CDLL(None), "mallopt"):
        assert kept_bytes("default") > 40 * MEBIBYTE
        assert kept_bytes("little") < 18 * MEBIBYTE
    else:
        keep_little_freed_memory()


def test_all_freed_memory_is_kept():
    if hasattr(ctypes.CDLL(None), "mallopt"):
        assert kept_bytes("all") > 48 * MEBIBYTE
    else:
        keep_freed_memory()


def test_the_peak_of_a_process_is_the_most_it_held():
    done = subprocess.run([sys.executable, "-c", PEAK_PROGRAM], capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert MEBIBYTE < before < 500 * MEBIBYTE
    assert 60 * MEBIBYTE < after - before < 70 * MEBIBYTE
