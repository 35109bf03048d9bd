import numpy as np
import pytest

from app.diagnostics.outputs.listening import LOUDEST, Part, has_audio, heard
from engine.stages import STAGES
from engine.validator.data.results import Reading, Regime
from tests.app.diagnostics_fakes import MemoryArrays, arrays_of, request, row

AUDIO = row(STAGES[-1], "audio", Regime.COMPILED)
OURS = (0, Regime.COMPILED, Reading.REFERENCE_FED, "audio")
REFERENCE = (0, Regime.DYNAMIC, Reading.OWN_FED, "audio")


def test_both_sides_are_heard_as_they_are() -> None:
    arrays = arrays_of(request())
    for part, key in ((Part.OURS, OURS), (Part.REFERENCE, REFERENCE)):
        found = heard(arrays, AUDIO, part)
        assert found is not None
        assert found.samples == pytest.approx(np.clip(arrays.arrays[key][0], -1, 1))
        assert found.samples.dtype == np.float32
        assert found.gain_db == 0


def test_the_difference_is_made_loud_enough() -> None:
    arrays = arrays_of(request())
    found = heard(arrays, AUDIO, Part.DIFFERENCE)
    assert found is not None
    assert np.abs(found.samples).max() == pytest.approx(LOUDEST, rel=1e-3)
    assert found.gain_db > 60
    apart = arrays.arrays[OURS][0] - arrays.arrays[REFERENCE][0]
    assert np.corrcoef(found.samples, apart)[0, 1] == pytest.approx(1)


def test_a_difference_of_nothing_stays_quiet() -> None:
    arrays = arrays_of(request())
    arrays.arrays[OURS] = arrays.arrays[REFERENCE]
    assert heard(arrays, AUDIO, Part.DIFFERENCE) is None
    arrays.arrays[OURS] = arrays.arrays[REFERENCE] + np.float32(1e-7)
    found = heard(arrays, AUDIO, Part.DIFFERENCE)
    assert found is not None
    assert np.abs(found.samples).max() < 0.05


def test_other_lengths_have_no_difference() -> None:
    arrays = arrays_of(request())
    arrays.arrays[OURS] = arrays.arrays[OURS][:, :-600]
    assert heard(arrays, AUDIO, Part.DIFFERENCE) is None
    assert heard(arrays, AUDIO, Part.OURS) is not None


def test_broken_audio_hurts_no_ear() -> None:
    arrays = arrays_of(request())
    arrays.arrays[OURS] = np.array([[np.nan, np.inf, -7.0, 0.5]], np.float32)
    found = heard(arrays, AUDIO, Part.OURS)
    assert found is not None
    assert found.samples.tolist() == [0, 1, -1, 0.5]


def test_only_kept_audio_can_be_heard() -> None:
    arrays = arrays_of(request())
    assert has_audio(arrays, AUDIO)
    assert not has_audio(None, AUDIO)
    assert not has_audio(MemoryArrays(), AUDIO)
    assert not has_audio(arrays, row(STAGES[3], "f0", Regime.COMPILED))
    assert heard(MemoryArrays(), AUDIO, Part.OURS) is None
