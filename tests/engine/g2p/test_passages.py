import pytest

from engine.g2p import passages as module
from engine.g2p.passages import passages
from engine.g2p.phonemizer import Phonemizer

TEXT = "One 🙂 costs $5.\n\n[Kokoro](/kˈOkəɹO/) is here.\n \n\n  Third, at 3pm.\n\nLast 汉 one"


def cut_after(characters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FIRST_CHARACTERS", "PASSAGE_CHARACTERS"):
        monkeypatch.setattr(module, name, characters)


def test_a_short_text_is_one_passage() -> None:
    assert list(passages(TEXT)) == [(0, TEXT)]
    assert list(passages(" \n\n ")) == []


def test_passages_end_between_paragraphs_and_leave_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_after(10, monkeypatch)
    found = list(passages(TEXT))
    assert [part.split()[0] for _, part in found] == ["One", "[Kokoro](/kˈOkəɹO/)", "Third,", "Last"]
    assert " ".join(part for _, part in found).split() == TEXT.split()
    assert all(TEXT.startswith(part, start) for start, part in found)


def test_a_plan_is_the_same_whatever_its_passages(american: Phonemizer, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = american.plan(TEXT)
    cut_after(10, monkeypatch)
    assert american.plan(TEXT) == whole
    assert whole.notices
