import json
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from engine.export.export_job import ExportJob
from engine.export.exporting import discard, export
from engine.export.stored_jobs import StoredJobs
from engine.speech import CurveEdit, PhonemeEdit, SpeechRequest, UtteranceEdit
from engine.text.documents import Chapter, Document
from tests.engine.export.books import PNG, FastSpeaker, book, order_of

ROOT = Path(__file__).resolve().parents[3]
ORDER = ExportJob(
    Document("The Title", "A. Writer", "fr", (Chapter("One", "Un. 🙂"), Chapter("", "Deux.\n\nTrois.")), PNG),
    SpeechRequest("", "af_heart(2)+am_adam(1)", 1.25, 7, 2.0, "fr-FR"),
    Path("/a/b.m4b"),
    True,
    Path("/a/b.srt"),
    ((UtteranceEdit(0, "œ̃", changes=(PhonemeEdit(0, 9, pitch=CurveEdit(drawn=(180.5, 200.0))),)),), ()),
    Path("/a/original.epub"),
)


def keep_and_die(folder: Path) -> None:
    """Store a job in a process that is then killed."""
    code = (
        "import os\n"
        "from pathlib import Path\n"
        "from engine.export.stored_jobs import StoredJobs\n"
        "from tests.engine.export.test_stored_jobs import ORDER\n"
        f"kept = StoredJobs(Path({str(folder)!r})).keep(ORDER, 'kokoro-82m')\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT)


def test_the_order_of_a_process_that_was_killed_is_found_whole(tmp_path: Path) -> None:
    keep_and_die(tmp_path)
    (kept,) = StoredJobs(tmp_path).interrupted()
    assert (kept.order, kept.model) == (ORDER, "kokoro-82m")
    kept.drop()
    assert not list(tmp_path.iterdir())


def test_only_one_of_two_finds_it(tmp_path: Path) -> None:
    keep_and_die(tmp_path)
    found = list(StoredJobs(tmp_path).interrupted())
    assert len(found) == 1
    assert not list(StoredJobs(tmp_path).interrupted())
    found[0].release()  # as when its process ends
    (again,) = StoredJobs(tmp_path).interrupted()
    again.release()


def test_one_that_is_carried_out_is_not_interrupted(tmp_path: Path) -> None:
    kept = StoredJobs(tmp_path).keep(ORDER, "starter")
    assert not list(StoredJobs(tmp_path).interrupted())
    kept.drop()
    assert not list(tmp_path.iterdir())


def test_without_a_folder_nothing_was_interrupted(tmp_path: Path) -> None:
    assert not list(StoredJobs(tmp_path / "none").interrupted())


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "[" * 100_000, json.dumps({"chapters": [["a", 3]]})])
def test_an_invalid_job_file_is_removed(content: str, tmp_path: Path) -> None:
    (tmp_path / "1-1.json").write_text(content)
    assert not list(StoredJobs(tmp_path).interrupted())
    assert not list(tmp_path.iterdir())


def test_an_interrupted_export_can_be_discarded_without_a_trace(tmp_path: Path, cache: Path) -> None:
    order, other = order_of(book(), tmp_path / "book.m4b"), order_of(book(1, 9000), tmp_path / "other.flac")
    for each, steps in ((order, 40), (other, 20)):
        going = export(each, FastSpeaker(), lambda _: None)
        list(islice(going, steps))
        going.close()
    before = set(cache.rglob("exports/*.flac"))
    (left,) = _leftovers(order.path)
    discard(order)
    assert not left.exists()
    kept = set(cache.rglob("exports/*.flac"))
    assert kept < before
    second = FastSpeaker()
    list(export(other, second, lambda _: None))
    assert len(second.requests) < 3


def _leftovers(path: Path) -> list[Path]:
    """Return the files left by a process that was killed while writing."""
    code = (
        "import os\n"
        "from pathlib import Path\n"
        "from engine.system.atomic_write import atomic_write\n"
        f"with atomic_write(Path({str(path)!r})):\n"
        "    os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    return list(path.parent.glob(".*.part"))
