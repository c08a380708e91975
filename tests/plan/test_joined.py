"""Columns of other tables in a plan: the same findings as of tables that somebody has joined by hand."""

from __future__ import annotations

import tomllib

import jsonschema
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.monitor import add, open_store
from evenhand.plan.aa import Trial, try_gate
from evenhand.plan.checking.mistakes import PlanError
from evenhand.plan.running.unfinished import FOLDER
from evenhand.plan.schema import plan_schema
from evenhand.report.annex.plan_text import plan_text
from evenhand.report.annex.told import data

PLAN = """\
[inputs.default]
path = "data/control.parquet"
[inputs.random]
path = "data/random.parquet"
[inputs.items]
path = "episodes.csv"
joined.host_age = { path = "hosts.csv", on = "show_id", key = "show", column = "age" }
[[audits]]
audit = "opportunity"
default = "default"
random = "random"
label = "liked"
group = "host_age"
attributes = "items"
on = "item_id"
cluster = "user_id"
[[audits]]
audit = "user_precision"
default = "default"
label = "liked"
group = "host_age"
attributes = "items"
on = "item_id"
cluster = "user_id"
"""
HOST = 'joined.host_age = { path = "hosts.csv", on = "show_id", key = "show", column = "age" }'


@pytest.fixture(autouse=True)
def _no_page(monkeypatch):
    """Drawing takes longer than all the rest."""
    monkeypatch.setattr("evenhand.report.pages.html.render", lambda document, min_cell: "a page")


@pytest.fixture
def shop(folder, world):
    """The ages of those who made items are two tables away, and those who joined them by hand have both."""
    items = world.items
    episodes = items[["item_id", "creator_id"]].rename(columns={"creator_id": "show_id"})
    episodes.to_csv(folder / "episodes.csv", index=False)
    hosts = items.drop_duplicates("creator_id")[["creator_id", "creator_age"]]
    hosts.columns = ["show", "age"]
    hosts.to_csv(folder / "hosts.csv", index=False)
    by_hand = episodes.merge(hosts, left_on="show_id", right_on="show").rename(columns={"age": "host_age"})
    by_hand.to_csv(folder / "by_hand.csv", index=False)
    return folder


def written(folder, text=PLAN, name="audit.toml"):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_it_is_as_if_somebody_had_joined_them_by_hand(shop, tmp_path):
    by_hand = PLAN.replace("episodes.csv", "by_hand.csv").replace(HOST, "")
    found = eh.plan.run(written(shop), tmp_path / "out")
    assert found.findings == eh.plan.run(written(shop, by_hand, "by_hand.toml")).findings
    assert found.inputs["items"].source == "episodes.csv"
    assert found.inputs["items.host_age"].source == "hosts.csv"
    assert found.inputs["items.host_age"].rows == len(pd.read_csv(shop / "hosts.csv"))
    assert ("items.host_age", "hosts.csv") in [row[:2] for row in data(found.inputs)]
    assert "input items.host_age: " in (tmp_path / "out" / "run.log").read_text()


def test_the_annex_has_the_plan_that_is_joined_the_same_way(shop):
    found = eh.plan.run(written(shop))
    again = eh.plan.run(written(shop, plan_text(found.document), "again.toml"))
    assert again.findings == found.findings


def test_a_joined_file_that_changed_is_another_input(shop):
    before = eh.plan.run(written(shop)).inputs
    hosts = pd.read_csv(shop / "hosts.csv")
    hosts.assign(age=hosts["age"].where(hosts["age"] != "18-24", "under 25")).to_csv(
        shop / "hosts.csv", index=False
    )
    after = eh.plan.run(shop / "audit.toml").inputs
    changed = {name for name in before if before[name].sha256 != after[name].sha256}
    assert changed == {"items", "items.host_age"}


def test_a_run_does_not_go_on_with_a_joined_file_that_was_written_again(shop, tmp_path):
    words: list[str] = []

    def stop(message: str) -> None:
        words.append(message)
        if message.startswith("audit 2"):
            raise KeyboardInterrupt

    def ran() -> set[str]:
        words.clear()
        with pytest.raises(KeyboardInterrupt):
            eh.plan.run(written(shop), tmp_path / "out", progress=stop)
        return {one[:7] for one in words if one.startswith("audit")}

    assert ran() == {"audit 1", "audit 2"}
    assert ran() == {"audit 2"}
    (shop / "hosts.csv").write_bytes((shop / "hosts.csv").read_bytes())
    assert ran() == {"audit 1", "audit 2"}
    assert len(list((tmp_path / "out" / FOLDER).iterdir())) == 2


def test_our_names_of_columns_hold_for_joined_ones_and_made_ones_may_be_of_them(shop):
    text = 'columns = { generation = "host_age" }\n' + PLAN.replace(
        'group = "host_age"', 'group = "generation"'
    )
    whole = eh.plan.run(written(shop, text))
    assert {len(whole.findings)} == {len(eh.plan.run(written(shop, PLAN, "plain.toml")).findings)}
    made = 'made.young = { column = "host_age", among = ["18-24"] }'
    text = PLAN.replace(HOST, f"{HOST}\n{made}").replace('group = "host_age"', 'group = "young"', 1)
    groups = eh.plan.run(written(shop, text)).to_frame("groups")
    assert {"0", "1"} <= set(groups.astype(str).to_numpy().ravel())


WRONG = [
    ('on = "show_id"', 'on = "show"', 7, "items: there is no column 'show'. Did you mean 'show_id'?"),
    ('key = "show"', 'key = "shw"', 7, "hosts.csv: there is no column 'shw'. Did you mean 'show'?"),
    (', column = "age"', "", 7, "no column 'host_age'. It has: show, age. If it is called otherwise there"),
    ('"hosts.csv"', '"host.csv"', 7, "there is no file"),
    ('"hosts.csv"', '"hosts-{day}.csv"', 7, "is the same on all days: name a table without {day}"),
    ('"hosts.csv", on', '"hosts.csv", onn', 7, "joined.host_age.onn is not a known key (did you mean"),
    (HOST, HOST + HOST.replace("joined.host_age", "\njoined.show_id"), 8, "a column 'show_id' already"),
    (
        "joined.host_age",
        'where = { host_age = "18-24" }\njoined.host_age',
        7,
        "where asks for rows by 'host_age', which is joined",
    ),
    (HOST, 'made.host_age = { column = "show_id", known = true }\n' + HOST, 7, "already"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "line", "said"), WRONG)
def test_a_mistake_is_told_with_its_line(shop, right, wrong, line, said):
    with pytest.raises(PlanError) as error:
        eh.plan.run(written(shop, PLAN.replace(right, wrong, 1)))
    told = dict(error.value.mistakes)
    assert said in told[line]
    assert len(told) == 1


def test_a_mistake_of_one_hides_none_of_another(shop):
    text = PLAN.replace(
        HOST, HOST + '\njoined.other = { path = "hosts.csv", on = "nothing", key = "show", column = "age" }'
    ).replace("hosts.csv", "hostz.csv", 1)
    with pytest.raises(PlanError) as error:
        eh.plan.run(written(shop, text.replace('label = "liked"', 'label = "likd"')))
    assert [line for line, _ in error.value.mistakes][:3] == [7, 8, 13]


def test_the_schema_knows_it(shop):
    schema = plan_schema()
    jsonschema.validate(tomllib.loads(PLAN), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(PLAN.replace('on = "show_id"', "on = 3")), schema)


def test_the_gate_is_tried_with_it(shop):
    trial = try_gate(eh.plan.load(written(shop)), Trial(times=2), base=shop)
    assert [(one.why_not, len(one.verdicts)) for one in trial.audits] == [("", 2), ("", 2)]


def test_days_of_a_monitor_are_read_with_it(shop, tmp_path):
    text = PLAN[: PLAN.rindex("[[audits]]")].replace("data/control", "control-{day}")
    for day in ("2026-01-03", "2026-01-04", "2026-01-05"):
        (shop / f"control-{day}.parquet").write_bytes((shop / "data" / "control.parquet").read_bytes())
    store = open_store(str(tmp_path / "m.db"))
    try:
        add(written(shop, text), store, "2026-01-03")
        (shop / "hosts.csv").rename(shop / "people.csv")
        # Where a table lies is not what is asked, as it is not of inputs.
        add(written(shop, text.replace("hosts.csv", "people.csv")), store, "2026-01-04")
        text = text.replace('"hosts.csv"', '"people.csv"').replace('column = "age"', 'column = "show"')
        other = written(shop, text)
        with pytest.raises(InputError, match="joined"):
            add(other, store, "2026-01-05")
    finally:
        store.close()
