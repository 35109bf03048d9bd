import importlib.metadata
from pathlib import Path

import numpy as np
import pytest

from engine.compiler.artifacts.manifest import CPU, Variant
from engine.compiler.artifacts.packed_weights import save_packed
from engine.errors import EngineError
from engine.models.store import ModelStore
from engine.models.voices import blends
from engine.network.ops.packed_lstm import LstmMethod
from engine.report import doctor
from engine.report.doctor import CheckStatus, examine_installation
from engine.runtime.preparation import weights
from engine.runtime.preparation.devices import DeviceChoice
from engine.runtime.preparation.lstm_methods import MethodChoice
from engine.runtime.preparation.modules import FoundModules
from engine.runtime.preparation.weights import packed_weights_path
from engine.system.paths import project_folder


def test_every_check_gives_a_finding() -> None:
    findings = examine_installation()
    assert [finding.title for finding in findings] == list(doctor.CHECKS)
    assert not any(finding.failed for finding in findings)
    (lstm,) = (finding.message for finding in findings if finding.title == "LSTM method")
    assert lstm.startswith(("tir (", "mps ("))
    (device,) = (finding.message for finding in findings if finding.title == "Device")
    assert device.startswith(("cpu (", "metal ("))


@pytest.mark.parametrize(
    ("error", "words"),
    [(EngineError("It is damaged.", "Restore it."), "Restore it."), (ValueError("x"), "ValueError: x")],
)
def test_a_check_that_breaks_is_a_problem_and_not_a_crash(
    monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def broken() -> tuple[CheckStatus, str]:
        raise error

    monkeypatch.setattr(doctor, "CHECKS", {"Broken": broken})
    (finding,) = examine_installation()
    assert finding.failed
    assert words in finding.message


@pytest.mark.parametrize("is_fallback", [True, False])
def test_a_gpu_that_is_not_used_is_worth_a_note(monkeypatch: pytest.MonkeyPatch, is_fallback: bool) -> None:
    choice = DeviceChoice("cpu", CPU, "no GPU", is_fallback)
    monkeypatch.setattr(doctor, "choose_device", lambda *_: choice)
    status, words = doctor.CHECKS["Device"]()
    assert status is (CheckStatus.NOTE if is_fallback else CheckStatus.GOOD)
    assert words == "cpu (no GPU)"


@pytest.mark.parametrize("is_fallback", [True, False])
def test_the_lstm_method_is_reported_with_both_times(monkeypatch: pytest.MonkeyPatch, is_fallback: bool) -> None:
    choice = MethodChoice(LstmMethod.TIR, "faster: tir 4.0 ms, mps 5.0 ms", {}, is_fallback)
    monkeypatch.setattr(doctor, "choose_lstm_method", lambda *_: (CPU, choice))
    status, words = doctor.CHECKS["LSTM method"]()
    assert status is (CheckStatus.NOTE if is_fallback else CheckStatus.GOOD)
    assert words == "tir (faster: tir 4.0 ms, mps 5.0 ms)"


@pytest.mark.parametrize("device", ["cpu", "metal"])
def test_the_modules_of_the_device_that_is_taken_are_looked_for(monkeypatch: pytest.MonkeyPatch, device: str) -> None:
    variant = Variant(device)
    monkeypatch.setattr(doctor, "choose_device", lambda *_: DeviceChoice(device, variant, "it is the only one"))
    monkeypatch.setattr(
        doctor,
        "find_modules",
        lambda _, wanted: FoundModules(Path("built"), why="new") if wanted == variant else FoundModules(None),
    )
    named = f"starter, {device}: new, in built. kokoro-82m, {device}: new, in built"
    assert doctor.CHECKS["Compiled modules"]() == (CheckStatus.GOOD, named)
    monkeypatch.setattr(doctor, "find_modules", lambda *_: FoundModules(None, "not built yet"))
    status, words = doctor.CHECKS["Compiled modules"]()
    assert status is CheckStatus.NOTE
    assert f"starter, {device}: missing: not built yet; built on first use" in words


@pytest.mark.parametrize(("folder", "status"), [(Path("shipped"), CheckStatus.NOTE), (None, CheckStatus.PROBLEM)])
def test_a_missing_compiler_is_a_problem_only_without_usable_modules(
    monkeypatch: pytest.MonkeyPatch, folder: Path | None, status: CheckStatus
) -> None:
    monkeypatch.setattr(doctor.shutil, "which", lambda _: None)
    monkeypatch.setattr(doctor, "find_modules", lambda *_: FoundModules(folder))
    outcome, words = doctor.CHECKS["Linker"]()
    assert outcome is status
    assert "install gcc" in words


def test_the_models_are_named_with_their_states(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor, "ModelStore", lambda: ModelStore(tmp_path))
    assert doctor.CHECKS["Models"]() == (
        CheckStatus.GOOD,
        "starter (bundled), kokoro-82m (absent), kokoro-82m-8bit (absent)",
    )
    (tmp_path / "kokoro-82m").mkdir()
    (tmp_path / "kokoro-82m" / "manifest.json").touch()
    status, words = doctor.CHECKS["Models"]()
    assert status is CheckStatus.PROBLEM
    assert "kokoro-82m (damaged: " in words


def test_cached_packed_weights_are_listed_with_their_sizes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(weights, "packed_weights_folder", lambda: tmp_path)
    assert doctor.CHECKS["Packed weights"]()[0] is CheckStatus.NOTE
    path = packed_weights_path("kokoro-82m", None)
    save_packed(path, "key", [("bert", [np.zeros(500_000, np.float32)])])
    path.with_name(f"{path.name}.lock").touch()
    assert doctor.CHECKS["Packed weights"]() == (CheckStatus.GOOD, f"kokoro-82m (2 MB, intact), in {tmp_path}")


def test_damaged_weights_are_a_problem_with_the_files_to_remove(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(weights, "packed_weights_folder", lambda: tmp_path)
    path = packed_weights_path("kokoro-82m", None)
    save_packed(path, "key", [("bert", [np.zeros(500_000, np.float32)])])
    path.write_bytes(b"?" + path.read_bytes()[1:])
    assert doctor.CHECKS["Packed weights"]() == (
        CheckStatus.PROBLEM, f"damaged; delete {path} (rebuilt on first use)"
    )  # fmt: skip


def test_saved_voices_are_named_and_a_damaged_list_is_noted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(blends, "data_folder", lambda: tmp_path)
    assert doctor.CHECKS["Saved voices"]() == (CheckStatus.GOOD, "none")
    (tmp_path / "voices.json").write_text('{"duet": "af_heart(2)+am_adam(1)"}', encoding="utf-8")
    assert doctor.CHECKS["Saved voices"]() == (CheckStatus.GOOD, "duet")
    (tmp_path / "voices.json").write_text("{", encoding="utf-8")
    status, words = doctor.CHECKS["Saved voices"]()
    assert status is CheckStatus.NOTE
    assert f"{tmp_path / 'voices.json'}, can’t be read" in words


def test_quarantined_modules_are_a_problem_with_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "is_quarantined", lambda path: path.suffix == ".dylib")
    status, words = doctor._quarantine()
    assert status is CheckStatus.PROBLEM
    assert f"xattr -dr com.apple.quarantine {project_folder()}" in words
    monkeypatch.setattr(doctor, "is_quarantined", lambda path: False)
    assert doctor._quarantine()[0] is CheckStatus.GOOD


def test_a_package_that_a_bundle_leaves_out_is_no_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if name == "torch":
            raise importlib.metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(doctor.importlib.metadata, "version", version)
    status, words = doctor.CHECKS["Packages"]()
    assert status is CheckStatus.GOOD
    assert "torch not installed, kokoro 1.0" in words
