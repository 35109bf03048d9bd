"""Stores the teacher's training examples in shards of one voice each, so that recording can resume."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, islice, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from engine.errors import DamagedFile
from engine.system.atomic_write import atomic_write
from engine.training.starter.teacher import KokoroTeacher
from engine.training.starter.texts import HELD_OUT_SENTENCES, PromptLexicon, load_lexicon, prompts
from engine.training.starter.training_example import Sound, TrainingExample

SOUND, TEXT, HELD_OUT = "sound", "text", "held-out"
SENTENCES_PER_SHARD = {SOUND: 50, TEXT: 240}
MAX_CHARACTERS = {SOUND: 60, TEXT: 110}
SENTENCES_PER_TEXT = {SOUND: (1,), TEXT: (1, 1, 1, 1, 1, 1, 1, 1, 4, 20)}
"""The numbers of sentences of consecutive texts: the utterances of a text become longer toward its end."""
ARRAYS = ("tokens", "durations_frames", "duration_logits", "f0_hz", "energy")
SOUND_ARRAYS = ("pcm", "harmonics")
STRINGS = ("text", "phonemes")
SUFFIX = ".safetensors"


@dataclass(frozen=True)
class Shard:
    """A part of the corpus: a voice, the kind of its examples, and its number among the shards of that kind."""

    voice: str
    kind: str
    number: int = 0

    @property
    def path(self) -> Path:
        """The path in the folder of the corpus."""
        return Path(self.voice) / f"{self.kind}-{self.number:02}{SUFFIX}"

    @property
    def with_sound(self) -> bool:
        """True if its examples include the audio."""
        return self.kind != TEXT


def shards(voices: Sequence[str], rounds: int) -> Iterator[Shard]:
    """Yield all shards in the order of recording: training can begin after the first round."""
    for voice in voices:
        yield Shard(voice, HELD_OUT)
    for number in range(rounds):
        for voice in voices:
            yield Shard(voice, SOUND, number)
            yield Shard(voice, TEXT, number)


def texts_of(shard: Shard, lexicon: PromptLexicon) -> tuple[str, ...]:
    """Return the texts of a shard: equal for equal shards, and without held-out sentences."""
    if shard.kind == HELD_OUT:
        return HELD_OUT_SENTENCES
    seed = f"{shard.voice} {shard.kind} {shard.number}"
    sentences = iter(prompts(SENTENCES_PER_SHARD[shard.kind], seed, lexicon, MAX_CHARACTERS[shard.kind]))
    found = (" ".join(islice(sentences, count)) for count in cycle(SENTENCES_PER_TEXT[shard.kind]))
    return tuple(takewhile(bool, found))


def record(folder: Path, wanted: Iterable[Shard], teacher: KokoroTeacher, on_shard: Callable[[Shard], None]) -> None:
    """Let the teacher record the `wanted` shards that `folder` does not have yet."""
    lexicon = load_lexicon()
    for shard in wanted:
        if not (folder / shard.path).exists():
            found = (teacher.examples(text, shard.voice, shard.with_sound) for text in texts_of(shard, lexicon))
            save_examples(folder / shard.path, list(chain.from_iterable(found)))
        on_shard(shard)


def save_examples(path: Path, examples: Sequence[TrainingExample]) -> None:
    """Write examples, all with audio or all without, into one file; raises `OutputError` if the disk is full."""
    columns: dict[str, list[npt.NDArray[Any]]] = {name: [getattr(each, name) for each in examples] for name in ARRAYS}
    sounds = [example.sound for example in examples if example.sound is not None]
    if sounds:
        columns |= {name: [getattr(sound, name) for sound in sounds] for name in SOUND_ARRAYS}
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name, parts in columns.items():
        arrays[name] = np.ascontiguousarray(np.concatenate(parts))  # the file format copies memory as it is laid out
        arrays[f"{name}_lengths"] = np.array([len(part) for part in parts], np.int64)
    strings = {name: json.dumps([getattr(example, name) for example in examples]) for name in STRINGS}
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(save(arrays, metadata=strings))


def load_examples(path: Path, with_sound: bool = True) -> list[TrainingExample]:
    """Return the examples in a file that `save_examples` wrote; raises `DamagedFile` for other files.

    If `with_sound` is False, the audio, which takes most of the memory, is left out.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            strings = {name: json.loads(file.metadata()[name]) for name in STRINGS}
            names = [name for name in file.keys() if name in ARRAYS or (with_sound and name in SOUND_ARRAYS)]  # noqa: SIM118
            columns = {name: _split(file.get_tensor(name), file.get_tensor(f"{name}_lengths")) for name in names}
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise DamagedFile(
            path, f"{path} is damaged.", "Delete the file; the next training run records it again."
        ) from error
    sounds = [Sound(*pair) for pair in zip(columns.pop("pcm", []), columns.pop("harmonics", []), strict=True)]
    rows = range(len(strings["text"]))
    return [
        TrainingExample(
            **{name: values[row] for name, values in (strings | columns).items()}, sound=sounds[row] if sounds else None
        )
        for row in rows
    ]


def _split(values: npt.NDArray[Any], lengths: npt.NDArray[np.int64]) -> list[npt.NDArray[Any]]:
    return np.split(values, np.cumsum(lengths)[:-1])
