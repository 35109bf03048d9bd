import subprocess
import sys

MEBIBYTE = 2**20
CODE = """
import numpy as np
from engine.system.memory import peak_bytes
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
