import pytest

from engine.documents.decoding import likelihood, unusual_characters


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("café", "cafŽ"), ("привет", "РТЙЧЕФ"), ("朝の港", "憆仛峘"), ("“Yes”", "ìYesî"), ("über", "�ber")],
)
def test_what_is_decoded_rightly_is_likelier(right: str, wrong: str) -> None:
    assert likelihood(right) > likelihood(wrong)


def test_only_characters_beyond_ascii_count() -> None:
    assert likelihood("Plain text.\n\t") == 0
    assert unusual_characters("naïve – yes\n") == 2
