"""From the hub to speech: a model is downloaded, and speaks without a network afterwards."""

import json
import socket
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.audio.joining import PEAK_LIMIT
from engine.errors import MissingModel
from engine.models import checkpoints, store
from engine.models.checkpoints import open_checkpoint
from engine.models.store import ModelStore
from engine.models.voices.blends import SavedVoices
from engine.runtime.synthesizer import Synthesizer
from engine.speech import SpeechRequest
from engine.system.paths import data_folder
from tests.engine.models.conftest import call_here, hub_for
from tests.engine.models.published import Published, publish, published_state, saved
from tests.starter_voices import MALE

TEXT = "The model was fetched, and now it speaks."


@pytest.fixture(scope="module")
def posing(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """The bundled weights in the published layout of the official model."""
    starter = open_checkpoint("starter")
    state = published_state(starter.config, starter.load_weights())
    return publish(starter.config, tmp_path_factory.mktemp("resources"), checkpoint=saved(state))


@pytest.fixture
def fetched(posing: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a downloaded model; the network is unreachable from here on."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(store, "call", call_here)
    monkeypatch.setattr(checkpoints, "resources_folder", lambda: posing.entry.config_file.parent.parent)
    with pytest.raises(MissingModel, match="models fetch kokoro-82m"):
        open_checkpoint("kokoro-82m")
    with hub_for(posing, tmp_path, monkeypatch):
        ModelStore(entries=(posing.entry,)).fetch("kokoro-82m")
    monkeypatch.setattr(socket, "socket", None)
    return "kokoro-82m"


def test_a_downloaded_model_sounds_like_the_original(fetched, starter, posing, monkeypatch):
    assert json.loads((data_folder() / "models" / fetched / "manifest.json").read_text())["published"]
    synthesizer = Synthesizer(fetched)
    voice, choose = open_checkpoint("starter").voices[MALE], SavedVoices.choose
    its_own = replace(voice, table=voice.table[: posing.config.phoneme_limit])
    with monkeypatch.context() as patch:
        patch.setattr(SavedVoices, "choose", lambda self, name, _: choose(self, name, {"af_heart": its_own}))
        ours = spoken(synthesizer, "af_heart")
    assert 0.05 < np.abs(ours).max() <= PEAK_LIMIT
    assert np.corrcoef(ours, spoken(starter, MALE))[0, 1] > 0.999
    synthesizer.close()


def spoken(synthesizer: Synthesizer, voice: str) -> np.ndarray:
    return np.concatenate([chunk.samples for chunk in synthesizer.synthesize(SpeechRequest(TEXT, voice))])
