import inspect
import itertools
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Callable, Sequence
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Canceled, InvalidRequest, NothingToSpeak
from engine.speech import Plan
from engine.text.g2p import Phonemizer, analysis, phonemizer, split
from engine.text.g2p.analysis import TaggedWord, import_spacy, load_analyzer, load_offline_analyzer
from engine.text.g2p.english import EnglishFrontEnd
from engine.text.g2p.markup import EMOTICON
from engine.text.g2p.other_languages.front_end import OtherFrontEnd
from engine.text.g2p.overrides import Override
from engine.text.g2p.phonemizer import FrontEnd
from engine.text.g2p.pieces import PronouncedWord
from engine.text.g2p.split import passages
from engine.text.languages import BRITISH

AMERICAN_ANSWERS = {
    "Hello, world!": "həlˈO, wˈɜɹld!",
    "I read the live record.": "ˌI ɹˈɛd ðə lˈIv ɹˈɛkəɹd.",
    "I want to read.": "ˌI wˈɑnt tə ɹˈid.",
    "They live here.": "ðˌA lˈɪv hˈɪɹ.",
    "Close the door; the shop is close.": "klˈOz ðə dˈɔɹ; ðə ʃˈɑp ɪz klˈOs.",
    "Please record the record.": "plˈiz ɹəkˈɔɹd ðə ɹˈɛkəɹd.",
    "We refuse to take the refuse.": "wˌi ɹəfjˈuz tə tˈAk ðə ɹˈɛfjˌus.",
    "It costs $45.67.": "ˌɪt kˈɔsts fˈɔɹTi fˈIv dˈɑləɹz ænd sˈɪksti sˈɛvən sˈɛnts.",
    "The apple and the pear.": "ði ˈæpᵊl ænd ðə pˈɛɹ.",
    "Tomato schedule.": "təmˈATO skˈɛʤˌul.",
    "The U.S. Army told US agents.": "ðə jˌuˈɛs ˈɑɹmi tˈOld jˌuˈɛs ˈAʤᵊnts.",
    "NASA and the FBI.": "nˈæsə ænd ði ˌɛfbˌiˈI.",
    "It's John's dogs' tails.": "ˌɪts ʤˈɑnz dˈɔɡz tˈAlz.",
    "A café in Zürich.": "ɐ kæfˈA ɪn zˈuɹɪk.",
    "Dr. Smith lives on St. James St.": "dˈɑktəɹ smˈɪθ lˈɪvz ˌɔn sˈAnt ʤˈAmz stɹˈit.",
}
BRITISH_ANSWERS = {
    "Tomato schedule.": "təmˈɑːtQ ʃˈɛdjuːl.",
    "I can't dance.": "ˌI kˈɑːnt dˈɑːns.",
    "It costs £3.50.": "ˌɪt kˈɒsts θɹˈiː pˈWndz and fˈɪfti pˈɛns.",
    "Hello, world!": "həlˈQ, wˈɜːld!",
}


def spoken(plan: Plan) -> str:
    return " ".join(utterance.phonemes for utterance in plan.utterances)


@pytest.mark.parametrize("text", AMERICAN_ANSWERS)
def test_american_pronunciation(american, text):
    assert spoken(american.plan(text)) == AMERICAN_ANSWERS[text]


@pytest.mark.parametrize("text", BRITISH_ANSWERS)
def test_british_pronunciation(british, text):
    assert spoken(british.plan(text)) == BRITISH_ANSWERS[text]


@pytest.mark.parametrize("text", ["", " ", "\n\t \n"])
def test_blank_text_is_refused(american, text):
    with pytest.raises(NothingToSpeak, match="no text"):
        american.plan(text)


@pytest.mark.parametrize("text", ["...", "?!", "你好，世界", "\ud800", "\u200b", "###", "()[]"])
def test_text_without_a_sound_is_refused(american, text):
    with pytest.raises(NothingToSpeak, match="nothing to speak"):
        american.plan(text)


def test_other_languages_are_refused(symbols):
    with pytest.raises(InvalidRequest, match="de-DE"):
        Phonemizer("de-DE", symbols, 510)


def test_inline_pronunciation_is_taken_as_it_is(american):
    plan = american.plan("[Kokoro](/kˈOkəɹO/) speaks [New York](/nˈuː jˈɔːɹk/).")
    assert spoken(plan) == "kˈOkəɹO spˈiks nˈu jˈɔɹk."
    assert plan.notices == ()
    assert plan.utterances[0].text.startswith("[Kokoro](/")


def test_inline_stress_changes_the_stress(american):
    assert spoken(american.plan("We had [of](+2) it.")) != spoken(american.plan("We had of it."))
    assert spoken(american.plan("A [Chinese](-1) cat.")) == "ɐ ʧInˌiz kˈæt."


def listed(accent, word):
    return [(each.phonemes, each.form) for each in accent.readings(word) if each.source == "lexicon"]


def test_readings_of_a_homograph_name_the_part_of_speech(american, british):
    assert {("ɹˈɛkəɹd", ""), ("ɹəkˈɔɹd", "verb")} <= set(listed(american, "record"))
    assert {("ɹˈɛkəɹdz", ""), ("ɹəkˈɔɹdz", "verb")} <= set(listed(american, "Records"))
    assert listed(british, "tomato")[0] == ("təmˈɑːtQ", "")


@pytest.mark.parametrize("word", ["tomato", "Zorgblat", "FBI", "can’t", "well-read", "read", "x"])
def test_readings_are_distinct_and_those_of_the_accent_come_first(american, british, symbols, word):
    for accent, is_british in ((american, False), (british, True)):
        readings = accent.readings(word)
        phonemes = [each.phonemes for each in readings]
        assert len(set(phonemes)) == len(phonemes) > 0
        assert symbols.issuperset("".join(phonemes))
        assert readings[0].british == is_british
        assert sorted(readings, key=lambda each: each.british != is_british) == list(readings)


@pytest.mark.parametrize("text", ["", "7", "a b", "[read](/ɹˈɛd/)", "…", "a" * 3 + "1"])
def test_only_words_have_readings(american, text):
    assert american.readings(text) == ()


@given(st.text(max_size=20))
def test_readings_of_any_word_fit_the_model(american, symbols, text):
    assert all(symbols.issuperset(each.phonemes) and each.phonemes for each in american.readings(text))


def test_spans_point_into_the_original_text(american):
    text = "It costs $45.67 — really!\n\n  “Yes,” she said…  "
    first, second = american.plan(text).utterances
    assert text[first.start : first.end] == first.text == "It costs $45.67 — really!"
    assert text[second.start : second.end] == second.text == "“Yes,” she said…"


@pytest.mark.parametrize(
    "text",
    [
        "²\u200dX\r\nexample.com!①\x01No.\x00|--|\r\n,\ud8001_zorgthe",
        "🚀²http://...\u2028,–;`\n|&&amp;liveSt.\rMay 5p.\t“—e.g.==",
    ],
)
def test_words_of_one_token_do_not_overlap(narrow, symbols, text):
    check_plan(text, narrow.plan(text), symbols, 12)


def test_utterances_of_slow_speech_have_fewer_phonemes(american):
    text = "The old clock went on. " * 60
    fast, slow = (american.plan(text, speed).utterances for speed in (1.0, 0.5))
    assert max(len(one.phonemes) for one in fast) > 100
    assert max(len(one.phonemes) for one in slow) <= 100
    assert " ".join(one.phonemes for one in slow) == " ".join(one.phonemes for one in fast)


@pytest.mark.parametrize("number", ["$45.67", "two hundred and five dollars", "£1,205.30"])
def test_a_first_utterance_never_ends_inside_a_number(american, number):
    text = f"The new clock in the hall costs {number} in the shop of my uncle at the corner of the street"
    assert text.index("costs") + len("costs ") + len(number) <= american.plan(text).utterances[0].end


LONG = "When he came in, the 25 dogs and the cat of Mr. Smith barked at him (as on Jan. 5, 2024): “No!” 你 " * 60


@pytest.mark.parametrize("speed", [0.5, 1.0])
def test_a_plan_grows_without_changing_its_existing_utterances(american, speed):
    plans = list(american.plans(LONG, speed))
    assert [plan.whole for plan in plans] == [False] * (len(plans) - 1) + [True]
    for plan, longer in itertools.pairwise(plans):
        assert longer.utterances[: len(plan.utterances)] == plan.utterances
        assert len(LONG) - plan.characters_left == plan.utterances[-1].end
        assert longer.whole or longer.utterances[-1].end >= phonemizer.PLAN_GROWTH * plan.utterances[-1].end
    assert plans[-1] == american.plan(LONG, speed)


@pytest.fixture
def pronounced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sentences that were pronounced."""
    sentences: list[str] = []
    pronounce = EnglishFrontEnd.pronounce

    def note(self: EnglishFrontEnd, text: str, overrides: Sequence[Override]) -> list[PronouncedWord]:
        sentences.append(text)
        return pronounce(self, text, overrides)

    monkeypatch.setattr(EnglishFrontEnd, "pronounce", note)
    return sentences


def test_a_plan_begins_before_the_rest_is_pronounced(american, pronounced):
    next(american.plans(LONG))
    assert sum(map(len, pronounced)) < len(LONG) / 2


def test_planning_stops_as_soon_as_it_is_canceled(american, pronounced):
    cancel = SimpleNamespace(is_set=lambda: bool(pronounced))
    with pytest.raises(Canceled):
        list(american.plans(LONG, cancel=cancel))
    assert len(pronounced) == 1


def test_planning_text_without_sound_also_stops_on_cancel(american):
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Canceled):
        list(american.plans("你\n\n" * 3000, cancel=cancel))


def test_a_short_text_is_planned_at_once(american):
    assert [plan.whole for plan in american.plans("Yes.\n\nNo.")] == [True]


def test_pauses_follow_the_border(american):
    plan = american.plan("One day it rained a little in the garden of my uncle.\n\nThe next day it did not rain.")
    assert [utterance.pause_seconds for utterance in plan.utterances] == [0.5, 0.0]


def test_symbols_the_voice_lacks_are_dropped_with_a_notice(symbols):
    poor = Phonemizer("en-US", symbols - {"ð"}, 510)
    plan = poor.plan("Say the word.")
    assert "ð" not in spoken(plan)
    assert [(notice.start, notice.end) for notice in plan.notices] == [(4, 7)]
    assert "“ð” in “the”" in plan.notices[0].message


def test_foreign_words_are_read_or_left_out_with_a_notice(american):
    plan = american.plan("Say Привет and 你好 twice.")
    assert [notice.start for notice in plan.notices] == [4, 15]
    assert "Cyrillic" in plan.notices[0].message
    assert "Chinese" in plan.notices[1].message


def test_many_notices_are_summed_up(american):
    plan = american.plan("a中" * 300)
    assert len(plan.notices) == phonemizer.MAX_NOTICES + 1
    assert plan.notices[-1].message.startswith("200 more")
    assert plan.notices[-1].end == 600


def test_every_word_is_spoken_once_and_in_order(american):
    words = ["the", "quick", "brown", "fox", "jumped", "over", "a", "lazy", "dog"]
    text = "".join(f"{words[index % 9]} {words[index * 7 % 9]}{mark} " for index, mark in enumerate(",.;!? :-" * 40))
    assert len(spoken(american.plan(text)).replace("—", " ").split()) == 2 * 320


FRAGMENTS = (
    "1 23 2024 0 . , $ £ km m GB % °C [ ]( /) ]( ](/x/) ](+2) ) ( # ## * ** _ __ http:// www. example.com @ Mr. St. "
    "Jan May : p.m. am ½ ² Привет α μ 你好 😀 🇺🇸 \u200d \ud800 \udc00 \x00 \x01 \ue000 \ufffd \u0301 é ß “ ” ’ ' \" - "
    "– — … ... ! ? ; a A I II IV X Henry Chapter the read live US U.S. e.g. etc. vs No. p. <b> </b> < <!-- --> &amp; & "
    "&#x41; ` ``` ~ ~~ | |--| --- === + = × x / \\ C:\\ ^ e5 st th s 's n't 90s k million zorg B2B ﬁ ① ٣ ʔ ŋ 漢字 🏽 "
    "x Ð xD :D ;) tsp ½ kg ft in C5 CO2 AT&T Q&A WWII iii ° N − ⁻⁵ · 1066 '05 9am MO .NET -5- ~5 #1 ab. Ⅷ ² /day <= ≥ %"
)
SPACES = (" ", " ", " ", "\n", "\n\n", "\t", "\u2028", "\r\n", "\xa0", "", "", "- ", "1. ", "> ", "```py\n", "a" * 70)
ANYTHING = st.one_of(
    st.text(st.characters(), max_size=60),
    st.lists(st.sampled_from([*FRAGMENTS.split(" "), *SPACES]), max_size=30).map("".join),
)


def is_part_of_a_word(character: str) -> bool:
    return character.isalnum() and unicodedata.category(character) != "Lm"


def check_plan(text: str, plan: Plan, symbols: frozenset[str], limit: int) -> None:
    covered = set()
    end = 0
    for index, utterance in enumerate(plan.utterances):
        assert utterance.index == index
        assert end <= utterance.start <= utterance.end <= len(text)
        assert len(utterance.text) == utterance.end - utterance.start
        assert 0 < len(utterance.phonemes) <= limit
        assert set(utterance.phonemes) <= symbols
        end = utterance.end
        covered |= set(range(utterance.start, utterance.end))
    for notice in plan.notices:
        notice.message.encode()
        covered |= set(range(notice.start, notice.end))
    for emoticon in EMOTICON.pattern.finditer(text):
        covered |= set(range(*emoticon.span()))
    lost = [at for at, character in enumerate(text) if is_part_of_a_word(character) and at not in covered]
    assert lost == []


@settings(max_examples=80)
@given(text=ANYTHING | ANYTHING.map(lambda text: text * 40))
def test_any_text_is_planned_without_loss_or_refused(american, symbols, text):
    try:
        *beginnings, plan = american.plans(text)
    except NothingToSpeak:
        return
    check_plan(text, plan, symbols, 510)
    assert all(one.utterances == plan.utterances[: len(one.utterances)] for one in beginnings)


@pytest.fixture(scope="session")
def narrow(symbols: frozenset[str]) -> Phonemizer:
    return Phonemizer("en-GB", symbols, 12)


@settings(max_examples=60)
@given(text=ANYTHING)
def test_any_text_fits_a_small_limit(narrow, symbols, text):
    try:
        plan = narrow.plan(text)
    except NothingToSpeak:
        return
    check_plan(text, plan, symbols, 12)


def test_three_thousand_words_are_planned_whole(american):
    sentence = "In 1999 the quick brown fox, who lived in the U.S., jumped over 25 lazy dogs and paid $45.67. "
    plan = american.plan(sentence * 170)
    assert len(plan.utterances) > 50


def calls_made(work: Callable[[], object]) -> int:
    """Count the function calls of some work, including C functions: a measure of time unaffected by other processes."""
    count = itertools.count()
    sys.setprofile(lambda frame, event, argument: next(count) if "call" in event else None)
    try:
        work()
    except NothingToSpeak:
        pass
    finally:
        sys.setprofile(None)
    return next(count)


@pytest.mark.parametrize("unit", ["word ", "a", "1,", "a-", "[a](/x/) ", "\n", "你好 a ", "- a\n", "*a"])
def test_long_texts_take_linear_time(american, unit):
    def calls(characters: int) -> int:
        text = unit * (characters // len(unit)) + "end"
        return calls_made(lambda: american.plan(text))

    assert calls(8_000) < 5 * calls(2_000) + 1_000


def test_building_one_neither_loads_torch_nor_leaves_it_hidden():
    code = (
        "import sys\n"
        "from engine.text.g2p import Phonemizer\n"
        "from engine.text.g2p.analysis import load_offline_analyzer, MODEL_NAME\n"
        "from importlib.util import find_spec\n"
        "Phonemizer('en-US', 'abc', 510, load_analyzer=load_offline_analyzer)\n"
        "assert find_spec(MODEL_NAME) or 'torch' not in sys.modules\n"
        "import torch\n"
        "assert torch.zeros(1).item() == 0"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


METHODS = [name for name, _ in inspect.getmembers(FrontEnd, inspect.isfunction) if not name.startswith("_")]


@pytest.mark.parametrize("kind", [EnglishFrontEnd, OtherFrontEnd])
@pytest.mark.parametrize("method", METHODS)
def test_front_ends_match_the_declared_signatures(kind, method):
    declared, own = (inspect.signature(getattr(each, method)) for each in (FrontEnd, kind))
    assert own == declared


def test_rules_lexicon_and_reports_are_those_of_the_variety():
    front_end = EnglishFrontEnd(BRITISH, load_offline_analyzer)
    normalized = front_end.normalize("Dr. Lee can't on 3/4/2025.")
    assert "the third of April" in normalized.sourced.text
    assert front_end.pronounce("tomato", ())[0].phonemes == "təmˈɑːtQ"
    assert front_end.reports() == []
    assert "because" in front_end.phrase_starters


TEXT = "One 🙂 costs $5.\n\n[Kokoro](/kˈOkəɹO/) is here.\n \n\n  Third, at 3pm.\n\nLast 汉 one"


def cut_after(characters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FIRST_CHARACTERS", "PASSAGE_CHARACTERS"):
        monkeypatch.setattr(split, name, characters)


def test_a_short_text_is_one_passage():
    assert list(passages(TEXT)) == [(0, TEXT)]
    assert list(passages(" \n\n ")) == []


def test_passages_end_between_paragraphs_and_leave_nothing_out(monkeypatch):
    cut_after(10, monkeypatch)
    found = list(passages(TEXT))
    assert [part.split()[0] for _, part in found] == ["One", "[Kokoro](/kˈOkəɹO/)", "Third,", "Last"]
    assert " ".join(part for _, part in found).split() == TEXT.split()
    assert all(TEXT.startswith(part, start) for start, part in found)


def test_without_blank_lines_a_long_text_is_cut_at_ends_of_sentences(monkeypatch):
    cut_after(10, monkeypatch)
    text = "It rained on Mr. Smith and Mrs. Jones on every single day of that wet summer. " * 20
    parts = [part for _, part in passages(text)]
    assert " ".join(parts) == text.strip()
    assert len(parts) > 10
    assert all(part.endswith("summer.") for part in parts)


@pytest.mark.parametrize("text", ["word " * 100, "一" * 500, "a\n" * 200, "Ends here. " * 50])
def test_no_text_is_one_long_passage(text, monkeypatch):
    cut_after(10, monkeypatch)
    found = list(passages(text))
    assert max(len(part) for _, part in found) <= 10 * split.MAX_TIMES
    assert "".join("".join(part.split()) for _, part in found) == "".join(text.split())
    assert all(text.startswith(part, start) for start, part in found)


def test_a_plan_is_the_same_regardless_of_its_passages(american, monkeypatch):
    whole = american.plan(TEXT)
    cut_after(10, monkeypatch)
    assert american.plan(TEXT) == whole
    assert whole.notices


def test_words_carry_their_places():
    import_spacy()
    analyze = load_offline_analyzer({})
    assert analyze("I don't, Mr. Fox") == [
        TaggedWord("I", "PRP", True, 0),
        TaggedWord("do", "VBP", False, 2),
        TaggedWord("n't", "RB", False, 4),
        TaggedWord(",", ",", True, 7),
        TaggedWord("Mr.", "NNP", True, 9),
        TaggedWord("Fox", "NNP", False, 13),
    ]
    assert TaggedWord("Fox", "NNP", False, 13).end == 16


def test_an_installed_model_is_preferred(monkeypatch):
    monkeypatch.setattr(analysis, "load_model_analyzer", lambda: lambda text: [TaggedWord(text, "X", False, 0)])
    assert load_analyzer({})("abc") == [TaggedWord("abc", "X", False, 0)]


def test_without_the_model_the_offline_tagger_serves(monkeypatch):
    monkeypatch.setattr(analysis, "MODEL_NAME", "no_such_model")
    assert load_analyzer({})("cat")[0].tag == "NN"


def test_a_model_that_does_not_load_is_no_model(monkeypatch):
    import_spacy()
    monkeypatch.setattr(analysis, "MODEL_NAME", "json")
    assert analysis.load_model_analyzer() is None


def test_the_front_end_loads_no_client_of_the_network():
    code = """if True:
        import sys
        from importlib import import_module
        from engine.text.g2p.analysis import import_spacy
        import_spacy()
        import_module("engine.text.g2p.english")
        loaded = sorted({"requests", "httpx", "urllib3", "ssl", "spacy.cli"} & set(sys.modules))
        assert not loaded, loaded
        assert callable(import_module("spacy.cli.info").info)  # it can still be imported
    """
    subprocess.run([sys.executable, "-c", code], check=True)
