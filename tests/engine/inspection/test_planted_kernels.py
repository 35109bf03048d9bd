"""Faults planted in kernels: each is named down to the kernel, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.artifacts.manifest import CPU
from engine.faults.catalogue import FAULTS, fault_named
from engine.faults.planting import plant
from engine.inspection.inspector import Inspector
from engine.inspection.substitution import Substitution
from engine.model_store.checkpoints import open_checkpoint
from engine.preparation.modules import ensure_modules
from engine.runners.tvm_runner import CompiledRunner
from engine.speech import SpeechRequest
from engine.stages import stage_named
from engine.validator.data.kernel_request import KernelRequest
from engine.validator.data.results import ValidationRequest
from engine.validator.kernels.kernel_inspection import KernelInspection
from engine.validator.measures.metrics import compare
from engine.validator.runners.drill import drill_regimes
from engine.validator.runs.validation import Validator
from tests.engine.inspection.conftest import inputs_of

QUICK = ("norm-epsilon", "softmax-multiple", "dropped-length", "zeroed-noise")
"""An epsilon; one that is there for certain lengths only, one for padded arrays only; one in a stage of one kernel."""


def found_for(name: str) -> tuple[set[tuple[str, str]], tuple[str, str]]:
    """The kernels that are named, and that with the fault, each with its stage."""
    fault, validator = fault_named(name), Validator()
    speech = SpeechRequest(fault.text or "Hello there.", next(iter(open_checkpoint().voices)))
    request = ValidationRequest(speech, regimes=drill_regimes(fault), fault=name)
    findings = KernelInspection(validator).inspect(KernelRequest(request))
    planted = validator.prepare(request).planted
    validator.close()
    assert planted is not None
    return {(finding.stage, finding.kernel) for finding in findings}, (planted.stage, planted.kernel)


@pytest.mark.parametrize("name", QUICK)
def test_a_fault_is_named_down_to_its_kernel(name: str) -> None:
    named, planted = found_for(name)
    assert named == {planted}


@pytest.mark.long
@pytest.mark.parametrize("name", [fault.name for fault in FAULTS if fault.name not in QUICK])
def test_every_other_fault_is_too(name: str) -> None:
    named, planted = found_for(name)
    assert named == {planted}


@pytest.fixture(scope="module")
def late(regimes, tmp_path_factory) -> tuple[Inspector, CompiledRunner]:
    """Modules whose waveform is a frame late, and their inspector."""
    checkpoint, fault = regimes.checkpoint, fault_named("shifted-frame")
    folder: Path = tmp_path_factory.mktemp("late")
    healthy = ensure_modules(checkpoint.name, checkpoint.config, CPU, lambda _: None)
    plant(fault, checkpoint.config, CPU, healthy, folder)
    weights = checkpoint.load_weights()
    return Inspector(checkpoint.config, weights, CPU, fault), CompiledRunner(folder, checkpoint.config, weights)


@pytest.mark.parametrize(("plain", "heals"), [(False, True), (True, False)], ids=["pytorch", "plain loops"])
def test_pytorch_heals_a_kernel_and_its_own_loops_do_not(late, steps, plain: bool, heals: bool) -> None:
    inspector, runner = late
    step = steps["istft"]
    outputs = Substitution(inspector, runner).run(stage_named("istft"), inputs_of(step), {"000 inverse_stft": plain})
    error = compare(outputs["audio"], step.outputs["audio"]).relative_l2
    assert error is not None
    assert (error < 1e-5) == heals
