from dataclasses import replace

import numpy as np
import pytest

from engine.estimate.work import WorkTally
from tests.engine.estimate.example_work import kernel


def test_waste_is_what_is_executed_over_what_is_useful():
    wasteful = kernel("conv", flop=30.0, useful_flop=20.0)
    assert wasteful.waste == pytest.approx(1.5)
    assert replace(wasteful, useful_flop=None).waste is None


def some(*counts):
    return np.repeat(np.array(counts, float), 32)


def test_a_simdgroup_works_as_long_as_its_busiest_thread():
    tally = WorkTally()
    repeats = np.zeros(64)
    repeats[3] = 5
    tally.operation(repeats, flop=2)
    work = tally.work(groups=10)
    assert work.operations == 10 * 5 * 32
    assert work.flop == 2 * work.operations


def test_threads_that_ask_for_the_same_share_it():
    tally = WorkTally()
    tally.access(np.arange(64) // 16, some(1, 1), 4, "loaded", shared=False, width=1)
    work = tally.work(groups=1)
    assert work.device_bytes_loaded == 64 * 4
    assert work.device_bytes_moved == 4 * 4  # two elements in each simdgroup
    assert work.memory_operations == 64


def test_a_vector_is_one_instruction():
    tally = WorkTally()
    for lane in range(4):
        tally.access(np.arange(32) * 4 + lane, some(1), 4, "stored", shared=True, width=4)
    work = tally.work(groups=1)
    assert work.memory_operations == 32
    assert work.threadgroup_bytes_moved == 32 * 4 * 4
    assert work.device_bytes_stored == 0


def test_matrices_belong_to_simdgroups():
    tally = WorkTally()
    tally.matrix_access(some(1, 1), 4, "loaded", shared=True)
    tally.matrix_multiplication(some(3, 3))
    work = tally.work(groups=2)
    assert work.matrix_multiplications == 2 * 2 * 3
    assert work.flop == work.matrix_multiplications * 1024
    assert work.threadgroup_bytes_moved == 2 * 2 * 64 * 4


def test_barriers_are_those_of_a_thread():
    tally = WorkTally()
    tally.barrier(some(7, 7))
    assert tally.work(groups=100).barriers == 7
