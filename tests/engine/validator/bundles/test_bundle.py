import io
import json
import resource
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.errors import DamagedFile, OutputError
from engine.validator.bundles.bundle import write_bundle
from engine.validator.data.results import Reading, Regime, Report
from engine.validator.data.wire import Wire
from engine.validator.runs.arrays import ArrayFolder, ArrayKey
from tests.engine.validator.reports.example_report import example_report

SHOWN = (Regime.COMPILED,)


@pytest.fixture
def arrays(tmp_path: Path) -> ArrayFolder:
    folder = ArrayFolder(tmp_path / "arrays")
    folder.path.mkdir()
    return folder


@pytest.fixture
def report(arrays: ArrayFolder) -> Report:
    whole = example_report(1, frames=6, arrays=arrays)
    return replace(whole, rows=tuple(row for row in whole.rows if row.regime in SHOWN))


def test_everything_is_in_one_file(report: Report, arrays: ArrayFolder, tmp_path: Path) -> None:
    write_bundle(tmp_path / "bundle.zip", report, arrays, "all is well")
    with zipfile.ZipFile(tmp_path / "bundle.zip") as bundle:
        assert bundle.testzip() is None
        names = bundle.namelist()
        assert Wire().report_from_dict(json.loads(bundle.read("report.json"))) == report
        assert bundle.read("report.html").startswith(b"<!DOCTYPE html>")
        assert f"numpy {np.__version__}\n" in bundle.read("versions.txt").decode()
        assert bundle.read("doctor.txt") == b"all is well"
        sound, _ = soundfile.read(io.BytesIO(bundle.read("wavs/utterance-01-compiled.wav")), dtype="float32")
        bundle.extract("arrays.npz", tmp_path)
    assert "wavs/utterance-01-compiled-minus-dynamic.wav" in names
    with np.load(tmp_path / "arrays.npz") as held:
        assert held.files == [key.member.removesuffix(".npy") for key in arrays.entries()]
        np.testing.assert_array_equal(sound, held[ArrayKey(0, "compiled", Reading.OWN_FED, "audio").member][0])


def test_without_arrays_there_are_only_words(report: Report, tmp_path: Path) -> None:
    write_bundle(tmp_path / "bundle.zip", report, None, "")
    with zipfile.ZipFile(tmp_path / "bundle.zip") as bundle:
        assert bundle.namelist() == ["bundle.json", "report.json", "report.html", "versions.txt", "doctor.txt"]


def test_a_full_disk_leaves_the_old_bundle(report: Report, arrays: ArrayFolder, tmp_path: Path) -> None:
    path = tmp_path / "bundle.zip"
    path.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(OutputError, match=r"bundle\.zip could not be written"):
            write_bundle(path, report, arrays, "")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == b"old"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["arrays", "bundle.zip"]


def test_a_missing_folder_is_named_before_the_work(report: Report, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="does not exist"):
        write_bundle(tmp_path / "nowhere" / "bundle.zip", report, None, "")


def test_damaged_sound_is_an_error_and_no_bundle(report: Report, arrays: ArrayFolder, tmp_path: Path) -> None:
    (arrays.path / "u0000" / "compiled" / "own-fed" / "audio.npy").write_bytes(b"damaged")
    with pytest.raises(DamagedFile, match="cannot be read"):
        write_bundle(tmp_path / "bundle.zip", report, arrays, "")
    assert not (tmp_path / "bundle.zip").exists()


def test_half_a_character_is_written_as_its_number(report: Report, tmp_path: Path) -> None:
    write_bundle(tmp_path / "d.zip", report, None, "doctor: \udcff")
    with zipfile.ZipFile(tmp_path / "d.zip") as archive:
        assert archive.read("doctor.txt") == rb"doctor: \udcff"
