"""Tests of rules that expand words: abbreviations, capitals, and source positions."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text.g2p.abbreviations import RULES
from engine.text.g2p.capitals import lower_capitals
from engine.text.g2p.draft import Draft, SourcedText, Span, WrittenForm, any_of, rule
from engine.text.g2p.lexicon import Lexicon, WordsInCapitals
from engine.text.g2p.normalize import MAX_LETTERS, cut_long_words, normalize
from engine.text.g2p.overrides import PLACEHOLDER, Override
from engine.text.languages import AMERICAN, BRITISH
from tests.engine.text.g2p.plain_words import rewritten, same_as


def spoken(text: str, british: bool = False) -> str:
    return normalize(text, BRITISH if british else AMERICAN).sourced.text.strip()


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("At 10:30 p.m. on Jan 5, 2024", "At ten thirty P.M on January fifth, twenty twenty four"),
        ("We met at 5 p.m. Bob left.", "We met at five P.M. Bob left."),
        ("At 5 p.m. in her café-style room", "At five P.M in her café-style room"),
        ("We met at 5 p.m. She left.", "We met at five P.M. She left."),
        ("$1,234.56", "one thousand two hundred thirty four dollars and fifty six cents"),
        ("the '90s vs. 2010s", "the nineties versus twenty tens"),
        (
            "Mr. Smith paid No. 5, e.g. on St. James St.",
            "Mister Smith paid Number five, for example on Saint James Street.",
        ),
        ("Mail a.b@x.com, see http://x.org/a_b.", "Mail a dot b at x dot com, see x dot org slash a underscore b."),
        ("It's 20°C – warm…", "It's twenty degrees Celsius — warm…"),
        ("Henry VIII and I", "Henry the eighth and I"),
        ("a -> b, x < y & z", "a to b, x less than y and z"),
        ("H2O, MP3 and x²", "H two O, MP three and x squared"),
        ("UTC-5, GMT+2", "UTC minus five, GMT plus two"),
        ("§§ 3–5, § 6", "sections three to five, section six"),
        ("No. 10's door, the No. 60s", "Number ten's door, the Number sixties"),
        ("½ of it, 2½ times, ¾ cup", "one half of it, two and a half times, three quarters of a cup"),
        ("3·10⁻⁵", "three times ten to the minus five"),
        ("Ｆｕｌｌ ｗｉｄｔｈ ①", "Full width one"),
        ("non\u00adsense and zero\u200bwidth", "nonsense and zerowidth"),
    ],
)
def test_written_to_spoken(written, words):
    assert spoken(written) == words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("May 3-5", "May third to fifth"),
        ("May 3–5, 2024, and 3–5 June", "May third to fifth, twenty twenty four, and June third to fifth"),
        ("Sept. 28-Oct. 2", "September twenty eighth to October second"),
        ("25 December–6 January", "December twenty fifth to January sixth"),
        ("Dec 2019–Jan 2020", "December twenty nineteen to January twenty twenty"),
        ("May 3-1", "May third-one"),
        ("the 12th–13th centuries", "the twelfth to thirteenth centuries"),
        ("the 1980s-1990s, the '60s–'70s", "the nineteen eighties to nineteen nineties, the sixties to seventies"),
        ("£1m-£2m, $1m–2m", "one to two million pounds, one to two million dollars"),
        ("$500k–$2m", "five hundred thousand to two million dollars"),
        ("$5.00-$7.50", "five dollars to seven dollars and fifty cents"),
        ("1½-2 hours, 4–4½ stars", "one and a half to two hours, four to four and a half stars"),
        ("½–¾ cup, 2-1/2 cups", "one half to three quarters of a cup, two and a half cups"),
        ("5s-10s", "five seconds to ten seconds"),
        ("2019/20 and 1999/2000", "twenty nineteen twenty and nineteen ninety nine two thousand"),
    ],
)
def test_ranges(written, words):
    assert spoken(written) == words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("£3 10s. 6d. He left.", "three pounds, ten shillings and six pence. He left."),
        ("£25 1s. 8½d. was owed", "twenty five pounds, one shilling and eight pence halfpenny was owed"),
        ("rooms 8s., lunch 2s. 6d.", "rooms eight shillings, lunch two shillings and six pence."),
        ("5s. a week and a 6d. stamp", "five shillings a week and a six pence stamp"),
        ("He ran it in 12s. Then", "He ran it in twelve seconds. Then"),
        ("Appendix 5d shows", "Appendix five d shows"),
    ],
)
def test_shillings_and_pence(written, words):
    assert spoken(written) == words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("737s and 1099s", "seven thirty sevens and ten ninety nines"),
        ("1s and 0s, size 6s", "ones and zeros, size sixes"),
        ("the 600s, 100s of people", "the six hundreds, hundreds of people"),
        ("A380s, F-16s and MP3s", "A three eighties, F-sixteens and MP threes"),
        ("in 5s, a 3s delay, 45s later", "in five seconds, a three second delay, forty five seconds later"),
        ("5–6s, 1.5s", "five to six seconds, one point five seconds"),
        ("1m 30s, 2h 5m 3s", "one minute thirty seconds, two hours five minutes three seconds"),
    ],
)
def test_digits_before_an_s_are_a_plural_or_seconds(written, words):
    assert spoken(written) == words


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("2.5m jobs, 1.3m Americans", "two point five million jobs, one point three million Americans"),
        ("1.5m-2m young people", "one point five to two million young people"),
        ("1.5m tall, 3m walls", "one point five meters tall, three meters walls"),
        ("98.6F or 37.0C", "ninety eight point six degrees Fahrenheit or thirty seven point zero degrees Celsius"),
        ("1.5tn, 9.5st, 2.0T", "one point five trillion, nine point five st, two point zero T"),
        ("3¹/₂ cups, ¹⁄₄ tsp", "three and a half cups, one quarter teaspoon"),
        ("10/10, 20/20, 9/10", "ten out of ten, twenty twenty, nine tenths"),
        ("ring (212) 555-0199 before", "ring two one two, five five five, zero one nine nine before"),
    ],
)
def test_signs_behind_a_number(written, words):
    assert spoken(written) == words


def test_the_languages_differ_in_dates_numbers_and_spelling():
    assert spoken("3/4/2025") == "March fourth, twenty twenty five"
    assert spoken("3/4/2025", british=True) == "the third of April twenty twenty five"
    assert spoken("105 km", british=True) == "one hundred and five kilometres"
    assert spoken("105 km") == "one hundred five kilometers"


def test_words_of_overrides_stay_as_they_are_in_order_with_markup():
    given = (Override(5, 8, phonemes="j"), Override(22, 24, by_class=(("noun", "k"),)))
    normalized = normalize("On 5 Jan [tea](/tˈi/) 漢字.", AMERICAN, overrides=given)
    assert normalized.sourced.text == "On five Jan tea x."
    assert normalized.overrides == (
        Override(8, 11, phonemes="j"),
        Override(12, 15, phonemes="tˈi"),
        Override(16, 17, by_class=(("noun", "k"),)),
    )
    assert normalized.notices == ()


def test_inline_pronunciations_survive_with_their_places():
    normalized = normalize("$5 for [tea](/tˈi/) and [cake](+1)", AMERICAN)
    assert normalized.sourced.text == "five dollars for tea and cake"
    assert normalized.overrides == (Override(17, 20, phonemes="tˈi"), Override(25, 29, stress=1.0))
    assert normalized.overrides_in(17, 29) == [Override(0, 3, phonemes="tˈi"), Override(8, 12, stress=1.0)]
    assert normalized.overrides_in(18, 25) == []


@settings(max_examples=200)
@given(st.text(st.characters(), max_size=80))
def test_nothing_but_letters_and_melody_is_left(text):
    normalized = normalize(text, AMERICAN)
    if not normalized.overrides:
        assert re.fullmatch(r"[A-Za-zÀ-ÖØ-öø-ÿ \n'.,!?;:—…“”()-]*", normalized.sourced.text)


def cut(text: str) -> str:
    draft = Draft(text, AMERICAN)
    cut_long_words(draft)
    return draft.text


USUAL = ("pneumonoultramicroscopicsilicovolcanoconiosis", "state-of-the-art", "McDonaldLand", "U.S.A", "")


@pytest.mark.parametrize("text", USUAL)
def test_usual_words_stay(text):
    assert cut(text) == text


def test_letters_are_parted():
    assert max(map(len, cut("a" * 200).split())) == MAX_LETTERS
    assert cut("a" * 200).replace(" ", "") == "a" * 200


def test_compounds_are_parted_at_their_joints():
    assert cut("a-b-c-d-e-f") == "a b c d e f"
    assert cut("a.b.c.d.e.f.") == "a. b. c. d. e. f."
    assert cut("OneTwoThreeFourFiveSix") == "One Two Three Four Five Six"


def test_words_with_given_pronunciations_are_parted():
    assert cut(PLACEHOLDER * 7) == f"{PLACEHOLDER * 5} {PLACEHOLDER * 2}"
    assert cut(f"{PLACEHOLDER}-" * 6 + "1") == f"{PLACEHOLDER}-" * 4 + f"{PLACEHOLDER} {PLACEHOLDER}-1"
    assert cut(PLACEHOLDER * 5 + " a") == PLACEHOLDER * 5 + " a"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Mr. Smith and Dr Jones", "Mister Smith and Doctor Jones"),
        ("WWII and WW 1", "World War II and World War 1"),
        ("Apt. 3, Rm. 4", "Apartment 3, Room 4"),
        ("St. Louis, MO 63101-1234", "Saint Louis, Missouri, six three one zero one, one two three four"),
        ("Boston, MA", "Boston, MA"),
        ("e.g. this, i.e., that", "for example this, that is, that"),
        ("apples, pears, etc. The end", "apples, pears, etc. The end"),
        ("apples, etc., and", "apples, etc, and"),
        ("St. Louis", "Saint Louis"),
        ("on Main St. They", "on Main Street. They"),
        ("221 E. 10th St. in New York", "221 East 10th Street in New York"),
        ("at 145 NW Oak Ave.", "at 145 Northwest Oak Avenue."),
        ("along S. Main Street", "along South Main Street"),
        ("By E. Nesbit", "By E Nesbit"),
        ("The Sec. of State met Gov. Lee.", "The Secretary of State met Governor Lee."),
        ("Prof. of Greek", "Professor of Greek"),
        ("In St. Louis", "In Saint Louis"),
        ("p. 5, pp. 3-5, Fig. 2", "page 5, pages 3-5, Figure 2"),
        ("the U.S. Army", "the U.S Army"),
        ("in the U.S. The", "in the U.S. The"),
        ("a Ph.D. thesis", "a P.H.D thesis"),
        ("J. K. Rowling", "J K Rowling"),
        ("plan A. Then we", "plan A. Then we"),
        ("w/o salt, w/ pepper", "without salt, with pepper"),
        ("this vs that", "this versus that"),
        ("no. I said no.", "no. I said no."),
        ("Assoc. Dean Lee, Asst. Prof. Hill", "Associate Dean Lee, Assistant Professor Hill"),
        ("the Rt. Hon. Lee, the Rt Revd Hill", "the Right Honorable Lee, the Right Revd Hill"),
        ("in Co. Cork, by Ford Motor Co. Then", "in County Cork, by Ford Motor Company. Then"),
        ("of Co. B, 3rd Regt., 1st Div. It", "of Company B, 3rd Regiment, 1st Division. It"),
        ("in Tombstone, Ariz., and in Boston, Mass., too", "in Tombstone, Arizona, and in Boston, Massachusetts, too"),
        ("“Yes, Pa.” “Yes, Miss. I will.”", "“Yes, Pa.” “Yes, Miss. I will.”"),
        ("a 16th c. church of the 5th c. The", "a 16th century church of the 5th century. The"),
        ("max. 10, avg. 7; at the max. It", "maximum 10, average 7; at the max. It"),
        ("Act III, Sc. ii", "Act III, Scene ii"),
    ],
)
def test_written_out(written, words):
    assert rewritten(written, *RULES) == words


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("12 Oak Dr. The house is red.", "Twelve Oak Drive. The house is red."),
        ("He moved to 7 Park Dr. in May.", "He moved to seven Park Drive in May."),
        ("Meet me at 9 Sunset Dr.", "Meet me at nine Sunset Drive."),
        ("Port St. Lucie lies south.", "Port Saint Lucie lies south."),
        ("Bury St Edmunds lies east.", "Bury Saint Edmunds lies east."),
        ("Mount St. Helens erupted.", "Mount Saint Helens erupted."),
        ("Sault Ste. Marie is cold.", "Sault Saint Marie is cold."),
        ("Dr. Lee lives on Elm St. in Salem.", "Doctor Lee lives on Elm Street in Salem."),
        ("St. James's St. is long.", "Saint James's Street is long."),
        ("He lives at 22 Elm St. Peter does not.", "He lives at twenty two Elm Street Peter does not."),
        ("We met on Main St. It was late.", "We met on Main Street. It was late."),
        ("Ask Dr. Lee about it.", "Ask Doctor Lee about it."),
        ("I met Tom. Dr. Lee came.", "I met Tom. Doctor Lee came."),
        ("Mme. Bovary and Pvt. Ryan met Cmdr. Bond.", "Madame Bovary and Private Ryan met Commander Bond."),
        ("Adm. Nelson and Lieut. Hill", "Admiral Nelson and Lieutenant Hill"),
        ("Gen. and Mrs. Lee", "General and Mrs. Lee"),
        ("Built c. 1850 by Wm. Smith.", "Built circa eighteen fifty by William Smith."),
        ("(c.1200)", "(circa twelve hundred)"),
        ("(b. 1775)", "(born seventeen seventy five)"),
    ],
)
def test_streets_saints_doctors_and_titles(american, written, plain):
    assert same_as(american, written, plain)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("He left at 5 p.m. He came back.", "He left at five P M. He came back."),
        ("We met at 5 p.m. Bob left.", "We met at five P M. Bob left."),
        ("Come at 9 A.M. “Now,” he said.", "Come at nine A M. “Now,” he said."),
        ("We saw the U.S. The rest was sea.", "We saw the U S. The rest was sea."),
        ("He lives in the U.S.", "He lives in the U S."),
        ("She has a Ph.D. Nobody knew.", "She has a P H D. Nobody knew."),
        ("They landed in 55 B.C. Caesar won.", "They landed in fifty five B see. Caesar won."),
        ("Try plan B. John agreed.", "Try plan bee. John agreed."),
        ("Look at Exhibit C. Mary did.", "Look at Exhibit see. Mary did."),
        ("She needs vitamin C. Doctors agree.", "She needs vitamin see. Doctors agree."),
        ("He got a B. Mary cheered.", "He got a bee. Mary cheered."),
        ("Take exit A. Turn left.", "Take exit A.\nTurn left."),
        ("We bought pens, ink, etc. John paid.", "We bought pens, ink, etc. John paid."),
        ("Pens, ink, &c. John paid.", "Pens, ink, et cetera. John paid."),
        ("We met at 5 p.m. Mary was late.", "We met at five P M. Mary was late."),
    ],
)
def test_a_dot_that_ends_a_sentence_is_a_stop(american, written, plain):
    assert same_as(american, written, plain)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("J. A. Smith came.", "J A Smith came."),
        ("The late J. K. Rowling came.", "The late J K Rowling came."),
        ("She met George W. Bush there.", "She met George W Bush there."),
        ("Samuel L. Jackson came.", "Samuel L Jackson came."),
        ("L. Frank Baum and N. Scott Momaday came.", "L Frank Baum and N Scott Momaday came."),
        ("John L. Sullivan met George V. Higgins.", "John L Sullivan met George V Higgins."),
        ("The case of Roe v. Wade ended.", "The case of Roe versus Wade ended."),
        ("By Eq. (3) and Fig. S1 it holds.", "By equation (three) and figure S one it holds."),
        ("The U.S. Army came.", "The U S Army came."),
        ("Washington D.C. is hot.", "Washington D C is hot."),
        ("The U.S. is large.", "The U S is large."),
        ("At 5 p.m. EST we left.", "At five P M E S T we left."),
        ("At 5 p.m. Monday we left.", "At five P M Monday we left."),
        ("The p.m. shift came.", "The P M shift came."),
        ("Open at 7.30 p.m. today.", "Open at seven thirty P M today."),
        ("Open at 7:30 p. m. today.", "Open at seven thirty P M today."),
        ("Pens, ink, &c., were sold.", "Pens, ink, et cetera, were sold."),
    ],
)
def test_any_other_dot_after_letters_is_silent(american, written, plain):
    assert same_as(american, written, plain)


SHOUTED = (
    ("THE OLD MAN AND HIS SON walked home.", "The old man and his son walked home."),
    ("AS HE WAS ON the road, it rained.", "As he was on the road, it rained."),
    ("“STOP IT!” she cried. “I AM NOT GOING.”", "“Stop it!” she cried. “I am not going.”"),
    ("“WHO IS IT?” he asked. “IT IS US.”", "“Who is it?” he asked. “It is us.”"),
    ("TELL ME, OR GO TO CALIFORNIA.", "Tell me, or go to California."),
    ("PLEASE LET US GO. HE SAT DOWN.", "Please let us go. He sat down."),
    ("DON'T YOU DARE! I WON’T HAVE IT!", "Don't you dare! I won't have it!"),
    ("THE DOCTOR'S WIFE AND THE KING'S HORSES", "The doctor's wife and the king's horses"),
    ("LIFE, LIBERTY, AND THE PURSUIT OF HAPPINESS", "Life, liberty, and the pursuit of happiness"),
    ("TWENTY-FIVE YEARS LATER", "Twenty-five years later"),
    ("A MAN WITH A DOG", "A man with a dog"),
    ("DID YOU MIX IT?", "Did you mix it?"),
    ("THE VIVID, LIVID, CIVIL MAN", "The vivid, livid, civil man"),
)
NAMES = (
    ("MR. AND MRS. BENNET dined at home.", "Mr. and Mrs. Bennet dined at home."),
    ("ELIZABETH BINGLEY MARRIED COLONEL DARCY.", "Elizabeth Bingley married Colonel Darcy."),
    ("DEAR MISS HUNTER, come at once.", "Dear Miss Hunter, come at once."),
    ("DR. WATSON AND MISS ADLER WENT OUT.", "Dr. Watson and Miss Adler went out."),
    ("ST. JAMES'S PARK IS GREEN.", "St. James's Park is green."),
    ("Yours, ST. SIMON.", "Yours, St. Simon."),
    ("PETER SIMON", "Peter Simon"),
    ("Mr. Gardiner wrote: M. GARDINER.", "Mr. Gardiner wrote: M. Gardiner."),
    ("the O'NEILL house and MR MCDONALD", "the O'Neill house and Mr McDonald"),
    ("MESSRS. BROWN AND CO. OF LONDON", "Messrs. Brown and Co. of London"),
    ("ON JAN. 5, 1880, THE SHIP SANK.", "On Jan. 5, 1880, the ship sank."),
)
ACRONYMS = (
    ("The NASA probe and the FBI file.", "The NASA probe and the F B I file."),
    ("THE FBI AND NASA ARE HERE.", "The F B I and NASA are here."),
    ("He works for the U.N. in New York.", "He works for the U N in New York."),
    ("THE U.N. SENT TROOPS.", "The U N sent troops."),
    ("THE US ARMY CAME. US TROOPS LANDED.", "The U S army came. U S troops landed."),
    ("THE IT DEPARTMENT IS CLOSED.", "The I T department is closed."),
    ("PLAN A FAILED.", "Plan A failed."),
    ("BOSTON, MA 02134", "Boston, MA 02134"),
    ("He works at IBM. THE END", "He works at eye bee em. The end"),
)
ALONE = (
    ("He saw a STOP sign.", "He saw a stop sign."),
    ("It was HIS book, not HERS.", "It was his book, not hers."),
    ("I said NO and I meant NO.", "I said no and I meant no."),
    ("You MUST go AS soon AS you can.", "You must go as soon as you can."),
    ("“HOLMES!” he cried.", "“Holmes!” he cried."),
    ("Pan Am flew there.", "Pan am flew there."),
)


@pytest.mark.parametrize(("written", "plain"), [*SHOUTED, *NAMES, *ACRONYMS, *ALONE])
def test_capitals_sound_like_plain_words(american, written, plain):
    assert same_as(american, written, plain)


@pytest.mark.parametrize(("written", "plain"), SHOUTED)
def test_so_they_do_in_britain(british, written, plain):
    assert same_as(british, written, plain)


@pytest.fixture(scope="module")
def known() -> WordsInCapitals:
    return WordsInCapitals(Lexicon(british=False))


@pytest.mark.parametrize(
    "text",
    [
        "The IBM PC, a DVD and HTML.",
        "We use AT&T, TCP/IP and the UNHCR, USSR or OECD.",
        "I saw A and B.",
        "He said I, then O.",
        "Turn on the TV. IBM sold it.",
        "an LED, the SAT, his ID",
        "No capitals here, Mr. Smith.",
        "",
    ],
)
def test_acronyms_stay(known, text):
    draft = Draft(text, AMERICAN)
    lower_capitals(draft, known)
    assert draft.text == text


_WORDS = "THE US IT FBI STOP I A IV MR. DARCY'S ST O'BRIEN x Home , . “ ” - \n 5 U.S. MCMXII Æ ZIP"
WORDS = _WORDS.split(" ")


@given(st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join))
def test_only_the_case_of_letters_changes(known, text):
    draft = Draft(text, AMERICAN)
    lower_capitals(draft, known)
    assert draft.text.lower() == text.lower()
    assert draft.sourced.borders == tuple(range(len(text) + 1))
    once = draft.text
    lower_capitals(draft, known)
    assert draft.text == once


def test_words_in_capitals_point_at_themselves(american):
    text = "“THE OLD MAN,” he said."
    words = [text[word.start : word.end] for word in american.plan(text).utterances[0].words]
    assert words == ["THE", "OLD", "MAN", "he", "said"]


def test_a_heading_of_thousands_of_capitals_is_words(american):
    assert same_as(american, "THE SEA AND " * 1000 + "END", "The sea " + "and the sea " * 999 + "and end")


def test_rules_apply_in_turn_and_know_the_language():
    draft = Draft("a1", BRITISH)
    draft.apply(
        rule(r"[ ]? \d", lambda match, language: " one" if language.british else None),
        rule("one", lambda match, language: "two"),
    )
    assert draft.text == "a two"


def test_notices_point_into_the_source_after_rewriting():
    draft = Draft("$5 ☃ end", BRITISH)
    draft.rewrite(re.compile(r"\$5"), lambda match: "five dollars")
    draft.leave_out(re.compile("☃"), lambda match: f"“{match[0]}”")
    assert draft.text == "five dollars   end"
    (notice,) = draft.notices
    assert (notice.start, notice.end) == (3, 4)
    assert notice.message == "“☃” can’t be spoken in British English and is skipped."


def test_removing_signs_needs_no_notice_but_removing_words_does():
    draft = Draft("<> <b> x", BRITISH)
    draft.remove(re.compile(r"<\w*>"), "", "A tag")
    assert draft.text == "  x"
    (notice,) = draft.notices
    assert (notice.start, notice.end) == (3, 6)
    assert notice.message.startswith("A tag ")


def test_the_longest_alternative_comes_first():
    assert any_of(["m", "mm", "m²"]) == "mm|m²|m"


SMALL_TEXT = st.text("ab 1\n", max_size=30)


def test_a_source_stands_for_itself():
    assert SourcedText.of("abc").source_span(1, 3) == Span(1, 3)


def test_a_text_rewritten_twice_has_the_places_of_the_first_source():
    once = SourcedText.of("pay 20k $ now").rewrite(re.compile("20k"), lambda match: "20 thousand", "first")
    twice = SourcedText.of(once.text).rewrite(re.compile(r"\$|20"), lambda match: "twenty", "second").over(once)
    assert twice.text == "pay twenty thousand twenty now"
    assert twice.written_span(4, 19) == WrittenForm(4, 7, "first")
    assert twice.written_span(20, 26) == WrittenForm(8, 9, "second")
    assert twice.source_span(27, 30) == Span(10, 13)


def test_a_replacement_shares_the_span_of_its_match():
    rewritten = SourcedText.of("pay $5 now").rewrite(re.compile(r"\$5"), lambda match: "five dollars")
    assert rewritten.text == "pay five dollars now"
    assert rewritten.source_span(4, 16) == Span(4, 6)
    assert rewritten.source_span(17, 20) == Span(7, 10)


def test_spaces_of_a_replacement_own_nothing_of_the_source():
    rewritten = SourcedText.of("½").rewrite(re.compile("½"), lambda match: " 1/2 ")
    assert rewritten.source_span(1, 4) == Span(0, 1)


def test_signs_of_a_replacement_own_nothing_either():
    rewritten = SourcedText.of("⅟").rewrite(re.compile("⅟"), lambda match: "1/")
    assert rewritten.source_span(0, 1) == Span(0, 1)


def test_none_leaves_a_match_alone():
    source = SourcedText.of("a1b2")
    assert source.rewrite(re.compile(r"\d"), lambda match: None) is source


def test_unwrapping_preserves_the_offsets_of_the_remaining_text():
    unwrapped = SourcedText.of("a **bold** word").unwrap(re.compile(r"\*\*(?P<text>\w+)\*\*"), "text")
    assert unwrapped.text == "a bold word"
    assert unwrapped.source_span(2, 5) == Span(4, 7)
    assert unwrapped.source_span(7, 11) == Span(11, 15)


@given(SMALL_TEXT, st.text("xy ", max_size=4), st.sampled_from(["a", "[ab]+", r"\s+", "1?"]))
def test_borders_stay_ordered_and_complete(source, replacement, pattern):
    rewritten = SourcedText.of(source).rewrite(re.compile(pattern), lambda match: replacement)
    assert rewritten.text == re.sub(pattern, replacement, source)
    assert len(rewritten.borders) == len(rewritten.text) + 1
    assert list(rewritten.borders) == sorted(rewritten.borders)
    assert rewritten.borders[-1] == len(source)
