"""Lists here are tiny: on a busy machine, threads that wait for each other would take most of the time."""

import numba
import pytest


@pytest.fixture(autouse=True)
def one_thread():
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    yield
    numba.set_num_threads(before)
