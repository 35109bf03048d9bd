"""OpenVINO computes the same as ONNX Runtime, on the same files and arrays."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.benchmark.job import Length
from engine.benchmark.utterances import inputs_of, make_utterance
from engine.network.onnx_export import export_to_onnx
from engine.network.random_weights import random_weights
from engine.runtime.runners.onnx_runner import OnnxRunner
from engine.runtime.runners.openvino_runner import FLOAT32_STAGES, OpenVinoRunner, StaticOpenVinoRunner
from engine.runtime.runners.plain_runner import PlainRunner
from engine.stages import DEVICE_STAGES, stage_named
from tests.engine.runtime.runners.test_onnx_runner import spectrum

pytestmark = pytest.mark.skipif(importlib.util.find_spec("openvino") is None, reason="needs openvino")
LENGTHS = (Length(14, 5, 0.35), Length(61, 20, 1.525))
"""Neither is the one that the files were exported with."""
ROOT = Path(__file__).resolve().parents[3]
KINDS = ("any length", "one length")
BFLOAT16_CORRELATION = 0.998


@pytest.fixture(scope="module")
def folder(tiny_config, tmp_path_factory):
    folder = tmp_path_factory.mktemp("onnx")
    export_to_onnx(tiny_config, random_weights(tiny_config, 0), DEVICE_STAGES, folder)
    return folder


@pytest.fixture(scope="module", params=LENGTHS, ids=lambda length: f"{length.frames} frames")
def values(request, tiny_config, folder):
    """All arrays between the stages, as ONNX Runtime computes them."""
    runner = PlainRunner(tiny_config, random_weights(tiny_config, 0), 1)
    utterance, peer = make_utterance(tiny_config, request.param, runner), OnnxRunner(folder, 1)
    for stage in DEVICE_STAGES:
        utterance.update(peer.run_stage(stage, inputs_of(stage, utterance)))
    return utterance


@pytest.fixture(scope="module", params=KINDS)
def runner(request, folder, values):
    """A runner of each kind; the one for one length is compiled for that of the values."""
    if request.param == KINDS[0]:
        return OpenVinoRunner(folder, 1)
    runner = StaticOpenVinoRunner(folder, 1)
    runner.compile_for(values)
    return runner


@pytest.fixture(scope="module")
def bfloat16_runner(folder):
    return OpenVinoRunner(folder, 1, bfloat16=True)


@pytest.mark.parametrize("name", [stage.name for stage in DEVICE_STAGES if stage.name != "source"])
def test_a_stage_is_the_one_of_onnx_runtime(runner, values, name):
    stage = stage_named(name)
    for output, array in runner.run_stage(stage, inputs_of(stage, values)).items():
        scale = np.abs(values[output]).max()
        np.testing.assert_allclose(array, values[output], atol=1e-5 * max(scale, 1.0))


def test_the_source_is_the_same_but_for_phases_where_nothing_sounds(runner, tiny_config, values):
    assert source_error(runner, tiny_config, values) < 1e-3


def source_error(runner, config, values):
    source = stage_named("source")
    (array,) = runner.run_stage(source, inputs_of(source, values)).values()
    got, expected = (spectrum(one, config) for one in (array, values["harmonics"]))
    return np.abs(got - expected).max() / np.abs(expected).max()


def test_outputs_are_not_overwritten_by_the_next_run(runner, values):
    stage = stage_named("bert")
    inputs = inputs_of(stage, values)
    (first,) = runner.run_stage(stage, inputs).values()
    before = first.copy()
    runner.run_stage(stage, {**inputs, "tokens": np.ones_like(inputs["tokens"])})
    np.testing.assert_array_equal(first, before)


def test_in_bfloat16_stages_correlate_and_the_source_is_exact(bfloat16_runner, tiny_config, values):
    for stage in (stage for stage in DEVICE_STAGES if stage.name not in FLOAT32_STAGES):
        for output, array in bfloat16_runner.run_stage(stage, inputs_of(stage, values)).items():
            assert np.corrcoef(array.ravel(), values[output].ravel())[0, 1] > BFLOAT16_CORRELATION
    assert source_error(bfloat16_runner, tiny_config, values) < 1e-3


def test_a_static_runner_takes_only_the_length_that_it_was_compiled_for(folder, tmp_path, values):
    shutil.copy(folder / "bert.onnx", tmp_path)
    runner = StaticOpenVinoRunner(tmp_path, 1)
    runner.compile_for(values)
    stage = stage_named("bert")
    longer = {"tokens": np.tile(values["tokens"], 2), "token_count": values["token_count"] * 2}
    with pytest.raises(RuntimeError, match="shape"):
        runner.run_stage(stage, longer)


PROGRAM = """
import sys
from pathlib import Path
from engine.runtime.runners.openvino_runner import OpenVinoRunner
OpenVinoRunner(Path(sys.argv[1]), 1)
assert "openvino" in sys.modules
assert "openvino_telemetry" not in sys.modules
"""


def test_openvino_reports_nothing_and_writes_nothing_into_the_home_folder(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "no files")]
    subprocess.run(command, env={**environment, "HOME": str(tmp_path)}, cwd=ROOT, check=True)
    assert list(tmp_path.iterdir()) == []
