from tvm import tirx

from engine.kernels.epilogue import Epilogue


def test_nothing_is_done_by_none():
    value = tirx.const(1.5, "float32")
    assert Epilogue.NONE.apply(value) is value


def test_a_gelu_is_computed_from_the_value():
    value = tirx.Var("x", "float32")
    assert "x" in str(Epilogue.GELU_TANH.apply(value))
    assert not Epilogue.GELU_TANH.apply(value).same_as(value)
