"""The inverse STFT, from magnitudes and phases to samples, in numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.network.ops.harmonic_source import hann_window

Floats = NDArray[np.float32]


def inverse_stft(
    magnitude: Floats, phase: Floats, lengths: NDArray[np.integer], n_fft: int, hop: int, samples_per_frame: int
) -> NDArray[np.float32]:
    """Overlap and add the windowed inverse transforms, divided by the sum of squared windows, as `torch.istft`.

    `magnitude`, `phase` [batch, bins, columns], `lengths` [batch] valid frames of `samples_per_frame`. Only the columns
    of valid frames and the one that closes the last are read. Returns [batch, (columns - 1) * hop], 0 beyond the valid
    samples.
    """
    batch, _, columns = magnitude.shape
    result = np.zeros((batch, (columns - 1) * hop), np.float32)
    for batch_index, length in enumerate(lengths):
        samples = samples_per_frame * int(length)
        valid = slice(samples // hop + 1)
        spectrum = magnitude[batch_index, :, valid] * np.exp(1j * phase[batch_index, :, valid].astype(np.float64))
        result[batch_index, :samples] = _overlap_add(spectrum, n_fft, hop)
    return result


def _overlap_add(spectrum: NDArray[np.complexfloating], n_fft: int, hop: int) -> NDArray[np.float64]:
    columns = spectrum.shape[1]
    window = hann_window(n_fft)
    pieces = np.fft.irfft(spectrum, n_fft, axis=0) * window[:, None]
    total, weight = np.zeros((2, n_fft + hop * (columns - 1)))
    for column in range(columns):
        place = slice(column * hop, column * hop + n_fft)
        total[place] += pieces[:, column]
        weight[place] += window**2
    border = n_fft // 2
    samples: NDArray[np.float64] = total[border:-border] / weight[border:-border]
    return samples
