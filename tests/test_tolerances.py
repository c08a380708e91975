"""A tolerance that nothing could be outside of is refused, with its range, by every audit, step, command."""

import inspect

import annotated_types
import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.asked.audits import AUDITS

VECTORS = np.random.default_rng(0).normal(size=(40, 4))
VALUES = np.array(["a", "b"] * 20)
TASTES = np.random.default_rng(1).random((6, 8))
LOG = pd.DataFrame(
    {"liked": [0, 1] * 20, "group": VALUES, "user_id": range(40), "day": [1, 2] * 20, "arm": VALUES}
)
USERS = pd.DataFrame({"user_id": range(40), "gender": VALUES, "minutes": np.arange(40.0)})
CANDIDATES = pd.DataFrame(
    {"user_id": np.repeat(range(40), 2), "item_id": [1, 2] * 40, "score": 0.5, "label": [0, 1] * 40}
)
PURCHASES = pd.DataFrame({"user_id": range(40), "item_id": [1, 1, 1, 2] * 10})
LABELS = {"label": "liked", "group": "group"}
POPULAR = {"candidates": CANDIDATES, "metric": "urp", "history": PURCHASES}
GAP = "which is between 0 and 1, cannot be more than 1"

# The audit, what it is asked, the least tolerance that nothing can be outside of, and what is said.
ASKED = {
    "association": (eh.association.audit, (VECTORS, VECTORS, VALUES, VALUES), 1, "a mean cosine cannot be"),
    "growth": (eh.association.amplification, ([VECTORS, VECTORS], VALUES, VALUES), 1, "a mean cosine"),
    "leakage": (
        eh.association.leakage,
        (VECTORS, VECTORS, VALUES, PURCHASES),
        1,
        "difference between shares",
    ),
    "envy": (eh.envy.audit, (TASTES, TASTES), 1, "a share of users cannot be"),
    "exposure": (eh.exposure.audit, (TASTES, TASTES > 0.5, VALUES[:6], VALUES[:8]), 10.1, "at most 10"),
    "opportunity": (eh.opportunity.audit, (LOG, LOG), 1, "half of the groups get nothing"),
    "compare": (
        eh.opportunity.compare,
        ({"a": LOG, "b": LOG}, LOG),
        1,
        "half of the groups get nothing",
    ),
    "series": (eh.opportunity.series, (LOG, LOG), 1, "half of the groups get nothing"),
    "stages": (
        eh.opportunity.stages,
        ({"random": LOG, "a": LOG, "b": LOG},),
        1,
        "half of the groups get nothing",
    ),
    "experiments": (
        eh.opportunity.experiments,
        (LOG, LOG, ["arm"]),
        1,
        "half of the groups get nothing",
    ),
    "boost": (eh.opportunity.boost, (LOG, LOG), 1, "half of the groups get nothing"),
    "parity": (eh.opportunity.parity, (LOG, USERS), 1, "half of the groups get nothing"),
    "user_precision": (eh.opportunity.user_precision, (LOG,), 1, "half of the groups get nothing"),
}
MORE = {
    "opportunity": LABELS, "compare": LABELS, "series": LABELS | {"day": "day"}, "stages": LABELS,
    "experiments": LABELS, "boost": LABELS | {"weights": {"a": 2.0}}, "parity": {"group": "group"},
    "user_precision": LABELS,
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_every_audit_refuses_a_tolerance_that_nothing_can_be_outside_of(name):
    audit, given, least, says = ASKED[name]
    for tolerance in (least, 50, np.inf, np.nan, -0.1, "1", True):
        with pytest.raises(eh.InputError, match="tolerance is") as refused:
            audit(*given, **MORE.get(name, {}), tolerance=tolerance)
        assert "\n" not in str(refused.value)
    with pytest.raises(eh.InputError, match=says):
        audit(*given, **MORE.get(name, {}), tolerance=least)


@pytest.mark.parametrize(
    ("changes", "tolerance", "says"),
    [
        ({"candidates": CANDIDATES, "metric": "mrr"}, 5, f"the gap of mrr, {GAP}"),
        ({"candidates": CANDIDATES, "metric": ["minutes", "auc"]}, 1, f"the gap of auc, {GAP}"),
        ({"metric": "minutes", "bounds": (0, 60)}, 60, "the gap of minutes, which is between 0 and 60,"),
        ({"candidates": CANDIDATES, "metric": "mrr"}, 5, r"so nothing would .* \(5% is 0\.05\)\.$"),
        (POPULAR, 90, "the gap of urp, which is between 0 and 50, cannot be more than 50"),
    ],
)
def test_a_gap_between_groups_is_below_the_range_of_its_metric(changes, tolerance, says):
    asked = {"candidates": None, "users": USERS, "attributes": "gender", "tolerance": tolerance}
    with pytest.raises(eh.InputError, match=says):
        eh.groups.audit(**(asked | changes))


def test_every_audit_with_a_tolerance_is_asked_here():
    rooms = (eh.opportunity, eh.exposure, eh.groups, eh.envy, eh.association)
    known = {audit for audit, *_ in ASKED.values()} | {eh.groups.audit, eh.groups.check_before_reading}
    for room in rooms:
        for name in room.__all__:
            one = vars(room).get(name)  # what needs torch is not there yet, and is no audit
            if inspect.isfunction(one) and "tolerance" in inspect.signature(one).parameters:
                assert one in known, f"{room.__name__}.{name}"


@pytest.mark.parametrize("step", [one.load() for one in AUDITS.values()], ids=lambda step: step.__name__)
def test_every_step_of_a_plan_has_the_range(step):
    field = step.model_fields.get("tolerance")
    if field is None or step.__name__ == "GroupsStep":  # that of a metric: it is asked before any step runs
        return
    assert any(isinstance(limit, annotated_types.Lt | annotated_types.Le) for limit in field.metadata)


def test_a_plan_refuses_it_before_any_step_runs(tmp_path):
    USERS.to_csv(tmp_path / "users.csv", index=False)
    CANDIDATES.to_csv(tmp_path / "candidates.csv", index=False)
    plan = """
    [inputs]
    users = { path = "users.csv" }
    candidates = { path = "candidates.csv" }
    [[audits]]
    audit = "groups"
    users = "users"
    candidates = "candidates"
    attributes = "gender"
    tolerance = 5
    """
    (tmp_path / "audit.toml").write_text(plan)
    with pytest.raises(eh.InputError, match=r"tolerance is 5\.0, but must be a number above 0 and"):
        eh.plan.run(tmp_path / "audit.toml")


def test_an_epsilon_that_nobody_can_envy_by_is_refused():
    with pytest.raises(eh.InputError, match=r"epsilon is 1\.5, but preferences reach from"):
        eh.envy.audit(TASTES, inverse_temperature=1.0, epsilon=1.5)
    with pytest.raises(eh.InputError, match=r"epsilon is 1\.0, but must be .* below 1: no reward"):
        eh.envy.Auditor(arms=2, epsilon=1.0, rng=0)
