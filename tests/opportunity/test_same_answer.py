"""The same rows give the same findings, however they are stored and however many threads count them."""

from __future__ import annotations

import ibis
import numpy as np
import pandas as pd
import pytest
from ibis.expr.operations import Limit, Sort

import evenhand as eh
from evenhand import inputs

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


@pytest.fixture
def in_any_order(monkeypatch):
    """An engine that answers in another order each time, wherever it was not told which."""
    rng = np.random.default_rng(3)
    run = inputs.Table.run

    def shuffled(table, expr):
        found = run(table, expr)
        told = isinstance(expr.op(), Sort) or (
            isinstance(expr.op(), Limit) and isinstance(expr.op().parent, Sort)
        )
        return found if told else found.iloc[rng.permutation(len(found))].reset_index(drop=True)

    return lambda: monkeypatch.setattr(inputs.Table, "run", shuffled)


CHECKED = {"item": "item_id", "cluster": ("user_id", "item_id")}


@pytest.mark.parametrize(
    "asked",
    [
        lambda *logs, items: eh.opportunity.audit(*logs, **(ASKED | CHECKED), catalogue=items, item_by="day"),
        lambda *logs, items: eh.opportunity.audit(*logs, **ASKED, interval="bca", replicates=200),
        lambda *logs, items: eh.opportunity.experiments(*logs, ["arm", "layout"], **ASKED, split_by="day"),
        lambda *logs, items: eh.opportunity.boost(*logs, **ASKED, weights="search"),
        lambda *logs, items: eh.opportunity.series(*logs, **(ASKED | CHECKED), day="day", catalogue=items),
        lambda log, _, items: eh.opportunity.parity(log, items, "creator_age", "user_id"),
        lambda log, _, items: eh.opportunity.user_precision(log, "liked", "arm", "user_id"),
    ],
    ids=["audit", "bootstrap", "experiments", "boost", "series", "parity", "precision"],
)
def test_any_order_of_what_the_engine_answers(world, in_any_order, asked):
    logs = world.default_log, world.random_log
    expected = asked(*logs, items=world.items).findings
    in_any_order()
    assert [asked(*logs, items=world.items).findings for _ in range(3)] == [expected] * 3
