from pathlib import Path

import pytest

from engine.documents.web_page import read
from tests.engine.documents.pages import texts


@pytest.mark.parametrize(
    ("math", "said"),
    [
        ("<math alttext='pi r squared'><mi>π</mi></math>", "pi r squared"),
        ("<math><msup><mi>r</mi><mn>2</mn></msup></math>", "r²"),
        ("<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "1/2"),
        ("<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>", "a over b"),
        ("<math><msqrt><mn>2</mn></msqrt></math>", "square root of 2"),
        ("<math><mrow><mi>x</mi><mo>=</mo><msub><mi>y</mi><mn>1</mn></msub></mrow></math>", "x = y₁"),
        ("<math><msup><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></msup></math>", "a to the power of b + 1"),
        ("<math><mfenced><mi>x</mi><mi>y</mi></mfenced></math>", "(x, y)"),
        ("<math><mfenced open='[' close=']' separators=''><mi>x</mi></mfenced></math>", "[x]"),
        ("<math><msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup></math>", "x₁²"),
        ("<math><mi>x</mi><mo>∈</mo><mi>A</mi></math>", "x in A"),
        ("<math><msup><mi>x</mi><mi>n</mi></msup></math>", "x to the power of n"),
        (r"<math alttext='\frac{a}{b}'><semantics><mi>z</mi><annotation>\frac</annotation></semantics></math>", "z"),
        (r"<math alttext='{\displaystyle x}'></math>", "formula"),
        ("<math><mtable><mtr><mtd><mi>x</mi></mtd></mtr></mtable></math>", "formula"),
        ("<span style='display:none'><math><mi>x</mi></math></span><img aria-hidden='true' alt='{x}'>", "x"),
    ],
)
def test_a_formula_is_said(math: str, said: str) -> None:
    assert texts(f"<p>So {math}, and {math} too.</p>") == [f"So {said}, and {said} too."]


def test_formulas_that_are_not_read_are_told_once(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>First <math alttext='x_1'/></p>" * 3)
    (notice,) = read(tmp_path / "a.html").notices
    assert "3 formulas" in notice
    assert "First" in notice
