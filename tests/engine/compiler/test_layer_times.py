from engine.compiler.layer_times import ConvolutionLayer


def test_a_multiplication_and_an_addition_count_per_weight_and_output():
    layer = ConvolutionLayer(3, 5, 4, stride=2, padding=1, dilation=3, is_transposed=False, length=20)
    assert layer.flop == 2 * 3 * 5 * 4 * 7


def test_a_transposed_one_uses_every_weight_at_every_input():
    layer = ConvolutionLayer(3, 5, 4, stride=2, padding=1, dilation=1, is_transposed=True, length=20)
    assert layer.flop == 2 * 3 * 5 * 4 * 20
