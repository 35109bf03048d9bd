from dataclasses import replace

import numpy as np
import pytest

from app.diagnostics.stages.stage_arrays import AUDIO, pair_of, pair_to_draw
from engine.errors import EngineError
from engine.stages import STAGES, stage_named
from engine.validator.data.results import InputSource, Regime, Row, Verdict
from engine.validator.runs.arrays import ArrayFolder
from tests.app.diagnostics_fakes import UTTERANCES, MemoryArrays, alignment, arrays_of, metrics, request, row

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
    folder.save(0, Regime.COMPILED, InputSource.ISOLATED, "f0", f0)
    folder.save(0, Regime.DYNAMIC, InputSource.END_TO_END, "f0", f0[:, :2])
    pair = pair_of(folder, row(stage_named("f0n"), "f0", Regime.COMPILED))
    assert pair.ours.tolist() == [0, 1, 2, 3, 4, 5]
    assert pair.reference.tolist() == [0, 1, 2, 3]
    assert not pair.comparable
    assert pair.unit == "Hz"


def test_a_missing_array_is_an_error_in_words() -> None:
    with pytest.raises(EngineError):
        pair_of(MemoryArrays(), row(STAGES[-1], AUDIO, Regime.COMPILED))


def out_of_step(output: str, stage: str) -> tuple[MemoryArrays, Row]:
    """Return arrays in which ours speaks the second of three phonemes for three frames, the reference for one."""
    arrays = MemoryArrays()
    per_frame = {"f0": 2, "audio": 600}[output]
    for regime, durations in ((Regime.COMPILED, (1, 3, 1)), (Regime.DYNAMIC, (1, 1, 1))):
        frames = np.repeat(np.arange(3, dtype=np.int32), durations)
        arrays.arrays[(0, regime, InputSource.END_TO_END, "frame_token")] = frames[None]
        values = np.repeat(np.arange(len(frames), dtype=np.float32), per_frame)
        arrays.arrays[(0, regime, InputSource.END_TO_END, output)] = values.reshape(
            1, -1, *((2,) if output == "f0" else ())
        )
    made = row(stage_named(stage), output, Regime.COMPILED, InputSource.END_TO_END)
    return arrays, replace(made, metrics=None, by_phoneme=metrics(0.1), verdict=Verdict.INCOMPARABLE)


@pytest.mark.parametrize(("output", "stage", "per_frame"), [("f0", "f0n", 2), ("audio", "istft", 600)])
def test_ours_is_drawn_in_the_references_frames(output: str, stage: str, per_frame: int) -> None:
    pair = pair_to_draw(*out_of_step(output, stage))
    assert pair.by_phoneme
    assert pair.comparable
    assert pair.ours.tolist() == np.repeat([0, 2, 4], per_frame).tolist()


def test_arrays_already_in_step_are_not_moved() -> None:
    arrays, apart = arrays_of(request()), row(stage_named("f0n"), "f0", Regime.COMPILED)
    assert not pair_to_draw(arrays, apart).by_phoneme
    assert np.array_equal(pair_to_draw(arrays, apart).ours, pair_of(arrays, apart).ours)
