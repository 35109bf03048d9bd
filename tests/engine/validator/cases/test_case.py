"""Tests of a failing case in a file."""

import json
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from engine.errors import DamagedFile, EngineError
from engine.speech import SpeechRequest, Utterance
from engine.validator.cases.case import CaseFacts, FailingCase, load_case, save_case
from engine.validator.cases.case_run import CaseRun, describe_case_run, describe_reduction, element_lines
from engine.validator.cases.reduction import Reduction
from engine.validator.data import wording
from engine.validator.data.results import InputSource, Metrics, Regime, Row, ValidationRequest, Verdict
from engine.validator.measures.element_errors import element_errors
from tests.starter_voices import MALE

METRICS = Metrics(0.5, 0.6, 3.0, 1.0, 0.7, 100.0)
ROW = Row(
    *(0, "text_encoder", "phoneme_features", "compiled-padded", "dynamic", InputSource.ISOLATED, Verdict.FAIL),
    tolerance=0.99999,
    metrics=METRICS,
)
REQUEST = ValidationRequest(
    SpeechRequest("Hello there.", MALE, 1.25, 7),
    regimes=(Regime.COMPILED_PADDED,),
    cross=(("bert", Regime.DYNAMIC),),
)
FACTS = CaseFacts(REQUEST, Utterance(0, "Hello", "hə", 0, 5), ROW, {"numpy": "2.4.6"}, ("tokens: 14 to 1",))
FEATURES = np.arange(12, dtype=np.float32).reshape(1, 4, 3)
CASE = FailingCase(
    FACTS,
    inputs={"tokens": np.array([[0, 5, 0]], np.int32), "token_count": np.array([3], np.int32)},
    ours={"phoneme_features": FEATURES},
    expected={"phoneme_features": -FEATURES},
    style={"timbre": FEATURES[0, 0], "prosody": FEATURES[0, 1]},
)


def test_everything_comes_back(tmp_path: Path) -> None:
    save_case(tmp_path / "case.safetensors", CASE)
    read = load_case(tmp_path / "case.safetensors")
    assert read.facts == FACTS
    assert read.facts.stage.name == "text_encoder"
    for group in ("inputs", "ours", "expected", "style"):
        before, after = getattr(CASE, group), getattr(read, group)
        assert before.keys() == after.keys()
        assert all(
            np.array_equal(before[name], after[name]) and before[name].dtype == after[name].dtype for name in after
        )


def header_of(case: FailingCase, folder: Path) -> dict:
    save_case(folder / "whole.safetensors", case)
    with safe_open(folder / "whole.safetensors", framework="numpy") as file:
        return json.loads(file.metadata()["case"])


def written(folder: Path, header: object) -> Path:
    path = folder / "case.safetensors"
    save_file({"inputs/tokens": np.zeros(1, np.int32)}, path, {"case": json.dumps(header)})
    return path


def test_a_case_of_a_different_version_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, {**header_of(CASE, tmp_path), "version": 99})
    with pytest.raises(DamagedFile, match="failing case of version 99; Kokoro Desk now reads version 1"):
        load_case(path)


@pytest.mark.parametrize("change", [{"row": {}}, {"row": None}, {"request": 3}, {"build": ["a"]}, {"utterance": {}}])
def test_invalid_facts_are_refused(tmp_path: Path, change: dict) -> None:
    header = header_of(CASE, tmp_path)
    path = written(tmp_path, {**header, "facts": {**header["facts"], **change}})
    with pytest.raises(DamagedFile, match="not a failing case"):
        load_case(path)


@pytest.mark.parametrize("row", [replace(ROW, stage="nonsense"), replace(ROW, output="audio")])
def test_an_unknown_stage_or_output_is_refused(tmp_path: Path, row: Row) -> None:
    save_case(tmp_path / "case.safetensors", replace(CASE, facts=replace(FACTS, row=row)))
    with pytest.raises(DamagedFile, match="not a failing case"):
        load_case(tmp_path / "case.safetensors")


@pytest.mark.parametrize("header", [[], "text", {}, {"format": "other"}, None])
def test_other_files_of_arrays_are_refused(tmp_path: Path, header: object) -> None:
    with pytest.raises(DamagedFile, match="not a failing case"):
        load_case(written(tmp_path, header))


@pytest.mark.parametrize("keep", [0, 1, 8, 200, -1])
def test_a_damaged_file_is_refused(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "case.safetensors"
    save_case(path, CASE)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DamagedFile, match="damaged"):
        load_case(path)


def test_numbers_that_numpy_lacks_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, header_of(CASE, tmp_path))
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header["inputs/tokens"].update(dtype="F8_E4M3", shape=[4])
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])
    with pytest.raises(DamagedFile, match="not a failing case"):
        load_case(path)


@pytest.mark.parametrize("name", ["nothing.safetensors", "x" * 300])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(EngineError, match="doesn’t exist"):
        load_case(tmp_path / name)


OURS = FEATURES + np.array([0, 0, 9], np.float32)
ELEMENTS = element_errors(OURS, FEATURES, 0.99999, 2)
REDUCTION = Reduction(CASE, ELEMENTS, original_phonemes=14, tries=1, seconds=2.5, complete=True)


def test_a_reduction_reports_the_remainder_and_the_command_to_run_it() -> None:
    words = describe_reduction(REDUCTION, "case.safetensors")
    assert "Reduced to 2 phonemes of 14: hə (1 try, 2.5 s)" in words
    assert "Phoneme features (text_encoder) in compiled-padded against dynamic: phoneme_features" in words
    assert "Inputs: tokens: 14 to 1" in words
    assert "First wrong: [0, 0, 2] ours 11, reference 2, 19,922,944 ULPs apart" in words
    assert words.endswith("Run it again: kokoro-desk validate --case case.safetensors")
    assert "Time was up" not in words


def test_the_shortest_text_has_a_separate_command() -> None:
    (line,) = (line for line in describe_reduction(REDUCTION).splitlines() if line.startswith("The text alone: "))
    assert "--phonemes=hə" in shlex.split(line)
    assert "--regimes=compiled-padded" in shlex.split(line)


def test_the_histogram_counts_everything() -> None:
    lines = list(element_lines(ELEMENTS))
    assert lines[0].startswith("4 of 12 elements wrong")
    counts = [int(line.split()[-2].replace(",", "")) for line in lines[3:]]
    assert sum(counts) == 12
    assert any(line.startswith("  none") and line.endswith("#" * 40) for line in lines)


def test_a_case_run_reports_continued_failure_and_build_differences() -> None:
    run = CaseRun(CASE, ROW, fails=True, elements=ELEMENTS, built_otherwise=("torch 4, then 2",))
    words = describe_case_run(run)
    assert words.startswith("It still fails.")
    correlation = wording.row_correlation(ROW)
    assert f"Correlation {correlation}, when it was saved {correlation}" in words
    assert words.endswith("It was built differently:\n  torch 4, then 2")
    healed = describe_case_run(replace(run, fails=False, built_otherwise=()))
    assert "no longer fails" in healed
    assert "built differently" not in healed
