"""Speech with each kind of edit: hashes of its samples, and features: `python -m tests.engine.runtime.golden_edits`.

This writes `golden_edits.json`; `make golden` runs it. The samples have the same hash only with the same modules; the
features agree on every machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.compiler.artifacts.manifest import CPU_DEVICE, Manifest, Variant
from engine.config import SAMPLE_RATE_HZ
from engine.models.checkpoints import STARTER, open_checkpoint
from engine.runtime.preparation.modules import find_modules
from engine.runtime.synthesizer import Synthesizer
from engine.speech import CurveEdit, PhonemeEdit, Respelling, SpeechRequest, Utterance, UtteranceEdit
from engine.validator.data.run_context import Build
from tests.starter_voices import FEMALE

FILE = Path(__file__).with_suffix(".json")
TEXT, PHONEMES = "A quick fox runs.", "ɐ kwˈɪk fˈɑks ɹˈʌnz."
UTTERANCE = Utterance(0, TEXT, PHONEMES, 0, len(TEXT))
NONE = UtteranceEdit(0, PHONEMES)
WORD = range(PHONEMES.index("f"), PHONEMES.index("s"))
BAND_HZ = (0, 250, 500, 1000, 2000, 4000, 8000, 12_000)


def changed(**change: Any) -> UtteranceEdit:
    """Return an edit that changes every phoneme of a word."""
    return replace(NONE, changes=tuple(PhonemeEdit(index, **change) for index in WORD))


KINDS = {
    "none": NONE,
    "frames": changed(frames=7),
    "stretch": changed(stretch=1.5),
    "pitch drawn": changed(pitch=CurveEdit(drawn=(180.0, 260.0))),
    "pitch scaled": changed(pitch=CurveEdit(scale=1.25)),
    "pitch shifted": changed(pitch=CurveEdit(shift=-30.0)),
    "energy": changed(energy=CurveEdit(scale=1.5)),
    "respelling": replace(NONE, respellings=(Respelling(WORD[0], WORD[-1] + 2, "kˈæt"),)),
    "gain": replace(NONE, gain_db=-6.0),
    "pause": replace(NONE, pause_seconds=0.75),
}


@dataclass(frozen=True)
class Spoken:
    """The SHA-256 of float32 samples, and their features.

    Those are durations in frames, the length in seconds, the median pitch in Hz, and the level of each of `BAND_HZ` in
    dB.
    """

    sha256: str
    frames: tuple[int, ...]
    seconds: float
    pitch_hz: float
    bands_db: tuple[float, ...]


def speak() -> Iterator[tuple[str, Spoken]]:
    """Yield each kind of edit with its speech, on the CPU with one thread."""
    with closing(Synthesizer(STARTER, CPU_DEVICE, threads=1)) as synthesizer:
        for kind, edit in KINDS.items():
            _, contours, chunk = synthesizer.edited(UTTERANCE, SpeechRequest(TEXT, FEMALE), edit)
            power = np.abs(np.fft.rfft(chunk.samples.astype(np.float64))) ** 2 / len(chunk.samples)
            places = np.searchsorted(np.fft.rfftfreq(len(chunk.samples), 1 / SAMPLE_RATE_HZ), BAND_HZ)
            bands = 10 * np.log10(np.add.reduceat(power, places[:-1]) + 1e-9)
            yield (
                kind,
                Spoken(
                    hashlib.sha256(chunk.samples.tobytes()).hexdigest(),
                    tuple(contours.frames.tolist()),
                    round(chunk.seconds, 3),
                    round(float(np.median(contours.pitch[contours.pitch > 0])), 2),
                    tuple(round(float(band), 2) for band in bands),
                ),
            )


def build_here() -> Build:
    """Return the build of the modules that speak on this machine."""
    folder = find_modules(open_checkpoint().config, Variant(CPU_DEVICE)).folder
    assert folder is not None
    return Build.of(Manifest.load(folder).identity)


def main() -> None:
    """Write the file."""
    lines = [f' "{kind}": {json.dumps(asdict(each))}' for kind, each in speak()]
    content = f'{{"build": {json.dumps(asdict(build_here()))}, "spoken": {{\n' + ",\n".join(lines) + "\n}}\n"
    FILE.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
