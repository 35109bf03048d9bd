"""Writes a whole validation to one file: figures, page, arrays, audio, versions and the state of the installation."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.audio.sound_file import encode_wav
from engine.config import SAMPLE_RATE_HZ
from engine.system.atomic_write import atomic_write
from engine.validator.data.results import Report
from engine.validator.data.wire import Wire
from engine.validator.reports.html_report import html_report
from engine.validator.reports.wavs import waveforms
from engine.validator.runs.arrays import ArrayFolder

if TYPE_CHECKING:
    from engine.validator.experiments.lstm_comparison import LstmComparison
    from engine.validator.experiments.sweep import SweepPoint

FORMAT_NAME = "bundle.json"
JSON_NAME = "report.json"
HTML_NAME = "report.html"
ARRAYS_NAME = "arrays.npz"
WAVS_FOLDER = "wavs/"
VERSIONS_NAME = "versions.txt"
DOCTOR_NAME = "doctor.txt"
FORMAT = "kokoro-desk diagnosis"
VERSION = 1
"""The version of the format, the only one that `engine.validator.bundles.bundle_opening` opens."""


def write_bundle(
    path: Path,
    report: Report,
    arrays: ArrayFolder | None,
    doctor_output: str,
    lstms: Sequence[LstmComparison] = (),
    sweep: Sequence[SweepPoint] = (),
    name: str = "",
    made: str = "",
) -> None:
    """Write a `.zip` with everything about a validation; takes some seconds and leaves no partial file.

    `name` is the bundle's name and `made` the time of the validation, as text. Without `arrays`, the file has neither
    `arrays.npz` nor audio. Raises `OutputError` if it cannot be written, and `DamagedFile` if an array cannot be read.
    """
    with atomic_write(path) as file, zipfile.ZipFile(file, "w") as archive:
        facts = {"format": FORMAT, "version": VERSION, "name": name, "made": made}
        _add_text(archive, FORMAT_NAME, json.dumps(facts, indent=1) + "\n")
        _add_text(archive, JSON_NAME, json_report(report))
        _add_text(archive, HTML_NAME, html_report(report, arrays, lstms, sweep))
        _add_text(archive, VERSIONS_NAME, "".join(f"{name} {version}\n" for name, version in report.versions.items()))
        _add_text(archive, DOCTOR_NAME, doctor_output)
        if arrays is not None:
            _add_arrays(archive, arrays, report.request.reference)


def json_report(report: Report) -> str:
    """Return the report as indented JSON with a final line break."""
    return json.dumps(Wire().report_to_dict(report), indent=1, allow_nan=False) + "\n"


def _add_text(archive: zipfile.ZipFile, name: str, text: str) -> None:
    entry = zipfile.ZipInfo(name)  # without a time, so that equal validations give equal bytes
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, text.encode(errors="backslashreplace"))


def _add_arrays(archive: zipfile.ZipFile, arrays: ArrayFolder, reference: str) -> None:
    """Add arrays and audio uncompressed: floats hardly shrink."""
    with archive.open(zipfile.ZipInfo(ARRAYS_NAME), "w", force_zip64=True) as member:
        arrays.copy_npz(member)
    for name, samples in waveforms(arrays, reference):
        wav = encode_wav(samples, SAMPLE_RATE_HZ, "FLOAT")
        archive.writestr(zipfile.ZipInfo(WAVS_FOLDER + name), wav)
