"""Every method of computing an LSTM, on both targets, against torch's packed sequences.

Where there is no Mac, `mps` runs on a stand-in for Metal Performance Shaders: that checks how they are called, not
what they compute.
"""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tvm import relax

from engine.compiler.export import export_stage
from engine.compiler.kernel_calls import shape_of
from engine.compiler.lstm_converters import lstm_converters
from engine.compiler.passes import apply, weight_passes
from engine.compiler.targets import host_cpu, metal_called_from
from engine.errors import CompileError
from engine.network.ops.packed_lstm import LstmMethod, LstmSemantics
from engine.network.ops.torch_ops import adaptive_layer_norm
from engine.runtime.runners.lstm_functions import provide_lstm
from tests.engine.compiler.lstm_machine import STAGE, CompiledLstm, OneLstm, batch, with_padding
from tests.engine.compiler.mps_bridge import stand_in
from tests.metal_device import metal_device

TIME = 6
BATCHES = ([1], [2], [TIME - 1], [TIME], [2, 6, 1, 5, 3, 6, 4, 1])
TARGETS = {"cpu": host_cpu, "metal": lambda: metal_called_from({"kind": "llvm"})}
CHOICES = [("cpu", "tir"), ("cpu", "torch"), ("metal", "tir"), ("metal", "torch"), ("metal", "mps")]


def compiled(config, target, method, module):
    if target == "metal":
        metal_device()
    if method == "mps":
        stand_in.install()
    else:
        provide_lstm(SimpleNamespace(identity=SimpleNamespace(lstm_method=method)), None)
    return CompiledLstm(module, config, TARGETS[target](), LstmMethod(method))


@pytest.mark.parametrize("hidden_size", [128, 256])
@pytest.mark.parametrize(("target", "method"), CHOICES)
def test_ragged_batches_equal_torch_and_padding_changes_no_bit(tiny_config, target, method, hidden_size):
    module = OneLstm(tiny_config.hidden_dim, hidden_size)
    lstm = compiled(tiny_config, target, method, module)
    for lengths in BATCHES:
        x, counts = batch(lengths, TIME, tiny_config.hidden_dim)
        with metal_device().fast():
            result = lstm(x, counts)
        np.testing.assert_allclose(result, module.in_torch(x, counts), atol=1e-5, rtol=0)
        for filling in (None, np.nan):
            np.testing.assert_array_equal(lstm(with_padding(x, counts, filling), counts), result)


def test_on_metal_an_lstm_is_two_launches_once_weights_are_loaded(tiny_config):
    target = TARGETS["metal"]()
    graph = export_stage(STAGE, OneLstm(tiny_config.hidden_dim, 32), tiny_config, target)
    body = apply(graph.module, weight_passes(), target)["main"].body
    calls = [binding.value for block in body.blocks for binding in block.bindings]
    names = [call.op.name for call in calls if isinstance(call, relax.Call)]
    assert names.count("relax.call_tir") == 2
    assert set(names) == {"relax.call_tir", "relax.reshape"}


CONSTANT_INPUT = 5


class StyledLstm(OneLstm):
    """An LSTM whose inputs end with the same values at every step."""

    def __init__(self, channels, hidden_size):
        super().__init__(channels + CONSTANT_INPUT, hidden_size)

    def styled(self, x):
        styles = torch.cat([x[:, 0], x[:, 0]], dim=1)
        return adaptive_layer_norm(x, styles, x[:, 0, :CONSTANT_INPUT], 0, 1e-5)

    def forward(self, x, lengths):
        return super().forward(self.styled(x), lengths)


class JoinedLstm(StyledLstm):
    """An LSTM whose inputs end with the same values at every step, without a norm."""

    def styled(self, x):
        return torch.cat(
            [x, x[:, 0, :CONSTANT_INPUT].unsqueeze(1).expand(x.shape[0], x.shape[1], CONSTANT_INPUT)], dim=2
        )


class ChangingLstm(StyledLstm):
    """An LSTM whose inputs end with others at every step."""

    def styled(self, x):
        return torch.cat([x, x[:, :, :CONSTANT_INPUT]], dim=2)


def linear_inputs(graph):
    """The number of input features of each linear layer of a graph, those of both directions."""
    calls = [binding.value for block in graph.module["main"].body.blocks for binding in block.bindings]
    kernels = [call for call in calls if isinstance(call, relax.Call) and call.op.name == "relax.call_tir"]
    linear = [call.args[1].fields[0] for call in kernels if call.args[0].name_hint.startswith("linear")]
    return sorted(int(shape_of(x)[1]) for x in linear)


@pytest.mark.parametrize(("kind", "constant_input"), [(StyledLstm, 0), (JoinedLstm, 0), (ChangingLstm, CONSTANT_INPUT)])
def test_the_constant_input_is_projected_once(tiny_config, kind, constant_input):
    channels = tiny_config.hidden_dim
    module = kind(channels, 32)
    assert linear_inputs(export_stage(STAGE, module, tiny_config, host_cpu())) == [channels + constant_input] * 2
    lstm = compiled(tiny_config, "cpu", "tir", module)
    for lengths in BATCHES:
        x, counts = batch(lengths, TIME, channels)
        expected = module.in_torch(module.styled(torch.from_numpy(x)).numpy(), counts)
        np.testing.assert_allclose(lstm(x, counts), expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("method", ["tir", "torch"])
def test_without_packing_padding_is_read(tiny_config, method):
    module = OneLstm(tiny_config.hidden_dim, 16, LstmSemantics.NO_PACK)
    lstm = compiled(tiny_config, "cpu", method, module)
    x, counts = batch([3, 5], 5, tiny_config.hidden_dim)
    result, packed = lstm(x, counts), module.in_torch(x, counts)
    np.testing.assert_allclose(result[1], packed[1], atol=1e-5)
    assert np.abs(result[0, :3, 16:] - packed[0, :3, 16:]).max() > 1e-3
    assert not result[0, 3:].any()


def test_mps_is_refused_where_there_is_no_metal():
    with pytest.raises(CompileError, match="mps needs Metal"):
        lstm_converters(LstmMethod.MPS, host_cpu())
