"""Inline pronunciations are set aside and put back."""

import pytest

from engine.g2p.draft import Draft
from engine.g2p.overrides import PLACEHOLDER, Override, put_back, set_aside, to_misaki
from engine.languages import AMERICAN, BRITISH


def test_words_are_set_aside_and_put_back() -> None:
    draft = Draft("a [bee](/bˈi/) and [sea](+2) c", AMERICAN)
    words = set_aside(draft)
    assert draft.text == f"a {PLACEHOLDER} and {PLACEHOLDER} c"
    assert put_back(draft, words) == [Override(2, 5, phonemes="bˈi"), Override(10, 13, stress=2.0)]
    assert draft.text == "a bee and sea c"
    assert draft.sourced.source_span(2, 5).end == 14


@pytest.mark.parametrize(
    ("written", "override"),
    [
        ("[x](-0.5)", Override(0, 1, stress=-0.5)),
        ("[123](#&#)", Override(0, 3, number_flags="&")),
        ("[New York](/x/)", Override(0, 8, phonemes="k" if False else "x")),
        ("[“é…”](/x/)", Override(0, 1, phonemes="x")),
    ],
)
def test_forms(written: str, override: Override) -> None:
    draft = Draft(written, AMERICAN)
    assert put_back(draft, set_aside(draft)) == [override]


def test_accents_that_sound_are_kept() -> None:
    draft = Draft("Résumés, crème and fête: [né](/nˈA/)", AMERICAN)
    words = set_aside(draft)
    assert draft.text == f"{PLACEHOLDER}, {PLACEHOLDER} and fête: {PLACEHOLDER}"
    assert put_back(draft, words) == [Override(25, 26, phonemes="nˈA")]
    assert draft.text == "Résumés, crème and fête: n"


@pytest.mark.parametrize("written", ["[a](b)", "[a](/)", "[a](//)", "[a](/ /)", "[a](+5)", "[](/x/)", "[é😀](+1)"])
def test_other_brackets_are_left_alone(written: str) -> None:
    draft = Draft(written, AMERICAN)
    assert set_aside(draft) == []
    assert draft.text == written


def test_a_placeholder_in_the_source_is_no_word() -> None:
    draft = Draft(f"{PLACEHOLDER}[a](/x/)", AMERICAN)
    words = set_aside(draft)
    assert len(words) == 1
    assert draft.text.count(PLACEHOLDER) == 1


@pytest.mark.parametrize(
    ("ipa", "american", "british"),
    [
        ("təˈmeɪtoʊ", "təˈmAtO", "təˈmAtQ"),
        ("tʃɜːtʃ", "ʧɜɹʧ", "ʧɜːʧ"),
        ("ɡəʊ", "ɡO", "ɡQ"),
        ("red", "ɹɛd", "ɹɛd"),
        ("d͡ʒɔɪ", "ʤY", "ʤY"),
        ("hˈAlOɡ  ɪn", "hˈAlOɡ ɪn", "hˈAlOɡ ɪn"),
    ],
)
def test_usual_ipa_becomes_misaki_letters(ipa: str, american: str, british: str) -> None:
    assert to_misaki(ipa, AMERICAN) == american
    assert to_misaki(ipa, BRITISH) == british
