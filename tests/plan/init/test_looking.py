"""Which files together are one table, and how much is looked at."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.plan.init.tables import looking

ROWS = pd.DataFrame({"user_id": [1, 2], "item_id": [3, 4]})


def made(home, *names):
    for name in names:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        ROWS.to_parquet(path) if name.endswith("parquet") else ROWS.to_csv(path, index=False)


def found(home):
    return {files.name: len(files.paths) for files in looking.look([home]).tables}


def test_a_hundred_files_are_one_table(tmp_path, monkeypatch):
    made(tmp_path, *(f"logs/{day:03d}.parquet" for day in range(100)))
    monkeypatch.chdir(tmp_path)
    (files,) = looking.look(["."]).tables
    assert (files.name, len(files.paths), files.pattern) == ("logs", 100, "logs/*.parquet")


def test_parts_of_spark_and_dates_are_numbers_of_a_file(tmp_path):
    made(
        tmp_path,
        *(f"x.parquet/part-0000{n}-5f1c9e2a-11aa-4bcd-9f00-aabbccddeeff-c000.snappy.parquet" for n in (1, 2)),
    )
    made(tmp_path, "clicks_2026-01-01.csv", "clicks_2026-01-02.csv")
    assert found(tmp_path) == {"x": 2, "clicks": 2}


def test_packed_files_are_of_the_table_of_those_that_are_not(tmp_path):
    made(tmp_path, "clicks_1.csv", "clicks_2.csv.gz", "clicks_3.csv")
    made(tmp_path, "views_1.csv.gz", "views_2.csv.gz")
    clicks, views = looking.look([tmp_path]).tables
    assert (clicks.name, len(clicks.paths), clicks.pattern) == ("clicks", 3, str(tmp_path / "clicks_*.csv*"))
    assert views.pattern == str(tmp_path / "views_*.csv.gz")


def test_a_table_that_is_written_twice_is_one(tmp_path):
    """As two, one of them would be the other system."""
    made(tmp_path, "lists.csv", "lists.parquet", "a/day_1.csv.gz", "a/day_1.parquet", "other.csv")
    (tmp_path / "users.csv").write_text("user_id,age\n1,30\n")
    made(tmp_path, "users.parquet")
    looked = looking.look([tmp_path])
    assert {files.name: len(files.paths) for files in looked.tables} == {
        "day_1": 1, "lists": 1, "other": 1, "users": 1, "users_2": 1,
    }  # fmt: skip
    assert {path.name for files in looked.tables for path in files.paths} == {
        "day_1.parquet", "lists.parquet", "other.csv", "users.csv", "users.parquet",
    }  # fmt: skip
    assert looked.notes == [
        "day_1.csv.gz is not read, and 1 more like it: day_1.parquet beside it has the same name, and is "
        "taken for the same table. If it is another, rename it."
    ]


def test_numbers_that_tell_arms_and_models_apart_do_not_join(tmp_path):
    made(tmp_path, "arm1.parquet", "arm2.parquet", "scores_v1.csv", "scores_v2.csv")
    assert found(tmp_path) == {"arm1": 1, "arm2": 1, "scores_v1": 1, "scores_v2": 1}


def test_folders_that_are_columns(tmp_path):
    made(tmp_path, *(f"logs/day=2026-01-0{day}/country=DE/x.parquet" for day in (1, 2)))
    (files,) = looking.look([tmp_path]).tables
    assert files.folders == ("day", "country")
    assert files.pattern == str(tmp_path / "logs/day=*/country=*/x.parquet")


DAYS = ("2024-06-03", "2024-06-04", "2024-06-05", "2024-06-06")


def test_folders_named_by_days_are_one_table(tmp_path, monkeypatch):
    made(tmp_path, *(f"events/{day}/{hour:02}.parquet" for day in DAYS for hour in range(24)))
    made(tmp_path, *(f"clicks/{day}/{hour:02}.csv" for day in DAYS for hour in range(3)))
    made(tmp_path, "items.parquet", "events/notes.csv")
    monkeypatch.chdir(tmp_path)
    looked = looking.look(["."])
    assert {files.name: (len(files.paths), files.pattern) for files in looked.tables} == {
        "clicks": (12, "clicks/*/*.csv"),
        "events": (96, "events/*/*.parquet"),
        "items": (1, None),
        "notes": (1, None),
    }
    assert [files.told() for files in looked.tables] == [
        "clicks/*/*.csv", "events/*/*.parquet", "notes.csv", "items.parquet",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("names", "name", "pattern"),
    [
        (["log/2024/06/03/a.csv", "log/2024/06/04/a.csv"], "a", "log/2024/06/*/a.csv"),
        (["log/2024/06/03/1.csv", "log/2025/07/03/2.csv"], "log", "log/*/*/03/*.csv"),
        (["log/day-03/1.csv", "log/day-04/1.csv"], "log", "log/day-*/*.csv"),
        (
            ["events-2024-06-03/part-0.csv", "events-2024-06-04/part-0.csv"],
            "events",
            "events-*-*-*/part-*.csv",
        ),
        (["log/20240603/x.csv", "log/20240604/x.csv.gz"], "log", "log/*/x.csv*"),
        (["log/day=2024-06-03/14/x.csv", "log/day=2024-06-04/15/x.csv"], "log", "log/day=*/*/x.csv"),
        # Not what else has such a name: a folder that is no day, a file that is no hour.
        (["log/2024-06-03/1.csv", "log/2024-06-04/1.csv", "log/old/1.csv"], "log", "log/*-*-*/*.csv"),
    ],
)
def test_what_folders_of_one_table_share(names, name, pattern, tmp_path, monkeypatch):
    made(tmp_path, *names)
    monkeypatch.chdir(tmp_path)
    first = next(files for files in looking.look(["."]).tables if len(files.paths) > 1)
    assert (first.name, first.pattern) == (name, pattern)


def test_digits_above_what_was_named_stay(tmp_path):
    """Of a folder that was named, others like it are not read."""
    made(tmp_path, *(f"run7/events/{day}/1.csv" for day in DAYS), "run8/events/2024-06-03/1.csv")
    (files,) = looking.look([tmp_path / "run7"]).tables
    assert files.pattern == str(tmp_path / "run7/events/*/*.csv")


def test_folders_of_arms_and_models_do_not_join(tmp_path):
    made(tmp_path, "arm1/log.csv", "arm2/log.csv", "models/1/scores.csv", "models/2/scores.csv")
    assert found(tmp_path) == {"log": 1, "log_2": 1, "scores": 1, "scores_2": 1}


def test_days_with_other_columns_are_another_table(tmp_path):
    made(tmp_path, *(f"events/{day}/1.csv" for day in DAYS))
    (tmp_path / "events" / DAYS[1] / "1.csv").write_text("x,y\n1,2\n")
    assert found(tmp_path) == {"events": 3, "events_2": 1}


def test_files_named_by_numbers_are_told_with_their_folder(tmp_path, monkeypatch):
    made(tmp_path, "events/2024-06-03/14.parquet", "part-0.csv", "logs/part-1.csv")
    monkeypatch.chdir(tmp_path)
    assert sorted(files.told() for files in looking.look(["."]).tables) == [
        "events/2024-06-03/14.parquet", "logs/part-1.csv", "part-0.csv",
    ]  # fmt: skip


def test_other_columns_are_another_table(tmp_path):
    made(tmp_path, "a1.csv")
    (tmp_path / "a2.csv").write_text("x,y\n1,2\n")
    assert sorted(found(tmp_path).values()) == [1, 1]


def test_what_cannot_be_read_is_said_and_left_out(tmp_path):
    made(tmp_path, "good.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and then nothing")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "bars.csv").write_text("a|b\n1|2\n")
    (tmp_path / "rows.jsonl").write_text("{}\n")
    looked = looking.look([tmp_path])
    assert [files.name for files in looked.tables] == ["good"]
    said = " ".join(looked.notes)
    for words in (
        "broken.parquet is not a readable Parquet file",
        "empty.csv is an empty file",
        "has bars and no commas",
        ".jsonl",
    ):
        assert words in said


def test_a_table_with_semicolons_is_a_table(tmp_path):
    (tmp_path / "kunden.csv").write_text("kunden_nr;umsatz;ort\n1;2,5;Köln\n2;3,5;Kiel\n")
    looked = looking.look([tmp_path])
    (found,) = looked.tables
    assert (found.columns, looked.notes) == (("kunden_nr", "umsatz", "ort"), [])


def test_many_broken_files_are_counted_and_not_listed(tmp_path):
    for number in range(50):
        (tmp_path / f"part-{number}.parquet").write_bytes(b"no")
    notes = looking.look([tmp_path]).notes
    assert len(notes) == looking.NAMED_BROKEN + 1
    assert "47 more files" in notes[-1]


def test_a_folder_with_too_many_files_is_looked_at_in_part(tmp_path, monkeypatch):
    for number in range(120):
        (tmp_path / f"junk-{number}.txt").touch()
    monkeypatch.setattr(looking, "MOST_FILES", 100)
    (note,) = looking.look([tmp_path]).notes
    assert "more than 100 files" in note


def test_time_to_list_is_bounded(tmp_path, monkeypatch):
    made(tmp_path, "a.csv", "b.csv")
    monkeypatch.setattr(looking, "MOST_SECONDS", 0.0)
    assert "takes too long" in " ".join(looking.look([tmp_path]).notes)


def test_models_arrays_and_known_data_sets_are_found_and_not_entered(tmp_path):
    made(tmp_path, "model/test.parquet", "ml/ratings.csv")
    (tmp_path / "model/model.json").write_text("{}")
    (tmp_path / "ml/u.data").write_text("")
    np.save(tmp_path / "users.npy", np.ones((2, 2)))
    looked = looking.look([tmp_path])
    assert [path.name for path in looked.models] == ["model"]
    assert [title for _, title in looked.datasets] == ["MovieLens-100k"]
    assert [path.name for path in looked.arrays] == ["users.npy"]
    assert looked.tables == []


def test_a_path_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(InputError, match="no file or folder"):
        looking.look([tmp_path / "nowhere"])


def test_a_link_in_a_circle_and_a_name_that_is_no_text_are_said_and_passed_over(tmp_path):
    made(tmp_path, "log.parquet")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "other-\udcff.parquet").write_bytes((tmp_path / "log.parquet").read_bytes())
    looked = looking.look([tmp_path])
    assert [files.name for files in looked.tables] == ["log"]
    circle, strange = looked.notes
    assert "loop cannot be read" in circle
    assert strange.startswith("1 file has a name that is not in UTF-8")


@pytest.mark.parametrize("name", ["hörbücher", "ho\u0308rbu\u0308cher", "Hörbücher"])
def test_letters_with_dots_are_spelt_out(tmp_path, name):
    (tmp_path / f"{name}.csv").write_text("item_id\n1\n", encoding="utf-8")
    assert [one.name for one in looking.look([tmp_path]).tables] == ["hoerbuecher"]
