"""Projects on other machines: the same samples with any lexicon and any saved voices, and what a model cannot apply."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.models.voices.blends import SavedVoices
from engine.runtime.project_files import ModelIdentity, read_project, write_project
from engine.runtime.projects import identity_of, model_note, self_contained, shielded, unusable_edits
from engine.runtime.synthesizer import Synthesizer
from engine.speech import (
    Definitions,
    PhonemeEdit,
    Pronunciation,
    Respelling,
    Samples,
    SpeechRequest,
    UtteranceEdit,
)
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.store import UserLexicon

TEXT = "Zorg runs to New York.\n\n[voice:my duet] York and table for 5k."
Machine = Callable[[str], Synthesizer]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """Switches to the data folder of a machine with this name, which is empty at first."""
    opened: list[Synthesizer] = []

    def switch(name: str) -> Synthesizer:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / name))
        opened.append(Synthesizer("starter"))
        return opened[-1]

    yield switch
    for synthesizer in opened:
        synthesizer.close()


def spoken(synthesizer: Synthesizer, request: SpeechRequest) -> Samples:
    return np.concatenate([chunk.samples for chunk in synthesizer.synthesize(request)])


def said(synthesizer: Synthesizer, request: SpeechRequest) -> dict[str, str]:
    """Return the phonemes of each word."""
    *_, plan = synthesizer.plans(request)
    return {
        TEXT[word.start : word.end]: each.phonemes[word.first_phoneme : word.end_phoneme]
        for each in plan.utterances
        for word in each.words
    }


def saved(synthesizer: Synthesizer, path: Path) -> Samples:
    """Write a project with entries, a blend, and an edit on this machine; return its speech."""
    voices = synthesizer.voices()
    known = {voice.name: voice for voice in voices}
    SavedVoices().save("my duet", f"{voices[0].name}(2)+{voices[1].name}(1)", known)
    UserLexicon().add(
        [
            LexiconEntry("Zorg", phonemes="zˈɔɹɡ"),
            LexiconEntry(pattern=r"(\d+)k\b", say=r"\1 thousand"),
            LexiconEntry("table", phonemes="tˈɑbl", language="fr-FR"),
            LexiconEntry("elephant", say="mouse"),
        ]
    )
    request = SpeechRequest(TEXT, voices[0].name, 1.1, pause_scale=1.5)
    *_, plan = synthesizer.plans(request)
    first = plan.utterances[0]
    edit = UtteranceEdit(0, first.phonemes, changes=(PhonemeEdit(1, frames=30),), pause_seconds=0.7)
    request = self_contained(replace(request, edits=(edit,)))
    write_project(path, request, identity_of("starter"))
    return spoken(synthesizer, request)


def test_a_project_gives_the_same_samples_on_every_machine(tmp_path, machine):
    path = tmp_path / "a.kokoro"
    author = machine("first")
    first = saved(author, path)
    np.testing.assert_array_equal(spoken(author, shielded(read_project(path).request)), first)
    np.testing.assert_array_equal(spoken(machine("empty"), shielded(read_project(path).request)), first)
    reader = machine("other")
    voices = reader.voices()
    SavedVoices().save("my duet", voices[2].name + "(1)", {voice.name: voice for voice in voices})
    UserLexicon().add(
        [
            LexiconEntry("Zorg", say="fish"),
            LexiconEntry("New York", say="here"),
            LexiconEntry("York", say="there"),
            LexiconEntry(pattern="run", say="fly"),
        ]
    )
    request = read_project(path).request
    assert not np.array_equal(spoken(reader, request), first)  # the test would notice the other entries
    np.testing.assert_array_equal(spoken(reader, shielded(request)), first)
    assert [entry.title for entry in UserLexicon().entries()] == ["Zorg", "New York", "York", "run"]


def test_a_project_includes_only_the_entries_and_blends_of_its_text(tmp_path, machine):
    saved(machine("first"), tmp_path / "a.kokoro")
    definitions = read_project(tmp_path / "a.kokoro").request.definitions
    assert {each.word or each.pattern for each in definitions.pronunciations} == {"Zorg", r"(\d+)k\b"}
    assert [name for name, _ in definitions.blends] == ["my duet"]
    assert self_contained(SpeechRequest("Nothing of it.", "af_heart")).definitions == Definitions()


def test_an_entry_that_the_user_adds_later_applies(tmp_path, machine):
    saved(machine("first"), tmp_path / "a.kokoro")
    reader = machine("other")
    UserLexicon().add([LexiconEntry("runs", phonemes="fɪʃ")])
    request = shielded(read_project(tmp_path / "a.kokoro").request)
    assert said(reader, request)["runs"] != "fɪʃ"
    UserLexicon().add([LexiconEntry("runs", phonemes="kæt"), LexiconEntry("Zorg", phonemes="kæt")])
    assert said(reader, request)["runs"] == said(reader, request)["Zorg"] == "kæt"
    words = {each.word: each.phonemes for each in self_contained(request).definitions.pronunciations}
    assert words["runs"] == words["Zorg"] == "kæt"


def test_a_damaged_lexicon_does_not_stop_a_project(tmp_path, machine):
    saved(machine("first"), tmp_path / "a.kokoro")
    reader = machine("other")
    UserLexicon().path.parent.mkdir(parents=True)
    UserLexicon().path.write_text("{")
    request = shielded(read_project(tmp_path / "a.kokoro").request)
    *_, plan = reader.plans(request)
    assert "zˈɔɹɡ" in plan.utterances[0].phonemes
    assert any("lexicon" in notice.message for notice in plan.notices)


def test_edits_that_do_not_fit_are_named_with_their_sentences(machine):
    starter = machine("first")
    text = "One is here. It goes on."
    request = SpeechRequest(text, starter.voices()[0].name)
    *_, plan = starter.plans(request)
    phonemes = plan.utterances[0].phonemes
    fitting = UtteranceEdit(0, phonemes, gain_db=3)
    assert unusable_edits(plan, replace(request, edits=(fitting,)), "starter") == ()
    bad = (Respelling(0, 1, "☃"),)
    for edit in (replace(fitting, phonemes="x"), replace(fitting, start=5), replace(fitting, respellings=bad)):
        (notice,) = unusable_edits(plan, replace(request, edits=(edit,)), "starter")
        assert notice.start == edit.start


def test_a_note_names_both_models_only_if_they_differ():
    starter, other = ModelIdentity("starter", "12"), ModelIdentity("kokoro-82m", "34")
    assert model_note("a", starter, starter) == model_note("a", ModelIdentity(), starter) == ""
    assert model_note("a", starter, ModelIdentity("starter")) == ""
    assert "Kokoro-82M" in model_note("a", other, starter)
    assert "weights" in model_note("a", starter, ModelIdentity("starter", "56"))
    assert identity_of("starter").digest
    assert identity_of("none") == ModelIdentity("none")


def test_a_definition_applies_to_the_requests_that_have_it(machine):
    starter = machine("first")
    definitions = Definitions((Pronunciation("table", phonemes="zˈɔɹɡ"),))
    request = SpeechRequest("A table.", starter.voices()[0].name, definitions=definitions)
    *_, plan = starter.plans(request)
    assert "zˈɔɹɡ" in plan.utterances[0].phonemes
