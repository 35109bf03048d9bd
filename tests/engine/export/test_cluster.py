"""Tests of parts that the workers of a Dask cluster speak; processes on this machine are the workers."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import dask
import pytest
from distributed import Client, LocalCluster

from engine.__main__ import main
from engine.errors import EngineError
from engine.export import cluster
from engine.export.cluster import LOOP_ATTEMPTS, Cluster, with_event_loop
from engine.export.side_by_side import SpeakerSettings, speak_part
from engine.models.checkpoints import FULL_SIZE, open_checkpoint, starter_voices
from engine.models.store import ModelStore
from engine.models.voices.blends import SavedVoices
from engine.runtime.synthesizer import Synthesizer
from engine.speech import SpeechRequest
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.store import UserLexicon
from tests.patience import PATIENCE_SECONDS, wait_until
from tests.trained import needs_trained

ROOT = Path(__file__).resolve().parents[3]
SENTENCE = "The morning light came softly through the kitchen window, and nobody said a word for a while. "
SETTINGS = SpeakerSettings("starter")
LIMIT_SECONDS = 3 * PATIENCE_SECONDS
"""The limit for a part, for which a worker may have to start and load the model."""
REQUEST = SpeechRequest("Good morning.", starter_voices()[0].name)


@pytest.fixture(scope="module", autouse=True)
def _dask_of_the_tests() -> Iterator[None]:
    """Keep Dask from setting variables of this process, which its children would inherit, and from giving up early."""
    with dask.config.set({"distributed.nanny.pre-spawn-environ": {}}), pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "CONNECT_SECONDS", PATIENCE_SECONDS)
        yield


def local_cluster(workers: int, **options: Any) -> LocalCluster:
    """A scheduler with workers of one thread."""
    return with_event_loop(
        lambda: LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0", **options)
    )


@pytest.fixture(scope="module")
def workers() -> Iterator[LocalCluster]:
    """A scheduler with two workers."""
    with local_cluster(2) as workers:
        yield workers


@pytest.fixture(scope="module")
def address(workers: LocalCluster) -> str:
    """The address of the scheduler."""
    return workers.scheduler_address


@cache
def fingerprint(voice: str) -> str:
    return Synthesizer("starter", "cpu").fingerprint(voice)


def test_parts_of_a_killed_worker_are_spoken_by_others(workers, address):
    requests = [SpeechRequest(SENTENCE * repeats, REQUEST.voice) for repeats in range(1, 6)]
    with Cluster(address, SETTINGS, fingerprint) as speaking:
        parts = [speaking.submit(request) for request in requests]
        parts[0].result(LIMIT_SECONDS)
        os.kill(workers.workers[0].pid, signal.SIGKILL)
        lengths = [part.result(LIMIT_SECONDS).length for part in parts]
    assert lengths == sorted(lengths)
    assert lengths[0] > 24_000


def test_books_have_the_bytes_of_one_process(address, tmp_path, monkeypatch):
    monkeypatch.setattr("engine.export.exporting.PART_CHARACTERS", 300)
    books = [tmp_path / "First.txt", tmp_path / "Second.txt"]
    for book, repeats in zip(books, (7, 2), strict=True):
        book.write_text(f"{book.stem}.\n\n" + SENTENCE * repeats, encoding="utf-8")
    arguments = ["speak", "--model", "starter", "--file", *map(str, books), "--out"]
    assert main([*arguments, str(tmp_path / "alone"), "--threads", "1"]) == 0
    assert main([*arguments, str(tmp_path / "cluster"), "--cluster", address]) == 0
    for name in ("First.m4b", "Second.m4b"):
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "cluster" / name).read_bytes()


def test_leaving_the_block_cancels_the_parts(address):
    with Cluster(address, SETTINGS, fingerprint) as speaking:
        for number in range(20):
            speaking.submit(SpeechRequest(f"{SENTENCE} {number}", REQUEST.voice))
    with with_event_loop(lambda: Client(address, set_as_default=False)) as client:
        wait_until(
            lambda: client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) == 0,
            "the end of the tasks",
            LIMIT_SECONDS,
        )


def test_a_worker_with_a_different_version_is_refused(address, monkeypatch):
    monkeypatch.setattr(cluster, "program_digest", lambda: "a newer one")
    with (
        Cluster(address, SETTINGS, fingerprint) as speaking,
        pytest.raises(EngineError, match=r"^The worker tcp://.* has a different version of Kokoro Desk"),
    ):
        speaking.submit(REQUEST).result(LIMIT_SECONDS)


@pytest.mark.parametrize("different", [voice.name for voice in starter_voices()[:2]])
def test_a_worker_with_different_weights_or_voices_is_refused(different, address):
    request = SpeechRequest(f"Good morning. [voice:{starter_voices()[1].name}] Hello.", REQUEST.voice)
    with (
        Cluster(address, SETTINGS, lambda voice: "other" if voice == different else fingerprint(voice)) as speaking,
        pytest.raises(EngineError, match=r"^The worker tcp://.* different weights or voices"),
    ):
        speaking.submit(request).result(LIMIT_SECONDS)


def test_a_worker_without_the_model_names_it(address):
    with (
        Cluster(address, SpeakerSettings("kokoro-82m"), fingerprint) as speaking,
        pytest.raises(EngineError, match=r"^The worker tcp://.* The weights of kokoro-82m aren’t installed"),
    ):
        speaking.submit(REQUEST).result(LIMIT_SECONDS)


@pytest.fixture
def workers_say_bad_for_good() -> Iterator[None]:
    """An entry in the lexicon of the workers, which have the data folder of this process."""
    lexicon = UserLexicon()
    lexicon.add([LexiconEntry("good", phonemes="bˈæd")])
    yield
    lexicon.remove("good")


@pytest.mark.usefixtures("workers_say_bad_for_good")
def test_a_worker_speaks_with_the_pronunciations_and_blends_of_the_user(address, tmp_path, monkeypatch):
    first, second = (voice.name for voice in starter_voices()[:2])
    requests = [SpeechRequest("Good morning.", REQUEST.voice), SpeechRequest("Good morning.", "Duet")]
    with Cluster(address, SETTINGS, fingerprint) as speaking:
        plain = speaking.submit(requests[0]).result(LIMIT_SECONDS)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    UserLexicon().add([LexiconEntry("morning", phonemes="ˈivnɪŋ")])
    SavedVoices().save("Duet", f"{first}+{second}", {voice.name: voice for voice in starter_voices()})
    here = Synthesizer("starter", "cpu", threads=1)
    with Cluster(address, SETTINGS, here.fingerprint) as speaking:
        parts = [speaking.submit(request).result(LIMIT_SECONDS) for request in requests]
    assert parts == [speak_part(here, request) for request in requests]
    assert parts[0].pcm != plain.pcm


@needs_trained
def test_a_worker_without_the_model_is_given_it(trained_data, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(trained_data))
    here = Synthesizer(FULL_SIZE, "cpu")
    empty = {"XDG_DATA_HOME": str(tmp_path)}
    with (
        local_cluster(1, env=empty) as workers,
        Cluster(workers.scheduler_address, SpeakerSettings(FULL_SIZE), here.fingerprint) as speaking,
    ):
        requests = [SpeechRequest(text, "af_heart") for text in ("Good morning.", "Hello.")]
        parts = [speaking.submit(request) for request in requests]
        assert all(part.result(LIMIT_SECONDS).length > 12_000 for part in parts)
    there = ModelStore(tmp_path / "kokoro-desk" / "models").open(FULL_SIZE)
    assert there is not None
    assert there.identity == open_checkpoint(FULL_SIZE).identity


def test_an_error_in_the_text_is_that_of_one_process(address):
    with (
        Cluster(address, SETTINGS, lambda voice: fingerprint(REQUEST.voice)) as speaking,
        pytest.raises(EngineError, match="Unknown voice “nobody”"),
    ):
        speaking.submit(SpeechRequest("Good morning.", "nobody")).result(LIMIT_SECONDS)


def test_a_cluster_without_workers_is_refused():
    with local_cluster(0) as nobody, pytest.raises(EngineError, match="has no workers"):
        Cluster(nobody.scheduler_address, SETTINGS, fingerprint)


def let_clients_fail(times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the next clients fail as if their event loops hadn't started in time."""
    left = [AssertionError()] * times

    def client(*arguments: Any, **options: Any) -> Client:
        if left:
            raise left.pop()
        return Client(*arguments, **options)

    monkeypatch.setattr("distributed.Client", client)


def test_an_event_loop_that_starts_late_is_started_again(address, monkeypatch):
    let_clients_fail(LOOP_ATTEMPTS - 1, monkeypatch)
    with Cluster(address, SETTINGS, fingerprint) as speaking:
        assert speaking.submit(REQUEST).result(LIMIT_SECONDS).length > 0


def test_event_loops_that_never_start_in_time_are_an_error(address, monkeypatch):
    let_clients_fail(LOOP_ATTEMPTS, monkeypatch)
    with pytest.raises(EngineError):
        Cluster(address, SETTINGS, fingerprint)


@pytest.mark.parametrize("wrong", ["tcp://127.0.0.1:1", "nowhere", "http://127.0.0.1:1", ""])
def test_a_wrong_address_is_one_sentence(wrong, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    (tmp_path / "a.txt").write_text("Good morning.", encoding="utf-8")
    arguments = ["--file", str(tmp_path / "a.txt"), "--out", str(tmp_path / "a.wav"), "--cluster", wrong]
    assert main(["speak", "--model", "starter", *arguments]) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"error: No Dask scheduler answers at “{wrong}”.")


def test_without_dask_it_says_how_to_install_it(tmp_path):
    (tmp_path / "a.txt").write_text("Good morning.", encoding="utf-8")
    program = (
        "import sys; sys.modules['distributed'] = None; from engine.__main__ import main; "
        f"sys.exit(main(['speak', '--model', 'starter', '--file', {str(tmp_path / 'a.txt')!r}, "
        f"'--out', {str(tmp_path / 'a.wav')!r}, '--cluster', 'tcp://127.0.0.1:1']))"
    )
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "'.[cluster]'" in ended.stderr.splitlines()[-1]


def test_jobs_and_a_cluster_are_not_combined(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("Good morning.", encoding="utf-8")
    arguments = ["--file", str(tmp_path / "a.txt"), "--jobs", "1", "--cluster", "tcp://127.0.0.1:1"]
    assert main(["speak", "--model", "starter", *arguments]) == 1
    assert "--cluster can’t be used with --jobs" in capsys.readouterr().err
