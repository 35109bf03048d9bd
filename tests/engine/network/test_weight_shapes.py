"""The shapes computed without PyTorch are those of the network that PyTorch builds."""

import subprocess
import sys
from dataclasses import replace

import pytest

from engine.config import ModelConfig
from engine.model_store.checkpoints import model_config
from engine.network.published_checkpoint import expected_weights
from engine.network.weight_shapes import weight_shapes
from tests.engine.tiny_model import TINY

THREE_LEVELS = replace(
    TINY,
    n_layer=3,
    istftnet=replace(TINY.istftnet, upsample_rates=(5, 4, 3), upsample_kernel_sizes=(11, 8, 6), asr_res_dim=6),
)


@pytest.mark.parametrize(
    "config", [TINY, THREE_LEVELS, model_config("starter"), model_config("kokoro-82m")], ids=lambda c: c.fingerprint()
)
def test_they_are_those_of_the_network(config: ModelConfig) -> None:
    assert weight_shapes(config) == expected_weights(config)[0]


def test_computing_them_loads_no_pytorch() -> None:
    code = (
        "import sys; from engine.model_store.checkpoints import model_config; "
        "from engine.network.weight_shapes import weight_shapes; weight_shapes(model_config('kokoro-82m')); "
        "sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
