"""The bridge to Metal Performance Shaders; off a Mac, over a stand-in for them, which checks plumbing only.

The stand-in follows Apple's documentation, and ends the process if a call violates it. Only on a Mac do these tests
show whether Apple's own classes do the same.
"""

import numpy as np
import pytest
import tvm
import tvm_ffi

from engine.network.ops.packed_lstm import LstmMethod, lstm_forward_packed, lstm_forward_packed_bidirectional
from engine.network.random_weights import network_with, random_weights
from engine.runtime.runners.torch_runner import ExportableRunner
from engine.stages import stage_named
from tests.engine.compiler.metal_machine import MetalStage, arrays_for
from tests.engine.compiler.mps_bridge import stand_in
from tests.metal_device import metal_device

INPUTS, HIDDEN, TIME = 6, 4, 7
COUNTS = ({"tokens": (1,)}, {"tokens": (5, 2, 7, 1)})


def tensor(array):
    return tvm.runtime.tensor(np.ascontiguousarray(array), metal_device().device())


@pytest.fixture(scope="module")
def lstm_packed():
    stand_in.install()
    yield tvm_ffi.get_global_func(LstmMethod.MPS.function)
    tvm_ffi.get_global_func("tvm.contrib.mps.forget_weights")()


def weights(directions, seed=0):
    random = np.random.default_rng(seed)
    shapes = [(4 * HIDDEN, INPUTS), (4 * HIDDEN, HIDDEN), (4 * HIDDEN,)]
    return [[random.standard_normal(shape, np.float32) for shape in shapes] for _ in range(directions)]


def joined(parts):
    return [tensor(np.concatenate(group)) for group in zip(*parts, strict=True)]


def inputs(lengths):
    x = np.random.default_rng(len(lengths)).standard_normal((len(lengths), TIME, INPUTS), np.float32)
    for batch_index, length in enumerate(lengths):
        x[batch_index, max(length, 0) :] = np.nan
    return x, np.array(lengths, np.int32)


def unwritten(batch, directions):
    return tensor(np.full((batch, TIME, directions * HIDDEN), np.nan, np.float32))


@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("lengths", [[1], [7], [0], [3, 7, 1, 7], [2, 0, 5], [0, 0], [9, -1]])
def test_equals_the_reference(lstm_packed, lengths, directions):
    parts = weights(directions)
    x, counts = inputs(lengths)
    result = unwritten(len(lengths), directions)
    lstm_packed(tensor(x), tensor(counts), *joined(parts), result)
    reference = lstm_forward_packed if directions == 1 else lstm_forward_packed_bidirectional
    clean = np.nan_to_num(x)
    expected = reference(clean, np.clip(counts, 0, TIME), *(part for direction in parts for part in direction))
    np.testing.assert_allclose(result.numpy(), expected, atol=1e-6)


def test_weights_are_read_once_and_kept_until_they_are_forgotten(lstm_packed):
    forget = tvm_ffi.get_global_func("tvm.contrib.mps.forget_weights")
    parts, (x, counts) = weights(2), inputs([3, 2])
    first, second, other = joined(parts), unwritten(2, 2), weights(2, seed=1)
    arguments = [tensor(x), tensor(counts)]
    lstm_packed(*arguments, *first, second)  # the first call in a process also makes what stays
    forget()
    before = stand_in.live_objects()
    lstm_packed(*arguments, *first, second)
    kept = stand_in.live_objects()
    result = second.numpy()
    for held, changed in zip(first, zip(*other, strict=True), strict=True):
        held.copyfrom(np.concatenate(changed))
    lstm_packed(*arguments, *first, second)
    assert stand_in.live_objects() == kept
    np.testing.assert_array_equal(second.numpy(), result)
    forget()
    assert stand_in.live_objects() == before
    lstm_packed(*arguments, *first, second)
    assert np.abs(second.numpy() - result).max() > 0.01


@pytest.mark.skipif(stand_in.ON_A_MAC, reason="only the stand-in counts")
def test_each_call_uses_one_command_buffer_and_matrices_are_created_once(lstm_packed):
    tvm_ffi.get_global_func("tvm.contrib.mps.forget_weights")()
    parts, made = joined(weights(2)), []
    for lengths in ([3], [7], [5, 2, 7, 1]):
        x, counts = inputs(lengths)
        before = stand_in.made_so_far()
        lstm_packed(tensor(x), tensor(counts), *parts, unwritten(len(lengths), 2))
        made.append(tuple(np.subtract(stand_in.made_so_far(), before)))
    assert [buffers for buffers, _ in made] == [1, 1, 1]
    assert [matrices > 0 for _, matrices in made] == [True, False, False]


def test_a_sequence_longer_than_any_before_has_room(lstm_packed):
    parts, time = weights(2), 150
    x = np.random.default_rng(0).standard_normal((1, time, INPUTS), np.float32)
    counts, result = np.array([time], np.int32), tensor(np.full((1, time, 2 * HIDDEN), np.nan, np.float32))
    lstm_packed(tensor(x), tensor(counts), *joined(parts), result)
    expected = lstm_forward_packed_bidirectional(x, counts, *(part for direction in parts for part in direction))
    np.testing.assert_allclose(result.numpy(), expected, atol=1e-6)


def test_arguments_that_do_not_fit_are_an_error(lstm_packed):
    x, counts = inputs([3, 2])
    arguments = [tensor(x), tensor(counts), *joined(weights(2)), unwritten(2, 2)]
    for index, wrong in [
        (0, tensor(x[:, :, :-1])),
        (0, tvm.runtime.tensor(x)),
        (1, tensor(counts.astype(np.int64))),
        (1, tensor(counts[:1])),
        (3, tensor(np.zeros((8 * HIDDEN, HIDDEN + 1), np.float32))),
        (5, unwritten(1, 2)),
        (5, unwritten(2, 1)),
        (5, 3),
    ]:
        with pytest.raises(RuntimeError, match="do not fit together"):
            lstm_packed(*arguments[:index], wrong, *arguments[index + 1 :])
    with pytest.raises(RuntimeError, match="do not fit together"):
        lstm_packed(*arguments[:-1])


@pytest.mark.parametrize("name", ["text_encoder", "duration"])
def test_whole_stages_run_through_it(tiny_config, lstm_packed, name):
    stage, values = stage_named(name), random_weights(tiny_config, 0)
    compiled = MetalStage(metal_device(), stage, tiny_config, values, LstmMethod.MPS)
    exportable = ExportableRunner(network_with(tiny_config, values))
    for counts in COUNTS:
        arrays = arrays_for(stage, tiny_config, counts)
        expected = exportable.run_stage(stage, arrays)
        with metal_device().fast():
            result = compiled.run(arrays)
        for output, array in result.items():
            np.testing.assert_allclose(array, expected[output], atol=5e-5, rtol=1e-3)
