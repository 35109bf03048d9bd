"""Every language has a front end of the declared shape; English goes through its own rules and lexicon."""

import inspect

import pytest

from engine.g2p.analysis import load_offline_analyser
from engine.g2p.english import EnglishFrontEnd
from engine.g2p.front_end import FrontEnd
from engine.g2p.other_languages.front_end import OtherFrontEnd
from engine.languages import BRITISH

METHODS = [name for name, _ in inspect.getmembers(FrontEnd, inspect.isfunction) if not name.startswith("_")]


@pytest.mark.parametrize("kind", [EnglishFrontEnd, OtherFrontEnd])
@pytest.mark.parametrize("method", METHODS)
def test_front_ends_take_what_is_declared(kind: type, method: str) -> None:
    declared, own = (inspect.signature(getattr(each, method)) for each in (FrontEnd, kind))
    assert own == declared


def test_rules_lexicon_and_reports_are_those_of_the_variety() -> None:
    front_end = EnglishFrontEnd(BRITISH, load_offline_analyser)
    normalised = front_end.normalise("Dr. Lee can't on 3/4/2025.")
    assert "the third of April" in normalised.sourced.text
    assert front_end.pronounce("tomato", ())[0].phonemes == "təmˈɑːtQ"
    assert front_end.reports() == []
    assert "because" in front_end.phrase_starters
