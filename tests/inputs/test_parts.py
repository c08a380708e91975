"""One file as several inputs: some of its rows, columns that are made, folders that are columns."""

from __future__ import annotations

import pandas as pd
import pytest

from evenhand import inputs
from evenhand.errors import InputError

ROWS = pd.DataFrame(
    {
        "user_id": [1, 2, 3, 4],
        "source": ["random", "default", "default", "random"],
        "rating": [5, 3, None, 4],
        "clicked_at": pd.to_datetime(["2026-01-01", None, None, "2026-01-02"]),
    }
)


@pytest.fixture
def log(tmp_path):
    ROWS.to_parquet(tmp_path / "log.parquet", index=False)
    return inputs.table(tmp_path / "log.parquet", name="log")


def column(table, name):
    return table.run(table.expr.order_by("user_id"))[name].tolist()


def test_rows_of_a_tag_are_an_input_of_their_own(log):
    assert column(inputs.part_of(log, {"source": "random"}), "user_id") == [1, 4]


def test_two_parts_of_one_file_are_different_data_with_different_fingerprints(log):
    random, default = (inputs.part_of(log, {"source": value}) for value in ("random", "default"))
    inputs.different_data(random, default)
    assert random.fingerprint(2).sha256 != default.fingerprint(2).sha256 != log.fingerprint(4).sha256
    assert random.fingerprint(2).rows == 2
    with pytest.raises(InputError, match="the same data"):
        inputs.different_data(random, inputs.part_of(log, {"source": "random"}))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"column": "rating", "at_least": 4}, [1, 0, None, 1]),
        ({"column": "rating", "at_least": 4, "empty": False}, [1, 0, 0, 1]),
        ({"column": "rating", "at_most": 3}, [0, 1, None, 0]),
        ({"column": "clicked_at", "known": True}, [1, 0, 0, 1]),
        ({"column": "source", "among": ["random", "explore"]}, [1, 0, 0, 1]),
    ],
)
def test_columns_of_0_and_1_are_made_of_others(log, rule, expected):
    made = column(inputs.part_of(log, made={"liked": rule}), "liked")
    assert [None if pd.isna(one) else int(one) for one in made] == expected


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        ({"liked": {"column": "rating"}}, "one rule"),
        ({"liked": {"column": "rating", "at_least": 4, "at_most": 5}}, "one rule"),
        ({"liked": {"column": "rating", "above": 4}}, "one rule"),
        ({"liked": {"column": "stars", "at_least": 4}}, "no such column"),
        ({"rating": {"column": "rating", "at_least": 4}}, "already"),
        ({"liked": {"column": "source", "at_least": 4}}, "for numbers"),
    ],
)
def test_rules_that_mean_nothing_are_refused(log, made, sentence):
    with pytest.raises(InputError, match=sentence):
        inputs.part_of(log, made=made)


def test_a_label_is_made_of_values_that_occur(log):
    rule = {"column": "source", "among": ["random", "defalt"]}
    inputs.part_of(log, made={"liked": rule})  # one may be away for a day
    with pytest.raises(InputError, match=r"made.liked: no row has source = defalt. Did you mean 'default'"):
        inputs.part_of(log, made={"liked": rule}, every_value=True)
    with pytest.raises(InputError, match="no row has source = defalt"):
        inputs.part_of(log, made={"liked": {"column": "source", "among": ["defalt"]}})
    stars = {"column": "rating", "among": [5.0, 3, 4]}
    inputs.part_of(log, {"source": "random"}, {"liked": stars}, every_value=True)


def test_logs_that_make_their_label_differently_are_refused(log):
    def part(source, meaning=None, **rule):
        found = inputs.part_of(log, {"source": source}, {"liked": {"column": "rating", **rule}})
        return inputs.table(found, label_definition=meaning)

    inputs.same_label_definition(part("random", among=[5, 4]), part("default", among=[4, 5]))
    with pytest.raises(
        InputError, match=r"make 'liked' differently .rating at_least 5, and rating at_least 4"
    ):
        inputs.same_label_definition(part("random", at_least=5), part("default", at_least=4))
    inputs.same_label_definition(part("random", "a like", at_least=5), part("default", "a like", at_least=4))


def test_a_value_that_no_row_has_is_refused(log):
    with pytest.raises(InputError, match="no row has source = uniform"):
        inputs.part_of(log, {"source": "uniform"})


@pytest.mark.parametrize(
    ("parts", "rows", "values"),
    [
        ([{"source": "random"}], 2, (("source default", 2),)),
        ([{"source": "random"}, {"source": {"not": "random"}}], 0, ()),
        ([{"source": {"not": "random"}}], 0, ()),  # named, and so left out on purpose
        ([{"source": "random"}, {"user_id": 2}], 1, (("source default, user_id 3", 1),)),
    ],
)
def test_rows_that_no_part_takes_are_counted_by_value(log, parts, rows, values):
    assert inputs.untaken(log, parts) == inputs.Untaken(rows, 4, values)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_names_of_folders_are_columns_where_that_is_asked_for(tmp_path, ending):
    for day in ("2026-01-01", "2026-01-02"):
        folder = tmp_path / f"day={day}"
        folder.mkdir()
        frame = ROWS.drop(columns="clicked_at")
        frame.to_parquet(folder / "x.parquet") if ending == "parquet" else frame.to_csv(
            folder / "x.csv", index=False
        )
    pattern = str(tmp_path / "*" / f"*.{ending}")
    assert "day" not in inputs.table(pattern).columns
    opened = inputs.table(pattern, folders=True)
    assert opened.expr.day.type().is_date()
    assert opened.run(opened.expr.group_by("day").aggregate(n=opened.expr.count())).n.tolist() == [4, 4]


def test_folders_that_are_no_columns_are_refused(tmp_path):
    (tmp_path / "rating=1").mkdir()
    ROWS.to_parquet(tmp_path / "rating=1" / "x.parquet")
    ROWS.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="both called 'rating'"):
        inputs.table(tmp_path / "rating=1" / "x.parquet", folders=True)
    with pytest.raises(InputError, match="no folder called like"):
        inputs.table(tmp_path / "x.parquet", folders=True)
