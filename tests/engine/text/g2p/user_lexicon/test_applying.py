"""The user's lexicon in plans: every occurrence of a word is pronounced as given, and everything else as without."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from misaki.en import CONSONANTS, VOWELS

from engine.errors import NothingToSpeak
from engine.speech import Plan, PronunciationSource, WrittenWord
from engine.text.g2p import Phonemizer
from engine.text.g2p.analysis import load_offline_analyzer
from engine.text.g2p.english import homographs
from engine.text.g2p.lexicon import Lexicon
from engine.text.g2p.other_languages.front_end import OtherFrontEnd
from engine.text.g2p.pieces import PUNCTUATION
from engine.text.g2p.user_lexicon import matching
from engine.text.g2p.user_lexicon.applying import UserWords
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.matching import LexiconIndex, matches
from engine.text.g2p.user_lexicon.store import UserLexicon
from engine.text.languages import MANDARIN

_WORDS = (
    "bass bow close conduct content desert does dove lead live minute moped object perfect permit polish present "
    "produce project read rebel record refuse row sewer sow subject tear wind wound Polish Reading Nice Job Bach "
    "Nguyen Chicago Paris Worcester Beauchamp Leicester Siobhan Kubernetes Zorg Zelda Llanelli Dr Mr Mrs St Jr vs GIF "
    "NASA NATO km kg PhD BBC TV GPU JPEG tomato schedule route data garage vase lieutenant leisure vitamin yogurt"
)
WORDS = _WORDS.split()
_FILLERS = (
    "the|to|a|in|and|used to|on 3/4/2025|for $45.67|at 10:30|Dr. Lee|St. James|No. 7|Chapter IV|the U.S. Army|"
    "it's|John's dogs'|“quoted”|(bracketed)|— and —|3.5 %|10 kg|e.g. this|😀|https://zorg.com/read|read.me|"
    "[Kokoro](/kˈOkəɹO/)|[very](+2)|preproduced|Zorgons|realdata|I read|they live|THE END|naïve café"
)
FILLERS = _FILLERS.split("|")
FORMS = ("{}", "{}", "{},", "“{}”", "({}).", "{}'s", "{}’s", "**{}**", "{}!")
TEXTS = st.lists(
    st.sampled_from(FORMS) | st.sampled_from(FILLERS).map(lambda text: f" {text}"), min_size=1, max_size=12
)


def spoken(plan: Plan) -> str:
    return " ".join(utterance.phonemes for utterance in plan.utterances)


def words(plan: Plan) -> list[tuple[WrittenWord, str]]:
    return [
        (word, utterance.phonemes[word.first_phoneme : word.end_phoneme])
        for utterance in plan.utterances
        for word in utterance.words
    ]


def said(phonemizer: Phonemizer, text: str) -> list[str]:
    """The phonemes of each word that the lexicon has decided."""
    return [phonemes for word, phonemes in words(phonemizer.plan(text)) if word.source == PronunciationSource.USER]


@pytest.fixture(scope="module")
def plain(symbols: frozenset[str]) -> dict[str, Phonemizer]:
    return {tag: Phonemizer(tag, symbols, 510, load_analyzer=load_offline_analyzer) for tag in ("en-US", "en-GB")}


def occurrences(word: str, text: str, ours: Phonemizer, plain: Phonemizer, lexicon: UserLexicon) -> int:
    """Check that an entry changes only its word in a text; return the number of its occurrences.

    The new phonemes begin with a vowel if the old ones do, so that “the” and “to” before them stay the same. For a word
    that begins with either, return 0.
    """
    places = matches(text, LexiconEntry(word, phonemes="x"))

    def changed(found: WrittenWord) -> bool:
        return any(place.start < found.end and found.start < place.end for place in places)

    before = words(plain.plan(text))
    sounds = ["".join(s for s in sound if s in VOWELS | CONSONANTS) for w, sound in before if changed(w)]
    vowels = {sound[:1] in VOWELS for sound in sounds}
    if len(vowels) != 1:
        return 0
    phonemes = "ˈɪb" if True in vowels else "dˈɪb"
    lexicon.path.unlink(missing_ok=True)
    lexicon.add([LexiconEntry(word, phonemes=phonemes)])
    after = words(ours.plan(text))
    assert [w.source == PronunciationSource.USER for w, _ in after] == [changed(w) for w, _ in after]
    assert len([w for w, _ in after if changed(w)]) == len(places)
    assert {sound.removesuffix("z") for w, sound in after if changed(w)} <= {phonemes}

    def rest(found: list[tuple[WrittenWord, str]]) -> tuple[str, set[str]]:
        """The sounds elsewhere: a date may be divided into two words where an utterance ends."""
        others = "".join(sound for w, sound in found if not changed(w))
        return "".join(s for s in others if s not in PUNCTUATION), {w.source for w, _ in found if not changed(w)}

    assert rest(after) == rest(before)
    return len(places)


@pytest.mark.parametrize("tag", ["en-US", "en-GB"])
@settings(max_examples=50)
@given(word=st.sampled_from(WORDS), parts=TEXTS)
def test_an_entry_changes_every_occurrence_and_nothing_else(tag, word, parts, shared, us, gb, plain):
    text = "Well, " + " ".join(part.format(word) for part in parts) + " now."
    found = occurrences(word, text, us if tag == "en-US" else gb, plain[tag], shared)
    assert found in (0, max(found, sum("{}" in part for part in parts)))


@pytest.mark.parametrize("tag", ["en-US", "en-GB"])
def test_so_does_each_of_200_homographs_names_and_abbreviations(tag, us, gb, plain, lexicon):
    texts = itertools.cycle(" ".join(FILLERS[number::5]) for number in range(5))
    several = sorted(homographs(Lexicon(tag == "en-GB").golds.dependent()))
    chosen = [*WORDS, *[word for word in several if word not in WORDS][:: len(several) // 130]][:200]
    assert len(chosen) == 200
    checked = 0
    for word, text in zip(chosen, texts, strict=False):
        sentence = f"Well, {word} and {text} the {word}, {word}."
        checked += occurrences(word, sentence, us if tag == "en-US" else gb, plain[tag], lexicon) >= 3
    assert checked >= 195


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Zorg's zorgs, zorged, zorging, Zorg'll.", ["z", "z", "d", "ɪŋ", "ᵊl"]),
        ("A Zorgs' tale.", ["z"]),
    ],
)
def test_endings_are_those_of_misaki(us, lexicon, text, expected):
    lexicon.add([LexiconEntry("Zorg", phonemes="zˈɔɹɡ")])
    assert said(us, text) == [f"zˈɔɹɡ{ending}" for ending in expected]


ANY_TEXTS = st.lists(
    st.text(max_size=8)
    | st.sampled_from(["Zorg", "zorgs", "漢字", "12k", "[Zorg](/x/)", "New York", " ", "\n", ".", "-"])
).map("".join)


@settings(max_examples=75)
@given(ANY_TEXTS)
def test_any_text_is_survived(us, shared, text):
    entries = [LexiconEntry(word, phonemes="dˈɪb") for word in ("Zorg", "漢字", "New York", "-Zorg", "é", "12")]
    shared.path.unlink(missing_ok=True)
    shared.add([*entries, LexiconEntry(pattern=r"(\d+)k|Zorg\W", say=r"\1 Zorg ,"), LexiconEntry("k", say="New Zorg")])
    try:
        plan = us.plan(text)
    except NothingToSpeak:
        return
    spans = [(word.start, word.end) for word, _ in words(plan)]
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(0 <= notice.start <= notice.end <= len(text) for notice in plan.notices)


def test_endings_depend_on_the_accent_and_the_last_sound(us, gb, lexicon):
    lexicon.add([LexiconEntry("Floxit", phonemes="flˈɑksɪt"), LexiconEntry("Mush", phonemes="mˈʊʃ")])
    assert said(us, "Floxited Mushes") == ["flˈɑksɪTᵻd", "mˈʊʃᵻz"]
    assert said(gb, "Floxited Mushes") == ["flˈɑksɪtɪd", "mˈʊʃɪz"]


def test_a_form_that_misaki_knows_as_a_different_word_stays(us, lexicon):
    lexicon.add([LexiconEntry("doe", phonemes="dˈu"), LexiconEntry("tomato", phonemes="təmˈɑtO")])
    assert said(us, "He does. Does eat tomatoes.") == ["təmˈɑtOz"]


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("Dr", "Dr. Lee and Dr Lee."),
        ("Sat", "On Sat. 5 May and Sat."),
        ("km", "It is 5 km or km."),
        ("Jan", "Jan 5, 5 Jan 2025, and Jan."),
        ("US", "The US, and US."),
        ("IV", "Chapter IV and IV."),
        ("NASA", "THE NASA OF NASA"),
        ("the", "The cat and the dog."),
        ("gonna", "gonna, Gonna"),
        ("résumé", "My résumé, my Résumé."),
        ("漢字", "See 漢字, and 漢字."),
        ("C++", "C++ and C++."),
        ("AT&T", "AT&T and AT&T."),
        ("3M", "3M and $3M."),
        ("e.g.", "Cats, e.g. dogs, e.g. cows."),
        ("Yahoo! Answers", "Yahoo! Answers and Yahoo! Answers."),
        ("New York", "New York and New\nYork."),
        ("😀", "Hi 😀 and 😀."),
        ("vs.", "Cats vs. dogs vs. cows."),
        ("state-of-the-art", "A state-of-the-art, state-of-the-art thing."),
    ],
)
def test_words_that_rules_rewrite_are_pronounced_as_given(us, gb, lexicon, word, text):
    lexicon.add([LexiconEntry(word, phonemes="dˈɪb")])
    count = len(matches(text, LexiconEntry(word, phonemes="dˈɪb")))
    assert count >= 2
    for phonemizer in (us, gb):
        assert said(phonemizer, text) == ["dˈɪb"] * count


def test_markup_wins(us, lexicon):
    lexicon.add([LexiconEntry("Zorg", phonemes="zˈɔɹɡ"), LexiconEntry(pattern="Zorg", say="Zelda")])
    assert spoken(us.plan("[Zorg](/bˈi/) [New Zorg](/tˈi/) [the Zorg](+1)")).startswith("bˈi tˈi")
    assert said(us, "[Zorg](/bˈi/)") == []


def test_words_to_say_are_pronounced_as_usual(us, lexicon):
    lexicon.add([LexiconEntry("Kubectl", say="Dr. 5 tomatoes"), LexiconEntry("tomatoes", phonemes="x")])
    assert said(us, "Kubectl") == [spoken(us.plan("Dr. 5")) + " təmˈATOz"]


def test_words_that_have_no_sound_are_reported(us, lexicon):
    lexicon.add([LexiconEntry("cat", say="漢字")])
    plan = us.plan("A cat.")
    assert "kˈæt" in spoken(plan)
    (notice,) = plan.notices
    assert "漢字" in notice.message
    assert "cat" in notice.message


def test_the_most_specific_entry_applies(us, gb, lexicon):
    lexicon.add(
        [
            LexiconEntry("polish", phonemes="ˈA"),
            LexiconEntry("polish", phonemes="ˈI", language="en-GB"),
            LexiconEntry("Polish", phonemes="ˈO", case="exact"),
        ]
    )
    assert said(us, "I say polish and Polish.") == ["ˈA", "ˈO"]
    assert said(gb, "I say polish.") == ["ˈI"]


def test_parts_of_speech_are_those_of_the_tagger(us, lexicon):
    lexicon.add(
        [
            LexiconEntry("lead", phonemes="ˈA", part_of_speech="verb"),
            LexiconEntry("lead", phonemes="ˈI", part_of_speech="noun"),
            LexiconEntry("Reading", phonemes="ˈO", part_of_speech="name", case="exact"),
        ]
    )
    assert said(us, "They lead us. They have the lead. We live in Reading and are reading.") == ["ˈA", "ˈI", "ˈO"]


def test_a_part_of_speech_leaves_other_uses_as_they_are(us, plain, lexicon):
    lexicon.add([LexiconEntry("record", phonemes="ˈA", part_of_speech="noun")])
    assert spoken(us.plan("Please record it.")) == spoken(plain["en-US"].plan("Please record it."))
    assert said(us, "Please record the record.") == ["ˈA"]


def test_rules_replace_text_with_groups_before_words_are_found(us, lexicon):
    lexicon.add([LexiconEntry(pattern=r"(\d+)k\b", say=r"\1 thousand Zorg"), LexiconEntry("Zorg", phonemes="zˈɔɹɡ")])
    plan = us.plan("It costs 20k now.")
    assert spoken(plan) == spoken(us.plan("It costs 20 thousand [Zorg](/zˈɔɹɡ/) now."))
    ((word, _),) = [each for each in words(plan) if each[0].source == PronunciationSource.USER]
    assert (word.start, word.end) == (9, 12)


def test_notices_are_about_the_text_as_written(us, lexicon):
    lexicon.add([LexiconEntry(pattern="cats", say="many big animals")])
    text = "See cats, 漢字 and cats."
    assert [text[each.start : each.end] for each in us.plan(text).notices] == ["漢字"]


def test_a_rule_may_remove_text(us, plain, lexicon):
    lexicon.add([LexiconEntry(pattern=r"\[\d+\]", say="")])
    assert spoken(us.plan("As we know.[12]")) == spoken(plain["en-US"].plan("As we know."))


def test_an_endless_rule_is_stopped_and_reported_once(us, lexicon, monkeypatch):
    monkeypatch.setattr(matching, "LIMIT_SECONDS", 0.2)
    lexicon.add([LexiconEntry(pattern=r"(?:(?:x|xx)+)+[^\w!]", say="y"), LexiconEntry("cat", phonemes="ˈA")])
    text = "\n\n".join(["A cat. " + "x" * 40 + "!"] * 20)
    plan = us.plan(text)
    assert [n.message for n in plan.notices if "too long" in n.message] == [
        "The pattern “(?:(?:x|xx)+)+[^\\w!]” in your lexicon takes too long and isn’t used."
    ]
    assert len([word for word, _ in words(plan) if word.source == PronunciationSource.USER]) == 20


def test_the_next_plan_sees_a_change(us, lexicon):
    assert said(us, "Zorg") == []
    lexicon.add([LexiconEntry("Zorg", phonemes="zˈɔɹɡ")])
    assert said(us, "Zorg") == ["zˈɔɹɡ"]
    lexicon.remove("Zorg")
    assert said(us, "Zorg") == []


def test_a_damaged_lexicon_is_reported_and_not_used(us, lexicon):
    lexicon.path.write_text("{")
    plan = us.plan("Good [pause 1s] morning.")
    assert len(plan.notices) == 1
    assert "can’t be read" in plan.notices[0].message


def test_other_languages_use_their_entries(symbols, lexicon):
    spanish = Phonemizer("es", symbols, 510, lexicon=lexicon)
    lexicon.add(
        [
            LexiconEntry("Zorg", phonemes="sˈoɾ", language="es"),
            LexiconEntry("casa", phonemes="x"),
            LexiconEntry("20", say="dos", language="es"),
        ]
    )
    assert said(spanish, "El Zorg de la casa, zorg y 20.") == ["sˈoɾ", "sˈoɾ", spoken(spanish.plan("dos"))]


def test_languages_without_spaces_have_words_inside_text():
    front_end = OtherFrontEnd(MANDARIN, load_speak=lambda language: lambda text: "a" * len(text))
    user_words = UserWords(MANDARIN, front_end)
    normalized = user_words.normalize(
        "今天天气很好", LexiconIndex([LexiconEntry("天气", phonemes="X", language="zh")], english=False), set()
    )
    said = front_end.pronounce(normalized.sourced.text, normalized.overrides)
    assert [(word.text, word.phonemes, word.source) for word in said if word.source == PronunciationSource.USER] == [
        ("天气", "X", PronunciationSource.USER)
    ]


def test_a_phonemizer_without_a_lexicon_uses_none(plain, lexicon):
    lexicon.add([LexiconEntry("cat", phonemes="ˈA")])
    assert said(plain["en-US"], "A cat.") == []


def test_the_longest_words_of_a_large_lexicon_apply(us, lexicon):
    lexicon.add(LexiconEntry(f"the word{number} of it", phonemes="ˈA") for number in range(20_000))
    lexicon.add([LexiconEntry("the word5", phonemes="ˈI")])
    assert said(us, "The word5 of it, the word5 of them, and the word of it. " * 10) == ["ˈA", "ˈI"] * 10


def test_the_lexicon_of_the_user_is_in_the_data_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert UserLexicon().path.name == "lexicon.json"
