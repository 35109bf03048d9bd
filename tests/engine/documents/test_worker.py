import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.documents import Chapter, plain_text, worker
from engine.documents.document import decoded
from engine.errors import DamagedDocument, EngineError, OversizedDocument, UnusableDocument
from engine.system.child_process import python_command
from engine.system.paths import project_folder


def test_a_document_gets_its_language_from_its_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(
        "Le petit prince est sur la planète, et il ne sait pas que le monde est plus grand que les étoiles."
    )
    assert worker.read(path).language == "fr"


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (MemoryError(), OversizedDocument),
        (RecursionError(), DamagedDocument),
        (OSError(5, "gone"), UnusableDocument),
    ],
)
def test_whatever_goes_wrong_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: Exception, kind: type[EngineError]
) -> None:
    def fail(path: Path) -> None:
        raise raised

    monkeypatch.setattr(plain_text, "read", fail)
    with pytest.raises(kind, match=r"“a\.txt”"):
        worker.read(tmp_path / "a.txt")


def test_a_blank_text_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(" \n\n ")
    with pytest.raises(UnusableDocument, match=r"“a\.txt” has no text"):
        worker.read(tmp_path / "a.txt")


def test_the_process_answers_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Hello.")
    command = python_command("engine.documents.worker", str(tmp_path / "a.txt"))
    done = subprocess.run(command, capture_output=True, check=True, cwd=project_folder())
    assert decoded(json.loads(done.stdout)).chapters == (Chapter("a", "Hello."),)


@pytest.mark.skipif(sys.platform != "linux", reason="macOS has no such limit")
def test_the_process_cannot_take_more_memory_than_it_may() -> None:
    program = "from engine.documents import worker; worker._limit(); bytearray(2_000_000_000)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, cwd=project_folder(), check=False)
    assert b"MemoryError" in done.stderr


def test_the_process_is_watched_where_the_system_does_not_limit_it() -> None:
    program = (
        "import time; from engine.documents import worker; worker.MEMORY_BYTES = 100; worker.sys.platform = 'darwin'; "
        "worker._limit(); time.sleep(600)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, cwd=project_folder(), check=False)
    assert done.returncode == worker.OUT_OF_MEMORY_CODE
