import pytest

from engine.system.durations import duration_words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (2, "a few seconds"),
        (41, "about 40 seconds"),
        (55, "about 1 minute"),
        (200, "about 3 minutes"),
        (3300, "about 1 hour"),
        (9000, "about 2 hours"),
    ],
)
def test_durations_are_only_guessed(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words
