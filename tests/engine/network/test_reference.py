"""The reference, stage after stage, must be kokoro's model, and leave it as it was."""

import copy
import dataclasses
import warnings
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from kokoro.model import KModel

from engine.config import ModelConfig
from engine.network.architecture import Network, build_network
from engine.network.ops.harmonic_source import exact_waveform
from engine.network.random_weights import PITCH_HZ, network_with, random_weights
from engine.network.reference import FEW_FRAMES, Arithmetic, InjectedNoise, Reference
from engine.runtime.runners.base import cropped
from engine.runtime.runners.torch_runner import ReferenceRunner
from engine.stages import DEVICE_STAGES, Stage, stage_named
from tests.engine.network.utterances import Values, all_values, correlation, noise_for, opening

KOKORO_STYLE_DIM = 128
"""`KModel.forward_with_tokens` cuts the voice there."""
each_stage = pytest.mark.parametrize("stage", DEVICE_STAGES, ids=attrgetter("name"))


@pytest.fixture(scope="module")
def values(tiny_config: ModelConfig, truth: ReferenceRunner) -> Values:
    return all_values(tiny_config, truth, opening(tiny_config, [6]))


def inputs_of(stage: Stage, values: Values) -> Values:
    return {tensor.name: values[tensor.name] for tensor in stage.inputs}


def test_all_stages_in_a_row_are_kokoros_model(tiny_config):
    config = dataclasses.replace(tiny_config, style_dim=KOKORO_STYLE_DIM)
    network = network_with(config, random_weights(config, 0))
    start = opening(config, [9])
    ours = all_values(config, ReferenceRunner(Reference(network, Arithmetic.UPSTREAM)), start)
    voice = torch.from_numpy(np.concatenate([start["timbre"], start["prosody"]], axis=1))
    frames = int(ours["frame_count"][0])
    with InjectedNoise(torch.from_numpy(noise_for(config, frames)).flatten(1, 2)):
        audio, durations = network.forward_with_tokens(torch.from_numpy(start["tokens"]).long(), voice)
    assert durations.tolist() == np.bincount(ours["frame_token"][0], minlength=9).tolist()
    np.testing.assert_allclose(ours["audio"][0], audio, atol=1e-5)


@pytest.mark.parametrize("frames", [1, 2, FEW_FRAMES, FEW_FRAMES + 1])
def test_the_decoder_of_few_frames_is_float64(tiny_config, frames):
    network = network_with(tiny_config, random_weights(tiny_config, 0))
    reference, decoder = Reference(network), stage_named("decoder")
    whole = all_values(tiny_config, ReferenceRunner(reference), opening(tiny_config, [6]))
    whole["frame_count"] = np.array([frames], np.int32)
    first = {
        tensor.name: cropped(tiny_config, tensor, whole[tensor.name][0], {"frames": frames})[None]
        for tensor in decoder.inputs
    }
    seen: Values = {}
    reference.run_stage("decoder", first, seen.__setitem__)
    assert {array.dtype for array in seen.values()} == {np.dtype(np.float64 if frames <= FEW_FRAMES else np.float32)}
    assert next(network.decoder.parameters()).dtype == torch.float32


@dataclass(frozen=True)
class Pitch:
    """The pitch of one utterance in Hz, flat.

    `exact` is that of kokoro's whole model in float64, `unrounded` the reference's without the rounding between stages.
    """

    exact: np.ndarray
    unrounded: np.ndarray
    truth: np.ndarray
    upstream: np.ndarray


@pytest.fixture(scope="module")
def pitch(tiny_config: ModelConfig) -> Pitch:
    config = dataclasses.replace(tiny_config, style_dim=KOKORO_STYLE_DIM)
    network = network_with(config, random_weights(config, 0))
    start = opening(config, [60])
    truth, upstream = (
        all_values(config, ReferenceRunner(Reference(network, arithmetic)), start)
        for arithmetic in (Arithmetic.FLOAT64, Arithmetic.UPSTREAM)
    )
    return Pitch(
        exact_pitch_hz(network, start),
        unrounded_pitch_hz(network, truth),
        *(values["f0"].ravel() for values in (truth, upstream)),
    )


def exact_pitch_hz(network: Network, start: Values) -> np.ndarray:
    whole, reached = copy.deepcopy(network).double(), []
    whole.decoder.forward = lambda features, f0, energy, timbre: reached.append(f0) or torch.zeros(1)
    voice = torch.from_numpy(np.concatenate([start["timbre"], start["prosody"]], axis=1)).double()
    torch.set_default_dtype(torch.float64)
    try:
        whole.forward_with_tokens(torch.from_numpy(start["tokens"]).long(), voice)
    finally:
        torch.set_default_dtype(torch.float32)
    return reached[0].numpy().ravel()


def unrounded_pitch_hz(network: Network, truth: Values) -> np.ndarray:
    reference, values = Reference(network), {name: torch.from_numpy(array) for name, array in truth.items()}
    with torch.no_grad():
        for stage in map(stage_named, ("bert", "duration", "f0n")):
            outputs = reference.compute(stage.name, *(values[tensor.name] for tensor in stage.inputs))
            values |= {tensor.name: output for tensor, output in zip(stage.outputs, outputs, strict=True)}
    return values["f0"].numpy().ravel()


def test_the_truths_stages_are_kokoros_model_in_float64(pitch):
    np.testing.assert_allclose(pitch.unrounded, pitch.exact, rtol=0, atol=1e-9)


def test_rounding_between_stages_costs_the_reference_less_than_a_float32_step(pitch):
    step_hz = np.spacing(np.float32(PITCH_HZ))
    assert rms(pitch.truth - pitch.exact) < step_hz
    assert rms(pitch.upstream - pitch.exact) > 5 * step_hz


def test_float64_source_is_close_to_upstreams_where_phases_are_short(tiny_config, truth, upstream):
    """Compared as complex numbers: at the border of plus and minus pi the phase alone may jump."""
    stage = stage_named("source")
    f0 = np.linspace(90, 140, 6, dtype=np.float32).reshape(1, 3, 2)
    inputs = {"f0": f0, "source_noise": noise_for(tiny_config, 3), "frame_count": np.array([3], np.int32)}
    exact, single = (runner.run_stage(stage, inputs)["harmonics"] for runner in (truth, upstream))
    spectra = [parts[0] * np.exp(1j * parts[1]) for parts in (np.split(exact, 2, 1), np.split(single, 2, 1))]
    np.testing.assert_allclose(*spectra, atol=1e-3)


@each_stage
def test_a_run_gives_the_declared_outputs_and_repeats_itself(stage, tiny_config, truth, values):
    again = truth.run_stage(stage, inputs_of(stage, values))
    lengths = {"tokens": 6, "frames": int(values["frame_count"][0])}
    for tensor in stage.outputs:
        assert again[tensor.name].shape == tensor.shape(tiny_config, 1, lengths)
        np.testing.assert_array_equal(again[tensor.name], values[tensor.name])


@each_stage
def test_a_run_leaves_network_and_torch_as_they_were(stage, network, truth, upstream, values):
    modules, hooks = dict(network.named_modules()), hook_count(network)
    random_state, draw = torch.get_rng_state(), torch.randn_like
    for runner in (truth, upstream):
        runner.run_stage(stage, inputs_of(stage, values))
    assert all(module is modules[path] for path, module in network.named_modules())
    assert hook_count(network) == hooks
    assert all(parameter.dtype == torch.float32 for parameter in network.parameters())
    assert torch.equal(torch.get_rng_state(), random_state)
    assert torch.randn_like is draw


def test_the_network_is_whole_again_after_an_error(network, values):
    stft = network.decoder.generator.stft
    broken = dict(inputs_of(stage_named("decoder"), values), energy=values["energy"][:, :1])
    with pytest.raises(RuntimeError):
        Reference(network).run_stage("decoder", broken)
    assert network.decoder.generator.stft is stft


@each_stage
def test_every_declared_probe_is_observed(stage, network, values):
    seen: dict[str, np.ndarray] = {}
    Reference(network).run_stage(stage.name, inputs_of(stage, values), seen.__setitem__)
    for probe in stage.probes:
        head, _, tail = probe.module.partition("*")
        matching = [path for path in seen if path.startswith(head) and path.endswith(tail)]
        assert matching, probe
        assert all(len(seen[path]) == 1 and np.isfinite(seen[path]).all() for path in matching)
    assert bool(seen) == bool(stage.probes)


@each_stage
def test_observed_arrays_stay_unchanged(stage, network, values):
    """kokoro's generator adds to some of its modules' outputs in place."""
    seen: list[tuple[np.ndarray, np.ndarray]] = []
    Reference(network).run_stage(
        stage.name, inputs_of(stage, values), lambda _, array: seen.append((array, np.array(array, copy=True)))
    )
    assert all(np.array_equal(array, at_first) for array, at_first in seen)


def test_the_source_probe_shows_the_exact_waveform(network, values):
    seen: dict[str, np.ndarray] = {}
    Reference(network).run_stage("source", inputs_of(stage_named("source"), values), seen.__setitem__)
    merging = network.decoder.generator.m_source.l_linear
    exact = exact_waveform(values["f0"][0], values["source_noise"][0], merging.weight.numpy(), merging.bias.numpy())
    np.testing.assert_array_equal(seen["decoder.generator.m_source"].ravel(), exact)


def test_upstream_is_close_but_not_equal_to_the_reference(tiny_config, upstream, values):
    """Upstream's float32 is a separate regime: close, not equal."""
    theirs = all_values(tiny_config, upstream, opening(tiny_config, [6]))
    assert 0.5 < correlation(theirs["audio"], values["audio"]) < 1


def rms(array: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(array, dtype=np.float64))))


def hook_count(network: Network) -> int:
    return sum(len(module._forward_hooks) for module in network.modules())


KOKORO_82M: dict[str, Any] = {
    "istftnet": {
        "upsample_kernel_sizes": [20, 12],
        "upsample_rates": [10, 6],
        "gen_istft_hop_size": 5,
        "gen_istft_n_fft": 20,
        "resblock_dilation_sizes": [[1, 3, 5], [1, 3, 5], [1, 3, 5]],
        "resblock_kernel_sizes": [3, 7, 11],
        "upsample_initial_channel": 512,
    },
    "dim_in": 64,
    "dropout": 0.2,
    "hidden_dim": 512,
    "max_conv_dim": 512,
    "max_dur": 50,
    "multispeaker": True,
    "n_layer": 3,
    "n_mels": 80,
    "n_token": 178,
    "style_dim": 128,
    "text_encoder_kernel_size": 5,
    "plbert": {
        "hidden_size": 768,
        "num_attention_heads": 12,
        "intermediate_size": 2048,
        "max_position_embeddings": 512,
        "num_hidden_layers": 12,
        "dropout": 0.1,
    },
    "vocab": {",": 3, ".": 4, " ": 16, "a": 43, "b": 44},
}


def narrow_config() -> ModelConfig:
    values = copy.deepcopy(KOKORO_82M)
    values.update(hidden_dim=32, n_layer=1)
    values["plbert"].update(hidden_size=32, num_attention_heads=2, intermediate_size=32, num_hidden_layers=1)
    values["istftnet"].update(
        upsample_initial_channel=16,
        resblock_kernel_sizes=[3],
        resblock_dilation_sizes=[[1, 3, 5]],
        decoder_dim=24,
        asr_res_dim=8,
    )
    return ModelConfig.from_dict(values)


@pytest.fixture
def empty_checkpoint(tmp_path: Path) -> Path:
    path = tmp_path / "empty.pth"
    torch.save({}, path)
    return path


def shapes(module: torch.nn.Module) -> dict[str, torch.Size]:
    return {key: tensor.shape for key, tensor in module.state_dict().items()}


def test_defaults_reproduce_kokoro(empty_checkpoint):
    with torch.device("meta"):
        ours = build_network(ModelConfig.from_dict(KOKORO_82M))
        theirs = KModel(repo_id="hexgrad/Kokoro-82M", config=KOKORO_82M, model=str(empty_checkpoint))
    assert shapes(ours) == shapes(theirs)
    assert str(ours.decoder).replace("NetworkDecoder", "Decoder") == str(theirs.decoder)


def test_narrow_network_speaks_whole_frames():
    config = narrow_config()
    network = build_network(config)
    style = torch.zeros(1, 2 * config.style_dim)
    audio, durations = network.forward_with_tokens(torch.tensor([[0, 43, 44, 0]]), style)
    assert audio.shape == (int(durations.sum()) * config.samples_per_frame,)
    assert torch.isfinite(audio).all()


def test_widths_come_from_the_config():
    sizes = shapes(build_network(narrow_config()).decoder)
    assert sizes["encode.conv1.bias"] == (24,)
    assert sizes["asr_res.0.bias"] == (8,)
    assert sizes["decode.3.conv2.bias"] == (16,)


def test_built_network_is_ready_for_inference():
    network = build_network(narrow_config())
    assert isinstance(network, Network)
    assert not any(module.training for module in network.modules())


def test_torch_warnings_about_kokoro_modules_are_suppressed(tiny_config):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build_network(tiny_config)
