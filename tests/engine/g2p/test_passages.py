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


def test_without_blank_lines_a_long_text_is_cut_at_ends_of_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_after(10, monkeypatch)
    text = "It rained on Mr. Smith and Mrs. Jones on every single day of that wet summer. " * 20
    parts = [part for _, part in passages(text)]
    assert " ".join(parts) == text.strip()
    assert len(parts) > 10
    assert all(part.endswith("summer.") for part in parts)


@pytest.mark.parametrize("text", ["word " * 100, "一" * 500, "a\n" * 200, "Ends here. " * 50])
def test_no_text_is_one_long_passage(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_after(10, monkeypatch)
    found = list(passages(text))
    assert max(len(part) for _, part in found) <= 10 * module.MOST_TIMES
    assert "".join("".join(part.split()) for _, part in found) == "".join(text.split())
    assert all(text.startswith(part, start) for start, part in found)


def test_a_plan_is_the_same_whatever_its_passages(american: Phonemizer, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = american.plan(TEXT)
    cut_after(10, monkeypatch)
    assert american.plan(TEXT) == whole
    assert whole.notices
