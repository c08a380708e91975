"""Buckets agree with a NumPy reference, spread evenly, and never leave their range."""

import ibis
import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.inputs import bucket, table
from evenhand.inputs.columns.buckets import MULTIPLIER

EXTREMES = [0, 1, -1, 2**31, -(2**31), 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, -(2**63), -(2**63) + 1]


def reference(ids: np.ndarray, buckets: int = 1024) -> np.ndarray:
    """The definition in 64-bit words that wrap around: it shares no code with the expression."""
    words = np.asarray(ids).astype(np.uint64)
    low = (words ^ (np.asarray(ids).astype(np.int64) >> 32).astype(np.uint64)).astype(np.uint32)
    product = low * np.uint32(MULTIPLIER)
    return (product >> np.uint32(32 - int(np.log2(buckets)))).astype(np.int64)


def _buckets(ids, buckets: int = 1024, engine=None) -> np.ndarray:
    log = table(pd.DataFrame({"id": ids, "row": np.arange(len(ids))}), engine=engine)
    t = log.expr
    return log.run(t.select("row", b=bucket(t.id, buckets)).order_by("row"))["b"].to_numpy()


@pytest.mark.parametrize("buckets", [4, 1024, 1 << 20])
def test_integers_agree_with_the_reference(buckets):
    random = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, 5_000)
    ids = np.concatenate([np.array(EXTREMES, dtype=np.int64), random])
    assert np.array_equal(_buckets(ids, buckets), reference(ids, buckets))


def test_the_width_of_the_column_does_not_matter():
    ids = np.arange(0, 120)
    expected = reference(ids)
    for type_ in ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"):
        assert np.array_equal(_buckets(ids.astype(type_)), expected), type_


def test_unsigned_ids_beyond_the_signed_range_stay_in_range():
    found = _buckets(np.array([2**64 - 1, 2**63, 2**63 + 12345], dtype=np.uint64))
    assert ((found >= 0) & (found < 1024)).all()


def test_a_known_range_changes_the_arithmetic_and_not_the_buckets():
    ids = np.array([0, 1, 1023, 1024, 2**31, 2**32 - 1], dtype=np.int64)
    log = table(pd.DataFrame({"id": ids}))
    quick = bucket(log.expr.id, within=(0, 2**32 - 1))
    slow = bucket(log.expr.id, within=(-1, 2**32 - 1))
    assert "xor" not in ibis.to_sql(quick).lower()
    assert "xor" in ibis.to_sql(slow).lower()
    found = log.run(log.expr.select("id", quick=quick, slow=slow))
    assert np.array_equal(found["quick"], reference(found["id"].to_numpy()))
    assert np.array_equal(found["slow"], reference(found["id"].to_numpy()))


def test_another_engine_gives_the_same_buckets():
    ids = np.concatenate([np.array(EXTREMES, dtype=np.int64), np.arange(-500, 500)])
    assert np.array_equal(_buckets(ids, engine=ibis.polars.connect()), reference(ids))


@pytest.mark.parametrize("step", [1, 7, 1000, 1024, 1 << 22, 1 << 32])
def test_regular_ids_spread_evenly(step):
    counts = np.bincount(_buckets(np.arange(200_000, dtype=np.int64) * step), minlength=1024)
    # A random hash has a variance of about the mean; a poor one of many times that.
    assert counts.var() < 1.5 * counts.mean()
    assert counts.min() > 0


def test_other_types_use_the_engine_and_stay_in_range():
    found = _buckets([f"user-{i}" for i in range(100_000)])
    counts = np.bincount(found, minlength=1024)
    assert len(counts) == 1024
    assert counts.var() < 1.5 * counts.mean()


def test_null_stays_null():
    assert pd.isna(_buckets(pd.array([None, 1], "Int64"))[0])


@pytest.mark.parametrize("buckets", [0, 1, 2, 1000, 1 << 21])
def test_only_powers_of_two(buckets):
    with pytest.raises(InputError, match=f"buckets is {buckets},.*power of two"):
        bucket(ibis.table({"id": "int64"}, name="t").id, buckets)
