import argparse
import json
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.cli.command import STANDARD_OUTPUT, Outcome
from engine.cli.progress import Steps
from engine.cli.validate import ENGLISH_SENTENCES, add_options, outcome_of, request_from, show
from engine.errors import EngineError, InvalidRequest, OutputError
from engine.models.checkpoints import starter_voices
from engine.speech import PreparationEvent
from engine.system.paths import sample_text_path
from engine.validator.data.results import DEFAULT_REGIMES, AlignmentEvent, Regime, ValidationRequest
from engine.validator.data.wire import Wire
from engine.validator.experiments.lstm_comparison import LSTMS
from engine.validator.experiments.sweep import sweep_padding
from engine.validator.faults.catalog import FAULTS, fault_named


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(arguments)


def outcome(*arguments: str) -> Outcome:
    return outcome_of(parsed(*arguments), lambda: "all is well", lambda event: None)


def asked(*arguments: str) -> ValidationRequest:
    return request_from(parsed(*arguments))


def test_figures_and_words_tell_the_same():
    made = outcome("--text", "Hello there.", "--regimes", "dynamic,static-no-pack,compiled", "--padding", "4")
    assert made.passed
    assert made.data["passed"]
    rows = made.data["rows"]
    assert {row["regime"] for row in rows} == {"static-no-pack", "compiled"}
    assert {"regime", "reference", "reading", "stage", "pearson", "max_abs", "verdict"} <= rows[0].keys()
    assert "packing matters" in made.words
    assert Wire().report_from_dict({name: made.data[name] for name in made.data if name not in ("lstms", "sweep")})


@pytest.mark.parametrize(
    "late", [("--kernels", "foo"), ("--case-stage", "foo"), ("--reduce-seconds", "nan"), ("--wav-dir", "/dev/null/a")]
)
def test_late_options_are_checked_before_validation_starts(late, monkeypatch):
    monkeypatch.setattr("engine.cli.validate.Validator", None)
    with pytest.raises(EngineError):
        outcome("--text", "Hello there.", *late)


def test_all_files_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr("engine.cli.validate.sweep_padding", partial(sweep_padding, paddings=(1.0,)))
    monkeypatch.setattr("engine.validator.experiments.lstm_comparison.LSTMS", LSTMS[1:])
    files = {kind: tmp_path / f"report.{kind}" for kind in ("json", "html", "npz", "zip")}
    made = outcome(
        *("--text", "Hi.", "--regimes", "compiled", "--lstm", "--sweep", "padding"),
        *("--json", str(files["json"]), "--html", str(files["html"]), "--npz", str(files["npz"])),
        *("--wav-dir", str(tmp_path / "wavs"), "--bundle", str(files["zip"])),
    )
    written = json.loads(files["json"].read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(made.data))
    assert {comparison["stage"] for comparison in written["lstms"]} == {"text_encoder"}
    assert {point["regime"] for point in written["sweep"]} >= {"static-no-pack", "compiled-padded"}
    assert files["html"].read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    assert "u0000/compiled/own-fed/audio" in np.load(files["npz"])
    assert all(soundfile.info(path).subtype == "FLOAT" for path in (tmp_path / "wavs").iterdir())
    with zipfile.ZipFile(files["zip"]) as bundle:
        assert b"all is well" in b"".join(bundle.read(name) for name in bundle.namelist() if "doctor" in name)


def test_each_utterance_is_shown_as_it_begins():
    lines: list[str] = []
    steps = Steps(lines.append, clock=iter(range(100)).__next__)
    show(steps, PreparationEvent("Loading PyTorch", 0, 1))
    for utterance in range(2):
        show(steps, AlignmentEvent(utterance, (1, 2)))
    assert lines == ["Loading PyTorch (0 of 1)", "Validating utterance 1", "Validating utterance 2"]


def test_random_utterances_report_their_worst():
    made = outcome("--fuzz", "1")
    assert made.passed
    assert made.words.startswith("1 of 1 utterances within tolerance")
    assert {row["regime"] for row in made.data["worst"]} == {Regime.COMPILED}


def test_an_unwritable_file_is_reported_before_any_work(tmp_path):
    with pytest.raises(EngineError) as caught:
        outcome("--text", "Hello.", "--html", str(tmp_path / "no" / "such" / "report.html"))
    assert "no" in str(caught.value)


def test_phonemes_are_compared_with_kokoros(tmp_path):
    lines, figures = tmp_path / "lines.txt", tmp_path / "figures.json"
    lines.write_text("Hello there.\nProf. Lee.\n")
    made = outcome("--text-parity", str(lines), "--language", "en-GB", "--json", str(figures))
    assert made.passed
    assert made.words.startswith("1 of 2 sentences")
    written = json.loads(figures.read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(made.data))
    assert written["differences"][0]["upstream"] == "pɹˈɒf lˈiː."


def test_without_options_the_sample_is_spoken_in_the_first_voice():
    request = asked()
    assert request.speech.text.strip()
    assert request.speech.voice == starter_voices()[0].name
    assert request.speech.language is None
    assert request.speech.pause_scale == 1.0
    assert request.regimes == DEFAULT_REGIMES


def test_random_weights_bring_their_own_voice():
    assert asked("--model", "kokoro-82m", "--weights", "random:3").speech.voice == "af_random"


def test_regimes_are_named_as_in_the_report():
    assert asked("--regimes", "dynamic,compiled-padded").regimes == (Regime.DYNAMIC, Regime.COMPILED_PADDED)


def test_stages_can_be_crossed():
    request = asked("--cross", "decoder=dynamic,f0n=static-packed")
    assert request.cross == (("decoder", Regime.DYNAMIC), ("f0n", Regime.STATIC_PACKED))


@pytest.mark.parametrize(
    "arguments", [("--regimes", "dynamo"), ("--reference", "truth"), ("--cross", "decoder"), ("--cross", "x=dynamic")]
)
def test_an_unknown_name_is_refused_with_the_known_names(arguments):
    with pytest.raises(InvalidRequest) as caught:
        asked(*arguments)
    assert "dynamic" in caught.value.hint


def test_json_goes_to_standard_output_unless_a_file_is_named():
    assert parsed("--json").json == STANDARD_OUTPUT
    assert parsed("--json", "x.json").json.name == "x.json"
    assert parsed().json is None


def test_text_is_compared_only_when_asked_for_and_may_be_ones_own():
    assert parsed().text_parity is None
    assert parsed("--text-parity").text_parity == ENGLISH_SENTENCES
    assert parsed("--text-parity", "a.txt").text_parity == Path("a.txt")


def test_the_language_may_differ_from_that_of_the_voice():
    assert asked("--language", "en-GB").speech.language == "en-GB"


def test_students_are_one_more_regime():
    assert asked("--prosody", "transformer").regimes == (*DEFAULT_REGIMES, Regime.DISTILLED)
    assert asked("--prosody", "transformer", "--fuzz", "3").regimes == (Regime.DISTILLED,)
    assert asked("--prosody", "transformer", "--regimes", "compiled").regimes == (Regime.COMPILED,)


def test_the_list_names_every_fault_with_its_stage():
    outcome = outcome_of(parsed("--fault", "list"), lambda: "", lambda _: None)
    lines = outcome.words.splitlines()
    assert [line.split()[:2] for line in lines] == [[fault.name, fault.stage] for fault in FAULTS]
    assert [entry["name"] for entry in outcome.data] == [fault.name for fault in FAULTS]


def test_a_fault_injection_checks_the_regimes_that_reveal_the_fault():
    assert asked("--fault", "zeroed-noise").regimes == (Regime.UPSTREAM, Regime.COMPILED)
    assert Regime.COMPILED_PADDED in asked("--fault", "dropped-length").regimes
    assert asked("--fault", "zeroed-noise", "--regimes", "compiled").regimes == (Regime.COMPILED,)


def test_a_fault_injection_speaks_a_revealing_text_unless_one_is_given():
    sample = sample_text_path().read_text(encoding="utf-8")
    assert asked("--fault", "zeroed-noise").speech.text == sample
    assert asked("--fault", "softmax-multiple").speech.text == fault_named("softmax-multiple").text
    assert asked("--fault", "softmax-multiple", "--text", "No.").speech.text == "No."


def test_an_unknown_fault_is_refused_before_any_work():
    with pytest.raises(InvalidRequest, match="Unknown fault “bad-luck”"):
        asked("--fault", "bad-luck")


STARTER = ("--model", "starter")
HELLO = (*STARTER, "--text", "Hello.", "--regimes", "upstream,compiled")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    path = tmp_path_factory.mktemp("golden") / "golden.json"
    return path, outcome(*HELLO, "--save-golden", str(path))


def with_error(path: Path, output: str, times: float) -> None:
    plain = json.loads(path.read_text(encoding="utf-8"))
    for error in plain["errors"]:
        if error["output"] == output:
            error["relative_l2"] *= times
    path.write_text(json.dumps(plain), encoding="utf-8")


def test_the_same_again_passes(made):
    path, first = made
    assert first.passed
    assert "golden run" in first.words
    again = outcome(*HELLO, "--golden", str(path))
    assert again.passed
    assert "The golden run is of the same build" in again.words
    compiled = [row for row in again.data["rows"] if row["regime"] == "compiled" and row["relative_l2"] is not None]
    assert {row["times_golden"] <= 1 for row in compiled} == {True}
    assert {row["verdict"] for row in compiled} == {"pass"}


def test_one_error_that_has_grown_fails_and_is_named(made, tmp_path):
    path = tmp_path / "better.json"
    path.write_bytes(made[0].read_bytes())
    with_error(path, "magnitude", 1 / 30)
    failed = outcome(*HELLO, "--golden", str(path))
    assert not failed.passed
    assert failed.data["passed"]
    assert {row["output"] for row in failed.data["rows"] if row["verdict"] == "worse"} == {"magnitude"}
    assert "its error is 30 × that of the golden run." in (" ".join(failed.words.split()))


def test_an_output_missing_from_the_golden_run_fails_validation(made, tmp_path):
    path = tmp_path / "less.json"
    plain = json.loads(made[0].read_text(encoding="utf-8"))
    plain["errors"] = [error for error in plain["errors"] if error["output"] != "f0"]
    path.write_text(json.dumps(plain), encoding="utf-8")
    failed = outcome(*HELLO, "--golden", str(path))
    assert not failed.passed
    assert "No golden value for: f0." in failed.words


def test_a_golden_run_of_something_else_is_refused(made):
    with pytest.raises(InvalidRequest, match="is of a different text and a different seed"):
        outcome(*STARTER, "--text", "Bye.", "--seed", "1", "--regimes", "compiled", "--golden", str(made[0]))


@pytest.mark.parametrize("other", [("--fuzz", "2"), ("--text-parity",), ("--case", "case.zip")])
@pytest.mark.parametrize("option", ["--golden", "--save-golden"])
def test_only_a_run_of_a_text_has_a_golden_run(other, option, tmp_path):
    with pytest.raises(InvalidRequest, match=f"{other[0]} has no golden run"):
        outcome(*STARTER, *other, option, str(tmp_path / "golden.json"))


def test_nothing_compiled_makes_no_golden_run(tmp_path):
    with pytest.raises(InvalidRequest, match="golden run"):
        outcome(*STARTER, "--text", "Hm.", "--regimes", "upstream", "--save-golden", str(tmp_path / "g.json"))


TEXT = ("--text", "Hello there.", "--model", "starter")
NO_PACK = (*TEXT, "--regimes", "static-no-pack")
UNLIMITED = (*NO_PACK, "--reduce", "--reduce-seconds", "1e9")


def test_a_failure_is_reduced_saved_and_run_again(tmp_path):
    file = tmp_path / "case.safetensors"
    made = outcome(*UNLIMITED, "--case-stage", "text_encoder", "--save-case", str(file))
    case = made.data["case"]
    assert case["stage"] == "text_encoder"
    assert len(case["phonemes"]) <= 5
    assert case["elements"]["first"]["ulps"] > 0
    assert f"--case {file}" in made.words
    again = outcome("--case", str(file), "--json", str(tmp_path / "case.json"))
    assert not again.passed
    assert again.data["elements"] == case["elements"]
    assert json.loads((tmp_path / "case.json").read_text(encoding="utf-8"))["fails"]
    assert again.words.startswith("It still fails.")


def test_a_case_is_saved_without_being_reduced(tmp_path):
    made = outcome(*NO_PACK, "--save-case", str(tmp_path / "case.safetensors"))
    assert made.data["case"]["stage"] == "duration"
    assert made.data["case"]["inputs"] == []
    assert made.data["case"]["words"].splitlines()[0].startswith("Saved with ")
    assert (tmp_path / "case.safetensors").stat().st_size > 0


def test_a_passing_validation_saves_no_failing_case(tmp_path):
    made = outcome(*TEXT, "--regimes", "compiled", "--reduce", "--save-case", str(tmp_path / "case.safetensors"))
    assert made.passed
    assert "case" not in made.data
    assert "failing case" in made.words.splitlines()[-1]
    assert not any(tmp_path.iterdir())


def test_bad_names_are_refused(tmp_path):
    with pytest.raises(InvalidRequest, match="Unknown stage"):
        outcome(*NO_PACK, "--reduce", "--case-stage", "nonsense")
    with pytest.raises(OutputError, match="exist"):
        outcome(*NO_PACK, "--save-case", str(tmp_path / "nowhere" / "case.safetensors"))


def outcome_with_kernels(*arguments: str) -> Outcome:
    return outcome("--text", "Hi.", "--device", "cpu", "--regimes", "compiled", *arguments)


def test_a_faulty_kernel_is_named_in_words_and_figures():
    made = outcome_with_kernels("--fault", "shifted-frame", "--kernels")
    assert not made.passed
    assert "Its kernel inverse_stft (inverse_stft, engine/network/exportable/speech.py:" in " ".join(made.words.split())
    (stage,) = made.data["kernels"]["stages"]
    (kernel,) = stage["kernels"]
    assert (stage["stage"], kernel["kernel"], kernel["verdict"]) == ("istft", "inverse_stft", "wrong")
    (finding,) = made.data["kernels"]["findings"]
    assert finding["node"] == kernel["node"]


def test_a_healthy_stage_is_reported_as_healthy():
    made = outcome_with_kernels("--kernels", "istft, source")
    assert made.passed
    assert "No kernel is wrong in source, istft." in made.words
    assert "istft: 1 kernel" in made.words


def test_without_a_stage_that_fails_nothing_is_looked_into():
    made = outcome_with_kernels("--kernels")
    assert made.passed
    assert "No stage is wrong" in made.words
    assert made.data["kernels"] == {"stages": [], "findings": []}


def test_kernels_are_left_out_unless_asked_for():
    assert outcome_with_kernels().data["kernels"] is None
