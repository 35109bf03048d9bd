import json

import pytest

from engine.errors import EngineError
from engine.report import task
from engine.report.task import main


def run(monkeypatch, *findings) -> int:
    def found():
        for finding in findings:
            if isinstance(finding, Exception):
                raise finding
            yield finding

    monkeypatch.setattr(task, "TASKS", {"found": found})
    return main(["found"])


def test_findings_are_lines_of_json(monkeypatch, capsys):
    assert run(monkeypatch, {"a": 1, "problem": ""}, {"a": 2}) == 0
    said = capsys.readouterr()
    assert [json.loads(line)["a"] for line in said.out.splitlines()] == [1, 2]
    assert said.err == ""


def test_all_are_written_though_some_are_problems(monkeypatch, capsys):
    assert run(monkeypatch, {"problem": "no\nfile"}, {}, {"problem": "no disk"}) == 1
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 3
    assert said.err == "2 of 3 failed; the first: no file\n"


@pytest.mark.parametrize("before", [(), ({},)])
def test_an_error_is_told_in_its_words_after_what_was_found(monkeypatch, capsys, before):
    assert run(monkeypatch, *before, EngineError("No device.", "Use another one.")) == 1
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == len(before)
    assert said.err == "No device. Use another one.\n"
