"""The declaration of the stages is closed and its names are unique."""

from operator import attrgetter

import pytest

from engine.models.checkpoints import MODEL_NAMES, model_config
from engine.stages import STAGE_NAMES, STAGES, Axis, Stage, declaration_fingerprint, stage_named

FROM_THE_REQUEST = {"tokens", "token_count", "timbre", "prosody", "speed", "source_noise"}


def test_names_are_unique() -> None:
    assert len(set(STAGE_NAMES)) == len(STAGES)
    outputs = [tensor.name for stage in STAGES for tensor in stage.outputs]
    assert len(set(outputs)) == len(outputs)


def test_every_input_is_given_or_computed_earlier() -> None:
    known = set(FROM_THE_REQUEST)
    for stage in STAGES:
        assert {tensor.name for tensor in stage.inputs} <= known
        known |= {tensor.name for tensor in stage.outputs}


def test_a_tensor_is_declared_the_same_wherever_it_is_used() -> None:
    declared: dict[str, object] = {}
    for stage in STAGES:
        for tensor in (*stage.inputs, *stage.outputs):
            assert declared.setdefault(tensor.name, tensor) == tensor


@pytest.mark.parametrize("model", MODEL_NAMES)
@pytest.mark.parametrize("stage", STAGES, ids=attrgetter("name"))
def test_shapes_come_from_the_configuration(stage: Stage, model: str) -> None:
    config = model_config(model)
    for tensor in (*stage.inputs, *stage.outputs):
        shape = tensor.shape(config, 2, {"tokens": 5, "frames": 7})
        assert shape[0] == 2
        assert all(extent > 0 for extent in shape)


def test_full_size_extents_are_those_of_kokoro() -> None:
    config = model_config("kokoro-82m")
    lengths = {"tokens": 5, "frames": 10}
    shapes = {t.name: t.shape(config, 1, lengths) for stage in STAGES for t in (*stage.inputs, *stage.outputs)}
    assert shapes["harmonics"] == (1, 22, 1201)
    assert shapes["audio"] == (1, 6000)
    assert shapes["prosody_features"] == (1, 5, 640)
    assert shapes["source_noise"] == (1, 10, 600, 9)


def test_every_length_is_named() -> None:
    axes = {
        axis.name
        for stage in STAGES
        for t in (*stage.inputs, *stage.outputs)
        for axis in t.axes
        if isinstance(axis, Axis)
    }
    assert axes == {"tokens", "frames"}


def test_lookup_by_name() -> None:
    assert stage_named("decoder").title == "Decoder"
    with pytest.raises(KeyError):
        stage_named("encoder")


def test_the_fingerprint_is_stable_within_a_process() -> None:
    assert declaration_fingerprint() == declaration_fingerprint()
