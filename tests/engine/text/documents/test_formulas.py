import pytest

from engine.text.documents.web_page import read
from tests.engine.text.documents.pages import texts


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
def test_a_formula_is_read_aloud(math, said):
    assert texts(f"<p>So {math}, and {math} too.</p>") == [f"So {said}, and {said} too."]


def test_unread_formulas_are_reported_once(tmp_path):
    (tmp_path / "a.html").write_text("<p>First <math alttext='x_1'/></p>" * 3)
    (notice,) = read(tmp_path / "a.html").notices
    assert "3 formulas" in notice
    assert "First" in notice


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("10<sup>6</sup>", "10⁶"), ("10<sup>-9</sup>", "10⁻⁹"), ("10<sup>−9</sup>", "10⁻⁹"), ("2<sup>10</sup>", "2¹⁰"),
        ("mc<sup>2</sup>", "mc²"), ("x<sup>2</sup> + y<sup>2</sup>", "x² + y²"), ("30 m<sup>2</sup>", "30 m²"),
        ("5 cm<sup>3</sup>", "5 cm³"), ("5 in<sup>2</sup>", "5 in²"), ("sin<sup>2</sup> x", "sin² x"),
        ("(a+b)<sup>2</sup>", "(a+b)²"), ("x<sup>n</sup>", "x^n"), ("m s<sup>−2</sup>", "m s⁻²"),
        ("Ca<sup>2+</sup>", "Ca²⁺"), ("H<sub>2</sub>O", "H₂O"), ("SO<sub>4</sub><sup>2−</sup>", "SO₄²⁻"),
        ("log<sub>10</sub> x", "log₁₀ x"), ("x<sub>i</sub>", "x i"),
        ("the 19<sup>th</sup>", "the 19th"), ("M<sup>me</sup> Verne", "Mme Verne"), ("1<sup>er</sup> mai", "1er mai"),
        ("D<sup>r</sup> No", "Dr No"), ("a name<sup>®</sup>", "a name®"), ("m² and 10⁶", "m² and 10⁶"),
        ("Add <sup>1</sup>/<sub>2</sub> cup", "Add ¹/₂ cup"), ("3<sup>1</sup>/<sub>2</sub>", "3¹/₂"),
        ("<sup>14</sup>C", "14C"), ("10<sup>6</sup>–10<sup>9</sup>", "10⁶–10⁹"), ("R<sup>2</sup> = 0.9", "R² = 0.9"),
        ("C++* and 5* hotels", "C++* and 5* hotels"),
    ],
)  # fmt: skip
def test_powers_and_letters_are_read(written, read):
    assert texts(f"<p>It is {written}</p>") == [f"It is {read}"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("the word<sup>3</sup> here", "the word here"), ("in it<sup>4</sup> was", "in it was"),
        ("the end.<sup>12</sup> Then", "the end. Then"), ("“so”<sup>1</sup> he", "“so” he"),
        ("of 1990<sup>3</sup> on", "of 1990 on"), ("in 1066<sup>3</sup>", "in 1066"),
        ("(as he said)<sup>2</sup> so", "(as he said) so"),
        ("word.<sup>1,2</sup> So", "word. So"), ("word<sup>3–5</sup> so", "word so"),
        ("It (1990)<sup>3</sup>", "It (1990)"),
        ("slept¹². See", "slept. See"), ("wept.* Nobody", "wept. Nobody"), ("came† home", "came home"),
        ("word<sup>*</sup> here", "word here"), ("word<sup>a</sup> here", "word here"),
    ],
)  # fmt: skip
def test_marks_of_notes_are_not_read(written, read):
    assert texts(f"<p>{written}</p>") == [read]
