from tests.work import calls_of


def one() -> None:
    """A function."""


def twice() -> None:
    one()
    one()


def test_calls_are_counted_with_those_that_they_make():
    assert calls_of(twice) == calls_of(one) + 2
