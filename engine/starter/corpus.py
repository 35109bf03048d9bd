"""A corpus, the examples to learn from: made once per voice, and kept in one file each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import safe_open
from safetensors.numpy import save_file

from engine.config import ModelConfig
from engine.starter.alignment import Pronounce
from engine.starter.features import Example, make_example
from engine.starter.teachers.speech import Teacher
from engine.starter.voices import StarterVoice

LOUDNESS = 0.07
"""Root mean square to which every voice is scaled."""
CALIBRATION_UTTERANCES = 30
LONGEST_TOKENS = 300
ARRAYS = ("tokens", "durations_frames", "f0_hz", "energy", "pcm")
STRINGS = tuple(field.name for field in fields(Example) if field.name not in ARRAYS)


@dataclass(frozen=True)
class CorpusRequest:
    """What to record: a voice and its sentences."""

    voice: StarterVoice
    sentences: tuple[str, ...]


def record(
    teacher: Teacher,
    request: CorpusRequest,
    pronounce: Pronounce,
    config: ModelConfig,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> list[Example]:
    """Let the voice's teacher speak every sentence; `on_progress` gets the finished fraction."""
    gain = LOUDNESS / loudness(teacher, request.sentences[:CALIBRATION_UTTERANCES])
    examples = []
    for index, speech in enumerate(teacher.speak(request.sentences)):
        example = make_example(speech, pronounce, config, request.voice.f0_range_hz, gain)
        if len(example.tokens) <= LONGEST_TOKENS:
            examples.append(example)
        on_progress((index + 1) / len(request.sentences))
    return examples


def loudness(teacher: Teacher, sentences: Iterable[str]) -> float:
    """Root mean square of a teacher's samples over some sentences."""
    samples = np.concatenate([speech.samples for speech in teacher.speak(sentences)])
    return float(np.sqrt(np.mean(samples.astype(np.float64) ** 2)))


def save_corpus(path: Path, examples: Sequence[Example]) -> None:
    """Write the examples into one safetensors file."""
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    for name in ARRAYS:
        parts = [getattr(example, name) for example in examples]
        arrays[name] = np.concatenate(parts)
        arrays[f"{name}_lengths"] = np.array([len(part) for part in parts], np.int64)
    strings = {name: json.dumps([getattr(example, name) for example in examples]) for name in STRINGS}
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    save_file(arrays, partial, metadata=strings)
    partial.replace(path)


def load_corpus(path: Path) -> list[Example]:
    """The examples in a file that `save_corpus` wrote."""
    with safe_open(path, framework="numpy") as file:
        strings = {name: json.loads(text) for name, text in file.metadata().items()}
        columns = {name: _split(file.get_tensor(name), file.get_tensor(f"{name}_lengths")) for name in ARRAYS}
    rows = range(len(strings["text"]))
    return [Example(**{name: values[row] for name, values in (strings | columns).items()}) for row in rows]


def _split(values: npt.NDArray[np.generic], lengths: npt.NDArray[np.int64]) -> list[npt.NDArray[np.generic]]:
    return np.split(values, np.cumsum(lengths)[:-1])
