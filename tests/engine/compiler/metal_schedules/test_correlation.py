from engine.compiler.metal_schedules.correlation import Correlation


def test_rows_are_channels_and_phases():
    assert Correlation(8, 20, 2, 1, 1, 1, upsampling=10).row_count == 200


def test_a_slab_has_strides_and_halo():
    assert Correlation(8, 20, 3, 5, 1, 5).slab(1) == 11
    assert Correlation(8, 20, 3, 1, 6, 1).slab(4) == 21
