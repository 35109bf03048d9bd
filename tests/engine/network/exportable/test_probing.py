"""Every noted value must be what kokoro's module of that path returns; without probing, nothing must change."""

import threading
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from engine.config import ModelConfig
from engine.models.checkpoints import open_checkpoint
from engine.network.exportable import exportable_stages
from engine.network.exportable.probing import ProbedModule, noted, noting, probe_paths
from engine.network.random_weights import network_with
from engine.network.reference import Reference
from engine.runtime.runners.torch_runner import ExportableRunner, ReferenceRunner
from engine.speech import Array
from engine.stages import DEVICE_STAGES, Stage, stage_named
from tests.engine.network.utterances import Values, all_values, correlation, opening, sequence

PROBED_STAGES = [stage for stage in DEVICE_STAGES if any(not probe.fused for probe in stage.probes)]
RAGGED = (9, 1, 4)
each_stage = pytest.mark.parametrize("stage", DEVICE_STAGES, ids=attrgetter("name"))
each_probed_stage = pytest.mark.parametrize("stage", PROBED_STAGES, ids=attrgetter("name"))


@pytest.fixture(scope="module")
def ragged(tiny_config: ModelConfig, truth: ReferenceRunner) -> Values:
    """The reference for a batch of three."""
    return all_values(tiny_config, truth, opening(tiny_config, RAGGED))


def inputs_of(stage: Stage, values: Values) -> Values:
    return {tensor.name: values[tensor.name] for tensor in stage.inputs}


def test_a_value_is_recorded_only_while_noting_is_active():
    value = torch.ones(2)
    with noting() as outer, noting() as inner:
        assert noted("inside", value) is value
    assert noted("after", value) is value
    assert inner == {"inside": value}
    assert outer == {}


def test_a_different_thread_has_separate_notes():
    with noting() as notes:
        thread = threading.Thread(target=noted, args=("elsewhere", torch.ones(1)))
        thread.start()
        thread.join()
    assert notes == {}


def test_an_error_ends_the_noting():
    with pytest.raises(RuntimeError), noting() as notes:
        raise RuntimeError
    noted("after", torch.ones(1))
    assert notes == {}


@each_probed_stage
def test_parameters_keep_their_names(stage, network):
    plain, probed = (exportable_stages(network, probed=probed)[stage.name] for probed in (False, True))
    assert isinstance(probed, ProbedModule)
    assert [name for name, _ in probed.named_parameters()] == [name for name, _ in plain.named_parameters()]


def test_modules_absent_from_compiled_code_are_not_probed(network):
    modules = exportable_stages(network, probed=True)
    assert {name for name, module in modules.items() if isinstance(module, ProbedModule)} == {
        s.name for s in PROBED_STAGES
    }
    assert "decoder.generator.m_source" in dict(network.named_modules())
    assert probe_paths(network, stage_named("source")) == ()


def test_a_path_that_the_stage_never_notes_is_an_error(network):
    module = ProbedModule(exportable_stages(network)["text_encoder"], ["text_encoder.embedding"])
    with pytest.raises(KeyError, match=r"text_encoder\.embedding"):
        module(torch.zeros(1, 3, dtype=torch.int32), torch.tensor([3], dtype=torch.int32))


@each_probed_stage
def test_probing_computes_nothing_more(stage, network, ragged):
    runs = []
    for probed in (False, True):
        module = exportable_stages(network, probed=probed)[stage.name]
        with torch.no_grad(), _Operators() as operators:
            outputs = module(*(torch.from_numpy(array) for array in inputs_of(stage, ragged).values()))
        runs.append((operators.names, len(outputs)))
    (plain, plain_count), (with_probes, probed_count) = runs
    assert with_probes == plain
    assert plain_count == len(stage.outputs)
    assert probed_count == plain_count + len(probe_paths(network, stage))


class _Operators(TorchDispatchMode):
    """Lists every operator that runs."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


@each_stage
def test_outputs_are_the_same_to_the_bit(stage, network, ragged, exportable):
    plain = exportable.run_stage(stage, inputs_of(stage, ragged))
    probed = ExportableRunner(network, observe=lambda *_: None).run_stage(stage, inputs_of(stage, ragged))
    assert list(plain) == list(probed)
    for name, array in plain.items():
        np.testing.assert_array_equal(probed[name], array)


@each_probed_stage
def test_a_member_of_a_batch_shows_kokoros_values(stage, network, tiny_config, ragged):
    ours: dict[str, Array] = {}
    ExportableRunner(network, observe=ours.__setitem__).run_stage(stage, inputs_of(stage, ragged))
    for index in range(len(RAGGED)):
        theirs: dict[str, Array] = {}
        alone = {tensor.name: sequence(tiny_config, tensor, ragged, index) for tensor in stage.inputs}
        Reference(network).run_stage(stage.name, alone, theirs.__setitem__)
        assert set(theirs) == set(ours)
        for path, array in theirs.items():
            valid = cropped_to(ours[path][index : index + 1], array)
            np.testing.assert_allclose(valid, array, atol=2e-5 * max(1, np.abs(array).max()), err_msg=path)
    assert all(np.isfinite(array).all() for array in ours.values())


def test_the_starter_shows_kokoros_values():
    checkpoint = open_checkpoint("starter")
    config, network = checkpoint.config, network_with(checkpoint.config, checkpoint.load_weights())
    style = next(iter(checkpoint.voices.values())).style(20)
    start = {**opening(config, [20]), "timbre": style.timbre[None], "prosody": style.prosody[None]}
    ours: dict[str, Array] = {}
    theirs: dict[str, Array] = {}
    values = all_values(config, ReferenceRunner(Reference(network), theirs.__setitem__), start)
    runner = ExportableRunner(network, observe=ours.__setitem__)
    for stage in DEVICE_STAGES:
        runner.run_stage(stage, inputs_of(stage, values))
    assert set(theirs) - set(ours) == {"decoder.generator.m_source"}
    for path, array in ours.items():
        assert correlation(cropped_to(array, theirs[path]), theirs[path]) > 0.9999999, path


def cropped_to(ours: Array, theirs: Array) -> Array:
    valid = ours[tuple(slice(extent) for extent in theirs.shape)]
    assert valid.shape == theirs.shape
    return valid
