"""Which peers can run here; a whole benchmark, in test_measuring, shows that they run."""

import pytest

from engine.benchmark.job import kokoro_onnx_path
from engine.benchmark.peers import (
    HIBARI,
    KOKORO_ONNX_INT8,
    ONNX_RUNTIME,
    OPENVINO,
    OPENVINO_BFLOAT16,
    OPENVINO_STATIC,
    PEER_NAMES,
    PEERS,
    PYTORCH,
    TORCH_COMPILE,
    Surroundings,
    choose_peers,
)
from engine.errors import EngineError, InvalidRequest
from engine.models.checkpoints import FULL_SIZE, STARTER
from engine.system.paths import data_folder


def everything(name):
    return name


def nothing(name):
    return None


EMPTY = Surroundings(nothing, nothing, frozenset, lambda: kokoro_onnx_path() / "missing")


@pytest.fixture
def complete(tmp_path):
    path = tmp_path / "model.onnx"
    path.touch()
    return Surroundings(everything, everything, lambda: frozenset({"avx2", "avx512_bf16"}), lambda: path)


def test_no_peers_unless_asked_for():
    selection = choose_peers(None, surroundings=EMPTY)
    assert selection.names == ()
    assert selection.left_out == {}


@pytest.mark.parametrize(("model", "another"), [(FULL_SIZE, HIBARI), (STARTER, KOKORO_ONNX_INT8)])
def test_all_peers_that_can_run_except_models_of_another_size(complete, model, another):
    selection = choose_peers([], model, complete)
    assert selection.names == tuple(name for name in PEER_NAMES if name != another)
    assert list(selection.left_out) == [another]
    assert f"not with {model}" in selection.left_out[another]


def test_a_peer_that_cannot_run_is_left_out_with_the_reason():
    selection = choose_peers([], FULL_SIZE, EMPTY)
    assert selection.names == (PYTORCH,)
    assert "extra “bench”" in selection.left_out[ONNX_RUNTIME]
    assert "openvino" in selection.left_out[OPENVINO]
    assert "openvino" in selection.left_out[OPENVINO_STATIC]
    assert "C++ compiler" in selection.left_out[TORCH_COMPILE]


def test_bfloat16_needs_a_processor_that_multiplies_it():
    selection = choose_peers([], FULL_SIZE, Surroundings(package=everything, features=lambda: frozenset({"avx512f"})))
    assert OPENVINO in selection.names
    assert "avx512_bf16 or amx_bf16" in selection.left_out[OPENVINO_BFLOAT16]


@pytest.mark.parametrize("feature", ["avx512_bf16", "amx_bf16"])
def test_either_feature_will_do(feature):
    surroundings = Surroundings(package=everything, features=lambda: frozenset({feature}))
    assert OPENVINO_BFLOAT16 in choose_peers([], FULL_SIZE, surroundings).names


def test_a_whole_model_needs_its_file(tmp_path):
    path = tmp_path / "model.onnx"
    selection = choose_peers([], FULL_SIZE, Surroundings(package=everything, file=lambda: path))
    assert str(path) in selection.left_out[KOKORO_ONNX_INT8]


@pytest.mark.parametrize("missing", ["hibari", "onnxruntime", "scipy"])
def test_a_small_model_needs_all_that_makes_it_fast(missing):
    surroundings = Surroundings(package=lambda name: None if name == missing else name)
    assert missing in choose_peers([], STARTER, surroundings).left_out[HIBARI]


def test_the_file_of_the_whole_model_is_among_the_data():
    assert kokoro_onnx_path().parent == data_folder()


def test_lossy_peers_are_those_in_less_than_float32():
    assert {name for name, peer in PEERS.items() if peer.lossy} == {OPENVINO_BFLOAT16, KOKORO_ONNX_INT8, HIBARI}


@pytest.mark.parametrize("model", [FULL_SIZE, STARTER])
@pytest.mark.parametrize("name", [name for name in PEER_NAMES if name != PYTORCH])
def test_a_named_peer_that_cannot_run_is_an_error(name, model):
    with pytest.raises(EngineError, match=f"{name} cannot run here: .*\\. Put that right"):
        choose_peers([name], model, EMPTY)


def test_names_may_be_separated_by_commas(complete):
    selection = choose_peers(["pytorch,onnxruntime", "pytorch"], STARTER, complete)
    assert selection.names == (PYTORCH, ONNX_RUNTIME)


def test_an_unknown_peer_is_refused(complete):
    with pytest.raises(InvalidRequest, match="no peer “tensorflow”"):
        choose_peers(["tensorflow"], FULL_SIZE, complete)
