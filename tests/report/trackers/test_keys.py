"""Names of findings in trackers: allowed, the same in every run, and told apart."""

import json
import re

from hypothesis import example, given
from hypothesis import strategies as st

from evenhand.documents import Document
from evenhand.findings import Finding, Interval
from evenhand.report.trackers.keys import key_of, numbers_by_key, table_of_keys, verdicts_by_key

WANDB_TAKES = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*")
MLFLOW_TAKES_LETTERS = 250


def finding(estimate: float | None, tolerance: float | None = None, **about: object) -> Finding:
    interval = (
        None
        if estimate is None
        else Interval(low=estimate - 0.1, high=estimate + 0.1, level=0.95, method="m")
    )
    return Finding(
        audit="groups", measure="group_mean", about=about, estimate=estimate, interval=interval,
        tolerance=tolerance,
    )  # fmt: skip


@given(st.text())
@example("")
@example("groups.group_mean/users:gender=F,age=55%2B/metric=mrr@5")
@example("9" * 400)
def test_every_id_becomes_a_name_that_both_trackers_take(identifier):
    name = key_of(identifier)
    assert WANDB_TAKES.fullmatch(name)
    assert len(f"{name}/estimate") <= MLFLOW_TAKES_LETTERS


def test_a_name_is_a_promise():
    """Runs of other years are compared by it."""
    assert key_of("groups.group_mean/users:gender=F,age=55+/metric=mrr@5") == (
        "groups_group_mean_metric_mrr_5_users_gender_F_age_55_d9e02dc715"
    )


def test_ids_that_differ_in_signs_capitals_or_far_out_have_names_that_differ():
    long = "groups.group_mean/users:town=" + "x" * 300
    alike = ["a.b/c=1+", "a.b/c=1-", "a.b/C=1+", "a.b/c=%C3%A4", "a.b/c=%C3%B6", long + "1", long + "2"]
    assert len({key_of(one).casefold() for one in alike}) == len(alike)


def test_numbers_and_verdicts_are_there_where_the_finding_has_them():
    judged, unjudged, unknown = (
        finding(0.4, 0.05, users={"gender": "F"}),
        finding(0.2, users={"gender": "M"}),
        finding(None, users={"gender": "X"}),
    )
    document = Document(findings=(judged, unjudged, unknown), version="1")
    numbers = numbers_by_key(document, "/")
    assert numbers[f"{key_of(judged.id)}/estimate"] == 0.4
    assert numbers[f"{key_of(judged.id)}/low"] == 0.4 - 0.1
    assert numbers[f"{key_of(judged.id)}/high"] == 0.5
    assert f"{key_of(unjudged.id)}/estimate" in numbers
    assert len(numbers) == 6
    assert verdicts_by_key(document, "_") == {
        f"{key_of(judged.id)}_verdict": "violation",
        f"{key_of(unknown.id)}_verdict": "not_applicable",
    }
    assert json.loads(table_of_keys(document))[key_of(judged.id)] == judged.id
