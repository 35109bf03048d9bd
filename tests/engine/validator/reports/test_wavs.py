from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.config import SAMPLE_RATE_HZ
from engine.errors import OutputError
from engine.speech import Samples
from engine.validator.data.results import InputSource
from engine.validator.reports.wavs import write_wavs
from engine.validator.runs.arrays import ArrayFolder

MIXED = "compiled with f0n from dynamic, istft from upstream"
RANDOM = np.random.default_rng(0)
TRUTH, OURS, SHORTER = (RANDOM.standard_normal((1, count)).astype(np.float32) for count in (600, 600, 540))


@pytest.fixture
def arrays(tmp_path: Path) -> ArrayFolder:
    folder = ArrayFolder(tmp_path / "arrays")
    folder.path.mkdir()
    for utterance, regime, audio in ((0, "dynamic", TRUTH), (0, MIXED, OURS), (0, "upstream", SHORTER)):
        folder.save(utterance, regime, InputSource.END_TO_END, "audio", audio)
    folder.save(11, "dynamic", InputSource.END_TO_END, "audio", OURS)
    folder.save(0, MIXED, InputSource.ISOLATED, "audio", SHORTER)
    folder.save(0, MIXED, InputSource.END_TO_END, "f0", SHORTER)
    return folder


def read(path: Path) -> Samples:
    samples, rate_hz = soundfile.read(path, dtype="float32")
    assert rate_hz == SAMPLE_RATE_HZ
    return np.asarray(samples)


def test_every_waveform_and_every_difference_is_written_to_the_bit(arrays: ArrayFolder, tmp_path: Path) -> None:
    mixed = "utterance-01-compiled-with-f0n-from-dynamic-istft-from-upstream"
    expected = {
        f"{mixed}.wav": OURS[0],
        f"{mixed}-minus-dynamic.wav": OURS[0] - TRUTH[0],
        "utterance-01-dynamic.wav": TRUTH[0],
        "utterance-01-upstream.wav": SHORTER[0],
        "utterance-12-dynamic.wav": OURS[0],
    }
    paths = write_wavs(tmp_path / "new" / "wavs", arrays, "dynamic")
    assert sorted(path.name for path in paths) == sorted(expected)
    for path in paths:
        np.testing.assert_array_equal(read(path), expected[path.name])
        assert soundfile.info(path).subtype == "FLOAT"


def test_a_file_that_blocks_the_folder_is_reported(arrays: ArrayFolder, tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"")
    with pytest.raises(OutputError, match=r"Couldn’t write .*taken"):
        write_wavs(tmp_path / "taken", arrays, "dynamic")
