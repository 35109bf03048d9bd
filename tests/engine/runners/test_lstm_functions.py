from pathlib import Path

import numpy as np
import pytest
import tvm
import tvm_ffi

from engine.artifacts.manifest import Bridge, Manifest, Variant, expected_identity
from engine.errors import DamagedFile, EngineError
from engine.ops import packed_lstm as meaning
from engine.runners import lstm_functions
from engine.runners.lstm_functions import load_bridge, provide_lstm
from tests.engine.mps_bridge import stand_in
from tests.metal_device import metal_device

INPUTS, HIDDEN = 5, 3


def manifest(config, method, bridge=None):
    return Manifest(expected_identity(config, Variant("metal-macos", lstm_method=method)), (), bridge)


@pytest.mark.parametrize("device", [tvm.cpu, lambda: metal_device().device()])
@pytest.mark.parametrize("directions", [1, 2])
def test_the_function_in_torch_equals_the_meaning(tiny_config, device, directions):
    provide_lstm(manifest(tiny_config, "torch"), Path())()
    function = tvm_ffi.get_global_func(meaning.LstmMethod.TORCH.function)
    random = np.random.default_rng(directions)
    shapes = ((4 * HIDDEN, INPUTS), (4 * HIDDEN, HIDDEN), (4 * HIDDEN,))
    weights = [[random.standard_normal(shape, np.float32) for shape in shapes] for _ in range(directions)]
    x, lengths = random.standard_normal((3, 6, INPUTS), np.float32), np.array([4, 6, 1], np.int32)
    arrays = [x, lengths, *(np.concatenate(group) for group in zip(*weights, strict=True))]
    y = tvm.runtime.tensor(np.full((3, 6, directions * HIDDEN), np.nan, np.float32), device())
    function(*(tvm.runtime.tensor(array, device()) for array in arrays), y)
    names = ("lstm_forward_packed", "lstm_forward_packed_bidirectional")
    expected = getattr(meaning, names[directions - 1])(x, lengths, *(part for each in weights for part in each))
    np.testing.assert_allclose(y.numpy(), expected, atol=1e-5)


def test_modules_with_kernels_of_their_own_need_nothing(tiny_config):
    assert provide_lstm(manifest(tiny_config, "tir"), Path())() is None


def test_a_bridge_that_is_missing_damaged_or_for_another_system_is_an_error(tiny_config, tmp_path, monkeypatch):
    monkeypatch.setattr(lstm_functions, "_is_known", lambda _: False)
    with pytest.raises(EngineError, match="lack their library"):
        provide_lstm(manifest(tiny_config, "mps"), tmp_path)
    (tmp_path / "bridge.dylib").write_bytes(b"no library")
    bridge = Bridge("bridge.dylib", "0", 10)
    with pytest.raises(DamagedFile, match="is damaged"):
        provide_lstm(manifest(tiny_config, "mps", bridge), tmp_path)
    monkeypatch.setattr(lstm_functions, "verify", lambda folder, bridge: folder / bridge.file)
    with pytest.raises(EngineError, match="Metal Performance Shaders cannot be used"):
        provide_lstm(manifest(tiny_config, "mps", bridge), tmp_path)


def test_a_bridge_that_is_there_is_not_loaded_again(tmp_path):
    stand_in.install()
    load_bridge(tmp_path / "nothing")
