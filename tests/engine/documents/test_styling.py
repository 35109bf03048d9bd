import re

from hypothesis import given
from hypothesis import strategies as st

from engine.documents.blocks import moved
from engine.documents.document import Look, Styled

NOISE = st.sampled_from(
    ["", " ", "\n", "\u00ad", "\u2060", "[Pg 12]", "¹²", "\n\n  ", "\ue001a boat\ue002", "[13]", " [1] ", "*"]
)
WORD = st.tuples(st.sampled_from(["the", "sea", "a", "man", "I", "fire"]), NOISE, st.booleans())


def cleaned(text: str) -> str:
    text = re.sub(r"\[[^\]]*\]|[¹²*\u00ad\u2060]|\ue001.*?\ue002", "", text)
    return re.sub(r"\s+", " ", text).strip()


@given(st.lists(WORD, max_size=40))
def test_spans_are_around_the_same_words_when_a_text_is_cleaned(words: list[tuple[str, str, bool]]) -> None:
    before, wanted = "", set()
    spans: list[Styled] = []
    for number, (word, noise, is_marked) in enumerate(words):
        written = f"{word}{number}"
        start = len(before)
        before += f"{written}{noise}"
        if is_marked:
            spans.append(Styled(start, len(before), Look.STRONG))
            wanted.add(str(number))
        before += " "
    after = cleaned(before)
    found = set()
    for style in moved(spans, before, after):
        said = after[style.start : style.end]
        assert said == said.strip() != ""
        found.update(re.findall(r"(?:the|sea|a|man|I|fire)(\d+)", said))
    assert found == {cleaned(number) for number in wanted}


def test_a_sign_may_become_several() -> None:
    before, after = "The ﬁrst of\u00adﬁces ﬁt.", "The first offices fit."
    found = moved([Styled(4, 8, Look.STRONG), Styled(16, 19, Look.STRONG)], before, after)
    assert [after[style.start : style.end] for style in found] == ["first", "fit"]


def test_what_is_gone_has_no_span_and_what_is_nested_is_one() -> None:
    spans = [Styled(3, 9, Look.STRONG), Styled(10, 13, Look.STRONG), Styled(11, 13, Look.STRONG)]
    assert moved(spans, "He [Pg 3] saw.", "He saw.") == (Styled(3, 6, Look.STRONG),)


def test_long_texts_take_linear_time() -> None:
    """Else this would take an hour or more."""
    for unit in ("a¹ ", "[Pg 1]ab", "x\u00ady ", "ab "):
        before = unit * 20_000
        spans = [Styled(place, place + 2, Look.STRONG) for place in range(0, len(before), 4)]
        moved(spans, before, cleaned(before))
    moved([Styled(0, 5, Look.STRONG)], "abcdefgh" * 10_000, "ijklmnop" * 10_000)
