"""The stages that make sound must hang together as kokoro's decoder does."""

import torch

from engine.network.exportable.speech import Decoder, Source, Waveform
from engine.network.reference import InjectedNoise

FRAMES = 4


def test_source_decoder_and_waveform_are_kokoros_decoder(network, tiny_config):
    """Unvoiced, so that the source is nothing but the injected noise and upstream's float32 phases play no part."""
    generator = torch.Generator().manual_seed(0)
    phonemes = torch.randn(1, tiny_config.hidden_dim, FRAMES, generator=generator)
    f0, energy = torch.zeros(1, FRAMES, 2), torch.randn(1, FRAMES, 2, generator=generator)
    timbre = torch.randn(1, tiny_config.style_dim, generator=generator)
    noise = torch.randn(1, FRAMES, tiny_config.samples_per_frame, tiny_config.harmonic_count, generator=generator)
    frame_token = torch.arange(FRAMES, dtype=torch.int32)[None]
    count = torch.tensor([FRAMES], dtype=torch.int32)
    with torch.no_grad():
        (harmonics,) = Source(network)(f0, noise, count)
        magnitude, phase = Decoder(network)(phonemes, frame_token, f0, energy, timbre, count, harmonics)
        (audio,) = Waveform(network)(magnitude, phase, count)
        with InjectedNoise(noise.flatten(1, 2)):
            theirs = network.decoder(phonemes, f0.flatten(1), energy.flatten(1), timbre)
    correlation = torch.corrcoef(torch.stack([audio.flatten(), theirs.flatten()]))[0, 1]
    assert correlation > 0.99
    assert audio.shape == (1, FRAMES * tiny_config.samples_per_frame)


def test_shapes_follow_the_config(network, tiny_config):
    count = torch.tensor([2], dtype=torch.int32)
    noise = torch.zeros(1, 2, tiny_config.samples_per_frame, tiny_config.harmonic_count)
    with torch.no_grad():
        (harmonics,) = Source(network)(torch.full((1, 2, 2), 100.0), noise, count)
    columns = 2 * tiny_config.stft_frames_per_frame + 1
    assert harmonics.shape == (1, tiny_config.harmonics_channels, columns)
