"""Words with tags, with and without spaCy's model."""

import subprocess
import sys

import pytest

from engine.g2p import analysis
from engine.g2p.analysis import TaggedWord, import_spacy, load_analyser, load_offline_analyser


def test_words_carry_their_places() -> None:
    import_spacy()
    analyse = load_offline_analyser({})
    assert analyse("I don't, Mr. Fox") == [
        TaggedWord("I", "PRP", True, 0),
        TaggedWord("do", "VBP", False, 2),
        TaggedWord("n't", "RB", False, 4),
        TaggedWord(",", ",", True, 7),
        TaggedWord("Mr.", "NNP", True, 9),
        TaggedWord("Fox", "NNP", False, 13),
    ]
    assert TaggedWord("Fox", "NNP", False, 13).end == 16


def test_an_installed_model_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "load_model_analyser", lambda: lambda text: [TaggedWord(text, "X", False, 0)])
    assert load_analyser({})("abc") == [TaggedWord("abc", "X", False, 0)]


def test_without_the_model_the_offline_tagger_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MODEL_NAME", "no_such_model")
    assert load_analyser({})("cat")[0].tag == "NN"


def test_a_model_that_does_not_load_is_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    import_spacy()
    monkeypatch.setattr(analysis, "MODEL_NAME", "json")
    assert analysis.load_model_analyser() is None


def test_the_front_end_loads_no_client_of_the_network() -> None:
    code = """if True:
        import sys
        from importlib import import_module
        from engine.g2p.analysis import import_spacy
        import_spacy()
        import_module("engine.g2p.english")
        loaded = sorted({"requests", "httpx", "urllib3", "ssl", "spacy.cli"} & set(sys.modules))
        assert not loaded, loaded
        assert callable(import_module("spacy.cli.info").info)  # it can still be imported
    """
    subprocess.run([sys.executable, "-c", code], check=True)
