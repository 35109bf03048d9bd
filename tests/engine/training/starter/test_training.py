"""The stages must run in order from lessons to a package, and say what is missing before any work."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from engine.config import ModelConfig
from engine.errors import DamagedFile, EngineError, MissingModel
from engine.training.starter import training
from engine.training.starter.batches import Item
from engine.training.starter.corpus import save_lessons, shards
from engine.training.starter.options import TrainOptions, TrainProgress
from engine.training.starter.package import read_package
from engine.training.starter.texts import US_SYMBOLS
from engine.training.starter.voices import MERGING, STARTER_VOICES, TeacherParts, save_parts

MOMENT = {"text": 1e-6, "front": 1e-6, "generator": 1e-6, "joint": 1e-6}


@pytest.fixture
def options(
    narrow_config: ModelConfig,
    parts: TeacherParts,
    items: tuple[Item, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> TrainOptions:
    """A narrow network and existing lessons."""
    monkeypatch.setattr(training, "starter_config", lambda vocabulary: narrow_config)
    monkeypatch.setattr(training, "PIECE_FRAMES", 8)
    options = TrainOptions(tmp_path / "work", tmp_path / "package", MOMENT, rounds=1, compile_blocks=False)
    save_parts(training._parts(options), parts)
    for shard in shards(STARTER_VOICES, options.rounds):
        lessons = [item.lesson for item in items]
        lessons.append(dataclasses.replace(lessons[0], phonemes="".join(US_SYMBOLS)))
        silent = [dataclasses.replace(lesson, sound=None) for lesson in lessons]
        save_lessons(training._corpus(options) / shard.path, lessons if shard.with_sound else silent)
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


def test_training_goes_on_from_a_package(options: TrainOptions) -> None:
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


def test_a_package_to_start_from_that_is_not_there_is_named_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "open_teacher", None)
    options = TrainOptions(tmp_path / "work", tmp_path / "package", MOMENT, start=tmp_path / "nowhere")
    with pytest.raises(DamagedFile, match="nowhere has no readable package"):
        training.train(options, lambda progress: None)
    assert not list(tmp_path.iterdir())


def test_a_missing_teacher_is_named_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(config: ModelConfig) -> None:
        raise MissingModel("The weights of kokoro-82m are not installed.", "Get them with: models fetch")

    monkeypatch.setattr(training, "open_teacher", refuse)
    with pytest.raises(MissingModel, match="not installed"):
        training.train(TrainOptions(tmp_path, tmp_path / "package", MOMENT), lambda progress: None)
    assert not list(tmp_path.iterdir())


def test_lessons_of_another_teacher_are_not_mixed_in(
    options: TrainOptions, parts: TeacherParts, monkeypatch: pytest.MonkeyPatch
) -> None:
    class OtherTeacher:
        checkpoint = SimpleNamespace(identity="other")
        closed = False

        def close(self) -> None:
            self.closed = True

    teacher = OtherTeacher()
    monkeypatch.setattr(training, "open_teacher", lambda config: teacher)
    with pytest.raises(EngineError, match="are of another teacher"):
        training.train(dataclasses.replace(options, rounds=2), lambda progress: None)
    assert teacher.closed
    assert training.load_parts(training._parts(options)).identity == parts.identity
