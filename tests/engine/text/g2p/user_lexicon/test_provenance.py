"""The source shown for a word is the one that was used, in both accents and in every English voice."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.runtime.synthesizer import Synthesizer
from engine.speech import Plan, PronunciationSource, SpeechRequest
from engine.text.g2p import Phonemizer
from engine.text.g2p.analysis import load_offline_analyzer
from engine.text.g2p.english import EnglishFrontEnd, homographs
from engine.text.g2p.letter_to_sound import LetterToSound
from engine.text.g2p.lexicon import Lexicon
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.store import UserLexicon
from engine.text.languages import language_of
from tests.engine.text.g2p.user_lexicon.test_applying import WORDS, words
from tests.trained import needs_trained

SPELLED = ["BBC", "TV", "GPU", "PhD", "HTML", "USB"]
RULES = ["3/4/2025", "$45.67", "10:30", "10kg", "3.5%", "1999", "21st", "5ft"]
MARKS = str.maketrans("ɾT", "tt", "ˈˌ .,!?")
"""Stress depends on the sentence, and so does the American tapped t."""


def bare(phonemes: str) -> str:
    return phonemes.translate(MARKS)


class Oracle:
    """The pronunciations of words by each source, one by one."""

    def __init__(self, tag: str) -> None:
        british = tag == "en-GB"
        self.lexicon, self._spelling = Lexicon(british), LetterToSound(british)
        self._front_end = EnglishFrontEnd(language_of(tag), load_offline_analyzer)

    def pronunciations(self, word: str, source: str) -> set[str]:
        """The phonemes that a source has for a word."""
        if source == PronunciationSource.ESPEAK:
            return {bare(self._spelling.phonemes(word))}
        if source == PronunciationSource.LETTERS:
            return {"".join(bare(str(self.lexicon.golds[letter])) for letter in word.upper())}
        files = (self.lexicon.golds, self.lexicon.silvers)
        forms = (word, word.lower(), word.capitalize(), word.upper())
        found = [entry for each in files for form in forms if (entry := each.get(form))]
        return {
            bare(said)
            for entry in found
            for said in ([entry] if isinstance(entry, str) else entry.values())
            if said is not None
        }

    def rewritten(self, sentence: str) -> str:
        """The sentence as rules rewrite it."""
        return self._front_end.normalize(sentence).sourced.text


def two_hundred(lexicon: Lexicon) -> list[str]:
    several = sorted(homographs(lexicon.golds.dependent()))
    others = [word for word in several if word not in WORDS]
    return [*WORDS, *SPELLED, *others[:: len(others) // 130]][:200]


@pytest.mark.parametrize("tag", ["en-US", "en-GB"])
def test_200_homographs_names_and_abbreviations_come_from_the_reported_source(tag, american, british):
    phonemizer: Phonemizer = american if tag == "en-US" else british
    oracle = Oracle(tag)
    chosen = two_hundred(oracle.lexicon)
    assert len(chosen) == 200
    counted: Counter[str] = Counter()
    for word in chosen:
        sentence = f"Well, {word} and the {word} came."
        told = [each for each in words(phonemizer.plan(sentence)) if sentence[each[0].start : each[0].end] == word]
        assert len(told) == 2
        for found, sound in told:
            counted[found.source.partition(":")[0]] += 1
            if found.source.startswith(PronunciationSource.RULE):
                assert oracle.rewritten(sentence) != sentence
            else:
                assert bare(sound) in oracle.pronunciations(word, found.source), (word, sound, found.source)
    assert counted[PronunciationSource.LEXICON] > 300
    assert min(counted[PronunciationSource.ESPEAK], counted[PronunciationSource.LETTERS]) >= 10


@pytest.mark.parametrize("tag", ["en-US", "en-GB"])
@pytest.mark.parametrize("word", RULES)
def test_a_word_from_a_rule_sounds_as_the_rule_rewrites_it(tag, word, american, british):
    phonemizer: Phonemizer = american if tag == "en-US" else british
    sentence = f"It was {word} then."
    plan = phonemizer.plan(sentence)
    ruled = [
        sentence[each.start : each.end] for each, _ in words(plan) if each.source.startswith(PronunciationSource.RULE)
    ]
    assert ruled == [word]
    rewritten = Oracle(tag).rewritten(sentence)
    assert word not in rewritten
    again = phonemizer.plan(rewritten)
    assert bare(again.utterances[0].phonemes) == bare(plan.utterances[0].phonemes)


@pytest.mark.parametrize("tag", ["en-US", "en-GB"])
def test_phonemes_in_the_text_are_from_the_text(tag, american, british):
    phonemizer: Phonemizer = american if tag == "en-US" else british
    for word in two_hundred(Oracle(tag).lexicon):
        found = words(phonemizer.plan(f"Well, [{word}](/dˈɪb/) came."))
        assert [sound for each, sound in found if each.source == PronunciationSource.MARKUP] == ["dˈɪb"]


PARTS = [
    "live",
    "read",
    "Bach",
    "Zorg",
    "NASA",
    "Dr. Lee",
    "on 3/4/2025",
    "the bass",
    "tomato",
    "wind",
    "at 10:30",
    "“close”",
    "BBC",
    "Siobhan",
]


class Voices:
    """A model with the user's lexicon in a separate folder; plans in all its English voices."""

    def __init__(self, model: str) -> None:
        self.synthesizer = Synthesizer(model, "cpu")
        self.lexicon = UserLexicon()
        voices = self.synthesizer.voices()
        self.names = {each.name: each.language for each in voices if language_of(each.language).english}

    def plans(self, text: str) -> dict[str, Plan]:
        """The plan of a text in each voice."""
        request = SpeechRequest(text, "")
        return {name: list(self.synthesizer.plans(replace(request, voice=name)))[-1] for name in self.names}


@pytest.fixture(
    scope="module",
    params=["starter", pytest.param("trained", marks=[needs_trained, pytest.mark.slow])],
)
def voices(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Voices]:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "starter":
            patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
            made = Voices("starter")
        else:
            made = Voices(request.getfixturevalue("trained").name)
        yield made
        made.lexicon.path.unlink(missing_ok=True)
        made.synthesizer.close()


@settings(max_examples=5, deadline=None)
@given(st.sampled_from(["live", "Bach", "Zorg", "NASA", "tomato", "wind"]), st.lists(st.sampled_from(PARTS)))
def test_an_entry_changes_its_word_and_nothing_else_in_every_english_voice(voices, word, parts):
    text = f"Well, {word} and {' and '.join([*parts, 'the', word])}, {word}."
    voices.lexicon.path.unlink(missing_ok=True)
    before = voices.plans(text)
    voices.lexicon.add([LexiconEntry(word, phonemes="dˈɪb")])
    after = voices.plans(text)
    assert len(after) >= 2
    by_language: dict[str, Plan] = {}
    for name, plan in after.items():
        assert plan == by_language.setdefault(voices.names[name], plan)
        assert len(words(plan)) == len(words(before[name]))
        for (old, old_sound), (new, sound) in zip(words(before[name]), words(plan), strict=True):
            if text[old.start : old.end].strip("“”") == word:
                assert (sound, new.source) == ("dˈɪb", PronunciationSource.USER)
            else:
                assert (sound, new.source) == (old_sound, old.source)


def test_every_english_voice_is_tried(voices):
    assert set(voices.names.values()) == {"en-US", "en-GB"}
    assert len(voices.names) >= (2 if voices.synthesizer.model == "starter" else 28)
