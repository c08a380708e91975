"""Members who are users and creators, and groups that can be exchanged as the plan says."""

from __future__ import annotations

import re
import tomllib

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.plan import load
from evenhand.plan.init.command import run
from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.tables.looking import look
from evenhand.plan.running.opening import checked, open_tables
from plan.init.folders import ITEMS, USERS, log

FIRST = 31_000
NAMED = {
    "user_id": ["kzja", "jzn"], "item_id": ["khde"], "creator_id": ["omja", "jzn"],
    "label": ["liked"],
}  # fmt: skip


def written(home, first=FIRST):
    """Members who look at what members offer; a third of them offer something."""
    for seed, rows, uniform, file in ((1, 6000, False, "default"), (2, 4000, True, "random")):
        shown = log(rows, seed, uniform).rename(columns={"user": "kzja", "item": "khde"})
        shown["kzja"] += first
        shown["omja"] = first + shown.khde % (USERS // 3)
        shown.drop(columns="maker").to_parquet(home / f"{file}.parquet", index=False)
    ids = np.arange(USERS)
    pd.DataFrame(
        {"jzn": first + ids, "kieli": np.array(["fi", "sv", "muu"])[ids % 3], "kunta": ids % 4,
         "sp": np.where(ids % 5, np.array(["N", "M"])[ids % 2], None), "synt": 1950 + ids % 55}
    ).to_csv(home / "jznet.csv", index=False)  # fmt: skip
    ids = np.arange(ITEMS)
    pd.DataFrame({"khde": ids, "omja": first + ids % (USERS // 3), "osasto": ids % 3}).to_parquet(
        home / "kohteet.parquet"
    )


def test_members_describe_users_and_creators(tmp_path):
    written(tmp_path)
    outcome = run([str(tmp_path)], tmp_path / "audit.toml", columns=NAMED)
    assert outcome.written
    plan = tomllib.loads((tmp_path / "audit.toml").read_text())
    assert plan["inputs"]["users"]["columns"] == {"user_id": "jzn"}
    assert plan["inputs"]["creators"]["columns"] == {"creator_id": "jzn"}
    (step,) = (one for one in plan["audits"] if one["audit"] == "opportunity")
    assert (step["attributes"], step["on"]) == ("creators", "creator_id")


def test_ids_of_creators_are_looked_for_among_users(tmp_path):
    written(tmp_path)
    named = {**NAMED, "creator_id": ["omja"]}
    seen = see(look([tmp_path]), named=named)
    assert any("jznet is taken to describe creators, too, as omja of" in mark for mark in seen.marks)
    assert [step.keys["on"] for step in propose(seen).steps][:1] == ["creator_id"]


def test_small_numbers_do_not_say_that_creators_are_users(tmp_path):
    """Sellers from 0 to 49 are among any users that are counted from 0."""
    written(tmp_path, first=0)
    seen = see(look([tmp_path]), named={**NAMED, "creator_id": ["omja"]})
    assert "creators" not in [one.role for one in seen.tables()]


def test_a_column_is_not_two_things_of_one_table(tmp_path):
    written(tmp_path)
    with pytest.raises(InputError, match="names 'khde' as user_id and as item_id, and a column is one"):
        see(look([tmp_path]), named={"user_id": ["khde"], "item_id": ["khde"]})


def test_every_group_that_the_plan_offers_can_be_exchanged_as_it_says(tmp_path):
    written(tmp_path)
    run([str(tmp_path)], tmp_path / "audit.toml", columns=NAMED)
    text = (tmp_path / "audit.toml").read_text()
    (line,) = re.findall(r'^group = "\w+"  # CHECK: or .*osasto.*$', text, re.M)
    assert '"sp" (missing = "group")' in line
    assert '"osasto" (with attributes = "items" and on = "item_id")' in line
    for group, on, attributes, more in (
        ("kieli", "creator_id", "creators", ""),
        ("sp", "creator_id", "creators", 'missing = "group"'),
        ("osasto", "item_id", "items", ""),
    ):
        head, _, rest = text.partition("[[audits]]")
        step, _, others = rest.partition("\n\n")
        step = re.sub(r"^(bins|missing|group|on|attributes) = .*\n", "", step, flags=re.M)
        step += f'\ngroup = "{group}"\non = "{on}"\nattributes = "{attributes}"\n{more}\n'
        changed = tmp_path / "changed.toml"
        changed.write_text(f"{head}[[audits]]{step}\n{others}")
        plan = load(changed)
        ran = plan.audits[0].run(open_tables(plan, tmp_path), 0, lambda message: None)
        assert ran is not None


def test_a_column_that_another_input_has_is_said_to_be_there(tmp_path):
    written(tmp_path)
    run([str(tmp_path)], tmp_path / "audit.toml", columns=NAMED)
    text = (tmp_path / "audit.toml").read_text()
    wrong = re.sub(
        r"^bins = .*\n",
        "",
        re.sub(r"^group = .*$", 'group = "osasto"', text, count=1, flags=re.M),
        flags=re.M,
    )
    wrong = re.sub(r"^catalogue = .*\n", "", wrong, flags=re.M)
    (tmp_path / "wrong.toml").write_text(wrong)
    plan = load(tmp_path / "wrong.toml")
    (mistake, *_) = checked({0: plan.audits[0]}, open_tables(plan, tmp_path), 1)
    assert mistake.said.endswith("The input 'items' has it, which this audit does not name.")


def test_members_are_known_by_what_columns_refer_to(tmp_path):
    """No word says who looks at what of whom; only the label has to be named."""
    written(tmp_path)
    pd.read_csv(tmp_path / "jznet.csv").drop(columns="synt").to_csv(tmp_path / "jznet.csv", index=False)
    seen = see(look([tmp_path]), named={"label": ["liked"]})
    (log,) = (one for one in seen.tables() if one.name == "default")
    assert (log.user, log.item, log.creator) == ("kzja", "khde", "omja")
    marks = " ".join(seen.marks)
    for name in ("kzja", "khde", "omja"):
        assert f"{name} is taken to be the id of" in marks
    (step,) = (one for one in propose(seen).steps if one.keys["audit"] == "opportunity")
    assert step.keys["on"] == "creator_id"


def test_scores_with_a_column_of_0_and_1_say_what_to_type(tmp_path):
    pairs = pd.DataFrame({"user_id": np.repeat(np.arange(40), 10), "item_id": np.arange(400) % 60})
    scored = pairs.assign(score=np.linspace(0, 1, 400), hit=np.arange(400) % 7 == 0)
    scored.assign(hit=scored.hit.astype(int)).to_parquet(tmp_path / "nightly.parquet")
    log(3000, 1).rename(columns={"user": "user_id", "item": "item_id", "liked": "clicked"}).to_parquet(
        tmp_path / "shown.parquet"
    )
    (said,) = [one for one in propose(see(look([tmp_path]))).first if one.startswith("nightly")]
    assert "--columns label=hit (0 or 1" in said
