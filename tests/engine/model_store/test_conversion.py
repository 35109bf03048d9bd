import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from engine.errors import StorageError, UnusableModel
from engine.model_store.conversion import VOICES_NAME, WEIGHTS_NAME, Conversion, convert
from engine.model_store.progress import Activity
from tests.engine.model_store.published import CHECKPOINT_NAME, VOICE_NAMES, Published, voice_table
from tests.engine.model_store.quantised_export import exported


@pytest.fixture
def source(published: Published, tmp_path: Path) -> Path:
    return published.write(tmp_path / "source")


@pytest.fixture
def order(published: Published, source: Path, tmp_path: Path) -> Conversion:
    voices = {name: source / "voices" / f"{name}.pt" for name in VOICE_NAMES}
    (tmp_path / "out").mkdir()
    return Conversion(published.config, source / CHECKPOINT_NAME, voices, tmp_path / "out")


def ignore(activity: Activity, done: int, total: int) -> None:
    """No report is wanted."""


def test_weights_and_voices_are_written_once_and_for_all(order: Conversion) -> None:
    seen: list[int] = []
    assert convert(order, lambda activity, done, total: seen.append(done)) == list(VOICE_NAMES)
    weights, voices = load_file(order.folder / WEIGHTS_NAME), load_file(order.folder / VOICES_NAME)
    assert not any("weight_g" in name or "module." in name for name in weights)
    assert all(np.array_equal(voices[name], voice_table(order.config, i)) for i, name in enumerate(VOICE_NAMES))
    assert seen == sorted(seen)
    assert seen[-1] == order.bytes


def test_voices_can_be_added_to_earlier_ones(order: Conversion, tmp_path: Path) -> None:
    save_file({"af_earlier": voice_table(order.config, 5)}, tmp_path / "earlier.safetensors")
    voices = {"af_heart": order.voices["af_heart"]}
    more = Conversion(order.config, None, voices, order.folder, tmp_path / "earlier.safetensors")
    assert convert(more, ignore) == ["af_earlier", "af_heart"]
    assert not (order.folder / WEIGHTS_NAME).exists()


def test_voices_in_half_precision_are_kept_in_full_precision(order: Conversion, tmp_path: Path) -> None:
    table = voice_table(order.config, 5).astype(np.float16)
    save_file({"af_earlier": table}, tmp_path / "half.safetensors")
    convert(Conversion(order.config, None, {}, order.folder, tmp_path / "half.safetensors"), ignore)
    kept = load_file(order.folder / VOICES_NAME)["af_earlier"]
    assert kept.dtype == np.float32
    assert np.array_equal(kept, table)


def test_a_quantised_checkpoint_is_read_by_its_table(order: Conversion, tmp_path: Path) -> None:
    made = exported()
    path, table = made.write(tmp_path)
    seen: list[int] = []
    convert(replace(order, checkpoint=path, layout=table), lambda activity, done, total: seen.append(done))
    assert load_file(order.folder / WEIGHTS_NAME).keys() == made.expected.keys()
    assert seen == sorted(seen)
    assert len(set(seen)) > len(made.expected) // 2  # of each weight that is stored, not only of the file


def test_a_quantised_checkpoint_with_the_programs_voices_needs_no_pytorch(order: Conversion, tmp_path: Path) -> None:
    path, table = exported().write(tmp_path)
    save_file({"af_earlier": voice_table(order.config, 5)}, tmp_path / "shipped.safetensors")
    compact = Conversion(order.config, path, {}, order.folder, tmp_path / "shipped.safetensors", table)
    code = (
        "import json, sys; sys.modules['torch'] = None; "  # importing it fails
        "from engine.model_store.conversion import main; sys.exit(main())"
    )
    plan = json.dumps(compact.task().plan) + "\n"
    done = subprocess.run([sys.executable, "-c", code], input=plan, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout.splitlines()[-1]) == {"result": {"voices": ["af_earlier"]}}, done.stderr


def test_damaged_earlier_voices_are_said(order: Conversion, tmp_path: Path) -> None:
    (tmp_path / "earlier.safetensors").write_bytes(b"x")
    with pytest.raises(UnusableModel, match="are damaged"):
        convert(Conversion(order.config, None, {}, order.folder, tmp_path / "earlier.safetensors"), ignore)


def test_a_full_disk_is_said(order: Conversion) -> None:
    """The process may write no file larger than this, which fails as a full disk does: in the middle of a write."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(StorageError, match=r"cannot be written to.*Free some space"):
            convert(order, ignore)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_the_plan_says_all_there_is(order: Conversion, tmp_path: Path) -> None:
    for plan in (order, Conversion(order.config, None, {}, order.folder, tmp_path / "earlier", tmp_path / "table")):
        assert Conversion.from_plan(plan.task().plan) == plan
