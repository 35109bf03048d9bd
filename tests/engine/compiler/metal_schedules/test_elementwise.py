import numpy as np
import pytest

from engine.compiler.metal_schedules.elementwise import exponential, sine
from tests.engine.metal_kernels import GROUP, built


@pytest.mark.parametrize(("factory", "function"), [(sine, np.sin), (exponential, np.exp)])
def test_values_equal_numpys(factory, function):
    x = np.linspace(-80, 80, 1001).astype(np.float32)
    result = built(factory(GROUP))(x.shape, x)
    np.testing.assert_allclose(result, function(x.astype(np.float64)), rtol=5e-7, atol=3e-7)
