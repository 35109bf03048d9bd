"""Roman numerals only where they are certain."""

import pytest

from engine.g2p.draft import Draft
from engine.g2p.roman import RULES, roman
from engine.languages import AMERICAN


@pytest.mark.parametrize(
    ("letters", "value"), [("I", 1), ("IV", 4), ("VIII", 8), ("IX", 9), ("XIV", 14), ("XL", 40), ("XCIX", 99)]
)
def test_values(letters: str, value: int) -> None:
    assert roman(letters) == value


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Henry VIII", "Henry the eighth"),
        ("Elizabeth II's", "Elizabeth the second's"),
        ("World War II", "World War two"),
        ("Chapter IV", "Chapter four"),
        ("Part I", "Part one"),
        ("James I of England", "James the first of England"),
        ("in part I think", "in part I think"),
        ("then James I know", "then James I know"),
        ("Chapter IIII", "Chapter IIII"),
        ("Louis C", "Louis C"),
        ("I am VI", "I am VI"),
        ("Henry I'm", "Henry I'm"),
        ("Star Trek III.", "Star Trek three."),
        ("an IV drip, MIX, XL", "an IV drip, MIX, XL"),
        ("Scene iii, page iv", "Scene three, page four"),
        ("the part i like, type x", "the part i like, type x"),
        ("(ii) of f(xi)", "(two) of f(xi)"),
    ],
)
def test_only_after_names_and_numbered_things(written: str, words: str) -> None:
    draft = Draft(written, AMERICAN)
    draft.apply(*RULES)
    assert draft.text == words
