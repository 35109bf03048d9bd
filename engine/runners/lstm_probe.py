"""Runs a tiny packed LSTM by Metal Performance Shaders and compares it: `python -m engine.runners.lstm_probe LIBRARY`.

Run it in a process of its own: on some systems Apple's recurrent layer crashes the process that uses it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.artifacts.manifest import METAL_DEVICE
from engine.errors import EngineError
from engine.ops.packed_lstm import Floats, Lengths, LstmMethod, lstm_forward_packed_bidirectional
from engine.runners.lstm_functions import global_function, load_bridge
from engine.runners.tvm_runtime import Runtime

MOST_DIFFERENCE = 1e-4
"""Far above the effect of another order of summation, far below the effect of any mistake."""
_LENGTHS = (3, 5, 1)
_INPUTS, _HIDDEN = 8, 8


def main(arguments: Sequence[str]) -> int:
    """Exit code 0 when the layer is right, else 1 with the reason on standard error."""
    try:
        difference = measured_difference(Path(arguments[0]))
    except (EngineError, RuntimeError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if difference > MOST_DIFFERENCE or np.isnan(difference):
        sys.stderr.write(f"it differs by {difference:.2g} from what it should be\n")
        return 1
    return 0


def measured_difference(library: Path) -> float:
    """The largest difference from the numpy definition, for a ragged batch, over a layer's first two uses."""
    runtime = Runtime(METAL_DEVICE)
    load_bridge(library)
    x, lengths, weights = _example()
    joined = [np.concatenate(parts) for parts in zip(weights[:3], weights[3:], strict=True)]
    expected = lstm_forward_packed_bidirectional(x, lengths, *weights)
    arguments = [runtime.tensor(array) for array in (x, lengths, *joined, np.full_like(expected, np.nan))]
    function, differences = global_function(str(LstmMethod.MPS.function)), []
    for _ in range(2):
        function(*arguments)
        differences.append(np.abs(np.subtract(runtime.array(arguments[-1]), expected)).max())
    return float(np.max(differences))


def _example() -> tuple[Floats, Lengths, list[Floats]]:
    random = np.random.default_rng(0)
    x = random.standard_normal((len(_LENGTHS), max(_LENGTHS), _INPUTS), np.float32)
    shapes = 2 * [(4 * _HIDDEN, _INPUTS), (4 * _HIDDEN, _HIDDEN), (4 * _HIDDEN,)]
    return x, np.array(_LENGTHS, np.int32), [random.standard_normal(shape, np.float32) for shape in shapes]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
