import errno
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from engine.errors import DamagedFile, EngineError, OutputError
from engine.validator.data.results import InputSource, Regime, Row, Verdict
from engine.validator.runs.arrays import ArrayFolder, ArrayKey, ArrayLimit

OWN, FED = InputSource.END_TO_END, InputSource.ISOLATED
NAMES = st.sampled_from(
    ["dynamic", "static-no-pack", "compiled", "compiled with f0n from upstream, istft from dynamic"]
)
ARRAYS = arrays_of.arrays(
    st.sampled_from([np.float32, np.int32, np.float64, np.bool_]), arrays_of.array_shapes(min_dims=0, min_side=0)
)


def filled(path: Path) -> ArrayFolder:
    folder = ArrayFolder(path)
    folder.save(1, Regime.COMPILED, OWN, "audio", np.arange(6, dtype=np.float32))
    folder.save(0, Regime.DYNAMIC, OWN, "f0", np.eye(3, dtype=np.float32))
    folder.save(0, Regime.COMPILED, FED, "f0", np.ones((2, 2), np.int32))
    return folder


@settings(max_examples=40)
@given(held=st.dictionaries(st.tuples(st.integers(0, 99_999), NAMES, st.sampled_from(InputSource)), ARRAYS, max_size=4))
def test_everything_comes_back_from_folder_and_export(
    tmp_path_factory: pytest.TempPathFactory, held: dict[tuple[int, str, InputSource], np.ndarray]
) -> None:
    folder = ArrayFolder(tmp_path_factory.mktemp("arrays"))
    for (utterance, regime, reading), array in held.items():
        folder.save(utterance, regime, reading, "f0", array)
    folder.write_npz(folder.path / "all.npz")
    assert folder.entries() == tuple(sorted(ArrayKey(*place, "f0") for place in held))
    with np.load(folder.path / "all.npz") as export:
        assert export.files == [key.member.removesuffix(".npy") for key in folder.entries()]
        for place, array in held.items():
            assert_same(folder.load(*place, "f0"), array)
            assert_same(export[ArrayKey(*place, "f0").member], array)


def assert_same(loaded: np.ndarray, array: np.ndarray) -> None:
    assert loaded.dtype == array.dtype
    np.testing.assert_array_equal(loaded, array)


def test_arrays_of_any_layout_are_stored_unchanged(tmp_path: Path) -> None:
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4).transpose(2, 0, 1)[::2]
    ArrayFolder(tmp_path).save(0, "dynamic", OWN, "f0", array)
    np.testing.assert_array_equal(ArrayFolder(tmp_path).load(0, "dynamic", OWN, "f0"), array)


def test_an_array_is_mapped_and_survives_its_replacement(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    before = folder.load(0, "dynamic", OWN, "f0")
    assert isinstance(before, np.memmap)
    folder.save(0, "dynamic", OWN, "f0", np.zeros(2, np.float32))
    np.testing.assert_array_equal(before, np.eye(3))
    assert folder.load(0, "dynamic", OWN, "f0").shape == (2,)


def test_the_same_arrays_give_the_same_export(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        filled(tmp_path / name).write_npz(tmp_path / f"{name}.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_only_whole_arrays_are_listed(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    (tmp_path / "u0000" / "dynamic" / "own-fed" / ".energy.npy.1.part").write_bytes(b"half")
    (tmp_path / "u0000" / "dynamic" / "elsewhere").mkdir()
    (tmp_path / "u0000" / "dynamic" / "elsewhere" / "f0.npy").write_bytes(b"")
    assert [key.output for key in folder.entries()] == ["f0", "f0", "audio"]


def test_an_array_that_was_not_kept_is_named(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    assert folder.holds(0, "dynamic", OWN, "f0")
    assert not folder.holds(0, "dynamic", OWN, "energy")
    with pytest.raises(EngineError, match=r"energy .* utterance 0 \(dynamic, own-fed\)"):
        folder.load(0, "dynamic", OWN, "energy")


def test_a_removed_folder_is_an_error_and_is_not_recreated(tmp_path: Path) -> None:
    folder = ArrayFolder(tmp_path / "gone")
    assert folder.entries() == ()
    with pytest.raises(OutputError, match=r"gone .*exist"):
        folder.save(0, "dynamic", OWN, "f0", np.zeros(1))
    with pytest.raises(OutputError, match=r"gone .*exist"):
        folder.write_npz(tmp_path / "all.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_reported_and_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = filled(tmp_path)

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "refused")

    monkeypatch.setattr("engine.validator.runs.arrays._write", refuse)
    with pytest.raises(OutputError, match="disk is full"):
        folder.save(0, "dynamic", OWN, "energy", np.zeros(1))
    assert not folder.holds(0, "dynamic", OWN, "energy")
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize(("regime", "output"), [("../x", "f0"), ("dynamic", "a/b"), ("", "f0"), ("dynamic", ".f0")])
def test_a_name_cannot_leave_the_folder(tmp_path: Path, regime: str, output: str) -> None:
    with pytest.raises(ValueError, match="name of an array"):
        ArrayFolder(tmp_path).save(0, regime, OWN, output, np.zeros(1))
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    path = tmp_path / "u0000" / "dynamic" / "own-fed" / "f0.npy"
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(DamagedFile, match=r"f0\.npy .*be read"):
        folder.load(0, "dynamic", OWN, "f0")


NUMBERS = 1000
BYTES = 4 * NUMBERS + 128
ROW = Row(0, "source", "f0", Regime.COMPILED, Regime.DYNAMIC, InputSource.END_TO_END, Verdict.PASS, 0.999)


class Run:
    """A validation that saves one array of each utterance."""

    def __init__(self, folder: Path, max_bytes: int | None) -> None:
        self.arrays = ArrayFolder(folder)
        self.limit = ArrayLimit(self.arrays, max_bytes)

    def compare(self, utterance: int, verdict: Verdict = Verdict.PASS, regime: Regime = Regime.COMPILED) -> None:
        array = np.full((1, NUMBERS), utterance, np.float32)
        self.arrays.save(utterance, regime, InputSource.END_TO_END, "f0", array)
        self.limit.note(replace(ROW, utterance=utterance, verdict=verdict, regime=regime))
        self.limit.finish(utterance)

    @property
    def kept(self) -> list[int]:
        return [key.utterance for key in self.arrays.entries()]


def test_the_one_compared_longest_ago_goes_first(tmp_path: Path) -> None:
    run = Run(tmp_path, 2 * BYTES)
    for number in (4, 0, 1, 5):
        run.compare(number)
    assert run.kept == [1, 5]


def test_arrays_of_failed_comparisons_stay_longer(tmp_path: Path) -> None:
    run = Run(tmp_path, 2 * BYTES)
    run.compare(0, Verdict.FAIL)
    run.compare(1, Verdict.FAIL, Regime.STATIC_NO_PACK)  # this regime always fails
    run.compare(2)
    assert run.kept == [0, 2]
    run.compare(3, Verdict.FAIL)
    run.compare(4)
    assert run.kept == [3, 4]


def test_the_latest_stays_however_large(tmp_path: Path) -> None:
    run = Run(tmp_path, 1)
    for number in range(3):
        run.compare(number)
    assert run.kept == [2]


def test_an_array_in_use_stays_readable_and_a_deleted_one_is_missing(tmp_path: Path) -> None:
    run = Run(tmp_path, 1)
    run.compare(0)
    seen = run.arrays.load(0, Regime.COMPILED, InputSource.END_TO_END, "f0")
    run.compare(1)
    assert float(seen.sum()) == 0
    with pytest.raises(EngineError, match="No array of f0"):
        run.arrays.load(0, Regime.COMPILED, InputSource.END_TO_END, "f0")
