import io
import json
import resource
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.errors import DamagedFile, EngineError, OutputError
from engine.validator.bundles import bundle_opening
from engine.validator.bundles.bundle import ARRAYS_NAME, FORMAT_NAME, JSON_NAME, write_bundle
from engine.validator.bundles.bundle_opening import alignments, open_bundle
from engine.validator.data.results import InputSource, Regime, Report
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
        np.testing.assert_array_equal(sound, held[ArrayKey(0, "compiled", InputSource.END_TO_END, "audio").member][0])


def test_a_full_disk_leaves_the_old_bundle(report: Report, arrays: ArrayFolder, tmp_path: Path) -> None:
    path = tmp_path / "bundle.zip"
    path.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(OutputError, match=r"Couldn’t write .*bundle\.zip"):
            write_bundle(path, report, arrays, "")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == b"old"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["arrays", "bundle.zip"]


def test_damaged_sound_is_an_error_and_no_bundle(report: Report, arrays: ArrayFolder, tmp_path: Path) -> None:
    (arrays.path / "u0000" / "compiled" / "own-fed" / "audio.npy").write_bytes(b"damaged")
    with pytest.raises(DamagedFile, match="be read"):
        write_bundle(tmp_path / "bundle.zip", report, arrays, "")
    assert not (tmp_path / "bundle.zip").exists()


PROJECT = Path(__file__).resolve().parents[4]
Members = dict[str, bytes]


@dataclass(frozen=True)
class Exported:
    """A bundle, and its contents before export; the arrays have been moved away from their original folder."""

    bundle: Path
    report: Report
    arrays: ArrayFolder


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    folder = tmp_path_factory.mktemp("exported")
    stored = ArrayFolder(folder / "arrays")
    stored.path.mkdir()
    reported = example_report(2, frames=6, arrays=stored)
    write_bundle(folder / "bundle.zip", reported, stored, "", name="Padded", made="2026-11-24 23:00")
    return Exported(folder / "bundle.zip", reported, ArrayFolder(stored.path.rename(folder / "moved")))


@pytest.fixture
def stored(exported: Exported) -> ArrayFolder:
    return exported.arrays


@pytest.fixture
def reported(exported: Exported) -> Report:
    return exported.report


@pytest.fixture
def bundle(exported: Exported, tmp_path: Path) -> Path:
    """A copy, which a test may change."""
    return Path(shutil.copy(exported.bundle, tmp_path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "opened" / "run"
    made.mkdir(parents=True)
    return made


def changed(bundle: Path, change: Callable[[Members], object], compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(bundle) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    path = bundle.with_name("changed.zip")
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def with_json(name: str, change: Callable[[dict], object]) -> Callable[[Members], None]:
    def apply(members: Members) -> None:
        content = json.loads(members[name])
        change(content)
        members[name] = json.dumps(content).encode()

    return apply


def npz_of(members: Members, compression: int = zipfile.ZIP_STORED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return content.getvalue()


def npy(array: np.ndarray) -> bytes:
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


def written_outside(folder: Path) -> list[Path]:
    return [path for path in folder.parent.rglob("*") if path.is_file() and folder not in path.parents]


def test_figures_and_arrays_come_back(bundle: Path, reported: Report, stored: ArrayFolder, folder: Path) -> None:
    opened = open_bundle(bundle, folder)
    assert (opened.name, opened.made) == ("Padded", "2026-11-24 23:00")
    assert opened.report.request.arrays_folder == str(folder)
    assert replace(opened.report, request=reported.request) == reported
    held = ArrayFolder(folder)
    assert held.entries() == stored.entries()
    for key in held.entries():
        ours = held.load(key.utterance, key.regime, key.reading, key.output)
        assert np.array_equal(ours, stored.load(key.utterance, key.regime, key.reading, key.output))
    assert not (folder / ARRAYS_NAME).exists()


def test_a_bundle_without_arrays_has_only_figures(reported: Report, tmp_path: Path, folder: Path) -> None:
    write_bundle(tmp_path / "bundle.zip", reported, None, "")
    opened = open_bundle(tmp_path / "bundle.zip", folder)
    assert opened.report.request.arrays_folder is None
    assert not any(folder.iterdir())


def test_durations_are_reported_as_recorded(bundle: Path, folder: Path) -> None:
    opened = open_bundle(bundle, folder)
    told = tuple(alignments(opened.report, ArrayFolder(folder)))
    assert [event.utterance for event in told] == [0, 1]
    assert all(sum(event.frames_per_token) == 6 for event in told)
    tokens = len(opened.report.utterances[0].phonemes) + 2
    assert len(told[0].frames_per_token) == tokens


def test_a_bundle_opens_on_a_different_machine(bundle: Path, tmp_path: Path) -> None:
    """With a different home, no model installed, and without the folder that its arrays came from."""
    home = tmp_path / "other home"
    (home / "run").mkdir(parents=True)
    moved = home / "theirs.zip"
    bundle.rename(moved)
    program = (
        "import sys; from pathlib import Path; from engine.validator.bundles.bundle_opening import open_bundle\n"
        "opened = open_bundle(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "print(len(opened.report.rows), opened.report.request.arrays_folder, 'torch' in sys.modules)"
    )
    folders = {name: str(home) for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    told = subprocess.run(
        [sys.executable, "-c", program, str(moved), str(home / "run")],
        env={**folders, "PATH": ""},
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert told.split(maxsplit=1)[0].isdigit()
    assert told.strip().endswith(f"{home / 'run'} False")


@pytest.mark.parametrize("name", ["../evil.txt", "/evil.txt", "wavs/../../evil.txt", "..\\evil.txt", "C:evil.txt"])
def test_a_path_that_leaves_its_folder_is_refused(bundle: Path, folder: Path, name: str) -> None:
    path = changed(bundle, lambda members: members.update({name: b"evil"}))
    with pytest.raises(DamagedFile, match="outside its folder"):
        open_bundle(path, folder)
    assert not any(folder.iterdir())
    assert not written_outside(folder)


@pytest.mark.parametrize("name", ["../../../../evil.npy", "u0000/compiled/own-fed/../../../evil.npy", "evil.npy"])
def test_an_array_cannot_leave_the_folder(bundle: Path, folder: Path, name: str) -> None:
    stored = npz_of({name: npy(np.zeros(1, np.float32))})
    path = changed(bundle, lambda members: members.update({ARRAYS_NAME: stored}))
    with pytest.raises(DamagedFile, match="invalid name"):
        open_bundle(path, folder)
    assert not any(path.is_file() for path in folder.rglob("*"))
    assert not written_outside(folder)


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_a_different_version_is_named(bundle: Path, folder: Path, version: object) -> None:
    path = changed(bundle, with_json(FORMAT_NAME, lambda facts: facts.update(version=version)))
    with pytest.raises(
        DamagedFile, match=f"diagnosis of version {version}; this version of Kokoro Desk opens version 1"
    ):
        open_bundle(path, folder)


def test_figures_that_unpack_to_too_much_are_refused(
    bundle: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle_opening, "MAX_FIGURES_BYTES", 1 << 20)
    padding = b" " * (8 << 20)
    path = changed(bundle, lambda m: m.update({JSON_NAME: m[JSON_NAME] + padding}), zipfile.ZIP_DEFLATED)
    with pytest.raises(DamagedFile, match="is larger than 1 MiB"):
        open_bundle(path, folder)


def test_compressed_arrays_are_refused(bundle: Path, folder: Path) -> None:
    with pytest.raises(DamagedFile, match="compressed"):
        open_bundle(changed(bundle, lambda members: None, zipfile.ZIP_DEFLATED), folder)
    bomb = npz_of({"u0000/compiled/own-fed/f0.npy": npy(np.zeros((1, 1 << 20, 2), np.float32))}, zipfile.ZIP_DEFLATED)
    with pytest.raises(DamagedFile, match="compressed"):
        open_bundle(changed(bundle, lambda members: members.update({ARRAYS_NAME: bomb})), folder)
    assert not any(path.is_file() for path in folder.rglob("*"))


@pytest.mark.parametrize(
    "change",
    [
        lambda report: report.pop("rows"),
        lambda report: report["rows"][0].update(stage="nonsense"),
        lambda report: report["rows"][0].update(utterance=99),
        lambda report: report["request"].update(regimes=["nonsense"]),
        lambda report: report.update(utterances=3),
    ],
)
def test_figures_that_make_no_sense_are_refused(bundle: Path, folder: Path, change: Callable) -> None:
    with pytest.raises(DamagedFile, match="not an exported diagnosis"):
        open_bundle(changed(bundle, with_json(JSON_NAME, change)), folder)


@pytest.mark.parametrize(
    "array", [np.zeros((1, 3, 5), np.float32), np.zeros(2, np.float32), np.zeros((1, 3, 2), np.int64), np.array([None])]
)
def test_arrays_of_a_different_shape_are_refused(bundle: Path, folder: Path, array: np.ndarray) -> None:
    stored = npz_of({"u0000/compiled/own-fed/f0.npy": npy(array)})
    with pytest.raises(DamagedFile):
        open_bundle(changed(bundle, lambda members: members.update({ARRAYS_NAME: stored})), folder)


@pytest.mark.parametrize("share", [0, 0.001, 0.3, 0.9, 0.999])
def test_a_cut_off_file_is_refused(bundle: Path, folder: Path, share: float) -> None:
    content = bundle.read_bytes()
    bundle.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(DamagedFile, match="damaged"):
        open_bundle(bundle, folder)


def test_a_flipped_bit_is_found(bundle: Path, folder: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        entry = archive.getinfo(ARRAYS_NAME)
    content = bytearray(bundle.read_bytes())
    content[entry.header_offset + entry.file_size // 2] ^= 1
    bundle.write_bytes(content)
    with pytest.raises(DamagedFile, match="damaged"):
        open_bundle(bundle, folder)


def test_other_archives_and_missing_files_are_named(tmp_path: Path, folder: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("photo.jpg", b"")
    with pytest.raises(DamagedFile, match="not an exported diagnosis"):
        open_bundle(tmp_path / "other.zip", folder)
    with pytest.raises(EngineError, match="doesn’t exist"):
        open_bundle(tmp_path / "nothing.zip", folder)
    with pytest.raises(DamagedFile):
        open_bundle(tmp_path, folder)
