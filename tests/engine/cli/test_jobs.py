"""Tests of `engine speak --file` with a folder as --out, and of --jobs: several books, spoken side by side."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from mutagen.mp4 import MP4

from engine.__main__ import main
from tests.patience import PATIENCE_SECONDS, wait_until
from tests.processes import exists

ROOT = Path(__file__).resolve().parents[3]
JOBS = str(min(2, os.cpu_count() or 1))
SENTENCE = "The morning light came softly through the kitchen window, and nobody said a word for a while. "


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that caches speech until it is written."""
    folder = tmp_path / "cache"
    monkeypatch.setattr("engine.export.part_cache.cache_folder", lambda: folder)
    return folder


@pytest.fixture
def books(tmp_path: Path) -> list[str]:
    """Two texts, spoken as one part each unless `short_parts` is used."""
    paths = []
    for name, repeats in (("First", 10), ("Second", 3)):
        paths.append(tmp_path / f"{name}.txt")
        paths[-1].write_text(f"{name}.\n\n" + SENTENCE * repeats, encoding="utf-8")
    return list(map(str, paths))


@pytest.fixture
def short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide the first text into three parts."""
    monkeypatch.setattr("engine.export.exporting.PART_CHARACTERS", 400)


def speaking(cache: Path, arguments: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "engine", "speak", "--model", "starter", *arguments]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def speakers_of(process: subprocess.Popen[str]) -> list[int]:
    """Return the numbers of the processes that speak for this one."""
    command = ["ps", "-A", "-ww", "-o", "pid=,ppid=,args="]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split(maxsplit=2) for line in found.splitlines()]
    return [int(number) for number, parent, words in rows if int(parent) == process.pid and "speak_parts" in words]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.usefixtures("short_parts")
def test_each_document_becomes_a_file_with_the_same_bytes_by_several_processes(tmp_path, books, capsys):
    alone, together = tmp_path / "alone", tmp_path / "together"
    assert main(["speak", "--model", "starter", "--file", *books, "--out", str(alone), "--threads", "1", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    arguments = ["--model", "starter", "--file", *books, "--out", str(together), "--jobs", JOBS, "--subtitles", "a.srt"]
    assert main(["speak", *arguments]) == 0
    told = capsys.readouterr()
    assert [figure["files"] for figure in figures] == [[str(alone / f"{name}.m4b")] for name in ("First", "Second")]
    assert {"First.srt", "Second.srt"} < set(contents(together))
    assert contents(alone).items() <= contents(together).items()
    assert MP4(alone / "First.m4b")["\xa9nam"] == ["First"]
    assert "Book 1 of 2, First: Writing First.m4b" in told.err
    assert "Book 2 of 2, Second: Writing Second.m4b" in told.err
    assert len(told.out.splitlines()) == 2


def test_the_format_of_files_in_a_folder_can_be_chosen(tmp_path):
    (tmp_path / "a.txt").write_text("Good morning.", encoding="utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    arguments = ["--file", str(tmp_path / "a.txt"), "--out", str(folder), "--format", "flac", "--jobs", "1"]
    assert main(["speak", "--model", "starter", *arguments]) == 0
    assert list(contents(folder)) == ["a.flac"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Hello.", "--jobs", "1"], "Name one with --file"),
        (["Hello.", "--format", "mp3"], "Name one with --file"),
        (["--file", "{a}", "--jobs", "0"], "0 processes"),
        (["--file", "{a}", "--jobs", "1", "--threads", "1"], "--jobs can’t be used with --threads"),
        (["--file", "{a}", "--jobs", "1", "--play"], "--jobs can’t be used with --play"),
        (["--file", "{a}", "--jobs", "1", "--device", "metal"], "--jobs can’t be used with --device metal"),
        (["--file", "{a}", "--out", "{folder}", "--play"], "--play can’t be used with a folder"),
        (["--file", "{a}", "--out", "{folder}.wav", "--format", "mp3"], "--format needs a folder"),
        (["--file", "{a}", "--out", "{folder}", "--format", "xyz"], "Audio can’t be saved as .xyz"),
        (["--file", "{a}", "--out", "{folder}", "--subtitles", "a.xyz"], "Subtitles can’t be saved as .xyz"),
        (["--file", "{a}", "{b}", "--out", "{folder}", "--title", "T"], "Omit --title"),
        (["--file", "{a}", "{c}", "--out", "{folder}"], "Several documents would become"),
        (["--file", "{a}", "--out", "{folder}", "--edits", "{{}}"], "Edits belong to a single text"),
        (["--file", "{a}", "--out", "{a}/folder"], "isn’t a folder"),
        (["--file", "{a}", "--out", 300 * "a"], "too long"),
        (["--file", "{a}", "{folder}/missing.txt", "--out", "{folder}"], "missing.txt"),
    ],
)
def test_incompatible_options_are_refused_before_any_work(arguments, message, tmp_path, capsys):
    (tmp_path / "c").mkdir()
    paths = {"a": tmp_path / "a.txt", "b": tmp_path / "b.txt", "c": tmp_path / "c" / "A.txt"}
    for path in paths.values():
        path.write_text("Good morning.", encoding="utf-8")
    filled = [each.format(folder=tmp_path / "folder", **paths) for each in arguments]
    assert main(["speak", "--model", "starter", *filled]) == 1
    told = capsys.readouterr().err.splitlines()
    assert told[-1].startswith("error: ")
    assert message in told[-1]
    assert not list(tmp_path.rglob("*.m4b"))


def test_an_input_is_never_replaced_by_a_file_in_the_folder(tmp_path, capsys):
    read = tmp_path / "a.opus"
    read.write_text("Hello.", encoding="utf-8")
    arguments = ["--file", str(read), "--out", str(tmp_path), "--format", ".opus"]
    assert main(["speak", "--model", "starter", *arguments]) == 1
    assert "--out would overwrite" in capsys.readouterr().err
    assert read.read_text(encoding="utf-8") == "Hello."


def test_one_book_has_the_bytes_of_one_process_after_another_was_killed(tmp_path, books, cache):
    whole, killed = tmp_path / "whole.flac", tmp_path / "killed.flac"
    assert main(["speak", "--model", "starter", "--file", *books, "--out", str(whole), "--threads", "1"]) == 0
    with speaking(cache, ["--file", *books, "--out", str(killed), "--jobs", JOBS]) as process:
        wait_until(lambda: len(speakers_of(process)) == int(JOBS), "the processes")
        os.kill(speakers_of(process)[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, errors
    assert whole.read_bytes() == killed.read_bytes()


def test_processes_that_always_die_end_it_with_one_sentence(tmp_path, books, cache):
    with speaking(cache, ["--file", *books, "--out", str(tmp_path / "a.flac"), "--jobs", "1"]) as process:
        while process.poll() is None:
            wait_until(lambda: speakers_of(process) or process.poll() is not None, "a process or the end")
            for speaker in speakers_of(process):
                with suppress(ProcessLookupError):
                    os.kill(speaker, signal.SIGKILL)
        _, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 1
    assert errors.splitlines()[-1].startswith("error: Speaking failed twice in a separate process (SIGKILL).")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_interrupting_it_ends_its_processes(sent, tmp_path, books, cache):
    with speaking(cache, ["--file", *books, "--out", str(tmp_path / "folder"), "--jobs", JOBS]) as process:
        wait_until(lambda: len(speakers_of(process)) == int(JOBS), "the processes")
        children = speakers_of(process)
        process.send_signal(sent)
        _, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130
    assert "Run the same command to resume." in errors
    assert not any(map(exists, children))
    assert not list((tmp_path / "folder").glob("*.m4b"))
