import pytest

from engine.benchmark.peers import ONNX_RUNTIME, PEER_NAMES, PYTORCH, TORCH_COMPILE, choose_peers
from engine.errors import EngineError, InvalidRequest


def everything(name):
    return name


def nothing(name):
    return None


def test_nobody_unless_asked():
    selection = choose_peers(None, nothing, nothing)
    assert selection.names == ()
    assert selection.left_out == {}


def test_everybody_who_can_run():
    selection = choose_peers([], everything, everything)
    assert selection.names == PEER_NAMES
    assert selection.left_out == {}


def test_who_cannot_run_is_left_out_and_it_is_said_why():
    selection = choose_peers([], nothing, nothing)
    assert selection.names == (PYTORCH,)
    assert "extra “bench”" in selection.left_out[ONNX_RUNTIME]
    assert "C++ compiler" in selection.left_out[TORCH_COMPILE]


@pytest.mark.parametrize("name", [ONNX_RUNTIME, TORCH_COMPILE])
def test_somebody_named_who_cannot_run_is_an_error(name):
    with pytest.raises(EngineError, match=f"{name} cannot run here: .*\\. Install"):
        choose_peers([name], nothing, nothing)


def test_names_may_be_separated_by_commas():
    assert choose_peers(["pytorch,onnxruntime", "pytorch"], everything, nothing).names == (PYTORCH, ONNX_RUNTIME)


def test_an_unknown_peer_is_refused():
    with pytest.raises(InvalidRequest, match="no peer “tensorflow”"):
        choose_peers(["tensorflow"], everything, everything)
