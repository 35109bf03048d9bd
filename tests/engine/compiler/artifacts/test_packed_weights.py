import mmap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.compiler.artifacts.manifest import CPU, Artifact, Manifest, expected_identity
from engine.compiler.artifacts.packed_weights import is_intact, load_packed, part_of, save_packed, weights_key
from engine.system.aligned_arrays import ALIGNMENT_BYTES
from tests.engine.memory import resident_bytes

STAGES = {
    "bert": [np.arange(7, dtype=np.float32), np.ones((3, 1, 5), np.float32)],
    "source": [np.float32(3)[None], np.arange(6, dtype=np.int32).reshape(2, 3).T],
    "istft": [],
    "decoder": [np.zeros((0, 4), np.float32), np.float16([[1, np.nan]]), np.full((), 2, np.int64)],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    save_packed(path, "key", STAGES.items())
    return path


def test_arrays_come_back_as_they_were_at_aligned_addresses(path):
    packed = load_packed(path, "key")
    assert list(packed.stages) == list(STAGES)
    for stage, arrays in STAGES.items():
        for array, kept in zip(arrays, packed.stages[stage], strict=True):
            assert kept.dtype == array.dtype
            np.testing.assert_array_equal(kept, array)
            assert array.size == 0 or kept.ctypes.data % ALIGNMENT_BYTES == 0


def test_arrays_map_the_file_but_writing_to_them_does_not_change_it(path):
    packed, content = load_packed(path, "key"), path.read_bytes()
    array = packed.stages["bert"][0]
    base = array
    while isinstance(base, np.ndarray):
        base = base.base
    assert isinstance(getattr(base, "obj", base), mmap.mmap)
    array[...] = 9
    assert path.read_bytes() == content


def test_pages_that_were_given_back_come_again(tmp_path):
    path = tmp_path / "large"
    arrays = {
        name: [np.full(size, 3, np.float32)] for name, size in (("a", 3_000_000), ("b", 5_000_000), ("c", 3_000_001))
    }
    save_packed(path, "key", arrays.items())
    packed = load_packed(path, "key")
    held = []
    for stage in arrays:
        assert packed.stages[stage][0].sum() == 3 * arrays[stage][0].size
        packed.make_room_for("c")
        held.append(resident_bytes(path))
    packed.make_room_for("b")
    held.append(resident_bytes(path))
    assert packed.stages["a"][0].sum() == 9_000_000
    if None not in held:
        large_page = 1 << 21
        assert held[0] >= 12_000_000
        assert held[2] >= 44_000_000  # "c" is not the largest, so nothing went
        assert 20_000_000 - large_page < held[3] < 20_000_000 + 2 * large_page


def test_replaced_weights_remain_valid_for_their_holders(path):
    packed = load_packed(path, "key")
    save_packed(path, "other", [("bert", [np.zeros(3, np.float32)])])
    np.testing.assert_array_equal(packed.stages["bert"][0], STAGES["bert"][0])
    assert load_packed(path, "key") is None


def test_a_missing_file_or_different_key_loads_nothing(path):
    assert load_packed(path.with_name("none"), "key") is None
    assert load_packed(path, "other key") is None
    assert load_packed(path.parent, "key") is None


def test_a_file_cut_anywhere_holds_nothing(path):
    content = path.read_bytes()
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        assert load_packed(path, "key") is None


@pytest.mark.parametrize(
    ("word", "other"),
    [
        (b"weights.", b"weights,"),
        (b'"shape": [7]', b'"shape": [\xff]'),
        (b'"start": 0', b'"start": 1'),
        (b'"start": 0, "shape": [7]', b'"start":1e999,"shape":[]'),
    ],
)
def test_a_file_whose_table_is_damaged_holds_nothing(path, word, other):
    content = path.read_bytes()
    assert word in content
    path.write_bytes(content.replace(word, other))
    assert load_packed(path, "key") is None


def test_a_full_read_detects_a_single_changed_byte(path):
    content = path.read_bytes()
    assert is_intact(path)
    for place in (0, content.index(b'{"key"') - 1, len(content) - 1):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert is_intact(path) is False
    path.write_bytes(content[: len(content) // 2])
    assert is_intact(path) is False


def test_of_a_file_without_a_checksum_nothing_is_known(path):
    path.write_bytes(path.read_bytes().replace(b'"crc32"', b'"other"'))
    assert is_intact(path) is None
    assert load_packed(path, "key") is not None


def test_a_table_that_points_beyond_the_arrays_is_refused(path):
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"shape": [7]', b'"shape": [9999]'.ljust(12))[-len(content) :])
    assert load_packed(path, "key") is None


def test_weights_without_a_writer_that_came_to_the_end_are_not_seen(path):
    def broken():
        yield "bert", STAGES["bert"]
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        save_packed(path, "new", broken())
    assert load_packed(path, "key") is not None
    assert load_packed(part_of(path), "new") is None


def test_the_key_names_libraries_and_weights(tiny_config):
    artifact = Artifact("bert", "bert.so", "1234", 5, 0.5, ())
    manifest = Manifest(expected_identity(tiny_config, CPU), (artifact, replace(artifact, stage="source")))
    key = weights_key(manifest, "identity")
    assert key == weights_key(replace(manifest, artifacts=manifest.artifacts[::-1]), "identity")
    assert key != weights_key(manifest, "other")
    assert key != weights_key(manifest.with_artifact(replace(artifact, sha256="1235")), "identity")
