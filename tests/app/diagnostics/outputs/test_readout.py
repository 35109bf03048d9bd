"""The numbers under the mouse, of every kind of picture."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.diagnostics.outputs.pictures import PictureRequest, not_finite_words, picture_of, readout_of
from app.diagnostics.stages.utterance_clock import clock_of
from engine.stages import STAGES, stage_named
from engine.validator.data.results import NotFinite, Reading, Regime
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, alignment, arrays_of, compared, request, row

UTTERANCE = UTTERANCES[0]
CLOCK = clock_of(UTTERANCE, alignment(UTTERANCE), CONFIG)
ARRAYS = arrays_of(request())


def asked(stage: str, output: str, **changes: object) -> PictureRequest:
    made = PictureRequest(ARRAYS, row(stage_named(stage), output, Regime.COMPILED), CLOCK, 0.0, CLOCK.seconds, 200)
    return replace(made, **changes)


def read(stage: str, output: str, seconds: float, height: float, **changes: object) -> list[str]:
    wanted = asked(stage, output, **changes)
    return readout_of(wanted, picture_of(wanted), UTTERANCE, seconds, height).split(" · ")


def arrays(output: str) -> tuple[np.ndarray, np.ndarray]:
    kept = ARRAYS.arrays
    ours = kept[(0, Regime.COMPILED, Reading.REFERENCE_FED, output)][0]
    return ours, kept[(0, Regime.DYNAMIC, Reading.OWN_FED, output)][0]


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


def test_a_token_of_a_channel_with_what_is_spoken() -> None:
    ours, _ = arrays("text_features")
    word = CLOCK.words(UTTERANCE)[1]
    middle = (word.start_seconds + word.end_seconds) / 2
    token = CLOCK.token_at(middle)
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


def test_inner_values_have_their_error() -> None:
    probe = row(stage_named("duration"), "predictor.lstm", Regime.COMPILED, probe=True)
    assert read("duration", "prosody_features", 0.2, 0.5, row=probe)[-1].startswith("error ")


def test_sides_of_other_lengths_have_no_difference() -> None:
    shorter = arrays_of(request())
    key = (0, Regime.COMPILED, Reading.REFERENCE_FED, "audio")
    shorter.arrays[key] = shorter.arrays[key][:, :-600]
    assert "no difference" in read("istft", "audio", 0.5, 0.5, arrays=shorter)


def test_what_is_not_finite_is_read_as_it_is() -> None:
    broken = arrays_of(request())
    key = (0, Regime.COMPILED, Reading.REFERENCE_FED, "audio")
    broken.arrays[key] = np.full_like(broken.arrays[key], np.nan)
    assert "Compiled nan" in read("istft", "audio", 0.5, 0.5, arrays=broken)


@given(st.floats(-1, 10), st.floats(-0.5, 1.5), st.booleans())
def test_no_place_is_too_far(seconds: float, height: float, spectrogram: bool) -> None:
    for stage in STAGES:
        for tensor in compared(stage):
            wanted = asked(stage.name, tensor.name, spectrogram=spectrogram)
            said = readout_of(wanted, PICTURES[stage.name, tensor.name, spectrogram], UTTERANCE, seconds, height)
            assert bool(said) == (0 <= seconds <= CLOCK.seconds and 0 <= height <= 1)


PICTURES = {
    (stage.name, tensor.name, spectrogram): picture_of(asked(stage.name, tensor.name, spectrogram=spectrogram))
    for stage in STAGES
    for tensor in compared(stage)
    for spectrogram in (False, True)
}


def test_where_it_stops_being_a_number() -> None:
    tokens = len(UTTERANCE.phonemes) + 2
    words = not_finite_words(NotFinite(2, 0, (3, 1), "tokens", 1, tokens), CLOCK, UTTERANCE)
    start = CLOCK.token_edges[1]
    assert words == f"2 NaN; the first at [3, 1] · {start:.3f} s · “The” {UTTERANCE.phonemes[0]}"
    late = not_finite_words(NotFinite(1, 1, (sum(alignment(UTTERANCE)) // 2,), "frames", 10, 20), CLOCK, UTTERANCE)
    assert f"{CLOCK.seconds / 2:.3f} s" in late
