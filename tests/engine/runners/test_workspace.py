import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import tvm_ffi

from engine.runners.workspace import KEPT_BYTES, WORKSPACE_FUNCTION, Workspace, provide_workspace

MEBIBYTE = 1 << 20


@pytest.fixture
def given():
    """An array of this many bytes, as a stage gets it."""
    provide_workspace(tvm_ffi)
    function = tvm_ffi.get_global_func(WORKSPACE_FUNCTION)
    return lambda size_bytes: np.from_dlpack(function(tvm_ffi.Shape((size_bytes,))))


def address(array):
    return array.ctypes.data


def test_the_next_stage_gets_the_same_memory(given):
    workspace = Workspace()
    with workspace.lent():
        first, second = given(1000), given(2000)
        first[:], second[:] = 1, 2
        assert (first == 1).all()
        assert (second == 2).all()
        places = [address(first), address(second)]
    with workspace.lent():
        assert [address(given(500)), address(given(2000))] == places


def test_a_longer_utterance_gets_more(given):
    workspace = Workspace()
    with workspace.lent():
        given(1000)
    with workspace.lent():
        array = given(MEBIBYTE)
        array[:] = 7
        assert array.shape == (MEBIBYTE,)


def test_threads_do_not_share_what_is_lent(given):
    workspace, other = Workspace(), []
    with workspace.lent():
        mine = given(1000)
        thread = threading.Thread(target=lambda: other.append(given(1000)))
        thread.start()
        thread.join()
        assert address(other[0]) != address(mine)


def test_without_a_workspace_memory_goes_with_its_array(given):
    first, second = given(1000), given(1000)
    assert address(first) != address(second)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere pages go when others need them")
def test_pages_beyond_what_is_kept_go_back(given):
    workspace = Workspace()
    before = resident_bytes()
    with workspace.lent():
        given(KEPT_BYTES + 64 * MEBIBYTE)[:] = 1
        assert resident_bytes() - before > KEPT_BYTES + 60 * MEBIBYTE
    assert resident_bytes() - before < KEPT_BYTES + 4 * MEBIBYTE
    del workspace
    assert resident_bytes() - before < 4 * MEBIBYTE


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
