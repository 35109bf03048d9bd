"""The results of an inspection are plain data."""

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[4]
WITHOUT_LIBRARIES = """
import sys
import engine.validator.inspection.results
assert not {"torch", "tvm", "tvm_ffi", "PySide6"} & set(sys.modules)
"""


def test_results_need_neither_pytorch_nor_tvm() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_LIBRARIES], cwd=PROJECT, check=True)
