"""`engine validate`: compares the configurations of a model with PyTorch, stage by stage, and writes reports."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from engine.cli.command import (
    STANDARD_OUTPUT,
    Command,
    Outcome,
    add_edits,
    add_json_file,
    add_model,
    add_prosody,
    add_speech_options,
    edits_of,
    model_with,
    save_json,
    speech_settings_of,
)
from engine.cli.progress import Steps
from engine.cli.validate_case import add_case_options, case_of, check_case, rerun, wants_case
from engine.cli.validate_kernels import add_kernels, check_kernels, inspected
from engine.errors import InvalidRequest
from engine.models.checkpoints import STARTER, installed_models, open_checkpoint, starter_voices
from engine.runtime.preparation.devices import AUTO, DEVICES
from engine.runtime.preparation.lstm_methods import LSTM_METHODS
from engine.runtime.project_files import read_project
from engine.runtime.projects import shielded
from engine.speech import PlanEvent, PreparationEvent, Prosody, SpeechRequest
from engine.stages import STAGE_NAMES
from engine.system.atomic_write import ensure_folder, ensure_writable
from engine.system.bundle import require_reference
from engine.system.paths import resources_folder, sample_text_path
from engine.text.languages import AMERICAN
from engine.validator.bundles.bundle import write_bundle
from engine.validator.data import wording
from engine.validator.data.results import (
    DEFAULT_REGIMES,
    AlignmentEvent,
    Regime,
    Report,
    RowEvent,
    ValidationRequest,
    Verdict,
)
from engine.validator.data.verdicts import with_kernels
from engine.validator.data.wire import Wire
from engine.validator.experiments.fuzz import fuzz
from engine.validator.experiments.lstm_comparison import LstmComparison, compare_lstms
from engine.validator.experiments.progress import ExperimentEvent, ExperimentObserver, ProgressEvent
from engine.validator.experiments.sweep import SweepPoint, sweep_padding
from engine.validator.experiments.text_parity import compare_text, sentences_of
from engine.validator.faults.catalog import FAULTS, fault_named
from engine.validator.reports.html_report import write_html
from engine.validator.reports.text_report import fuzz_text, lstm_text, sweep_text, text_report
from engine.validator.reports.wavs import write_wavs
from engine.validator.runners.fault_injection import fault_injection_regimes, fault_injection_text
from engine.validator.runs.arrays import ArrayFolder
from engine.validator.runs.baseline_grader import unpartnered, worsened
from engine.validator.runs.golden import Golden
from engine.validator.runs.validation import Validator

LIST = "list"
"""The name that lists all faults instead of injecting one."""
ENGLISH_SENTENCES = resources_folder() / "english_sentences.txt"
SWEEPS = ("padding",)


def add_fault(parser: Any) -> None:
    """Add the option that names a fault."""
    parser.add_argument(
        "--fault",
        default="",
        metavar="NAME",
        help=f"inject a known fault to test that validation finds it; `{LIST}` lists them",
    )


def default_text(fault: str) -> str:
    """Return the default text: one that exposes the fault, or the sample text."""
    shows_it = fault_named(fault).text if fault else ""
    return shows_it or sample_text_path().read_text(encoding="utf-8")


def listed() -> Outcome:
    """Return every fault, by name."""
    lines = [f"{fault.name:<24} {fault.stage:<13} {fault.planted}" for fault in FAULTS]
    return Outcome([asdict(fault) for fault in FAULTS], "\n".join(lines))


def add_golden(parser: Any) -> None:
    """Add `--golden` and `--save-golden`."""
    parser.add_argument(
        "--golden",
        metavar="FILE",
        help="fail if an error is over 10 times that of this golden run (default: only show it)",
    )
    parser.add_argument("--save-golden", type=Path, metavar="FILE", help="save this run as the golden run")


def check_golden(options: argparse.Namespace) -> None:
    """Raise `InvalidRequest` if golden runs are combined with --fuzz, --text-parity or --case."""
    others = {"--fuzz": options.fuzz, "--text-parity": options.text_parity, "--case": options.case}
    named = [name for name, value in others.items() if value is not None]
    if named and (options.golden is not None or options.save_golden is not None):
        raise InvalidRequest(f"{named[0]} has no golden run.", f"Omit {named[0]}, or the golden run.")


def save_golden(options: argparse.Namespace, report: Report) -> None:
    """Write the golden run that the options name. Raises `InvalidRequest` for an unsuitable run, and `OutputError`."""
    if options.save_golden is None:
        return
    if report.circumstances is None or report.planted is not None or not report.passed:
        raise InvalidRequest(
            "Can’t save a golden run: a fault was injected, a compiled stage fails, or none ran.",
            "Save one from a passing run that includes the compiled regime.",
        )
    Golden.of(report.rows, report.utterances, report.circumstances, date.today()).save(options.save_golden)


def describe_missing_golden(options: argparse.Namespace, report: Report) -> str:
    """Return a message that lists the outputs without a golden value to compare with; empty if there are none."""
    lost = dict.fromkeys(row.output for row in unpartnered(report.rows))
    return f"No golden value for: {', '.join(lost)}." if options.golden and lost else ""


def golden_passed(options: argparse.Namespace, report: Report) -> bool:
    """Return whether every compiled row is in the requested golden run, if any, and less than 10 times as far off."""
    return options.golden is None or not (worsened(report.rows) or unpartnered(report.rows))


def add_options(parser: Any) -> None:
    """Add the options: what to compare, how, and the files to write."""
    parser.add_argument("--text", help="text to speak (default: a sample)")
    parser.add_argument("--project", type=Path, metavar="FILE", help="speak this project, with its voice and its edits")
    parser.add_argument("--phonemes", help="speak these phonemes instead of a text, as one utterance")
    add_speech_options(parser)
    add_edits(parser)
    parser.add_argument("--seed", type=int, help="random seed for the noise, or for --fuzz (default: 0)")
    regimes = ",".join(Regime)
    parser.add_argument("--regimes", help=f"of {regimes} (default: {','.join(DEFAULT_REGIMES)}; with --fuzz: compiled)")
    parser.add_argument("--reference", default=Regime.DYNAMIC, help="the regime to compare with (default: dynamic)")
    parser.add_argument(
        "--padding", type=float, default=1.0, help="padding per length of speech, in padded regimes (default: 1)"
    )
    parser.add_argument(
        "--cross",
        default="",
        metavar="STAGE=REGIME,...",
        help="also run a mix: take these stages from other regimes",
    )
    parser.add_argument("--device", default=AUTO, help=f"one of: {', '.join(DEVICES)} (default: auto)")
    parser.add_argument("--lstm-method", default=AUTO, help=f"one of: {', '.join(LSTM_METHODS)} (default: auto)")
    parser.add_argument("--probes", action="store_true", help="also compare intermediate activations")
    parser.add_argument("--sweep", choices=SWEEPS, help="correlation against the amount of padding")
    parser.add_argument("--lstm", action="store_true", help="compare individual LSTMs: packed, not packed, compiled")
    parser.add_argument("--fuzz", type=int, metavar="N", help="validate N random utterances of all lengths")
    parser.add_argument(
        "--text-parity",
        type=Path,
        nargs="?",
        const=ENGLISH_SENTENCES,
        metavar="FILE",
        help="compare phonemes with Kokoro’s own, for the lines of a file or 500 sentences (--language en-US or en-GB)",
    )
    add_case_options(parser)
    add_fault(parser)
    add_kernels(parser)
    add_json_file(parser)
    parser.add_argument("--html", type=Path, metavar="FILE", help="a report with plots")
    parser.add_argument("--wav-dir", type=Path, metavar="FOLDER", help="write every waveform and the differences")
    parser.add_argument("--npz", type=Path, metavar="FILE", help="write every compared array")
    parser.add_argument("--bundle", type=Path, metavar="FILE.zip", help="write all of these to one file")
    add_golden(parser)
    add_prosody(parser)
    add_model(parser)


def request_from(options: argparse.Namespace, arrays_folder: str | None = None) -> ValidationRequest:
    """Build the request from parsed options. Raises `InvalidRequest` for unknown names."""
    basis = _basis(options)
    speech = speech_settings_of(options, basis)
    speech = replace(speech, voice=speech.voice or _first_voice(options), edits=edits_of(options)[0] or basis.edits)
    return ValidationRequest(
        speech=speech,
        model=model_with(options, options.voice or basis.voice or None),
        weights=options.weights,
        regimes=_regimes(options),
        reference=regime_named(options.reference),
        padding=options.padding,
        device=options.device,
        lstm_method=options.lstm_method,
        probes=options.probes,
        cross=tuple(_pair(word) for word in options.cross.split(",") if word),
        arrays_folder=arrays_folder,
        golden=options.golden,
        fault=options.fault,
        phonemes=options.phonemes or "",
    )


def _basis(options: argparse.Namespace) -> SpeechRequest:
    """Return the request of the project that the options name, or one for the text."""
    if options.project is None:
        return SpeechRequest(options.text if options.text is not None else default_text(options.fault), "")
    if options.text is not None or options.phonemes is not None:
        raise InvalidRequest("Both a project and a text were given.", "Omit one of them.")
    project = read_project(options.project)
    if not options.model_named and options.weights is None and project.model.name in installed_models():
        options.model = project.model.name
    request = shielded(project.request)
    return replace(request, voice=request.definitions.recipe_of(request.voice))


def _regimes(options: argparse.Namespace) -> tuple[Regime, ...]:
    if options.regimes is not None:
        return tuple(regime_named(name) for name in options.regimes.split(","))
    if options.prosody is Prosody.TRANSFORMER:
        return (*DEFAULT_REGIMES, Regime.DISTILLED) if options.fuzz is None else (Regime.DISTILLED,)
    if options.fault:
        return fault_injection_regimes(fault_named(options.fault))
    return DEFAULT_REGIMES if options.fuzz is None else (Regime.COMPILED,)


def regime_named(name: str) -> Regime:
    """Return the configuration of this name. Raises `InvalidRequest` with the known ones."""
    try:
        return Regime(name.strip())
    except ValueError:
        raise InvalidRequest(f"Unknown regime “{name}”.", f"Regimes: {', '.join(Regime)}.") from None


def _first_voice(options: argparse.Namespace) -> str:
    if options.model == STARTER and options.weights is None:
        return starter_voices()[0].name
    return next(iter(open_checkpoint(options.model, options.weights).voices))


def _pair(word: str) -> tuple[str, Regime]:
    stage, equals, regime = word.partition("=")
    if not equals or stage not in STAGE_NAMES:
        raise InvalidRequest(
            f"“{word}” isn’t STAGE=REGIME.",
            f"Use STAGE=REGIME, such as decoder=dynamic; stages: {', '.join(STAGE_NAMES)}.",
        )
    return stage, regime_named(regime)


def run_validation(options: argparse.Namespace) -> Outcome:
    """Run the comparisons that the options name; it fails if a compiled stage is itself wrong.

    Raises `EngineError` children.
    """
    require_reference()
    with Steps() as steps:
        steps.expect_step("Validating")
        return outcome_of(options, _doctor_text, partial(show, steps))


def _doctor_text() -> str:
    from engine.report.doctor import examine_installation, format_findings

    return format_findings(examine_installation())


def show(steps: Steps, event: ExperimentEvent) -> None:
    """Write each step that begins, its progress, and each comparison that fails."""
    if isinstance(event, (PlanEvent, PreparationEvent)):
        steps.show(event)
    elif isinstance(event, ProgressEvent):
        steps.advance(event.words, event.title)
    elif isinstance(event, AlignmentEvent):
        steps.advance(f"Validating utterance {event.utterance + 1}", AlignmentEvent)
    elif isinstance(event, RowEvent) and event.row.verdict in (Verdict.FAIL, Verdict.INCOMPARABLE):
        row = event.row
        broken = "" if row.not_finite is None else f" ({wording.not_finite(row.not_finite)})"
        place = f"{row.regime}, {wording.READING_TITLES[row.reading]}: {row.stage}, {row.output}"
        steps.write_note(f"{place}: {row.verdict}{broken}")


def outcome_of(options: argparse.Namespace, doctor: Callable[[], str], observe: ExperimentObserver) -> Outcome:
    """Run the requested comparison and write the output files; `doctor` describes the installation for the bundle."""
    _check(options)
    if options.case is not None:
        outcome = rerun(options, observe)
    elif options.fault == LIST:
        outcome = listed()
    elif options.text_parity is not None:
        outcome = _text_compared(options)
    elif options.fuzz is not None:
        outcome = _fuzzed(options, observe)
    else:
        outcome = _validated(options, doctor, observe)
    save_json(options, outcome)
    return outcome


def _check(options: argparse.Namespace) -> None:
    """Check the options and the output places before any work. Raises `EngineError` children."""
    check_golden(options)
    check_case(options)
    check_kernels(options.kernels)
    if options.phonemes is not None and not options.phonemes.strip():
        raise InvalidRequest("--phonemes is empty.", "Pass some, or omit it to validate a sample text.")
    if options.wav_dir is not None:
        ensure_folder(options.wav_dir)
    written = options.json, options.html, options.npz, options.bundle, options.save_case, options.save_golden
    for path in written:
        if path is not None and path != STANDARD_OUTPUT:
            ensure_writable(path)


def _validated(options: argparse.Namespace, doctor: Callable[[], str], observe: ExperimentObserver) -> Outcome:
    with _arrays_wanted(options) as arrays, closing(Validator()) as validator:
        request = request_from(options, None if arrays is None else str(arrays.path))
        report = validator.validate(request, observe)
        kernels = inspected(validator, request, options.kernels, observe)
        report = replace(report, findings=with_kernels(report.findings, kernels.findings))
        lstms = compare_lstms(open_checkpoint(request.model, request.weights), request) if options.lstm else ()
        sweep = sweep_padding(request, observe=observe) if options.sweep else ()
        save_golden(options, report)
        _write_files(options, doctor, report, arrays, lstms, sweep)
        case, describe_case = case_of(options, validator, request, report, observe) if wants_case(options) else ({}, "")
    data = {
        **Wire().report_to_dict(report),
        **({"case": case} if case else {}),
        "lstms": [asdict(comparison) for comparison in lstms],
        "sweep": [asdict(point) for point in sweep],
        "kernels": kernels.to_dict(),
    }
    told = (
        text_report(report),
        kernels.to_text(),
        describe_missing_golden(options, report),
        fault_injection_text(report),
    )
    tables = (*told, lstm_text(lstms), sweep_text(sweep) if sweep else "", describe_case)
    passed = report.passed and golden_passed(options, report) and kernels.passed
    return Outcome(data, "\n\n".join(filter(None, tables)), passed)


@contextmanager
def _arrays_wanted(options: argparse.Namespace) -> Iterator[ArrayFolder | None]:
    """Provide a folder for the arrays while output files are written, or None if no file needs them."""
    if not (options.html or options.npz or options.wav_dir or options.bundle):
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        yield ArrayFolder(folder)


def _write_files(
    options: argparse.Namespace,
    doctor: Callable[[], str],
    report: Report,
    arrays: ArrayFolder | None,
    lstms: Sequence[LstmComparison],
    sweep: Sequence[SweepPoint],
) -> None:
    if options.html:
        write_html(options.html, report, arrays, lstms, sweep)
    if options.npz and arrays:
        arrays.write_npz(options.npz)
    if options.wav_dir and arrays:
        write_wavs(options.wav_dir, arrays, report.request.reference)
    if options.bundle:
        write_bundle(options.bundle, report, arrays, doctor(), lstms, sweep)


def _text_compared(options: argparse.Namespace) -> Outcome:
    parity = compare_text(sentences_of(options.text_parity), options.language or AMERICAN.tag)
    return Outcome(parity.to_dict(), parity.to_text(), parity.explained)


def _fuzzed(options: argparse.Namespace, observe: ExperimentObserver) -> Outcome:
    found = fuzz(request_from(options), options.fuzz, observe)
    data = {
        "utterances": found.utterances,
        "within_tolerance": found.within_tolerance,
        "worst": [Wire().row_to_dict(row) for row in found.worst],
        "failed": [Wire().row_to_dict(row) for row in found.failed],
        "versions": dict(found.report.versions),
    }
    return Outcome(data, fuzz_text(found), found.passed)


COMMAND = Command("validate", "Compare the compiled model with PyTorch, stage by stage.", add_options, run_validation)
