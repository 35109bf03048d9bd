import numpy as np
import pytest

from app.diagnostics.stage_arrays import AUDIO, pair_of
from engine.errors import EngineError
from engine.stages import STAGES, stage_named
from engine.validator.arrays import ArrayFolder
from engine.validator.results import Reading, Regime
from tests.app.diagnostics_fakes import UTTERANCES, MemoryArrays, alignment, arrays_of, compared, request, row

FRAMES = sum(alignment(UTTERANCES[0]))
TOKENS = len(alignment(UTTERANCES[0]))


@pytest.mark.parametrize(
    ("stage", "output", "shape", "axis"),
    [
        ("bert", "text_features", (128, TOKENS), "tokens"),
        ("duration", "duration_logits", (50, TOKENS), "tokens"),
        ("alignment", "frame_token", (FRAMES,), "frames"),
        ("f0n", "f0", (2 * FRAMES,), "frames"),
        ("source", "harmonics", (22, 120 * FRAMES + 1), "frames"),
        ("istft", "audio", (600 * FRAMES,), "frames"),
    ],
)
def test_time_comes_last(stage: str, output: str, shape: tuple[int, ...], axis: str) -> None:
    pair = pair_of(arrays_of(request()), row(stage_named(stage), output, Regime.COMPILED))
    assert pair.ours.shape == pair.reference.shape == shape
    assert pair.axis == axis
    assert pair.comparable


def test_two_values_per_frame_follow_each_other(tmp_path) -> None:
    folder = ArrayFolder(tmp_path)
    f0 = np.arange(6, dtype=np.float32).reshape(1, 3, 2)
    folder.save(0, Regime.COMPILED, Reading.REFERENCE_FED, "f0", f0)
    folder.save(0, Regime.DYNAMIC, Reading.OWN_FED, "f0", f0[:, :2])
    pair = pair_of(folder, row(stage_named("f0n"), "f0", Regime.COMPILED))
    assert pair.ours.tolist() == [0, 1, 2, 3, 4, 5]
    assert pair.reference.tolist() == [0, 1, 2, 3]
    assert not pair.comparable
    assert pair.unit == "Hz"


def test_every_output_can_be_looked_at() -> None:
    arrays = arrays_of(request())
    for stage in STAGES:
        for tensor in compared(stage):
            pair = pair_of(arrays, row(stage, tensor.name, Regime.COMPILED, Reading.OWN_FED))
            assert pair.ours.ndim in (1, 2)


def test_a_missing_array_is_an_error_in_words() -> None:
    with pytest.raises(EngineError):
        pair_of(MemoryArrays(), row(STAGES[-1], AUDIO, Regime.COMPILED))
