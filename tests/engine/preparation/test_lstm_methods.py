"""Which LSTM method is taken, and how a probe's result is found out and kept."""

import json
import sys
from pathlib import Path

import pytest

from engine.artifacts.manifest import CPU, Bridge, Manifest, Variant, expected_identity
from engine.errors import InvalidRequest
from engine.ops.packed_lstm import LstmMethod
from engine.preparation import lstm_methods
from engine.preparation.devices import AUTO
from engine.preparation.lstm_methods import ProbeResult, choose_lstm_method, kept_result, run_probe
from engine.preparation.module_choice import FoundModules
from engine.system.child_process import python_command

MACS = Variant("metal-macos")


def never(_: Path) -> ProbeResult:
    raise AssertionError("there is nothing to probe")


def test_on_the_processor_kernels_in_the_modules_are_taken(tiny_config):
    variant, choice = choose_lstm_method(AUTO, tiny_config, CPU, never)
    assert variant == CPU
    assert choice.words.startswith("tir (kernels in the modules")


def test_what_was_asked_for_is_taken_without_a_probe(tiny_config):
    variant, choice = choose_lstm_method("torch", tiny_config, CPU, never)
    assert variant == Variant("cpu", lstm_method="torch")
    assert choice.why == "it was asked for"
    assert choose_lstm_method("mps", tiny_config, MACS, never)[0] == Variant("metal-macos", lstm_method="mps")


def test_what_there_is_not_is_refused(tiny_config):
    with pytest.raises(InvalidRequest, match="Use one of: auto, mps, tir, torch"):
        choose_lstm_method("cudnn", tiny_config, CPU)
    with pytest.raises(InvalidRequest, match="needs a Mac"):
        choose_lstm_method("mps", tiny_config, CPU)


def test_without_modules_for_it_nothing_is_probed(tiny_config, monkeypatch):
    monkeypatch.setattr(lstm_methods, "find_modules", lambda *_: FoundModules(None, "they are not built yet"))
    _, choice = choose_lstm_method(AUTO, tiny_config, MACS, never)
    assert choice.method is LstmMethod.TIR
    assert "they are not built yet" in choice.why


@pytest.mark.parametrize(
    ("result", "method"),
    [(ProbeResult(True), LstmMethod.MPS), (ProbeResult(False, "it ended its process (SIGABRT)"), LstmMethod.TIR)],
)
def test_on_a_mac_the_probe_decides(tiny_config, monkeypatch, tmp_path, result, method):
    wanted = Variant("metal-macos", lstm_method="mps")
    Manifest(expected_identity(tiny_config, wanted), (), Bridge("bridge.dylib", "", 0)).save(tmp_path)
    found = {wanted: FoundModules(tmp_path)}
    monkeypatch.setattr(lstm_methods, "find_modules", lambda _, variant: found[variant])
    probed = []
    variant, choice = choose_lstm_method(AUTO, tiny_config, MACS, lambda path: probed.append(path) or result)
    assert probed == [tmp_path / "bridge.dylib"]
    assert (variant.lstm_method, choice.method) == (method, method)
    assert result.why in choice.why


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("pass", ProbeResult(True)),
        ("import os; os.abort()", ProbeResult(False, "it ended its process (SIGABRT)")),
        ("import sys; sys.exit('one line\\nthe reason')", ProbeResult(False, "the reason")),
        ("import os; os._exit(3)", ProbeResult(False, "code 3")),
        ("import time; time.sleep(60)", ProbeResult(False, "it was not done after 0.5 seconds")),
    ],
)
def test_whatever_becomes_of_the_probe_is_an_outcome(code, result):
    assert run_probe([sys.executable, "-S", "-c", code], 0.5 if "sleep" in code else 30) == result


def test_outcomes_are_kept_per_system_and_library(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(lstm_methods, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(lstm_methods, "run_probe", lambda command: asked.append(command) or ProbeResult(False, "no"))
    library = tmp_path / "bridge.dylib"
    library.write_bytes(b"one")
    assert kept_result(library) == kept_result(library) == ProbeResult(False, "no")
    assert asked == [python_command("engine.runners.lstm_probe", str(library))]
    library.write_bytes(b"two")
    kept_result(library)
    monkeypatch.setattr(lstm_methods.platform, "platform", lambda: "macOS-99.0")
    kept_result(library)
    assert len(asked) == 3
    (file,) = (tmp_path / "cache").iterdir()
    assert len(json.loads(file.read_text())) == 3
    file.write_text("no list of results")
    kept_result(library)
    assert len(asked) == 4
