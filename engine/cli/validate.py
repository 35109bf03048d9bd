"""What `engine validate` was asked to do, done: figures, words, files, and whether all is well.

It does not know where the words are printed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from engine.cli.validate_options import STANDARD_OUTPUT, request_from
from engine.languages import AMERICAN
from engine.model_store.checkpoints import open_checkpoint
from engine.system.whole_file import ensure_writable, whole_file
from engine.validator import wording
from engine.validator.arrays import ArrayFolder
from engine.validator.bundle import write_bundle
from engine.validator.fuzz import FuzzReport, fuzz
from engine.validator.html_report import write_html
from engine.validator.lstm_comparison import LstmComparison, compare_lstms
from engine.validator.results import Report, Row
from engine.validator.sweep import SweepPoint, sweep_padding
from engine.validator.text_parity import compare_text, sentences_of
from engine.validator.text_report import lstm_text, sweep_text, text_report
from engine.validator.validation import Observer, Validator
from engine.validator.wavs import write_wavs
from engine.validator.wire import Wire


@dataclass(frozen=True)
class Outcome:
    """`data` for scripts, `words` for people."""

    data: dict[str, Any]
    words: str
    passed: bool


def outcome_of(options: argparse.Namespace, doctor: Callable[[], str], observe: Observer) -> Outcome:
    """Do what the options say, writing the files they name; `doctor` examines for them.

    Raises `EngineError` children for whatever stands in the way.
    """
    for path in (options.json, options.html, options.npz, options.bundle):
        if path is not None and path != STANDARD_OUTPUT:
            ensure_writable(path)
    if options.text_parity is not None:
        outcome = _text_compared(options)
    elif options.fuzz is not None:
        outcome = _fuzzed(options, observe)
    else:
        outcome = _validated(options, doctor, observe)
    if options.json not in (None, STANDARD_OUTPUT):
        with whole_file(options.json) as file:
            file.write(json.dumps(outcome.data, indent=1, ensure_ascii=False).encode())
    return outcome


def _validated(options: argparse.Namespace, doctor: Callable[[], str], observe: Observer) -> Outcome:
    with _arrays_wanted(options) as arrays, closing(Validator()) as validator:
        request = request_from(options, None if arrays is None else str(arrays.path))
        report = validator.validate(request, observe)
        lstms = compare_lstms(open_checkpoint(request.model, request.weights), request) if options.lstm else ()
        sweep = sweep_padding(request, observe=observe) if options.sweep else ()
        _write_files(options, doctor, report, arrays, lstms, sweep)
    data = {
        **Wire().report_to_dict(report),
        "lstms": [asdict(comparison) for comparison in lstms],
        "sweep": [asdict(point) for point in sweep],
    }
    words = [text_report(report), *([lstm_text(lstms)] if lstms else []), *([sweep_text(sweep)] if sweep else [])]
    return Outcome(data, "\n\n".join(words), report.passed)


@contextmanager
def _arrays_wanted(options: argparse.Namespace) -> Iterator[ArrayFolder | None]:
    """A folder for the arrays while files are made of them; none when no file needs them."""
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
    return Outcome(parity.data, parity.words, parity.explained)


def _fuzzed(options: argparse.Namespace, observe: Observer) -> Outcome:
    found = fuzz(request_from(options), options.fuzz, observe)
    data = {
        "utterances": found.utterances,
        "within_tolerance": found.within_tolerance,
        "worst": [_plain(row) for row in found.worst],
        "failed": [_plain(row) for row in found.failed],
        "versions": dict(found.report.versions),
    }
    return Outcome(data, _fuzz_words(found), found.passed)


def _plain(row: Row) -> dict[str, Any]:
    return Wire().row_to_dict(row)


def _fuzz_words(found: FuzzReport) -> str:
    lines = [f"{found.within_tolerance} of {found.utterances} utterances within tolerance; the worst of each output:"]
    for row in found.worst:
        phonemes = len(found.report.utterances[row.utterance].phonemes)
        where = f"utterance {row.utterance + 1}, {wording.counted(phonemes, 'phoneme')}"
        lines.append(f"{row.regime:<16} {row.stage:<14} {row.output:<18} {wording.row_correlation(row):>12}  {where}")
    return "\n".join(lines)
