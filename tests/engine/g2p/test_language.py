"""The two languages and no other."""

import pytest

from engine.errors import InvalidRequest
from engine.g2p.language import AMERICAN, BRITISH, language_of


def test_tags_name_languages() -> None:
    assert language_of("en-US") is AMERICAN
    assert language_of("en-GB") is BRITISH


def test_only_the_british_put_the_day_first() -> None:
    assert (AMERICAN.day_first, BRITISH.day_first) == (False, True)


@pytest.mark.parametrize("tag", ["", "en", "en-us", "de-DE"])
def test_other_tags_are_refused(tag: str) -> None:
    with pytest.raises(InvalidRequest, match="en-US or en-GB"):
        language_of(tag)
