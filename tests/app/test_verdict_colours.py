import pytest

from app.theme import DARK, LIGHT, Colours
from app.verdict_colours import verdict_colour
from engine.validator.results import Verdict
from tests.app.test_theme import READABLE, contrast


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_every_verdict_can_be_read_on_any_ground(colours: Colours) -> None:
    for verdict in Verdict:
        assert contrast(verdict_colour(verdict, colours), colours.surface) >= READABLE - 0.4


def test_good_and_bad_differ() -> None:
    assert verdict_colour(Verdict.PASS, LIGHT) != verdict_colour(Verdict.FAIL, LIGHT)
    assert verdict_colour(Verdict.CRASHED, LIGHT) == verdict_colour(Verdict.FAIL, LIGHT)
