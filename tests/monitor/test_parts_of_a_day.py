"""Inputs that are parts of a log are so on each day, too."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.monitor.days.tables import open_day
from evenhand.plan import load


class _Followed:
    """As much of a followed plan as opening its tables needs."""

    def __init__(self, plan, base):
        self.plan, self.base = plan, base
        self.input_names, self.day_column, self.period = tuple(plan.inputs), "day", "day"


def test_rows_and_made_columns_of_an_input_are_those_of_the_plan(tmp_path):
    rows = pd.DataFrame(
        {
            "day": pd.to_datetime(["2026-01-01", "2026-01-01", "2026-01-01", "2026-01-02"]),
            "source": ["random", "ranker", "ranker", "random"],
            "rating": [5, 4, 1, 2],
            "group": ["a", "b", "a", "b"],
        }
    )
    rows.to_parquet(tmp_path / "log.parquet")
    part = 'path = "log.parquet"\nmade.liked = { column = "rating", at_least = 4 }\n'
    (tmp_path / "audit.toml").write_text(
        f'[inputs.default]\n{part}where = {{ source = {{ not = "random" }} }}\n[inputs.random]\n{part}'
        'where = { source = "random" }\n[[audits]]\naudit = "opportunity"\ndefault = "default"\n'
        'random = "random"\nlabel = "liked"\ngroup = "group"\n'
    )
    day = open_day(_Followed(load(tmp_path / "audit.toml"), tmp_path), date(2026, 1, 1))
    opened = day.tables
    assert [(one.name, one.values) for one in day.taken] == [("default", (("source ranker", 2),))]
    found = {
        name: table.run(table.expr.select("rating", "liked")).values.tolist()
        for name, table in opened.items()
    }
    assert {name: sorted(values) for name, values in found.items()} == {
        "default": [[1, 0], [4, 1]],
        "random": [[5, 1]],
    }
    rows.assign(source="ranker").to_parquet(tmp_path / "log.parquet")
    with pytest.raises(InputError) as error:
        open_day(_Followed(load(tmp_path / "audit.toml"), tmp_path), date(2026, 1, 1))
    assert str(error.value).count("no row has source = random") == 1
    assert str(error.value).startswith("default and random: where: ")
