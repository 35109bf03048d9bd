"""The stages must run in order from recordings to a package, and say what is missing before any work."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from engine.config import ModelConfig
from engine.errors import EngineError
from engine.starter import training
from engine.starter.batches import Item
from engine.starter.corpus import save_corpus
from engine.starter.options import StageMinutes, TrainOptions, TrainProgress
from engine.starter.package import read_package
from engine.starter.texts import US_SYMBOLS
from engine.starter.voices import STARTER_VOICES

MOMENT = StageMinutes(text=1e-6, front=1e-6, generator=1e-6, joint=1e-6)


@pytest.fixture
def options(
    narrow_config: ModelConfig, items: tuple[Item, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> TrainOptions:
    """A narrow network and existing recordings."""
    monkeypatch.setattr(training, "starter_config", lambda vocabulary: narrow_config)
    monkeypatch.setattr(training, "SEGMENT_FRAMES", 8)
    options = TrainOptions(tmp_path / "work", tmp_path / "package", MOMENT, compile_blocks=False)
    for number, voice in enumerate(STARTER_VOICES):
        examples = [item.example for item in items if item.voice == number]
        complete = dataclasses.replace(examples[0], phonemes="".join(US_SYMBOLS))
        save_corpus(training._corpus(options, voice.name), [complete, *examples])
        save_corpus(training._corpus(options, f"{voice.name}-held-out"), examples)
    return options


def test_training_runs_every_stage_and_packages(options: TrainOptions) -> None:
    seen: list[TrainProgress] = []
    folder = training.train(options, seen.append)
    assert list(dict.fromkeys(progress.stage for progress in seen)) == ["text", "front", "generator", "joint"]
    assert seen[-1].remaining_seconds == 0
    network, styles = read_package(folder)
    assert set(styles) == {voice.name for voice in STARTER_VOICES}
    assert len(network("ab.", styles["am_rowan"])) >= network.config.samples_per_frame


def test_finished_stages_are_not_trained_again(options: TrainOptions) -> None:
    training.train(options, lambda progress: None)
    before = {path.name: path.stat().st_mtime_ns for path in options.work_folder.glob("*.pt")}
    assert set(before) == {"text.pt", "front.pt", "generator.pt", "joint.pt"}
    training.train(options, lambda progress: None)
    assert {path.name: path.stat().st_mtime_ns for path in options.work_folder.glob("*.pt")} == before


def test_missing_teacher_is_named_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(voice: object) -> None:
        raise EngineError("The speech engine flite is not installed.", "Install it with: apt-get install libflite1")

    monkeypatch.setattr(training, "open_teacher", refuse)
    with pytest.raises(EngineError, match="apt-get install"):
        training.train(TrainOptions(tmp_path, tmp_path / "package", MOMENT), lambda progress: None)
    assert not list(tmp_path.iterdir())
