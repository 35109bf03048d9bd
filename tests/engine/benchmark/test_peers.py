"""Which peers can run here; a whole benchmark, in test_measuring, shows that they run."""

import pytest

from engine.benchmark.job import kokoro_onnx_path
from engine.benchmark.peers import (
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
from engine.model_store.checkpoints import FULL_SIZE, STARTER
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


def test_all_peers_that_can_run(complete):
    selection = choose_peers([], FULL_SIZE, complete)
    assert selection.names == PEER_NAMES
    assert selection.left_out == {}


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


def test_a_whole_model_is_compared_with_its_own_architecture_only(complete):
    assert choose_peers([], STARTER, complete).left_out == {
        KOKORO_ONNX_INT8: "its file is of kokoro-82m, which starter is not"
    }


def test_the_file_of_the_whole_model_is_among_the_data():
    assert kokoro_onnx_path().parent == data_folder()


def test_lossy_peers_are_those_in_less_than_float32():
    assert {name for name, peer in PEERS.items() if peer.lossy} == {OPENVINO_BFLOAT16, KOKORO_ONNX_INT8}


@pytest.mark.parametrize("name", [name for name in PEER_NAMES if name != PYTORCH])
def test_a_named_peer_that_cannot_run_is_an_error(name):
    with pytest.raises(EngineError, match=f"{name} cannot run here: .*\\. Put that right"):
        choose_peers([name], FULL_SIZE, EMPTY)


def test_names_may_be_separated_by_commas(complete):
    selection = choose_peers(["pytorch,onnxruntime", "pytorch"], STARTER, complete)
    assert selection.names == (PYTORCH, ONNX_RUNTIME)


def test_an_unknown_peer_is_refused(complete):
    with pytest.raises(InvalidRequest, match="no peer “tensorflow”"):
        choose_peers(["tensorflow"], FULL_SIZE, complete)
