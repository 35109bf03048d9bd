"""Counted work of whole stages; tests on the software device show that as many kernels are launched."""

import pytest

from engine.compiler.build import weightless_modules
from engine.compiler.targets import metal_macos
from engine.estimate.stage_work import Run, count_for_metal, count_stage, needed_flop
from engine.stages import stage_named


@pytest.fixture(scope="module")
def run(tiny_config):
    return Run(tiny_config, 1, {"tokens": 12, "frames": 3})


def test_useful_work_is_shared_out_to_the_kernels_that_do_it(tiny_config, run):
    stage = stage_named("text_encoder")
    work = count_stage(stage, weightless_modules(tiny_config)[stage.name], run, metal_macos())
    assert sum(kernel.useful_flop or 0 for kernel in work.kernels) == pytest.approx(work.useful_flop)
    useful = {kernel.name for kernel in work.kernels if kernel.useful_flop}
    assert useful
    assert all(kernel.waste is not None and kernel.waste >= 1 for kernel in work.kernels if kernel.useful_flop)
    assert len(useful) < len(work.kernels)


def test_compulsory_bytes_are_those_of_the_buffers_in_use(tiny_config, run):
    (work,) = count_for_metal([stage_named("text_encoder")], run)
    table = next(kernel for kernel in work.kernels if kernel.name == "take")
    channels, tokens = tiny_config.hidden_dim, 12
    assert table.output == (1, tokens, channels)
    rows = tiny_config.n_token * channels
    assert table.compulsory_bytes <= 4 * (tokens * channels + rows + tokens)


def test_what_is_needed_is_the_same_for_every_target(tiny_config, run):
    stage = stage_named("text_encoder")
    twice = Run(tiny_config, 1, {name: 2 * length for name, length in run.lengths.items()})
    needed, doubled = needed_flop([stage], [Run(tiny_config, 1, run.lengths), twice])
    (counted,) = count_for_metal([stage], Run(tiny_config, 1, run.lengths))
    assert needed == {stage.name: pytest.approx(counted.useful_flop)}
    assert doubled[stage.name] == pytest.approx(2 * needed[stage.name])
    assert needed_flop([stage], []) == []
