import pytest

from engine.text.g2p.dates import RULES
from engine.text.g2p.normalise import normalise
from engine.text.languages import AMERICAN, BRITISH
from tests.engine.text.g2p.plain_words import rewritten


def spoken(text: str, british: bool = False) -> str:
    return rewritten(text, *RULES, language=BRITISH if british else AMERICAN)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("2024-01-31", "January thirty first, twenty twenty four"),
        ("2024-01-31T10:30", "January thirty first, twenty twenty four ten thirty"),
        ("2024-01-31T10:30:00Z", "January thirty first, twenty twenty four ten thirty and zero seconds Z"),
        ("2024/01/31", "January thirty first, twenty twenty four"),
        ("1-2-2024", "January second, twenty twenty four"),
        ("12/31/2024", "December thirty first, twenty twenty four"),
        ("31/12/2024", "December thirty first, twenty twenty four"),
        ("Jan. 5th", "January fifth"),
        ("5 March 1905", "March fifth, nineteen oh five"),
        ("the 3rd of May", "May third"),
        ("Mon, Jan 5", "Monday, January fifth"),
        ("Sun Microsystems", "Sun Microsystems"),
        ("March 2024", "March twenty twenty four"),
        ("in May we", "in May we"),
        ("2024-13-31", "2024-13-31"),
        ("99/99/2024", "99/99/2024"),
        ("1990s", "nineteen nineties"),
        ("Class of '05", "Class of oh five"),
        ("Mon-Fri", "Monday to Friday"),
        ("Mon.–Fri. at noon", "Monday to Friday at noon"),
        ("Open Mon.-Fri. Call us.", "Open Monday to Friday. Call us."),
        ("June–August 2024", "June to August twenty twenty four"),
        ("Mar-a-Lago", "Mar-a-Lago"),
    ],
)
def test_dates(written: str, words: str) -> None:
    assert spoken(written) == words


def test_british_dates_put_the_day_first() -> None:
    assert spoken("3/4/2025", british=True) == "the third of April twenty twenty five"
    assert spoken("Jan 5", british=True) == "the fifth of January"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("10:30", "ten thirty"),
        ("10:05 pm", "ten oh five P.M"),
        ("10:00", "ten o'clock"),
        ("14:00", "fourteen hundred hours"),
        ("9 a.m.", "nine A.M."),
        ("9 a.m. train", "nine A.M. train"),
        ("5pm", "five P.M"),
        ("9am-5pm", "nine A.M to five P.M"),
        ("8:00 - 9:30", "eight o'clock to nine thirty"),
        ("5–10 a.m. trains", "5 to ten A.M. trains"),
        ("John 3:16-18", "John three sixteen-18"),
        ("1:02:03", "one oh two and three seconds"),
        ("25:00", "25:00"),
        ("16:9", "16:9"),
    ],
)
def test_times(written: str, words: str) -> None:
    assert spoken(written) == words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Read John 3:16 aloud.", "Read John three sixteen aloud."),
        ("Genesis 1:1", "Genesis one one"),
        ("Ps. 119:105", "Psalm one hundred nineteen one hundred five"),
        ("1 Cor. 13:4–7, 13", "First Corinthians thirteen four to seven, thirteen"),
        ("II Kings 2:11", "Second Kings two eleven"),
        ("Song of Songs 2:4", "Song of Songs two four"),
        ("Matt. 5:3, 6:1", "Matthew five three, six one"),
        ("John left at 3:16.", "John left at three sixteen."),
        ("Mark won 3:1", "Mark won three to one"),
    ],
)
def test_places_in_the_bible(written: str, words: str) -> None:
    assert normalise(written, AMERICAN).sourced.text == words
