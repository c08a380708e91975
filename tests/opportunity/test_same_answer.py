"""The same rows give the same findings, however they are stored and however many threads count them."""

from __future__ import annotations

import ibis
import numpy as np
import pandas as pd
import pytest

import evenhand as eh

ASKED = {"label": ["liked", "shared"], "group": "creator_age", "cluster": "user_id"}


@pytest.fixture(scope="module")
def world():
    return eh.datasets.marketplace(users=200, items=60, default_rows=5000, random_rows=3000)


@pytest.fixture(scope="module")
def expected(world) -> eh.AuditResult:
    return eh.opportunity.audit(world.default_log, world.random_log, **ASKED)


@pytest.mark.parametrize("kind", ["parquet", "csv", "csv.gz", "arrow"])
def test_any_storage(world, expected, tmp_path, kind):
    logs = []
    for name, frame in (("default", world.default_log), ("random", world.random_log)):
        path = tmp_path / f"{name}.{kind}"
        if kind == "parquet":
            frame.to_parquet(path, row_group_size=500)
        elif kind == "arrow":
            import pyarrow as pa

            path = pa.Table.from_pandas(frame)
        else:
            frame.to_csv(path, index=False)
        logs.append(path)
    assert eh.opportunity.audit(*logs, **ASKED).findings == expected.findings


def test_any_order_of_the_rows(world, expected):
    rng = np.random.default_rng(5)
    logs = [log.iloc[rng.permutation(len(log))] for log in (world.default_log, world.random_log)]
    assert eh.opportunity.audit(*logs, **ASKED).findings == expected.findings


def test_any_number_of_threads(world, tmp_path):
    """Enough rows, in enough row groups, that several threads have something to do."""
    pd.concat([world.default_log] * 50).to_parquet(tmp_path / "default.parquet", row_group_size=20_000)
    results = []
    for threads in (1, 4):
        engine = ibis.duckdb.connect(threads=threads)
        logs = tmp_path / "default.parquet", world.random_log
        results.append(eh.opportunity.audit(*logs, **ASKED, interval="bca", replicates=200, engine=engine))
    assert results[0].to_json() == results[1].to_json()


def test_any_number_of_threads_in_a_comparison(world, tmp_path):
    for arm in ("control", "treatment"):
        log = pd.concat([world.default_log[world.default_log["arm"] == arm]] * 50)
        log.to_parquet(tmp_path / f"{arm}.parquet", row_group_size=20_000)
    arms = {arm: tmp_path / f"{arm}.parquet" for arm in ("control", "treatment")}
    results = [
        eh.opportunity.compare(arms, world.random_log, **ASKED, engine=ibis.duckdb.connect(threads=threads))
        for threads in (1, 4)
    ]
    assert results[0].to_json() == results[1].to_json()
