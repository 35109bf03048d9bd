import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from engine.artifacts.comparison import Comparison
from engine.artifacts.freshness import Fresh
from engine.artifacts.manifest import CPU, Manifest
from engine.artifacts.packed_weights import load_packed, part_of, weights_key
from engine.benchmark import module_comparison
from engine.benchmark.module_comparison import ROUNDS, choose_modules, compare_modules
from engine.errors import MissingModel, OutputError
from engine.model_store.checkpoints import FULL_SIZE, Checkpoint, open_checkpoint
from engine.preparation import weights as preparation_weights
from engine.preparation.module_choice import ModuleSet, ModuleSets, find_modules
from engine.preparation.weights import packed_weights_path
from engine.synthesizer import Synthesizer


def ignore(event: object) -> None:
    """No progress is looked at."""


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    return open_checkpoint()


@pytest.fixture
def sets(starter: Synthesizer, checkpoint: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleSets:
    """The modules that speak here, and a copy of them with another digest in the place of those built here."""
    shipped = find_modules(checkpoint.config, CPU).folder
    assert shipped is not None
    built = tmp_path / "built"
    shutil.copytree(shipped, built)
    manifest = Manifest.load(shipped)
    with (built / manifest.artifacts[0].file).open("ab") as file:
        file.write(b"\0")
    content = (built / manifest.artifacts[0].file).read_bytes()
    other = manifest.with_artifact(replace(manifest.artifacts[0], sha256=sha256(content).hexdigest()))
    other.save(built)
    found = ModuleSets(ModuleSet(shipped, Fresh(manifest)), ModuleSet(built, Fresh(other)), "any processors")
    monkeypatch.setattr(module_comparison, "module_sets", lambda *_: found)
    monkeypatch.setattr(preparation_weights, "packed_weights_folder", lambda: tmp_path / "weights")
    (tmp_path / "weights").mkdir()
    return found


def comparison_of(sets: ModuleSets, built_seconds: float) -> Comparison:
    return Comparison(sets.libraries, built_seconds, 1.0)


def test_both_are_timed_in_turns_on_the_same_speech(
    sets: ModuleSets, checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = module_comparison._seconds, []

    def seconds(runner: object, values: dict) -> float:
        asked.append((runner, id(values)))
        assert real(runner, values) > 0
        return float(len(asked))

    monkeypatch.setattr(module_comparison, "_seconds", seconds)
    comparison = compare_modules(checkpoint, sets, ignore)
    built, shipped = asked[1][0], asked[2][0]
    assert built is not shipped
    assert [runner for runner, _ in asked] == [built, *[built, shipped] * ROUNDS]
    assert len({values for _, values in asked}) == 1
    assert comparison == Comparison(sets.libraries, 2.0, 3.0)


@pytest.mark.parametrize(("built_seconds", "repacked"), [(0.5, True), (2.0, False)])
def test_the_weights_are_packed_for_faster_modules_before_those_speak(
    sets: ModuleSets,
    checkpoint: Checkpoint,
    monkeypatch: pytest.MonkeyPatch,
    built_seconds: float,
    repacked: bool,
) -> None:
    monkeypatch.setattr(module_comparison, "compare_modules", lambda *_: comparison_of(sets, built_seconds))
    path = packed_weights_path("starter", None)
    path.write_bytes(b"of the shipped ones")
    assert choose_modules("starter", ignore) == comparison_of(sets, built_seconds)
    assert sets.comparison == comparison_of(sets, built_seconds)
    key = weights_key(Manifest.load(sets.built.folder), checkpoint.identity)
    assert (load_packed(path, key) is not None) is repacked
    assert (path.read_bytes() == b"of the shipped ones") is not repacked
    assert sets.found.folder == (sets.built if repacked else sets.shipped).folder


def test_weights_that_are_not_cached_are_left_to_their_first_use(
    sets: ModuleSets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module_comparison, "compare_modules", lambda *_: comparison_of(sets, 0.5))
    choose_modules("starter", ignore)
    assert not packed_weights_path("starter", None).exists()
    assert sets.found.folder == sets.built.folder


def test_a_full_disk_leaves_everything_as_it_was(sets: ModuleSets, monkeypatch: pytest.MonkeyPatch) -> None:
    path = packed_weights_path("starter", None)
    path.write_bytes(b"of the shipped ones")

    def full(target: Path, *_: object) -> None:
        part_of(target).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module_comparison, "compare_modules", lambda *_: comparison_of(sets, 0.5))
    monkeypatch.setattr(preparation_weights, "save_packed", full)
    with pytest.raises(OutputError, match="No space left on device"):
        choose_modules("starter", ignore)
    assert path.read_bytes() == b"of the shipped ones"
    assert not part_of(path).exists()
    assert sets.comparison is None
    assert sets.found.folder == sets.shipped.folder


def test_what_has_been_compared_is_not_compared_again(sets: ModuleSets, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = comparison_of(sets, 0.5)
    kept.save(sets.built.folder)
    monkeypatch.setattr(module_comparison, "compare_modules", lambda *_: pytest.fail("It was compared again."))
    assert choose_modules("starter", ignore) == kept


def test_a_model_that_is_not_here_is_compared_with_any_weights() -> None:
    with pytest.raises(MissingModel):
        open_checkpoint(FULL_SIZE)
    assert module_comparison._checkpoint(FULL_SIZE).weights_name == "random:0"
