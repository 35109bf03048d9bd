"""The stages that predict prosody must be kokoro's predictor on each sequence."""

import pytest
import torch

from engine.network.exportable.prosody import Duration, PitchAndEnergy

COUNTS = torch.tensor([5, 2], dtype=torch.int32)


@pytest.mark.parametrize("batch_index", [0, 1])
def test_duration_is_kokoros(network, tiny_config, batch_index):
    generator = torch.Generator().manual_seed(0)
    features = torch.randn(2, tiny_config.hidden_dim, 5, generator=generator)
    style = torch.randn(2, tiny_config.style_dim, generator=generator)
    count = int(COUNTS[batch_index])
    predictor, one = network.predictor, slice(batch_index, batch_index + 1)
    with torch.no_grad():
        logits, prosody_features = Duration(network)(features, style, COUNTS)
        mask = torch.zeros(1, count, dtype=torch.bool)
        encoded = predictor.text_encoder(features[one, :, :count], style[one], torch.tensor([count]), mask)
        theirs = predictor.duration_proj(predictor.lstm(encoded)[0])
    torch.testing.assert_close(prosody_features[one, :count], encoded, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(logits[one, :count], theirs, atol=1e-5, rtol=1e-5)
    assert not logits[batch_index, count:].any()
    assert not prosody_features[batch_index, count:].any()


def test_frames_read_the_token_they_speak(network, tiny_config):
    """Frames of tokens in any order equal the same features laid out frame by frame."""
    generator = torch.Generator().manual_seed(0)
    features = torch.randn(1, 3, tiny_config.prosody_channels, generator=generator)
    style = torch.randn(1, tiny_config.style_dim, generator=generator)
    frame_token = torch.tensor([[2, 0, 0, 1]], dtype=torch.int32)
    in_order, count = torch.arange(4, dtype=torch.int32)[None], torch.tensor([4], dtype=torch.int32)
    stage = PitchAndEnergy(network)
    with torch.no_grad():
        gathered = stage(features, frame_token, style, count)
        laid_out = stage(features[:, [2, 0, 0, 1]], in_order, style, count)
    for ours, expected in zip(gathered, laid_out, strict=True):
        assert ours.shape == (1, 4, tiny_config.f0_values_per_frame)
        torch.testing.assert_close(ours, expected)


def test_pitch_and_energy_are_kokoros(network, tiny_config):
    generator = torch.Generator().manual_seed(0)
    features = torch.randn(1, 6, tiny_config.prosody_channels, generator=generator)
    style = torch.randn(1, tiny_config.style_dim, generator=generator)
    frame_token, count = torch.arange(6, dtype=torch.int32)[None], torch.tensor([6], dtype=torch.int32)
    with torch.no_grad():
        pitch, energy = PitchAndEnergy(network)(features, frame_token, style, count)
        theirs = network.predictor.F0Ntrain(features.transpose(1, 2), style)
    torch.testing.assert_close(pitch.flatten(1), theirs[0], atol=1e-3, rtol=1e-5)
    torch.testing.assert_close(energy.flatten(1), theirs[1], atol=1e-4, rtol=1e-5)
