import os
import subprocess
import sys

from engine.benchmark.memory import peak_bytes_of

MEBIBYTE = 2**20
CODE = """
import numpy as np
from engine.benchmark.memory import peak_bytes
before = peak_bytes()
held = np.ones(8 * 2**20)
del held
print(before, peak_bytes())
"""


def test_the_peak_of_a_process_is_the_most_it_held():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert MEBIBYTE < before < 500 * MEBIBYTE
    assert 60 * MEBIBYTE < after - before < 70 * MEBIBYTE


def test_a_child_is_told_of_when_it_has_ended():
    with subprocess.Popen([sys.executable, "-c", "bytearray(64 * 2**20)"]) as child:
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
    assert peak_bytes_of(usage) > 64 * MEBIBYTE
