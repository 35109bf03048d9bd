import pytest

from app.reader.reading_time import CHARACTERS_PER_MINUTE, reading_time


@pytest.mark.parametrize(
    ("minutes", "speed", "words"), [(0, 1.0, "1 min"), (59, 1.0, "59 min"), (250, 2.0, "2 h 5 min")]
)
def test_times_are_in_hours_and_minutes(minutes: int, speed: float, words: str) -> None:
    assert reading_time(minutes * CHARACTERS_PER_MINUTE, speed) == words
