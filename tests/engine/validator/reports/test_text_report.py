from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.stages import STAGES
from engine.validator.data.results import (
    InputSource,
    Metrics,
    Regime,
    Report,
    ValidationRequest,
    Verdict,
)
from engine.validator.experiments.lstm_comparison import LstmComparison, LstmRun, LstmRunResult
from engine.validator.experiments.sweep import SweepPoint
from engine.validator.reports.run_comparison import differences, incomparable_reasons
from engine.validator.reports.text_report import lstm_text, sweep_text, text_report
from tests.engine.validator.reports.example_report import ERRORS, example_report, out_of_step


def lines_of(text: str, regime: str) -> list[str]:
    blocks = text.split("\n\n")
    return next(block for block in blocks if block.splitlines()[0] == regime).splitlines()


def test_every_stage_of_every_regime_has_its_line() -> None:
    text = text_report(example_report())
    outputs = [f"{stage.name} {tensor.name}" for stage in STAGES for tensor in stage.outputs if tensor.axes]
    for regime in ERRORS:
        written = [" ".join(line.split()[:2]) for line in lines_of(text, regime)[2:-1]]
        assert written == outputs


def test_no_line_is_wider_than_a_terminal() -> None:
    report = example_report()
    name = "compiled with " + ", ".join(f"{stage.name} from static-no-pack" for stage in STAGES)
    probe = replace(report.rows[0], regime=name, output="decoder.generator.resblocks.11", probe=True)
    report = replace(report, rows=(*report.rows, probe, replace(probe, reading=InputSource.END_TO_END)))
    text = text_report(report)
    assert max(map(len, text.splitlines())) < 100
    assert "…tor.resblocks.11" in text


def test_verdicts_and_findings_are_words() -> None:
    text = text_report(example_report())
    assert "against dynamic: passed" in text
    assert "static-no-pack: Durations is the first stage where packing matters" in text
    (line,) = [line for line in lines_of(text, Regime.STATIC_NO_PACK) if "duration_logits" in line]
    assert " fail " in line
    assert line.endswith("inherited")


def test_a_line_is_the_worst_utterance() -> None:
    report = example_report()
    rows = list(report.rows)
    place = next(n for n, row in enumerate(rows) if row.regime == "compiled" and row.utterance == 1)
    rows[place] = replace(rows[place], verdict=Verdict.FAIL, metrics=Metrics(0.12345678, 0.1, -3.0, 5.0, 1.0, 100.0))
    text = text_report(replace(report, rows=tuple(rows)))
    assert "against dynamic: FAILED" in text
    assert lines_of(text, "compiled")[2].split()[:7] == [
        "bert",
        "text_features",
        "0.1234",
        "5",
        "–",
        "–",
        "fail",
    ]
    assert "Worst: bert, text_features of utterance 2 in compiled, isolated: fail" in text


def test_differing_durations_leave_phoneme_values_and_a_reference_frame_table() -> None:
    lines = lines_of(text_report(out_of_step(example_report(1), Regime.STATIC_NO_PACK)), Regime.STATIC_NO_PACK)
    marked, note, header, given = lines[-5:-1]
    assert marked.split()[0] == "istft"
    assert marked.split()[-2].endswith("*")
    assert marked.endswith("incomparable")
    assert note.startswith("* the durations differ")
    assert header.split()[:5] == ["end", "to", "end,", "reference", "durations"]
    assert given.split()[:3] == ["istft", "audio", marked.split()[-2].removesuffix("*")]
    assert not any("*" in line for line in lines_of(text_report(example_report(1)), Regime.STATIC_NO_PACK))


def test_the_device_is_the_one_that_was_taken() -> None:
    report = example_report()
    assert report.request.device == "auto"
    text = " ".join(text_report(report).split())
    assert "device cpu (Metal needs a Mac), LSTM method tir (built-in kernels)" in text
    text = " ".join(text_report(replace(report, device_choice="", lstm_choice="")).split())
    assert "device not used, LSTM method not used" in text


PADDINGS = (0.0, 1.0, 4.0)


def metrics(pearson: float) -> Metrics:
    return Metrics(pearson, pearson, 50.0, 0.1, 0.1, 100.0)


def test_an_lstm_has_a_line_per_way_of_running_it() -> None:
    runs = [(LstmRun.PACKED, (1.0, 1.0, 1.0)), (LstmRun.NO_PACK, (1.0, 0.9, 0.5))]
    results = tuple(
        LstmRunResult(run, (0.1,), metrics(values[1]), tuple(metrics(value) for value in values))
        for run, values in runs
    )
    comparison = LstmComparison(0, "text_encoder.lstm", "An LSTM", "text_encoder", 12, 1.0, PADDINGS, results)
    title, heading, packed, no_pack = lstm_text([comparison]).splitlines()
    assert "12 timesteps" in title
    assert heading.split()[-3:] == ["0", "1", "4"]
    assert packed.split() == ["packed", "1", "1", "1"]
    assert no_pack.split() == ["no-pack", "1", "0.9000", "0.5000"]


def test_a_sweep_shows_the_worst_utterance_and_the_sound_at_the_end() -> None:
    points = [
        SweepPoint(padding, "static-no-pack", utterance, "istft", "audio", reading, pearson - utterance / 10, 0.25)
        for padding, pearson in ((0.0, 1.0), (4.0, 0.5))
        for utterance in (0, 1)
        for reading in InputSource
    ]
    heading, regime, audio, heard = sweep_text(points).splitlines()
    assert heading.split()[-2:] == ["0", "4"]
    assert regime == "static-no-pack"
    assert audio.split() == ["audio", "0.9000", "0.4000"]
    assert heard.split()[-2:] == ["0.2500", "0.2500"]


def test_lines_fit_a_terminal() -> None:
    points = [
        SweepPoint(padding, "compiled-padded", 0, "text_encoder", "phoneme_features", InputSource.ISOLATED, 0.123456789)
        for padding in (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
    ]
    assert max(len(line) for line in sweep_text(points).splitlines()) < 100


def test_a_fault_injection_is_marked() -> None:
    report = example_report()
    fault_injection = replace(report, request=replace(report.request, fault="zeroed-noise"))
    assert text_report(fault_injection).startswith("Drill: Validation of")
    assert not text_report(report).startswith("Drill")


@pytest.fixture(scope="module")
def report() -> Report:
    return example_report(1, frames=6)


def asked(report: Report, **changes: object) -> Report:
    return replace(report, request=replace(report.request, **changes))


def spoken(report: Report, **changes: object) -> Report:
    return asked(report, speech=replace(report.request.speech, **changes))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda report: spoken(report, text="A new text."), "Different texts."),
        (lambda report: spoken(report, voice="bf_emma"), "Different voices:"),
        (lambda report: spoken(report, language="fr-FR"), "Different languages: the voice’s own and fr-FR."),
        (lambda report: spoken(report, speed=2.0), "Different lengths: speed 1 and 2."),
        (lambda report: spoken(report, seed=9), "Different noise: seed 0 and 9."),
        (lambda report: asked(report, phonemes="hə"), "Different phonemes."),
        (lambda report: asked(report, model="kokoro-82m"), "Different models: starter and kokoro-82m."),
        (lambda report: asked(report, reference=Regime.UPSTREAM), "Different references:"),
    ],
)
def test_runs_that_cannot_be_compared_say_why(report: Report, change: Callable, words: str) -> None:
    plain = replace(report, request=ValidationRequest(report.request.speech))
    plain = spoken(plain, speed=1.0, seed=0, language=None)
    assert incomparable_reasons(plain, change(plain))[0].startswith(words)


def test_settings_may_differ_and_are_named(report: Report) -> None:
    other = replace(
        asked(report, padding=4.0, fault="swapped-gates"),
        device_choice="metal",
        versions={**report.versions, "numpy": "1.0"},
    )
    assert incomparable_reasons(report, other) == ()
    found = differences(report, other)
    assert [words.partition(":")[0] for words in found] == ["injected fault", "padding", "device", "numpy"]
    assert found[2].endswith(" and metal")
