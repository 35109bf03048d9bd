"""What importing the engine costs: no tensor library, no compiler, no tagger, no window."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "tvm", "spacy", "PySide6", "transformers", "kokoro", "misaki")


@pytest.mark.parametrize("module", ["engine", "engine.synthesizer", "engine.stages", "engine.g2p", "engine.__main__"])
def test_import_loads_nothing_heavy(module: str) -> None:
    code = f"import {module}, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_window_needs_no_tensor_library() -> None:
    code = "import app.application, sys; print([n for n in ('torch', 'tvm', 'spacy', 'kokoro') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
