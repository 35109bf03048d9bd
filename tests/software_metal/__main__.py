"""Runs a Python module with TVM's Metal device replaced by software: python -m tests.software_metal engine speak ..."""

from __future__ import annotations

import runpy
import sys

from tests.software_metal.loader import install

if __name__ == "__main__":
    install()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
