import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest, UnknownVoice
from engine.speech import AppliedPreset, Preset, Utterance
from engine.text.g2p import Phonemizer
from engine.text.g2p.directions import (
    PresetMark,
    Script,
    Section,
    directions,
    hide_preset_tags,
    read_marks,
    read_script,
    voice_before,
    without_preset_tags,
)
from engine.text.g2p.draft import Draft
from engine.text.g2p.overrides import NAME_PLACEHOLDER, PLACEHOLDER, Override, put_back, set_aside, to_misaki
from engine.text.languages import AMERICAN, BRITISH


def find_voice(name: str) -> None:
    if name == "a(":
        raise InvalidRequest("“a(” is not a blend of voices.", "Use the form a(2)+b(1).")
    if not name.startswith("am_michael"):
        raise UnknownVoice(name, ("am_michael",), "am_michael")


def section(script: Script, text: str) -> list[tuple[str, str, float | None]]:
    return [(text[each.start : each.end], each.voice, each.rest_seconds) for each in script.sections]


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("[pause 1.5s]", 1.5), ("[pause 500ms]", 0.5), ("[Pause: 2 s]", 2.0), ("[ pause=0s ]", 0),
        ("[pause 60s]", 60),
    ],
)  # fmt: skip
def test_a_pause_has_its_seconds(written, seconds):
    (found,) = directions(f"a {written} b")
    assert (found.start, found.end, found.pause_seconds, found.problem) == (2, 2 + len(written), seconds, "")


def test_a_voice_speaks_until_the_next_one():
    text = "One. [voice:am_michael] Two. [pause 1s] Three. [voice: am_michael(2)] Four."
    script = read_script(text, find_voice)
    assert section(script, text) == [
        ("One. ", "", None),
        (" Two. ", "am_michael", 1.0),
        (" Three. ", "am_michael", None),
        (" Four.", "am_michael(2)", None),
    ]
    assert script.voices == {"am_michael", "am_michael(2)"}
    assert script.notices == ()


def test_a_voice_speaks_on_where_only_a_part_is_asked_for():
    text = "One. [voice:am_michael] Two. [voice:nobody] Three."
    assert voice_before(text, 5, find_voice) == ""
    assert voice_before(text, len(text), find_voice) == "am_michael"
    assert read_script("Three.", find_voice, "am_michael").sections == (Section(0, 6, "am_michael"),)


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("[pause]", "write a pause like"),
        ("[pause for effect]", "write a pause like"),
        ("[pause -1s]", "write a pause like"),
        ("[pause 61s]", "at most 60 seconds"),
        ("[voice:]", "write a voice like"),
        ("[voice:am_micheal]", "Did you mean “am_michael”?"),
        ("[voice am_micheal]", "Did you mean “am_michael”?"),
        ("[voice:a(]", "Use the form"),
    ],
)
def test_invalid_directions_are_omitted_with_a_notice(written, reason):
    text = f"One. {written} Two."
    script = read_script(text, find_voice)
    assert section(script, text) == [("One. ", "", None), (" Two.", "", None)]
    (notice,) = script.notices
    assert reason in notice.message
    assert text[notice.start : notice.end] == written


@pytest.mark.parametrize(
    "text", ["[paused]", "[pause](/pˈɔz/)", "the [voice] of", "[voice](http://x.y)", "pause 1s", "[a]"]
)
def test_other_brackets_are_text(text):
    assert read_script(text, find_voice) == Script((Section(0, len(text)),))


@given(st.lists(st.sampled_from(["[pause 1s]", "[voice:b]", "[pause x]", "a", " ", "[", "]", "(", "\n"]), max_size=20))
def test_sections_and_directions_make_the_text(parts):
    text = "".join(parts)
    script = read_script(text)
    at = 0
    for each, following in zip(script.sections, [*directions(text), None], strict=True):
        assert (each.start, each.end) == (at, following.start if following else len(text))
        at = following.end if following else len(text)
        assert all(script.place(place) == script.sections.index(each) for place in range(each.start, each.end))


def utterances(american: Phonemizer, text: str) -> tuple[Utterance, ...]:
    return american.plan(text).utterances


def test_utterances_carry_voices_and_rests(american):
    text = "[pause 2s] One. [pause 1s][pause 500ms] Two. [voice:b] Three. [pause x] [pause 3s]"
    one, two, three = utterances(american, text)
    assert [each.text for each in (one, two, three)] == ["One.", "Two.", "Three."]
    assert [text[word.start : word.end] for each in (one, two, three) for word in each.words] == ["One", "Two", "Three"]
    assert [each.rest_seconds for each in (one, two, three)] == [1.5, None, 3.0]
    assert [each.rest_before_seconds for each in (one, two, three)] == [2.0, 0.0, 0.0]
    assert [each.voice for each in (one, two, three)] == ["", "", "b"]


def test_directions_are_never_spoken(american):
    plain = american.plan("One.\n\nTwo.")
    for written in ("[pause 1s]", "[voice:b]", "[pause x]"):
        assert [each.phonemes for each in utterances(american, f"One. {written} Two.")] == [
            each.phonemes for each in plain.utterances
        ]


def test_notices_after_a_direction_point_into_the_text(american):
    text = "One. [pause 1s] Say 你好 twice."
    (notice,) = american.plan(text).notices
    assert text[notice.start : notice.end] == "你好"


def test_a_section_is_spoken_in_the_language_of_its_voice(american, british):
    text = "Tomato. [voice:bf_emma] Tomato."
    *_, plan = american.plans(text, others={"bf_emma": british})
    assert [each.phonemes for each in plan.utterances] == ["təmˈATO.", "təmˈɑːtQ."]


def test_words_are_set_aside_and_put_back():
    draft = Draft("a [bee](/bˈi/) and [sea](+2) c", AMERICAN)
    words = set_aside(draft)
    assert draft.text == f"a {PLACEHOLDER} and {PLACEHOLDER} c"
    assert put_back(draft, words) == [Override(2, 5, phonemes="bˈi"), Override(10, 13, stress=2.0)]
    assert draft.text == "a bee and sea c"
    assert draft.sourced.source_span(2, 5).end == 14


@pytest.mark.parametrize(
    ("written", "override"),
    [
        ("[x](-0.5)", Override(0, 1, stress=-0.5)),
        ("[123](#&#)", Override(0, 3, number_flags="&")),
        ("[New York](/x/)", Override(0, 8, phonemes="k" if False else "x")),
        ("[“é…”](/x/)", Override(0, 1, phonemes="x")),
    ],
)
def test_forms(written, override):
    draft = Draft(written, AMERICAN)
    assert put_back(draft, set_aside(draft)) == [override]


def test_pronounced_accents_are_preserved():
    draft = Draft("Résumés, crème and fête: [né](/nˈA/)", AMERICAN)
    words = set_aside(draft)
    assert draft.text == f"{NAME_PLACEHOLDER}, {PLACEHOLDER} and fête: {PLACEHOLDER}"
    assert put_back(draft, words) == [Override(25, 26, phonemes="nˈA")]
    assert draft.text == "Résumés, crème and fête: n"


@pytest.mark.parametrize("written", ["[a](b)", "[a](/)", "[a](//)", "[a](/ /)", "[a](+5)", "[](/x/)", "[é😀](+1)"])
def test_other_brackets_are_left_alone(written):
    draft = Draft(written, AMERICAN)
    assert set_aside(draft) == []
    assert draft.text == written


@pytest.mark.parametrize("sign", [PLACEHOLDER, NAME_PLACEHOLDER])
def test_a_placeholder_in_the_source_is_not_a_word(sign):
    draft = Draft(f"{sign}[a](/x/)", AMERICAN)
    words = set_aside(draft)
    assert len(words) == 1
    assert [each for each in draft.text if each in (PLACEHOLDER, NAME_PLACEHOLDER)] == [PLACEHOLDER]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Zorg came.", "Mr. and Mrs. Zorg left.", "Dr Zorg is in.", "We saw St. Zorg today.", "Wm. Zorg is here.",
        "J. B. Zorg wrote it.", "He left at 5 p.m. Zorg stayed.", "He lives on Zorg St. today.",
        "At 12 Zorg St. it was.",
        "Lists, clouds, etc. Zorg wrote it.", "Bros. Zorg and Co. Zorg left.", "The U.S. Zorg is small.",
        "(It was late.) Zorg left.", "no. Zorg", "Zorg Jr. met Zorg.",
    ],
)  # fmt: skip
def test_a_given_pronunciation_changes_nothing_around_the_name(american, text):
    marked = text.replace("Zorg", "[Zorg](/zˈɔɹɡ/)")
    assert [each.phonemes for each in american.plan(marked).utterances] == [
        each.phonemes for each in american.plan(text).utterances
    ]


@pytest.mark.parametrize(
    ("ipa", "american", "british"),
    [
        ("təˈmeɪtoʊ", "təˈmAtO", "təˈmAtQ"),
        ("tʃɜːtʃ", "ʧɜɹʧ", "ʧɜːʧ"),
        ("ɡəʊ", "ɡO", "ɡQ"),
        ("red", "ɹɛd", "ɹɛd"),
        ("d͡ʒɔɪ", "ʤY", "ʤY"),
        ("hˈAlOɡ  ɪn", "hˈAlOɡ ɪn", "hˈAlOɡ ɪn"),
    ],
)
def test_usual_ipa_becomes_misaki_letters(ipa, american, british):
    assert to_misaki(ipa, AMERICAN) == american
    assert to_misaki(ipa, BRITISH) == british


def marked(text: str) -> list[tuple[str, str]]:
    """The presets of a text with the characters that they are for."""
    return [(mark.preset, text[mark.start : mark.end]) for mark in read_marks(text).marks]


@pytest.mark.parametrize(
    ("text", "presets"),
    [
        ("Is it [rise]you?", [("rise", "y")]),
        ("Is it [ Rise ] you?", [("rise", "y")]),
        ("[rise]Is it you?[/rise]", [("rise", "Is it you?")]),
        ("[fall]a [fall]b", [("fall", "a"), ("fall", "b")]),
        ("[slow]a [emphasis]b[/emphasis][/slow]", [("slow", "a [emphasis]b[/emphasis]"), ("emphasis", "b")]),
        ("[emphasis] [pause 1s] (a)", [("emphasis", "a")]),
        ("[deemphasis][Kokoro](/k/)", [("deemphasis", "K")]),
        ("[fast]a[/ fast]", [("fast", "a")]),
    ],
)
def test_a_preset_is_for_the_next_word_or_up_to_its_end(text, presets):
    assert marked(text) == presets
    assert read_marks(text).notices == ()


@pytest.mark.parametrize(
    ("text", "tag", "reason"),
    [
        ("[slow]a", "[slow]", "end it with [/slow]"),
        ("a [fast]b [fast]c[/fast]", "[fast]", "end it with [/fast]"),
        ("a[/rise]", "[/rise]", "write [rise] before it"),
        ("a [emphasis]!", "[emphasis]", "before a word"),
    ],
)
def test_a_tag_without_effect_is_left_out_with_a_notice(text, tag, reason):
    (notice,) = read_marks(text).notices
    assert text[notice.start : notice.end] == tag
    assert reason in notice.message
    assert tag not in without_preset_tags(text).text


@pytest.mark.parametrize(
    "text", ["[rise](/ɹˈIz/)", "[slow](http://x.y)", "[slower]", "[rise up]", "rise", "[/voice]", "[   rise]"]
)
def test_other_brackets_are_no_tags(text):
    assert marked(text) == []
    assert without_preset_tags(text).text == text


@pytest.mark.parametrize(
    ("text", "untagged"),
    [
        ("[slow]a b[/slow].", "a b."), ("a [slow] b [/slow].", "a b."), ("a [rise]b?", "a b?"),
        ("a [slow][rise] b [/rise] [/slow] c", "a b c"), ("un[fast]do[/fast]able", "undoable"),
        ("a.\n[slow]\nb.\n[/slow]\nc", "a.\nb.\nc"),
    ],
)  # fmt: skip
def test_tags_leave_no_white_space(text, untagged):
    found = without_preset_tags(text)
    assert found.text == untagged
    hidden = hide_preset_tags(text, "_")
    assert len(hidden) == len(text)
    assert hidden.replace("_", "") == untagged


TAGS = st.sampled_from([f"[{slash}{preset}]" for preset in Preset for slash in ("", "/")])


@given(
    st.lists(st.tuples(st.sampled_from(["Really", "you", "don’t", "5", "Mr. Lee", "go"]), st.lists(TAGS, max_size=2))),
    st.data(),
)
def test_a_text_is_read_as_if_its_tags_were_not_there(american, words, data):
    plain = " ".join(["Hello", *(word for word, _ in words)]) + "?"
    tagged = " ".join(["Hello", *("".join([*tags, word]) for word, tags in words)])
    tagged += "".join(data.draw(st.lists(TAGS, max_size=2))) + "?"
    expected, found = american.plan(plain), american.plan(tagged)
    assert [each.phonemes for each in found.utterances] == [each.phonemes for each in expected.utterances]
    written = [
        [hide_preset_tags(tagged, "_")[word.start : word.end].replace("_", "") for word in each.words]
        for each in found.utterances
    ]
    assert written == [[plain[word.start : word.end] for word in each.words] for each in expected.utterances]


def test_utterances_carry_the_presets_of_their_words(american):
    text = "[slow]One two. [pause 1s]Three[/slow] four, [emphasis]five."
    one, two = utterances(american, text)
    assert one.presets == (AppliedPreset(Preset.SLOW, 0, one.words[1].end_phoneme),)
    assert two.presets == (
        AppliedPreset(Preset.SLOW, 0, two.words[0].end_phoneme),
        AppliedPreset(Preset.EMPHASIS, two.words[2].first_phoneme, two.words[2].end_phoneme),
    )


def test_a_rise_is_at_the_end_of_its_words(american):
    one, two = utterances(american, "[rise]Is it? [pause 1s] Is it you?[/rise]")
    assert one.presets == ()
    assert two.presets == (AppliedPreset(Preset.RISE, 0, two.words[-1].end_phoneme),)


def test_presets_of_a_part_count_from_its_start():
    marks = read_marks("[slow]one two[/slow] [rise]three [fast]four")
    assert marks.within(10, 43).marks == (PresetMark(Preset.SLOW, 0, 3), PresetMark(Preset.RISE, 17, 18))
    assert [(each.start, each.end) for each in marks.within(10, 43).notices] == [(23, 29)]
    assert marks.within(10, 12).notices == ()
    assert marks.across(10) == (Preset.SLOW,)
    assert marks.across(6) == marks.across(13) == ()
