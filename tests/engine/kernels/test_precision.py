import numpy as np

from engine.kernels.precision import Precision


def test_precisions_are_named_as_types_are():
    assert [np.dtype(str(precision)).itemsize for precision in Precision] == [4, 2]
