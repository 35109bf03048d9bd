import itertools
import json
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tvm
import tvm_ffi

from engine.compiler.artifacts.manifest import CPU, Bridge, Manifest, Variant, expected_identity
from engine.errors import DamagedFile, EngineError
from engine.network.ops import packed_lstm as reference
from engine.network.random_weights import network_with, random_weights
from engine.runtime.runners import lstm_functions
from engine.runtime.runners.base import cropped
from engine.runtime.runners.lstm_functions import load_bridge, provide_lstm
from engine.runtime.runners.torch_runner import ExportableRunner
from engine.runtime.runners.tvm_runner import CompiledRunner, Instrument, SeenCall
from engine.stages import Axis, stage_named
from engine.system.cores import usable_cores
from tests.engine.compiler.mps_bridge import stand_in
from tests.engine.kept_modules import kept_modules
from tests.engine.memory import private_bytes
from tests.metal_device import metal_device

STAGES = [stage_named(name) for name in ("bert", "duration", "text_encoder", "source", "istft")]
PROBED = [stage_named(name) for name in ("duration", "text_encoder")]
COUNTS = {"tokens": (40, 17, 5, 1), "frames": (9, 4, 2, 1)}

NAMES = [stage.name for stage in STAGES]
several_threads = pytest.mark.alone


@pytest.fixture(scope="module")
def folder(tiny_config, tmp_path_factory):
    """Modules of these stages only."""
    folder = tmp_path_factory.mktemp("modules")
    kept = kept_modules(tiny_config, CPU, STAGES)
    manifest = Manifest.load(kept)
    for name in NAMES:
        shutil.copy(kept / manifest.artifact(name).file, folder)
    replace(manifest, artifacts=tuple(manifest.artifact(name) for name in NAMES)).save(folder)
    return folder


@pytest.fixture(scope="module")
def weights(tiny_config):
    return random_weights(tiny_config, 0)


@pytest.fixture(scope="module")
def runner(folder, tiny_config, weights):
    runner = CompiledRunner(folder, tiny_config, weights)
    yield runner
    runner.close()


@pytest.fixture(scope="module")
def exportable(tiny_config, weights):
    return ExportableRunner(network_with(tiny_config, weights))


def arrays_for(stage, config, counts, seed=0):
    """Return inputs of a batch whose sequences have these counts of tokens and frames."""
    generator = np.random.default_rng(seed)
    lengths = {name: max(values) for name, values in counts.items()}
    batch = len(counts["tokens"])
    arrays = {}
    for tensor in stage.inputs:
        shape = tensor.shape(config, batch, lengths)
        if tensor.name.endswith("_count"):
            arrays[tensor.name] = np.array(counts[tensor.name.removesuffix("_count") + "s"], np.int32)
        elif tensor.name == "tokens":
            arrays[tensor.name] = generator.integers(0, config.n_token, shape).astype(np.int32)
        else:
            arrays[tensor.name] = generator.standard_normal(shape, np.float32)
    return arrays


def single(count):
    return {"tokens": (count,), "frames": (count,)}


@several_threads
@pytest.mark.parametrize("counts", [single(1), single(2), single(17), single(63), COUNTS], ids=str)
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_compiled_stages_equal_the_exportable_ones(runner, exportable, tiny_config, stage, counts):
    arrays = arrays_for(stage, tiny_config, counts)
    expected = exportable.run_stage(stage, arrays)
    for name, array in runner.run_stage(stage, arrays).items():
        np.testing.assert_allclose(array, expected[name], atol=2e-5, rtol=1e-4)


@several_threads
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_padding_contents_do_not_change_outputs(runner, tiny_config, stage):
    arrays = arrays_for(stage, tiny_config, COUNTS)
    clean = runner.run_stage(stage, arrays)
    for tensor in stage.inputs:
        for position, axis in enumerate(tensor.axes):
            if isinstance(axis, Axis):
                for batch_index in range(4):
                    valid = {name: counts[batch_index] for name, counts in COUNTS.items()}
                    array = np.moveaxis(arrays[tensor.name][batch_index], position, 0)
                    array[axis.extent(tiny_config, valid) :] = np.nan if array.dtype == np.float32 else 2**30
    for name, array in runner.run_stage(stage, arrays).items():
        np.testing.assert_array_equal(array, clean[name])


@several_threads
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_member_of_a_batch_equals_itself_alone(runner, tiny_config, stage):
    arrays = arrays_for(stage, tiny_config, COUNTS)
    batch = runner.run_stage(stage, arrays)
    for batch_index in range(4):
        valid = {name: counts[batch_index] for name, counts in COUNTS.items()}
        alone = {
            tensor.name: cropped(tiny_config, tensor, arrays[tensor.name][batch_index], valid)[None]
            for tensor in stage.inputs
        }
        for tensor in stage.outputs:
            expected = runner.run_stage(stage, alone)[tensor.name][0]
            actual = cropped(tiny_config, tensor, batch[tensor.name][batch_index], valid)
            np.testing.assert_allclose(actual, expected, atol=1e-5)


@pytest.fixture(scope="module")
def probed_folder(tiny_config):
    return kept_modules(tiny_config, Variant("cpu", probed=True), [*PROBED, stage_named("istft")])


@pytest.mark.parametrize("stage", PROBED, ids=lambda stage: stage.name)
def test_compiled_stages_expose_the_same_activations_as_exportable_ones(
    probed_folder, runner, tiny_config, weights, stage
):
    seen, expected = {}, {}
    compiled = CompiledRunner(probed_folder, tiny_config, weights, observe=seen.__setitem__)
    exportable = ExportableRunner(network_with(tiny_config, weights), observe=expected.__setitem__)
    for counts in (single(1), single(17), COUNTS):
        arrays = arrays_for(stage, tiny_config, counts)
        outputs = compiled.run_stage(stage, arrays)
        exportable.run_stage(stage, arrays)
        assert list(seen) == list(expected)
        for path, array in expected.items():
            np.testing.assert_allclose(seen[path], array, atol=2e-5, rtol=1e-4, err_msg=path)
        for name, array in runner.run_stage(stage, arrays).items():
            np.testing.assert_allclose(outputs[name], array, atol=1e-6, rtol=1e-5)


def test_unrequested_activations_are_dropped(probed_folder, tiny_config, weights):
    runner = CompiledRunner(probed_folder, tiny_config, weights)
    for stage in (*PROBED, stage_named("istft")):
        outputs = runner.run_stage(stage, arrays_for(stage, tiny_config, single(3)))
        assert list(outputs) == [tensor.name for tensor in stage.outputs]


def test_libraries_without_probes_show_none(folder, tiny_config, weights):
    seen = []
    runner = CompiledRunner(folder, tiny_config, weights, observe=lambda path, _: seen.append(path))
    for stage in STAGES:
        runner.run_stage(stage, arrays_for(stage, tiny_config, single(3)))
    assert seen == []


def test_read_only_and_strided_inputs_are_taken(runner, tiny_config):
    stage = stage_named("duration")
    arrays = arrays_for(stage, tiny_config, single(7))
    expected = runner.run_stage(stage, arrays)
    features = np.ascontiguousarray(arrays["text_features"].swapaxes(1, 2)).swapaxes(1, 2)
    features.flags.writeable = False
    assert not features.flags.c_contiguous
    for name, array in runner.run_stage(stage, {**arrays, "text_features": features}).items():
        np.testing.assert_array_equal(array, expected[name])


def test_outputs_stay_as_they_are_while_more_is_computed(runner, tiny_config):
    stage = stage_named("text_encoder")
    first = runner.run_stage(stage, arrays_for(stage, tiny_config, single(20)))["phoneme_features"]
    copy = first.copy()
    for seed in range(20):
        runner.run_stage(stage, arrays_for(stage, tiny_config, single(20), seed))
    np.testing.assert_array_equal(first, copy)


def test_a_missing_weight_is_named(folder, tiny_config, weights):
    name = "text_encoder.embedding.weight"
    with pytest.raises(EngineError, match=f"have the weight {name}"):
        CompiledRunner(folder, tiny_config, {key: value for key, value in weights.items() if key != name})


def test_a_misshapen_weight_is_named(folder, tiny_config, weights):
    name = "text_encoder.embedding.weight"
    with pytest.raises(EngineError, match=rf"{name} has shape \(3, 3\)"):
        CompiledRunner(folder, tiny_config, {**weights, name: np.zeros((3, 3), np.float32)})


def test_a_damaged_library_is_refused_before_it_is_loaded(folder, tiny_config, weights, tmp_path):
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "bert.so").write_bytes(b"no library")
    with pytest.raises(DamagedFile, match="is damaged"):
        CompiledRunner(tmp_path, tiny_config, weights)


def test_a_stage_without_library_is_refused(runner, tiny_config):
    stage = stage_named("f0n")
    arrays = arrays_for(stage, tiny_config, single(2))
    arrays["frame_token"] = np.zeros((1, 2), np.int32)
    with pytest.raises(ValueError, match="Stage f0n has no library"):
        runner.run_stage(stage, arrays)


def test_wrong_shapes_are_refused(runner, tiny_config):
    stage = stage_named("text_encoder")
    arrays = {"tokens": np.zeros((2, 5), np.int32), "token_count": np.array([5], np.int32)}
    with pytest.raises(ValueError, match="token_count"):
        runner.run_stage(stage, arrays)


@several_threads
def test_every_thread_computes_on_all_usable_cores(runner, tiny_config):
    assert os.environ["OMP_NUM_THREADS"] == "1"  # which TVM would take for the number of threads
    stage = stage_named("istft")
    counts = []

    def compute():
        import tvm_ffi

        runner.run_stage(stage, arrays_for(stage, tiny_config, single(2)))
        counts.append(tvm_ffi.get_global_func("runtime.NumThreads")())

    for thread in [threading.Thread(target=compute) for _ in range(2)]:
        thread.start()
        thread.join()
    compute()
    assert counts == [len(usable_cores())] * 3


def test_memory_stays_flat_over_many_lengths(runner, tiny_config):
    stage = stage_named("source")
    generator = np.random.default_rng(0)

    def speak(times):
        for _ in range(times):
            runner.run_stage(stage, arrays_for(stage, tiny_config, single(int(generator.integers(1, 60)))))
        return private_bytes()

    held = speak(100)
    assert speak(300) - held < 20e6  # an allocator that caches every size would hold hundreds of megabytes


def test_running_needs_neither_torch_nor_the_compiler(folder, tiny_config, weights, tmp_path):
    np.savez(tmp_path / "weights.npz", **weights)
    (tmp_path / "config.json").write_text(json.dumps(tiny_config.to_dict()))
    program = f"""
import sys
from pathlib import Path
import numpy as np
from engine.config import ModelConfig
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.stages import stage_named
config = ModelConfig.load(Path({str(tmp_path / "config.json")!r}))
runner = CompiledRunner(Path({str(folder)!r}), config, np.load({str(tmp_path / "weights.npz")!r}))
one = np.ones(1, np.int32)
runner.run_stage(stage_named("text_encoder"), {{"tokens": one[None], "token_count": one}})
assert not {{"torch", "tvm"}} & set(sys.modules), sys.modules
import torch
assert torch.ones(1).item() == 1
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).resolve().parents[3])


RESULT = np.arange(3)


class Tensor:
    shape = (3,)


def seen_by(calls: list[str], observe=None) -> tuple[list[SeenCall], Instrument]:
    seen: list[SeenCall] = []
    clock = itertools.count().__next__
    instrument = Instrument({"conv1d"}, observe or seen.append, lambda _: RESULT, clock)
    for name in calls:
        for before in (True, False):
            assert instrument(None, name, before, None, Tensor(), 7) == 0
    return seen, instrument


def test_calls_of_the_kernels_are_seen_with_their_arguments_and_time():
    ((first, second), _) = seen_by(["vm.builtin.reshape", "conv1d", "conv1d"])
    assert first.kernel == second.kernel == "conv1d"
    assert first.arguments[0] is RESULT
    assert first.arguments[1:] == (7,)
    assert first.seconds == second.seconds == 1


def test_after_an_error_nothing_more_is_seen():
    calls: list[SeenCall] = []

    def fail(seen: SeenCall) -> None:
        calls.append(seen)
        raise EngineError("Stopped")

    _, instrument = seen_by(["conv1d", "conv1d"], fail)
    assert len(calls) == 1
    assert str(instrument.failure) == "Stopped"


INPUTS, HIDDEN = 5, 3


def manifest(config, method, bridge=None):
    return Manifest(expected_identity(config, Variant("metal-macos", lstm_method=method)), (), bridge)


@pytest.mark.parametrize("device", [tvm.cpu, lambda: metal_device().device()])
@pytest.mark.parametrize("directions", [1, 2])
def test_the_function_in_torch_equals_the_reference(tiny_config, device, directions):
    provide_lstm(manifest(tiny_config, "torch"), Path())()
    function = tvm_ffi.get_global_func(reference.LstmMethod.TORCH.function)
    random = np.random.default_rng(directions)
    shapes = ((4 * HIDDEN, INPUTS), (4 * HIDDEN, HIDDEN), (4 * HIDDEN,))
    weights = [[random.standard_normal(shape, np.float32) for shape in shapes] for _ in range(directions)]
    x, lengths = random.standard_normal((3, 6, INPUTS), np.float32), np.array([4, 6, 1], np.int32)
    arrays = [x, lengths, *(np.concatenate(group) for group in zip(*weights, strict=True))]
    y = tvm.runtime.tensor(np.full((3, 6, directions * HIDDEN), np.nan, np.float32), device())
    function(*(tvm.runtime.tensor(array, device()) for array in arrays), y)
    names = ("lstm_forward_packed", "lstm_forward_packed_bidirectional")
    expected = getattr(reference, names[directions - 1])(x, lengths, *(part for each in weights for part in each))
    np.testing.assert_allclose(y.numpy(), expected, atol=1e-5)


def test_modules_with_built_in_lstm_kernels_need_nothing_else(tiny_config):
    assert provide_lstm(manifest(tiny_config, "tir"), Path())() is None


def test_a_missing_damaged_or_foreign_bridge_is_an_error(tiny_config, tmp_path, monkeypatch):
    monkeypatch.setattr(tvm_ffi, "get_global_func", lambda *_, **__: None)
    with pytest.raises(EngineError, match="lack their library"):
        provide_lstm(manifest(tiny_config, "mps"), tmp_path)
    (tmp_path / "bridge.dylib").write_bytes(b"no library")
    bridge = Bridge("bridge.dylib", "0", 10)
    with pytest.raises(DamagedFile, match="is damaged"):
        provide_lstm(manifest(tiny_config, "mps", bridge), tmp_path)
    monkeypatch.setattr(lstm_functions, "verify", lambda folder, bridge: folder / bridge.file)
    with pytest.raises(EngineError, match="Metal Performance Shaders"):
        provide_lstm(manifest(tiny_config, "mps", bridge), tmp_path)


def test_a_bridge_that_is_there_is_not_loaded_again(tmp_path):
    stand_in.install()
    load_bridge(tmp_path / "nothing")
