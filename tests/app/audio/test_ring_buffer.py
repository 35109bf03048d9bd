import threading
import time

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.audio.ring_buffer import RingBuffer

STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, 40)), max_size=60)


@given(capacity=st.integers(1, 33), steps=STEPS)
def test_what_is_written_is_read_in_order(capacity: int, steps: list[tuple[bool, int]]) -> None:
    ring, source = RingBuffer(capacity), np.arange(1, 3000, dtype=np.float32)
    written, read = 0, []
    for writes, count in steps:
        if writes:
            written += ring.write(source[written : written + count])
        else:
            block = np.zeros(count, np.float32)
            read.append(block[: ring.read_into(block)])
        assert ring.readable + ring.writable == capacity
    got = np.concatenate([np.zeros(0, np.float32), *read])
    np.testing.assert_array_equal(got, source[: len(got)])
    assert ring.samples_read == len(got)
    assert ring.readable == written - len(got)


@settings(max_examples=8)
@given(capacity=st.integers(7, 700), write_size=st.integers(1, 300), read_size=st.integers(1, 300))
def test_nothing_is_lost_between_two_threads(capacity: int, write_size: int, read_size: int) -> None:
    ring, source = RingBuffer(capacity), np.random.default_rng(0).standard_normal(5_000).astype(np.float32)
    received: list[np.ndarray] = []

    def consume() -> None:
        while ring.samples_read < len(source):
            block = np.zeros(read_size, np.float32)
            received.append(block[: ring.read_into(block)])
            time.sleep(0)  # the other thread's turn

    consumer = threading.Thread(target=consume)
    consumer.start()
    position = 0
    while position < len(source):
        position += ring.write(source[position : position + write_size])
        time.sleep(0)
    consumer.join(60)
    np.testing.assert_array_equal(np.concatenate(received), source)


def test_reading_leaves_the_rest_of_the_block_alone() -> None:
    ring, block = RingBuffer(8), np.full(5, 9, np.float32)
    ring.write(np.array([1, 2], np.float32))
    assert ring.read_into(block) == 2
    np.testing.assert_array_equal(block, [1, 2, 9, 9, 9])


def test_all_but_what_is_read_next_can_be_taken_back() -> None:
    ring = RingBuffer(10)
    ring.write(np.arange(8, dtype=np.float32))
    ring.read_into(np.zeros(5, np.float32))
    ring.write(np.arange(8, 14, dtype=np.float32))  # over the end
    assert ring.take_back(2).tolist() == [7, 8, 9, 10, 11, 12, 13]
    assert ring.take_back(2).tolist() == []
    ring.write(np.array([50], np.float32))
    read = np.zeros(4, np.float32)
    assert ring.read_into(read) == 3
    assert read.tolist() == [5, 6, 50, 0]
