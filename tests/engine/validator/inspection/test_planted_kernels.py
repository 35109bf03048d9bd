"""A fault injected into a kernel: a substitute for the kernel fixes it, or does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.compiler.artifacts.manifest import CPU
from engine.runtime.preparation.modules import ensure_modules
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.stages import stage_named
from engine.validator.faults.catalog import fault_named
from engine.validator.faults.planting import plant
from engine.validator.inspection.inspector import KernelInspector
from engine.validator.inspection.substitution import KernelSubstitution
from engine.validator.measures.metrics import compare
from tests.engine.validator.inspection.conftest import inputs_of


@pytest.fixture(scope="module")
def late(regimes, tmp_path_factory) -> tuple[KernelInspector, CompiledRunner]:
    """Modules whose waveform is a frame late, and their inspector."""
    checkpoint, fault = regimes.checkpoint, fault_named("shifted-frame")
    folder: Path = tmp_path_factory.mktemp("late")
    healthy = ensure_modules(checkpoint.name, checkpoint.config, CPU, lambda _: None)
    plant(fault, checkpoint.config, CPU, healthy, folder)
    weights = checkpoint.load_weights()
    return KernelInspector(checkpoint.config, weights, CPU, fault), CompiledRunner(folder, checkpoint.config, weights)


@pytest.mark.parametrize(("plain", "heals"), [(False, True), (True, False)], ids=["pytorch", "plain loops"])
def test_pytorch_heals_a_kernel_and_its_own_loops_do_not(late, steps, plain: bool, heals: bool) -> None:
    inspector, runner = late
    step = steps["istft"]
    outputs = KernelSubstitution(inspector, runner).run_replaced(
        stage_named("istft"), inputs_of(step), {"000 inverse_stft": plain}
    )
    error = compare(outputs["audio"], step.outputs["audio"]).relative_l2
    assert error is not None
    assert (error < 1e-5) == heals
