"""The torch runners must treat a batch as its sequences, and check what they are given."""

from __future__ import annotations

import numpy as np
import pytest

from engine.config import ModelConfig
from engine.network.random_weights import network_with, random_weights
from engine.network.reference import Reference
from engine.runners.torch_runner import ExportableRunner, ReferenceRunner
from engine.stages import stage_named
from tests.engine.network.utterances import all_values, opening

COUNTS = [5, 2]


@pytest.fixture(scope="module")
def runners(tiny_config: ModelConfig) -> tuple[ReferenceRunner, ExportableRunner]:
    network = network_with(tiny_config, random_weights(tiny_config, 0))
    return ReferenceRunner(Reference(network)), ExportableRunner(network)


def test_the_reference_runs_each_member_alone(
    tiny_config: ModelConfig, runners: tuple[ReferenceRunner, ExportableRunner]
) -> None:
    start = opening(tiny_config, COUNTS)
    both = all_values(tiny_config, runners[0], start)
    for index, count in enumerate(COUNTS):
        alone = {name: array[index : index + 1] for name, array in start.items()}
        alone["tokens"] = alone["tokens"][:, :count]
        frames = int(both["frame_count"][index])
        alone["source_noise"] = both["source_noise"][index : index + 1, :frames]
        values = all_values(tiny_config, runners[0], alone)
        samples = frames * tiny_config.samples_per_frame
        np.testing.assert_array_equal(both["audio"][index, :samples], values["audio"][0])
        assert not both["audio"][index, samples:].any()


def test_the_reference_shows_the_probes_of_every_member(tiny_config: ModelConfig) -> None:
    seen: list[str] = []
    reference = Reference(network_with(tiny_config, random_weights(tiny_config, 0)))
    runner = ReferenceRunner(reference, lambda path, array: seen.append(path))
    start = opening(tiny_config, COUNTS)
    runner.run(stage_named("text_encoder"), {name: start[name] for name in ("tokens", "token_count")})
    assert seen.count("text_encoder.lstm") == len(COUNTS)


def test_the_exportable_stages_show_the_probes_of_the_whole_batch(tiny_config: ModelConfig) -> None:
    seen: dict[str, np.ndarray] = {}
    runner = ExportableRunner(network_with(tiny_config, random_weights(tiny_config, 0)), observe=seen.__setitem__)
    start = opening(tiny_config, COUNTS)
    outputs = runner.run(stage_named("text_encoder"), {name: start[name] for name in ("tokens", "token_count")})
    assert set(outputs) == {"phoneme_features"}
    assert set(seen) == {"text_encoder.cnn.0", "text_encoder.cnn.1", "text_encoder.lstm"}
    assert seen["text_encoder.lstm"].shape == (len(COUNTS), max(COUNTS), tiny_config.hidden_dim)


def test_the_two_agree_on_a_batch(tiny_config: ModelConfig, runners: tuple[ReferenceRunner, ExportableRunner]) -> None:
    values = all_values(tiny_config, runners[0], opening(tiny_config, COUNTS))
    for name in ("text_encoder", "istft"):
        stage = stage_named(name)
        outputs = runners[1].run(stage, {tensor.name: values[tensor.name] for tensor in stage.inputs})
        for tensor, array in outputs.items():
            np.testing.assert_allclose(array, values[tensor], atol=1e-5)


@pytest.mark.parametrize("which", [0, 1])
def test_wrong_inputs_are_refused(runners: tuple[ReferenceRunner, ExportableRunner], which: int) -> None:
    with pytest.raises(ValueError, match="bert takes tokens, token_count"):
        runners[which].run(stage_named("bert"), {"tokens": np.zeros((1, 3), np.int32)})


def test_inputs_may_be_read_only(runners: tuple[ReferenceRunner, ExportableRunner]) -> None:
    inputs = {"tokens": np.zeros((1, 3), np.int32), "token_count": np.array([3], np.int32)}
    for array in inputs.values():
        array.flags.writeable = False
    for runner in runners:
        assert runner.run(stage_named("bert"), inputs)["text_features"].shape[2] == 3
        runner.close()
