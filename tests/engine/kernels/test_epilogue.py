from tvm import tirx

from engine.kernels.epilogue import Epilogue


def test_an_empty_epilogue_changes_nothing():
    value = tirx.const(1.5, "float32")
    assert Epilogue().activated(Epilogue().scaled(value)) is value


def test_a_gelu_is_computed_from_the_value():
    value = tirx.Var("x", "float32")
    assert "x" in str(Epilogue(has_gelu=True).activated(value))
    assert not Epilogue(has_gelu=True).activated(value).same_as(value)


def test_missing_operands_go_by_their_names():
    assert Epilogue().missing == ("bias", "residual")
    assert Epilogue(has_bias=True).missing == ("residual",)
    assert Epilogue(has_residual=True).missing == ("bias",)
    assert Epilogue(has_bias=True, has_residual=True).missing == ()
