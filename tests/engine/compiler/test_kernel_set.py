import dataclasses

import pytest

from engine.compiler.target_kernels import metal_kernels


def test_a_set_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        metal_kernels().linear = None
