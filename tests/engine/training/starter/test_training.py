"""The stages must run in order from examples to a package, and report missing inputs before any work."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from engine.config import ModelConfig
from engine.errors import DamagedFile, EngineError, InvalidRequest, MissingModel
from engine.network.architecture import Network, build_network
from engine.system.paths import resources_folder, starter_folder
from engine.training.starter import training
from engine.training.starter.batches import TrainingItem, collate
from engine.training.starter.corpus import save_examples, shards
from engine.training.starter.options import ROUNDS, STAGE_MINUTES, WARM_STAGES, TrainOptions, TrainProgress
from engine.training.starter.package import read_package, write_package
from engine.training.starter.sound_stages import front_features
from engine.training.starter.text_stage import predicted
from engine.training.starter.texts import US_SYMBOLS
from engine.training.starter.training import starter_config
from engine.training.starter.voices import MERGING, STARTER_VOICES, TeacherParts, save_parts
from engine.training.starter.warm_start import load_start

MOMENT = {"text": 1e-6, "front": 1e-6, "generator": 1e-6, "joint": 1e-6}


@pytest.fixture
def options(
    narrow_config: ModelConfig,
    parts: TeacherParts,
    items: tuple[TrainingItem, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> TrainOptions:
    """A narrow network and existing examples."""
    monkeypatch.setattr(training, "starter_config", lambda vocabulary: narrow_config)
    monkeypatch.setattr(training, "PIECE_FRAMES", 8)
    options = TrainOptions(tmp_path / "work", tmp_path / "package", MOMENT, rounds=1, compile_blocks=False)
    save_parts(options.work_folder / "corpus" / "teacher.safetensors", parts)
    for shard in shards(STARTER_VOICES, options.rounds):
        examples = [item.example for item in items]
        examples.append(dataclasses.replace(examples[0], phonemes="".join(US_SYMBOLS)))
        silent = [dataclasses.replace(example, sound=None) for example in examples]
        save_examples(options.work_folder / "corpus" / shard.path, examples if shard.with_sound else silent)
    return options


def test_training_runs_every_stage_and_packages(options: TrainOptions) -> None:
    seen: list[TrainProgress] = []
    folder = training.train(options, seen.append)
    assert list(dict.fromkeys(progress.stage for progress in seen)) == ["text", "front", "generator", "joint"]
    assert seen[-1].remaining_seconds == 0
    network, packs = read_package(folder)
    assert set(packs) == set(STARTER_VOICES)
    assert len(network("ab.", packs["af_heart"][2])) >= network.config.samples_per_frame


def test_the_merging_layer_stays_the_teachers(options: TrainOptions, parts: TeacherParts) -> None:
    network, _ = read_package(training.train(options, lambda progress: None))
    for name in MERGING:
        wanted = torch.from_numpy(parts.merging[name]).half().float()
        assert torch.equal(network.get_parameter(name), wanted)


def test_finished_stages_are_not_trained_again(options: TrainOptions) -> None:
    training.train(options, lambda progress: None)
    before = {path.name: path.stat().st_mtime_ns for path in options.work_folder.glob("*.pt")}
    assert set(before) == {"text.pt", "front.pt", "generator.pt", "joint.pt"}
    training.train(options, lambda progress: None)
    assert {path.name: path.stat().st_mtime_ns for path in options.work_folder.glob("*.pt")} == before


def test_training_continues_from_a_package(options: TrainOptions) -> None:
    first = training.train(options, lambda progress: None)
    again = dataclasses.replace(
        options,
        work_folder=options.work_folder.parent / "other",
        output_folder=options.work_folder.parent / "again",
        minutes={},
        start=first,
    )
    (options.work_folder / "corpus").rename(again.work_folder.parent / "corpus")
    again.work_folder.mkdir()
    (again.work_folder.parent / "corpus").rename(again.work_folder / "corpus")
    second = training.train(again, lambda progress: None)
    assert (second / "model.safetensors").read_bytes() == (first / "model.safetensors").read_bytes()


def test_a_missing_start_package_is_named_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "open_teacher", None)
    options = TrainOptions(tmp_path / "work", tmp_path / "package", MOMENT, start=tmp_path / "nowhere")
    with pytest.raises(DamagedFile, match="nowhere has no readable starter model"):
        training.train(options, lambda progress: None)
    assert not list(tmp_path.iterdir())


def test_a_missing_teacher_is_named_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(config: ModelConfig) -> None:
        raise MissingModel("No weights.", "Download them.")

    monkeypatch.setattr(training, "open_teacher", refuse)
    with pytest.raises(MissingModel, match="No weights"):
        training.train(TrainOptions(tmp_path, tmp_path / "package", MOMENT), lambda progress: None)
    assert not list(tmp_path.iterdir())


def test_examples_of_a_different_teacher_are_not_mixed_in(
    options: TrainOptions, parts: TeacherParts, monkeypatch: pytest.MonkeyPatch
) -> None:
    class OtherTeacher:
        checkpoint = SimpleNamespace(identity="other")
        closed = False

        def close(self) -> None:
            self.closed = True

    teacher = OtherTeacher()
    monkeypatch.setattr(training, "open_teacher", lambda config: teacher)
    with pytest.raises(EngineError, match="a different teacher"):
        training.train(dataclasses.replace(options, rounds=2), lambda progress: None)
    assert teacher.closed
    assert training.load_parts(options.work_folder / "corpus" / "teacher.safetensors").identity == parts.identity


MAX_BYTES = 15_000_000
BYTES_PER_HALF = 2


@pytest.fixture(scope="module")
def kokoro() -> ModelConfig:
    return ModelConfig.load(resources_folder() / "kokoro-82m" / "config.json")


def test_shipped_package_has_this_architecture_and_size(kokoro: ModelConfig) -> None:
    shipped = json.loads((starter_folder() / "config.json").read_text(encoding="utf-8"))
    assert ModelConfig.from_dict(shipped) == starter_config(kokoro.vocab)
    assert sum(path.stat().st_size for path in starter_folder().iterdir()) <= MAX_BYTES


SYMBOLS = frozenset(" .,!?abkzɑˈ")


def network_of(config: ModelConfig, seed: int) -> Network:
    torch.manual_seed(seed)
    return build_network(config)


def test_the_same_voices_keep_every_weight(narrow_config: ModelConfig, parts: TeacherParts, tmp_path: Path) -> None:
    before, after = network_of(narrow_config, 0), network_of(narrow_config, 1)
    write_package(tmp_path, before, parts, SYMBOLS)
    load_start(after, tmp_path, parts)
    for key, tensor in before.state_dict().items():
        if "embedding" not in key:
            assert torch.allclose(after.state_dict()[key], tensor.half().to(tensor.dtype)), key


@torch.no_grad()
def test_new_voices_begin_as_the_old_one_of_their_gender(
    narrow_config: ModelConfig, parts: TeacherParts, items: tuple[TrainingItem, ...], tmp_path: Path
) -> None:
    chance = np.random.default_rng(5)
    shape = (1, 1, 2 * narrow_config.style_dim)
    old_packs = {name: chance.standard_normal(shape).astype(np.float32) for name in ("am_old", "af_old")}
    write_package(tmp_path, network_of(narrow_config, 0), dataclasses.replace(parts, packs=old_packs), SYMBOLS)
    old, new = network_of(narrow_config, 0), network_of(narrow_config, 1)
    load_start(old, tmp_path, dataclasses.replace(parts, packs=old_packs))
    load_start(new, tmp_path, parts)
    for item in (items[0], items[2]):
        like = old_packs["a" + item.voice[1] + "_old"][0, 0]
        first_row = dataclasses.replace(item, style=parts.packs[item.voice][0, 0])
        ours, theirs = collate([first_row]), collate([dataclasses.replace(item, style=like)])
        assert near(front_features(new, ours), front_features(old, theirs))
        for mine, wanted in zip(predicted(new, ours), predicted(old, theirs), strict=True):
            assert near(mine, wanted)


def near(ours: torch.Tensor, wanted: torch.Tensor) -> bool:
    """Return whether they differ by less than 5 % of the spread: regression maps the new styles to the old ones."""
    return float((ours - wanted).norm()) < 0.05 * float(wanted.norm())


def test_a_different_architecture_is_refused(narrow_config: ModelConfig, parts: TeacherParts, tmp_path: Path) -> None:
    write_package(tmp_path, network_of(narrow_config, 0), parts, SYMBOLS)
    wider = dataclasses.replace(narrow_config, max_dur=9)
    with pytest.raises(InvalidRequest, match="architecture"):
        load_start(network_of(wider, 1), tmp_path, parts)


WORK = Path("work")


def arguments(**given: object) -> Namespace:
    plain = {"work_dir": WORK, "output_dir": None, "minutes": None, "rounds": ROUNDS, "stages": None, "start": None}
    return Namespace(**{**plain, **given})


def test_defaults() -> None:
    options = TrainOptions.from_arguments(arguments())
    assert options.output_folder == WORK / "package"
    assert options.minutes == STAGE_MINUTES
    assert options.rounds == ROUNDS


def test_minutes_are_shared_out() -> None:
    options = TrainOptions.from_arguments(arguments(output_dir=Path("out"), minutes=27.0))
    assert options.output_folder == Path("out")
    assert sum(options.minutes.values()) == pytest.approx(27)
    shares = options.minutes["joint"] / options.minutes["text"]
    assert shares == pytest.approx(STAGE_MINUTES["joint"] / STAGE_MINUTES["text"])


def test_chosen_stages_keep_their_order_and_get_all_the_minutes() -> None:
    options = TrainOptions.from_arguments(arguments(stages=["joint", "text"], minutes=60.0))
    assert list(options.minutes) == ["text", "joint"]
    assert sum(options.minutes.values()) == pytest.approx(60)


def test_starting_from_an_existing_package_skips_generator_training() -> None:
    options = TrainOptions.from_arguments(arguments(start=Path("package")))
    assert tuple(options.minutes) == WARM_STAGES


@pytest.mark.parametrize("minutes", [0.0, -3.0, float("nan")])
def test_no_time_is_refused(minutes: float) -> None:
    with pytest.raises(InvalidRequest):
        TrainOptions.from_arguments(arguments(minutes=minutes))


@pytest.mark.parametrize("rounds", [0, -1])
def test_a_request_for_no_training_data_is_refused(rounds: int) -> None:
    with pytest.raises(InvalidRequest):
        TrainOptions.from_arguments(arguments(rounds=rounds))


def test_progress_reads_well() -> None:
    progress = TrainProgress("front", 0.5, 125.0, {"bands": 0.31})
    assert str(progress) == "front  50%, 2:05 left in all. bands 0.3100"


def test_package_is_cheap_to_import() -> None:
    program = (
        "import sys, engine.training.starter; print(any(name in sys.modules for name in ('torch', 'kokoro', 'misaki')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
