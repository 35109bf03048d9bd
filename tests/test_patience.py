import pytest

from tests.patience import wait_until


def test_it_looks_until_it_has_happened():
    looks = iter([False, False, True])
    wait_until(lambda: next(looks), "the third look")
    assert next(looks, None) is None


def test_a_condition_that_never_occurs_is_named():
    with pytest.raises(TimeoutError, match="Godot"):
        wait_until(lambda: False, "Godot", within_seconds=0)
