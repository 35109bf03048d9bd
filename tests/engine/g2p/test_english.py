"""English goes through its own rules and lexicon."""

from engine.g2p.analysis import load_offline_analyser
from engine.g2p.english import EnglishFrontEnd
from engine.languages import BRITISH


def test_rules_lexicon_and_reports_are_those_of_the_variety() -> None:
    front_end = EnglishFrontEnd(BRITISH, load_offline_analyser)
    normalised = front_end.normalise("Dr. Lee can't on 3/4/2025.")
    assert "the third of April" in normalised.sourced.text
    assert front_end.pronounce("tomato", ())[0].phonemes == "təmˈɑːtQ"
    assert front_end.reports() == []
    assert "because" in front_end.phrase_starters
