"""Same seed, same answer, whatever the number of threads."""

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from evenhand import envy, exposure
from evenhand.products import STRIP, _blas, one_thread, product


def blas_threads() -> set[int]:
    return {one["num_threads"] for one in _blas().info()}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_product_does_not_depend_on_the_threads(dtype):
    rng = np.random.default_rng(0)
    left, right = (rng.random((rows, 1001)).astype(dtype) for rows in (2 * STRIP + 3, 403))
    found = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads, "blas"):
            found.append(product(left, right))
    assert all(np.array_equal(found[0], other) for other in found[1:])
    assert found[0].dtype == dtype
    np.testing.assert_allclose(found[0], left @ right.T, rtol=1e-5 if dtype == np.float32 else 1e-12)


def test_sparse_tables_and_tables_of_two_precisions_are_multiplied_too():
    rng = np.random.default_rng(1)
    left, right = rng.random((5, 7)), rng.random((4, 7)).astype(np.float32)
    np.testing.assert_allclose(product(left, right), left @ right.T)
    for one, other in ((sparse.csr_array(left), right), (left, sparse.csr_array(right))):
        np.testing.assert_allclose(product(one, other), left @ right.T, rtol=1e-6)


def test_whoever_leaves_last_puts_the_threads_back():
    with threadpool_limits(2, "blas"):
        with one_thread() as before:
            assert before == 2
            assert blas_threads() == {1}
            with one_thread() as still:
                assert still == 2
            assert blas_threads() == {1}
        assert blas_threads() == {2}
        rows = np.ones((STRIP + 1, 3))
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: product(rows, rows), range(50)))
        assert blas_threads() == {2}


def world():
    rng = np.random.default_rng(3)
    users, items = 1200, 700
    taste, popular = rng.normal(size=(users, items)), rng.normal(size=items)
    relevance = np.zeros(taste.shape, dtype=int)
    np.put_along_axis(relevance, np.argsort(-taste, axis=1)[:, :6], 1, axis=1)
    scores = taste + rng.normal(size=taste.shape) + popular
    policies = np.exp(scores)
    policies /= policies.sum(axis=1, keepdims=True)
    groups, item_groups = rng.integers(0, 3, users).astype(str), rng.integers(0, 5, items).astype(str)
    return scores, relevance, 1 / (1 + np.exp(-taste)), policies, groups, item_groups


SCORES, RELEVANCE, TASTES, POLICIES, GROUPS, ITEM_GROUPS = world()


@pytest.mark.parametrize(
    "audit",
    [
        lambda: exposure.audit(SCORES, RELEVANCE, GROUPS, ITEM_GROUPS, beta=(2, "static")),
        lambda: envy.audit(TASTES, POLICIES, groups=GROUPS, top=5),
        lambda: envy.audit(TASTES, POLICIES, groups=GROUPS, sample=(200, 50)),
    ],
    ids=["exposure", "envy", "sampled envy"],
)
def test_an_audit_does_not_depend_on_the_threads(audit):
    """With products by the BLAS alone last digits of intervals and estimates differed."""
    before, found = numba.get_num_threads(), []
    for threads in (1, 2):
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
        with threadpool_limits(threads, "blas"):
            found.append([finding.model_dump_json() for finding in audit().findings])
    numba.set_num_threads(before)
    assert found[0] == found[1]
