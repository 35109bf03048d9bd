from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from app.diagnostics.colors import Scale
from app.diagnostics.outputs.pictures import (
    BY_PHONEME,
    MAX_LINES,
    NO_LONGER_KEPT,
    HeatPicture,
    NoPicture,
    PictureLoader,
    PictureRequest,
    ProfilePicture,
    SignalPicture,
    describe_not_finite,
    picture_of,
    readout_of,
)
from app.diagnostics.stages.utterance_clock import clock_of
from engine.stages import STAGES, stage_named
from engine.validator.data.results import InputSource, NotFinite, Regime
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, MemoryArrays, alignment, arrays_of, compared, request, row
from tests.patience import PATIENCE_SECONDS

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
    """Return arrays in which ours of one output is the reference's, changed."""
    arrays = arrays_of(request())
    truth = arrays.arrays[(0, Regime.DYNAMIC, InputSource.END_TO_END, output)]
    arrays.arrays[(0, Regime.COMPILED, InputSource.ISOLATED, output)] = change(truth.copy())
    return arrays


def test_signals_have_a_difference() -> None:
    picture = picture_of(asked("istft", "audio"))
    assert isinstance(picture, SignalPicture)
    assert picture.values_per_second == pytest.approx(CONFIG.sample_rate_hz)
    assert len(picture.ours.lowest) == COLUMNS
    assert 0 < picture.difference.highest.max() < 1e-3


def test_a_part_of_a_signal_is_looked_at_closely() -> None:
    picture = picture_of(asked("istft", "audio", start_seconds=0.5, end_seconds=0.505))
    assert isinstance(picture, SignalPicture)
    assert picture.ours.edges[0] == 12_000
    assert picture.ours.edges[-1] == 12_121
    assert len(picture.ours.lowest) == 121
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
        assert pane.steps.shape[0] <= MAX_LINES
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


@pytest.mark.parametrize(
    ("stage", "output", "spectrogram", "cut"),
    [("decoder", "phase", False, np.s_[:, :, :-120]), ("istft", "audio", True, np.s_[:, :-600])],
)
def test_pictures_of_other_lengths_say_so(stage: str, output: str, spectrogram: bool, cut: object) -> None:
    picture = picture_of(asked(stage, output, changed(output, lambda array: array[cut]), spectrogram=spectrogram))
    assert isinstance(picture, HeatPicture)
    assert "Different numbers of frames" in picture.panes[2].title


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


def test_every_output_has_a_picture_at_any_zoom() -> None:
    arrays = arrays_of(request())
    for stage in STAGES:
        for tensor in compared(stage):
            for start, end in ((0.0, CLOCK.seconds), (0.3, 0.31), (CLOCK.seconds - 0.011, CLOCK.seconds)):
                picture = picture_of(asked(stage.name, tensor.name, arrays, start_seconds=start, end_seconds=end))
                assert isinstance(picture, SignalPicture | HeatPicture)


def test_activations_have_their_profile() -> None:
    probe = row(stage_named("duration"), "predictor.lstm", Regime.COMPILED, probe=True)
    picture = picture_of(asked("bert", "text_features", row=probe))
    assert isinstance(picture, ProfilePicture)
    assert len(picture.edges) == len(picture.errors) + 1
    assert picture.edges[-1] == pytest.approx(CLOCK.seconds)


def test_missing_data_is_reported() -> None:
    missing = picture_of(asked("istft", "audio", MemoryArrays()))
    assert isinstance(missing, ProfilePicture)
    assert missing.why == NO_LONGER_KEPT
    nothing = replace(row(stage_named("istft"), "audio", Regime.COMPILED), profile=None)
    assert isinstance(picture_of(replace(asked("istft", "audio"), arrays=None, row=nothing)), NoPicture)


def test_values_that_are_not_finite_are_drawn_as_the_largest_error() -> None:
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
        longer = arrays.arrays[(0, Regime.DYNAMIC, InputSource.END_TO_END, name)]
        last = longer[..., -1:] if name != "f0" else longer[:, -1:]
        arrays.arrays[(0, Regime.COMPILED, InputSource.END_TO_END, name)] = np.concatenate(
            [longer, np.repeat(last, {"magnitude": 120}.get(name, 1), 1 if name == "f0" else -1)],
            axis=1 if name == "f0" else -1,
        )
    made = row(stage_named(stage), output, Regime.COMPILED, InputSource.END_TO_END)
    picture = picture_of(asked(stage, output, arrays, row=replace(made, by_phoneme=made.metrics, metrics=None)))
    assert isinstance(picture, SignalPicture | HeatPicture)
    if isinstance(picture, SignalPicture):
        assert picture.note == BY_PHONEME
        assert picture.difference is not None
        assert np.array_equal(picture.ours.lowest[:-2], picture.reference.lowest[:-2])
    else:
        assert picture.top.endswith(BY_PHONEME)
        assert picture.panes[2].title == "Difference over the rms"


class SlowArrays(MemoryArrays):
    """Blocks until released, and records the threads that load from it."""

    def __init__(self) -> None:
        super().__init__(arrays_of(request()).arrays)
        self.hold = threading.Event()
        self.threads: set[int] = set()

    def load(self, utterance: int, regime: str, reading: InputSource, output: str):
        self.threads.add(threading.get_ident())
        assert self.hold.wait(PATIENCE_SECONDS)
        return super().load(utterance, regime, reading, output)


def wanted_of(arrays: MemoryArrays, output: str = "f0") -> PictureRequest:
    return PictureRequest(arrays, row(stage_named("f0n"), output, Regime.COMPILED), CLOCK, 0, CLOCK.seconds, 100)


def test_pictures_are_generated_in_a_separate_thread(qtbot: QtBot) -> None:
    loader, arrays = PictureLoader(), SlowArrays()
    arrays.hold.set()
    wanted = wanted_of(arrays)
    with qtbot.waitSignal(loader.loaded) as loaded:
        loader.load(wanted)
    assert loaded.args[0] is wanted
    assert isinstance(loaded.args[1], SignalPicture)
    assert threading.get_ident() not in arrays.threads


def test_only_the_newest_comes_back(qtbot: QtBot) -> None:
    loader, arrays = PictureLoader(), SlowArrays()
    seen: list[PictureRequest] = []
    loader.loaded.connect(lambda request, picture: seen.append(request))
    first, newest = wanted_of(arrays), wanted_of(arrays, "energy")
    loader.load(first)
    qtbot.waitUntil(lambda: bool(arrays.threads))
    for wanted in (wanted_of(arrays), wanted_of(arrays), newest):
        loader.load(wanted)
    arrays.hold.set()
    qtbot.waitUntil(lambda: not loader.busy)
    assert seen == [newest]
    assert arrays.loaded == 4  # two arrays each for the picture that had begun and for the newest


def test_a_forgotten_picture_does_not_arrive(qtbot: QtBot) -> None:
    loader, arrays = PictureLoader(), SlowArrays()
    loader.load(wanted_of(arrays))
    qtbot.waitUntil(lambda: bool(arrays.threads))
    assert loader.busy
    loader.forget()
    assert not loader.busy
    wanted = wanted_of(arrays, "energy")
    arrays.hold.set()
    with qtbot.waitSignal(loader.loaded) as loaded:
        loader.load(wanted)
    assert loaded.args[0] is wanted


def test_the_requester_may_be_removed_before_the_picture_arrives(qtbot: QtBot) -> None:
    arrays = SlowArrays()
    loader = PictureLoader()
    loader.load(wanted_of(arrays))
    with qtbot.waitSignal(loader.destroyed):
        arrays.hold.set()
        loader.deleteLater()
        del loader
    qtbot.waitUntil(lambda: bool(arrays.loaded))


UTTERANCE = UTTERANCES[0]
SPOKEN = clock_of(UTTERANCE, alignment(UTTERANCE), CONFIG)
ARRAYS = arrays_of(request())


def pointed_at(stage: str, output: str, **changes: object) -> PictureRequest:
    made = PictureRequest(ARRAYS, row(stage_named(stage), output, Regime.COMPILED), SPOKEN, 0.0, SPOKEN.seconds, 200)
    return replace(made, **changes)


def read(stage: str, output: str, seconds: float, height: float, **changes: object) -> list[str]:
    wanted = pointed_at(stage, output, **changes)
    return readout_of(wanted, picture_of(wanted), UTTERANCE, seconds, height).split(" · ")


def arrays(output: str) -> tuple[np.ndarray, np.ndarray]:
    kept = ARRAYS.arrays
    ours = kept[(0, Regime.COMPILED, InputSource.ISOLATED, output)][0]
    return ours, kept[(0, Regime.DYNAMIC, InputSource.END_TO_END, output)][0]


def test_a_sample_of_both_waveforms() -> None:
    ours, reference = arrays("audio")
    said = read("istft", "audio", 0.5, 0.5)
    assert said[:4] == [
        "frame 20, sample 12,000",
        f"Compiled {ours[12_000]:.7g}",
        f"PyTorch {reference[12_000]:.7g}",
        f"difference {float(ours[12_000]) - float(reference[12_000]):.3g}",
    ]
    assert said[4] == "0.500 s"


def test_the_readout_of_a_token_shows_its_channel_and_spoken_text() -> None:
    ours, _ = arrays("text_features")
    word = SPOKEN.words(UTTERANCE)[1]
    middle = (word.start_seconds + word.end_seconds) / 2
    token = SPOKEN.token_at(middle)
    said = read("bert", "text_features", middle, 0.25)
    assert said[0] == f"channel {ours.shape[0] // 4}"
    assert said[1] == f"token {token}"
    assert said[2] == f"Compiled {ours[ours.shape[0] // 4, token]:.7g}"
    assert said[-1] == f"“window” {UTTERANCE.phonemes[token - 1]}"


def test_a_frequency_of_both_spectrograms() -> None:
    said = read("istft", "audio", 0.5, 0.5, spectrogram=True)
    assert said[0].endswith(" Hz")
    ours, reference, apart = (float(each.split()[1]) for each in said[1:4])
    assert apart == pytest.approx(ours - reference, abs=0.11)


def test_activations_have_their_error() -> None:
    probe = row(stage_named("duration"), "predictor.lstm", Regime.COMPILED, probe=True)
    assert read("duration", "prosody_features", 0.2, 0.5, row=probe)[-1].startswith("error ")


@given(st.floats(-1, 10), st.floats(-0.5, 1.5), st.booleans())
def test_no_place_is_too_far(seconds: float, height: float, spectrogram: bool) -> None:
    for stage in STAGES:
        for tensor in compared(stage):
            wanted = pointed_at(stage.name, tensor.name, spectrogram=spectrogram)
            said = readout_of(wanted, PICTURES[stage.name, tensor.name, spectrogram], UTTERANCE, seconds, height)
            assert bool(said) == (0 <= seconds <= SPOKEN.seconds and 0 <= height <= 1)


PICTURES = {
    (stage.name, tensor.name, spectrogram): picture_of(pointed_at(stage.name, tensor.name, spectrogram=spectrogram))
    for stage in STAGES
    for tensor in compared(stage)
    for spectrogram in (False, True)
}


def test_the_first_value_that_is_not_a_number_is_located() -> None:
    tokens = len(UTTERANCE.phonemes) + 2
    words = describe_not_finite(NotFinite(2, 0, (3, 1), "tokens", 1, tokens), SPOKEN, UTTERANCE)
    start = SPOKEN.token_edges[1]
    assert words == f"2 NaN; the first at [3, 1] · {start:.3f} s · “The” {UTTERANCE.phonemes[0]}"
    late = describe_not_finite(NotFinite(1, 1, (sum(alignment(UTTERANCE)) // 2,), "frames", 10, 20), SPOKEN, UTTERANCE)
    assert f"{SPOKEN.seconds / 2:.3f} s" in late
