import gc

import numpy as np
import pytest

from engine.runners import readings as module
from engine.runners.readings import Readings


class Tensor:
    """Stands for one of the device."""


def remembered(readings: Readings, size: int = 4) -> tuple[np.ndarray, Tensor]:
    array, tensor = np.zeros(size, np.uint8), Tensor()
    readings.remember(array, tensor)
    return array, tensor


def test_an_array_is_known_by_its_identity() -> None:
    readings = Readings()
    (array, tensor), (other, _) = remembered(readings), remembered(readings)
    assert readings.tensor(array) is tensor
    assert readings.tensor(other) is not tensor
    assert readings.tensor(array.copy()) is None
    assert readings.tensor(array[:]) is None


def test_an_array_that_can_be_written_to_is_not_known() -> None:
    readings = Readings()
    array, _ = remembered(readings)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    array.flags.writeable = True
    assert readings.tensor(array) is None


def test_a_new_array_in_the_place_of_an_old_one_is_not_taken_for_it() -> None:
    readings = Readings()
    for _ in range(100):
        array, _ = remembered(readings)
        del array
        fresh = np.zeros(4, np.uint8)
        fresh.flags.writeable = False
        assert readings.tensor(fresh) is None


def test_a_tensor_goes_after_its_array(monkeypatch: pytest.MonkeyPatch) -> None:
    readings, gone = Readings(), []
    monkeypatch.setattr(Tensor, "__del__", lambda self: gone.append(self), raising=False)
    array, _ = remembered(readings)
    readings.forget_old()
    gc.collect()
    assert gone == []
    del array, _
    readings.forget_old()
    gc.collect()
    assert len(gone) == 1


def test_the_oldest_go_first_where_there_are_too_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_BYTES", 10)
    readings = Readings()
    arrays = [remembered(readings, size)[0] for size in (4, 4, 4)]
    readings.forget_old()
    assert [readings.tensor(array) is not None for array in arrays] == [False, True, True]
