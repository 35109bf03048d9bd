"""Measures how closely speech follows its pitch curve: `python -m tests.engine.runtime.edited_pitch MODEL VOICE...`.

WORLD (pyworld) tracks the pitch of the excitation and of the audio. It is compared with the curve that the decoder was
given, for the model's own curve and for drawn ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyworld
from numpy.typing import NDArray

from engine.config import SAMPLE_RATE_HZ
from engine.models.checkpoints import LEAD_SECONDS
from engine.runtime.synthesizer import Synthesizer
from engine.speech import Contours, CurveEdit, Event, PhonemeEdit, SpeechRequest, StageEvent, UtteranceEdit

TEXT = "The quick brown fox jumps over the lazy dog, and nobody wonders why."
OWN = "model’s own"
CURVES: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "flat": np.ones_like,
    "rising": lambda place: 0.8 + 0.4 * place,
    "falling": lambda place: 1.2 - 0.4 * place,
    "wave": lambda place: 1 + 0.15 * np.sin(6 * np.pi * place),
}
"""Drawn curves, as factors of the median pitch; `place` is 0 at the start of the utterance and 1 at its end."""
SAMPLES_PER_VALUE = 300
MIN_HZ, HIGHEST_HZ = 60.0, 500.0
FEWEST = 4
"""The fewest values of a phoneme of which the median is taken."""
INSIDE = 3
"""The number of voiced values on both sides of one that is compared: WORLD's windows are that long."""
GROSS_CENTS = 200.0
"""A larger distance is a tracking error, such as a wrong octave, or a creaking voice."""


@dataclass(frozen=True)
class Fit:
    """Distances of a pitch track from a curve, in cents, without gross errors.

    They are the root mean square and the median of all values, and the root mean square of the medians of phonemes.
    """

    rms: float
    median: float
    phoneme_rms: float
    gross_share: float
    values: int


@dataclass(frozen=True)
class RecordedSpeech:
    """An utterance with a pitch curve: its contours, the excitation and the audio on the time of the contours."""

    contours: Contours
    excitation: NDArray[np.float64]
    audio: NDArray[np.float64]

    def fit_of(self, samples: NDArray[np.float64], delay: int = 0) -> Fit:
        """Compare the pitch of samples with the curve, delayed by a number of values."""
        curve = np.roll(self.contours.pitch.astype(np.float64), delay)
        voiced = curve > 0
        for step in range(1, INSIDE + 1):
            voiced &= np.roll(curve, step) > 0
            voiced &= np.roll(curve, -step) > 0
        found = tracked(samples)[: len(curve)]
        compared = voiced & (found > 0)
        cents = 1200 * np.log2(found[compared] / curve[compared])
        is_fine = np.abs(cents) < GROSS_CENTS
        fine, owner = cents[is_fine], self._phonemes[: len(curve)][compared][is_fine]
        medians = [np.median(fine[owner == each]) for each in set(owner) if np.sum(owner == each) >= FEWEST]
        return Fit(_rms(fine), float(np.median(np.abs(fine))), _rms(medians), float(1 - is_fine.mean()), len(cents))

    @property
    def _phonemes(self) -> NDArray[np.int64]:
        """The phoneme of each value of the curve, -1 before the first and after the last."""
        frames = self.contours.frames
        inner = np.repeat(np.arange(len(frames)), 2 * frames)
        lead = np.full(2 * self.contours.lead_frames, -1)
        return np.concatenate([lead, inner, np.full(len(self.contours.pitch) - len(lead) - len(inner), -1)])


def tracked(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pitch of samples in Hz, 0 where unvoiced, at each value of a curve."""
    milliseconds = 1000 * SAMPLES_PER_VALUE / SAMPLE_RATE_HZ
    coarse, times = pyworld.dio(samples, SAMPLE_RATE_HZ, f0_floor=MIN_HZ, f0_ceil=HIGHEST_HZ, frame_period=milliseconds)
    return pyworld.stonemask(samples, coarse, times, SAMPLE_RATE_HZ)


def shifted_by(synthesizer: Synthesizer, voice: str, cents: float) -> float:
    """Return the median distance in cents between the audio with a higher or lower pitch and that without edits."""
    request = SpeechRequest(TEXT, voice, seed=1)  # stages of speech that was followed are cached
    *_, plan = synthesizer.plans(request)
    utterance = plan.utterances[0]
    scaled = CurveEdit(scale=2 ** (cents / 1200))
    changes = tuple(PhonemeEdit(index, pitch=scaled) for index in range(len(utterance.phonemes)))
    tracks = []
    for edited in ((), changes):
        edit = UtteranceEdit(utterance.start, utterance.phonemes, changes=edited)
        _, _, chunk = synthesizer.edited(utterance, request, edit)
        tracks.append(tracked(chunk.samples.astype(np.float64)))
    one, other = (track[: min(map(len, tracks))] for track in tracks)
    both = (one > 0) & (other > 0)
    distances = 1200 * np.log2(other[both] / one[both])
    return float(np.median(distances[np.abs(distances - cents) < GROSS_CENTS]))


def _rms(cents: Sequence[float] | NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(np.square(cents))))


def follow(synthesizer: Synthesizer, voice: str) -> Iterator[tuple[str, RecordedSpeech]]:
    """Yield the speech of a voice with its own curve, then with each of `CURVES`."""
    request = SpeechRequest(TEXT, voice)
    *_, plan = synthesizer.plans(request)
    utterance = plan.utterances[0]
    edit = UtteranceEdit(utterance.start, utterance.phonemes)

    def followed(changes: tuple[PhonemeEdit, ...]) -> RecordedSpeech:
        sources: list[NDArray[np.float64]] = []

        def observe(event: Event) -> None:
            if isinstance(event, StageEvent) and event.stage == "source":
                sources.append(_waveform(next(iter(event.arrays.values()))[0].astype(np.float64)))

        changed, contours, chunk = synthesizer.edited(
            utterance, request, UtteranceEdit(edit.start, edit.phonemes, changes=changes), observe
        )
        frames = contours.lead_frames + np.concatenate([[0], np.cumsum(contours.frames)])
        edges = 2 * SAMPLES_PER_VALUE * frames
        written, spoken = changed.words[1], chunk.words[1]  # silence is trimmed at both ends
        missing = edges[written.end_phoneme] - round(LEAD_SECONDS * SAMPLE_RATE_HZ) - spoken.end_sample
        length = len(contours.pitch) * SAMPLES_PER_VALUE
        audio = np.concatenate([np.zeros(max(0, missing)), chunk.samples[max(0, -missing) :], np.zeros(length)])
        return RecordedSpeech(contours, sources[-1], audio[:length].astype(np.float64))

    own = followed(())
    yield OWN, own
    median = float(np.median(own.contours.pitch[own.contours.pitch > 0]))
    ends = np.cumsum(own.contours.frames)
    for name, curve in CURVES.items():
        changes = []
        for index, (end, frames) in enumerate(zip(ends, own.contours.frames, strict=True)):
            place = np.linspace(end - frames, end, 2 * frames) / ends[-1]
            changes.append(PhonemeEdit(index, pitch=CurveEdit(drawn=tuple((median * curve(place)).tolist()))))
        yield name, followed(tuple(changes))


def _waveform(spectrum: NDArray[np.float64], hop: int = 5) -> NDArray[np.float64]:
    """Return the waveform with an STFT, given as magnitudes, then phases [n_fft + 2, columns]."""
    bins = len(spectrum) // 2
    n_fft = 2 * (bins - 1)
    columns = np.fft.irfft(spectrum[:bins] * np.exp(1j * spectrum[bins:]), n_fft, axis=0)
    window = np.hanning(n_fft + 1)[:-1]
    length = hop * (columns.shape[1] - 1) + n_fft
    sound, weight = np.zeros(length), np.zeros(length)
    for column in range(columns.shape[1]):
        place = slice(hop * column, hop * column + n_fft)
        sound[place] += columns[:, column] * window
        weight[place] += window**2
    return (sound / np.maximum(weight, 1e-6))[n_fft // 2 : length - n_fft // 2]


def main(model: str, voices: list[str]) -> None:
    """Print a table of the distances in cents."""
    synthesizer = Synthesizer(model, "cpu")
    for voice in voices:
        for name, followed in follow(synthesizer, voice):
            for signal, samples in (("excitation", followed.excitation), ("audio", followed.audio)):
                fit = followed.fit_of(samples)
                sys.stdout.write(
                    f"{voice:<12}{name:<13}{signal:<12}rms {fit.rms:5.1f}  median {fit.median:5.1f}  "
                    f"phonemes {fit.phoneme_rms:5.1f}  gross {fit.gross_share:6.1%} of {fit.values}\n"
                )
    synthesizer.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
