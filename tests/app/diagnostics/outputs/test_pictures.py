from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.diagnostics.colours import Scale
from app.diagnostics.outputs.pictures import (
    BY_PHONEME,
    MOST_LINES,
    NO_LONGER_KEPT,
    HeatPicture,
    NoPicture,
    PictureRequest,
    ProfilePicture,
    SignalPicture,
    picture_of,
)
from app.diagnostics.stages.utterance_clock import clock_of
from engine.stages import STAGES, stage_named
from engine.validator.data.results import Reading, Regime
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, MemoryArrays, alignment, arrays_of, compared, request, row

CLOCK = clock_of(UTTERANCES[0], alignment(UTTERANCES[0]), CONFIG)
COLUMNS = 200


def asked(stage: str, output: str, arrays: MemoryArrays | None = None, **changes: object) -> PictureRequest:
    made = PictureRequest(
        arrays or arrays_of(request()),
        row(stage_named(stage), output, Regime.COMPILED),
        CLOCK,
        0.0,
        CLOCK.seconds,
        COLUMNS,
    )
    return replace(made, **changes)


def changed(output: str, change: object) -> MemoryArrays:
    """Arrays in which ours of one output is the reference's, changed."""
    arrays = arrays_of(request())
    truth = arrays.arrays[(0, Regime.DYNAMIC, Reading.OWN_FED, output)]
    arrays.arrays[(0, Regime.COMPILED, Reading.REFERENCE_FED, output)] = change(truth.copy())
    return arrays


def test_signals_have_a_difference() -> None:
    picture = picture_of(asked("istft", "audio"))
    assert isinstance(picture, SignalPicture)
    assert picture.values_per_second == pytest.approx(CONFIG.sample_rate_hz)
    assert len(picture.ours.lowest) == COLUMNS
    assert picture.difference is not None
    assert 0 < picture.difference.highest.max() < 1e-3


def test_a_part_of_a_signal_is_looked_at_closely() -> None:
    picture = picture_of(asked("istft", "audio", start_seconds=0.5, end_seconds=0.505))
    assert isinstance(picture, SignalPicture)
    assert picture.ours.edges[0] == 12_000
    assert picture.ours.edges[-1] == 12_121
    assert len(picture.ours.lowest) == 121
    assert picture.difference is not None
    assert picture.difference.edges.tolist() == picture.ours.edges.tolist()


def test_signals_of_other_lengths_have_no_difference() -> None:
    picture = picture_of(asked("f0n", "f0", changed("f0", lambda f0: f0[:, :-3])))
    assert isinstance(picture, SignalPicture)
    assert picture.difference is None
    assert picture.ours.edges[-1] == picture.reference.edges[-1] - 6


@pytest.mark.parametrize(
    ("stage", "output"), [("bert", "text_features"), ("decoder", "phase"), ("source", "harmonics")]
)
def test_arrays_become_small_heat_maps(stage: str, output: str) -> None:
    picture = picture_of(asked(stage, output))
    assert isinstance(picture, HeatPicture)
    assert [pane.scale for pane in picture.panes] == [Scale.VALUES, Scale.VALUES, Scale.ERRORS]
    for pane in picture.panes:
        assert pane.steps.shape[0] <= MOST_LINES
        assert pane.steps.shape[1] == COLUMNS
        assert pane.steps.dtype == np.uint8


def test_a_single_wrong_value_is_seen_however_small_the_picture() -> None:
    def spoil(phase: np.ndarray) -> np.ndarray:
        phase[0, 7, phase.shape[2] // 2] += 100
        return phase

    picture = picture_of(asked("decoder", "phase", changed("phase", spoil)))
    assert isinstance(picture, HeatPicture)
    wrong = np.argwhere(picture.panes[2].steps > 200)
    assert len(wrong) == 1
    assert wrong[0][0] == 7
    assert wrong[0][1] == pytest.approx(COLUMNS / 2, abs=1)


def test_a_single_wrong_token_is_as_wide_as_it_is_long() -> None:
    token = 5

    def spoil(features: np.ndarray) -> np.ndarray:
        features[0, :, token] += 100
        return features

    picture = picture_of(asked("bert", "text_features", changed("text_features", spoil)))
    assert isinstance(picture, HeatPicture)
    columns = np.flatnonzero((picture.panes[2].steps > 200).all(axis=0)) / COLUMNS * CLOCK.seconds
    assert columns[0] == pytest.approx(CLOCK.token_edges[token], abs=CLOCK.seconds / COLUMNS * 1.01)
    assert columns[-1] == pytest.approx(CLOCK.token_edges[token + 1], abs=CLOCK.seconds / COLUMNS * 1.01)


def test_equal_arrays_show_no_difference() -> None:
    picture = picture_of(asked("decoder", "phase", changed("phase", lambda phase: phase)))
    assert isinstance(picture, HeatPicture)
    assert picture.panes[2].steps.max() == 0


def test_heat_maps_of_other_lengths_say_so() -> None:
    picture = picture_of(asked("decoder", "phase", changed("phase", lambda phase: phase[:, :, :-120])))
    assert isinstance(picture, HeatPicture)
    assert "Another number of frames" in picture.panes[2].title


def test_spectrograms_of_audio() -> None:
    picture = picture_of(asked("istft", "audio", spectrogram=True))
    assert isinstance(picture, HeatPicture)
    assert picture.top == "mel to 12 kHz"
    assert [name for _, name in picture.ticks] == ["200", "1k", "2k", "4k", "8k"]
    assert [pane.scale for pane in picture.panes] == [Scale.OURS, Scale.REFERENCE, Scale.ERRORS]
    assert picture.panes[2].title.startswith("Difference, up to −".replace("−", "-"))
    quiet = picture_of(asked("istft", "audio", changed("audio", lambda audio: audio), spectrogram=True))
    assert isinstance(quiet, HeatPicture)
    assert quiet.panes[2].title == "Difference, none"


def test_spectrograms_of_other_lengths_say_so() -> None:
    picture = picture_of(asked("istft", "audio", changed("audio", lambda audio: audio[:, :-600]), spectrogram=True))
    assert isinstance(picture, HeatPicture)
    assert "Another number of frames" in picture.panes[2].title


def test_every_output_has_a_picture_at_any_zoom() -> None:
    arrays = arrays_of(request())
    for stage in STAGES:
        for tensor in compared(stage):
            for start, end in ((0.0, CLOCK.seconds), (0.3, 0.31), (CLOCK.seconds - 0.011, CLOCK.seconds)):
                picture = picture_of(asked(stage.name, tensor.name, arrays, start_seconds=start, end_seconds=end))
                assert isinstance(picture, SignalPicture | HeatPicture)


def test_inner_values_have_their_profile() -> None:
    probe = row(stage_named("duration"), "predictor.lstm", Regime.COMPILED, probe=True)
    picture = picture_of(asked("bert", "text_features", row=probe))
    assert isinstance(picture, ProfilePicture)
    assert len(picture.edges) == len(picture.errors) + 1
    assert picture.edges[-1] == pytest.approx(CLOCK.seconds)


def test_what_was_not_kept_is_said() -> None:
    missing = picture_of(asked("istft", "audio", MemoryArrays()))
    assert isinstance(missing, ProfilePicture)
    assert missing.why == NO_LONGER_KEPT
    nothing = replace(row(stage_named("istft"), "audio", Regime.COMPILED), profile=None)
    assert isinstance(picture_of(replace(asked("istft", "audio"), arrays=None, row=nothing)), NoPicture)


def test_what_is_not_finite_is_drawn_as_the_largest_error() -> None:
    def spoil(phase: np.ndarray) -> np.ndarray:
        phase[0, 3, :] = np.nan
        return phase

    picture = picture_of(asked("decoder", "phase", changed("phase", spoil)))
    assert isinstance(picture, HeatPicture)
    assert np.all(picture.panes[2].steps[3] == 255)


@pytest.mark.parametrize(("stage", "output"), [("f0n", "f0"), ("decoder", "magnitude")])
def test_other_durations_are_drawn_in_the_references_frames_and_say_so(stage: str, output: str) -> None:
    arrays = arrays_of(request())
    for name in ("frame_token", output):
        longer = arrays.arrays[(0, Regime.DYNAMIC, Reading.OWN_FED, name)]
        last = longer[..., -1:] if name != "f0" else longer[:, -1:]
        arrays.arrays[(0, Regime.COMPILED, Reading.OWN_FED, name)] = np.concatenate(
            [longer, np.repeat(last, {"magnitude": 120}.get(name, 1), 1 if name == "f0" else -1)],
            axis=1 if name == "f0" else -1,
        )
    made = row(stage_named(stage), output, Regime.COMPILED, Reading.OWN_FED)
    picture = picture_of(asked(stage, output, arrays, row=replace(made, by_phoneme=made.metrics, metrics=None)))
    assert isinstance(picture, SignalPicture | HeatPicture)
    if isinstance(picture, SignalPicture):
        assert picture.note == BY_PHONEME
        assert picture.difference is not None
        assert np.array_equal(picture.ours.lowest[:-2], picture.reference.lowest[:-2])
    else:
        assert picture.top.endswith(BY_PHONEME)
        assert picture.panes[2].title == "Difference over the rms"
