"""Spark and DuckDB on the same Parquet files: the same counts, and so the same findings."""

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.inputs import table
from evenhand.opportunity.logs.counting import Question
from opportunity.conftest import make_log

pytestmark = [
    pytest.mark.slow,
    # Spark and its Java bridge warn about the machine they find and leave sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore"),
]

ASKED = {"label": ["liked", "shared"], "group": "creator_age", "cluster": "user_id"}
USERS = 300


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    pytest.importorskip("pyspark")
    folder = tmp_path_factory.mktemp("logs")
    rng = np.random.default_rng(0)
    arms = pd.DataFrame(
        {
            "ranker": rng.choice(["control", "treatment"], USERS),
            "recall": rng.choice([1, 2, 10], USERS),
            "cold_start": rng.choice([True, False], USERS),
        }
    )
    default = make_log(rng, 8_000, {"18-24": 0.10, "25-34": 0.16, "35+": 0.16}, users=USERS)
    default = default.join(arms, on="user_id")
    logs = {
        "default": default,
        "random": make_log(rng, 4_000, {"18-24": 0.06, "25-34": 0.07, "35+": 0.07}, users=USERS),
        **{arm: default[default["ranker"] == arm] for arm in ("control", "treatment")},
    }
    for name, log in logs.items():
        # Ids that leave the 32 bits, in two row groups.
        log = log.assign(user_id=(log["user_id"] - 150) * 2**33, shared=log["item_id"] % 11 == 0)
        log["member"] = "u" + log["user_id"].astype(str)
        log["day"] = [date(2024, 2, 27) + timedelta(days=i % 5) for i in range(len(log))]
        log["hour"] = pd.to_datetime(log["day"]) + pd.to_timedelta(np.arange(len(log)) % 24, unit="h")
        log["chance"] = [0.1 + 0.05 * (i % 7) for i in range(len(log))]
        log.to_parquet(folder / f"{name}.parquet", row_group_size=len(log) // 2 + 1, coerce_timestamps="us")
    return {name: folder / f"{name}.parquet" for name in logs}


def on_both(call):
    return call(engine=None), call(engine="spark")


def test_an_audit(files):
    ours, theirs = on_both(
        lambda engine: eh.opportunity.audit(files["default"], files["random"], **ASKED, engine=engine)
    )
    assert theirs.to_json() == ours.to_json()


@pytest.mark.parametrize(
    "options",
    [{"day": "day"}, {"day": "hour"}, {"day": "day", "window": 2, "probability": "chance"}],
    ids=["dates", "times", "windows of weighted rows"],
)
def test_a_series(files, options):
    ours, theirs = on_both(
        lambda engine: eh.opportunity.series(
            files["default"], files["random"], **ASKED, **options, engine=engine
        )
    )
    assert theirs.to_json() == ours.to_json()


def test_other_questions_of_the_same_logs(files):
    logs = {"random": files["random"], "recall": files["control"], "ranking": files["default"]}
    without_labels = {key: ASKED[key] for key in ("group", "cluster")}
    questions = {
        "stages": lambda engine: eh.opportunity.stages(logs, **ASKED, engine=engine),
        "boost": lambda engine: eh.opportunity.boost(
            files["default"], files["random"], weights={"18-24": 1.5}, **ASKED, engine=engine
        ),
        "parity": lambda engine: eh.opportunity.parity(
            files["default"], files["random"], **without_labels, engine=engine
        ),
        "precision": lambda engine: eh.opportunity.user_precision(files["default"], **ASKED, engine=engine),
        "plan": lambda engine: eh.opportunity.plan_traffic(
            files["default"], files["random"], **ASKED, probability="chance", rows_a_day=1e5,
            random_share=0.01, half_width=0.05, engine=engine,
        ),
    }  # fmt: skip
    for name, question in questions.items():
        ours, theirs = on_both(question)
        assert theirs.to_json() == ours.to_json(), name


def test_several_groups_bands_and_rows(files):
    """Names of combinations are made of values, which both engines give back alike."""
    asked = {
        "label": "liked",
        "group": ["creator_age", "item_id", "shared"],
        "bins": {"item_id": [10, 25.5]},
        "where": {"creator_age": ["18-24", "35+"], "shared": False},
        "cluster": "user_id",
    }
    logs = files["default"], files["random"]
    questions = {
        "audit": lambda engine: eh.opportunity.audit(*logs, **asked, engine=engine),
        "series": lambda engine: eh.opportunity.series(*logs, **asked, day="day", engine=engine),
        "experiments": lambda engine: eh.opportunity.experiments(*logs, ["recall"], **asked, engine=engine),
    }
    for name, question in questions.items():
        ours, theirs = on_both(question)
        assert theirs.to_json() == ours.to_json(), name
    groups = [f.subject["group"] for f in ours.findings if f.measure == "relative_utility_difference"]
    assert groups[0] == "18-24, under 10, False"
    for where, said in (
        ({"shared": "x"}, "the column holds true or false"),
        ({"item_id": 99}, "no row has item_id"),
    ):
        with pytest.raises(eh.InputError, match=said):
            eh.opportunity.audit(*logs, **asked | {"where": where}, engine="spark")


def test_two_clusters(files):
    """The hash of items is the same on both engines, as that of users."""
    asked = ASKED | {"cluster": ("user_id", "item_id")}
    logs = files["default"], files["random"]
    questions = {
        "audit": lambda engine: eh.opportunity.audit(*logs, **asked, probability="chance", engine=engine),
        "series": lambda engine: eh.opportunity.series(*logs, **asked, day="hour", engine=engine),
        "experiments": lambda engine: eh.opportunity.experiments(*logs, ["recall"], **asked, engine=engine),
    }
    for name, question in questions.items():
        ours, theirs = on_both(question)
        assert theirs.to_json() == ours.to_json(), name


def test_a_comparison(files):
    arms = {arm: files[arm] for arm in ("control", "treatment")}
    ours, theirs = on_both(
        lambda engine: eh.opportunity.compare(arms, files["random"], **ASKED, interval="bca", engine=engine)
    )
    assert theirs.to_json() == ours.to_json()


def test_experiments(files):
    columns = ["ranker", "recall", "cold_start"]
    ours, theirs = on_both(
        lambda engine: eh.opportunity.experiments(
            files["default"], files["random"], columns, **ASKED, engine=engine
        )
    )
    assert theirs.to_json() == ours.to_json()
    baselines = [f.subject["baseline"] for f in theirs.findings if f.measure == "reo_difference"]
    assert baselines == ["control", "1", "1", "false"]


def test_a_user_in_several_arms(files):
    for engine in (None, "spark"):
        with pytest.raises(eh.InputError, match=r"of 300 user_id are in several arms of shared, for example"):
            eh.opportunity.experiments(
                files["default"],
                files["random"],
                ["shared"],
                "liked",
                "creator_age",
                "user_id",
                engine=engine,
            )


def test_text_ids_have_the_same_totals_and_other_buckets(files):
    """What the engines' own hashes change is the error by users, a little, and no estimate."""
    question = Question.of("liked", "creator_age", "member", None, None, "refuse")
    ours, theirs = on_both(lambda engine: question.count(table(files["default"], engine=engine))[0])
    assert theirs.positives.sum(axis=0).tolist() == ours.positives.sum(axis=0).tolist()
    asked = ASKED | {"cluster": "member"}
    one, other = on_both(
        lambda engine: eh.opportunity.audit(files["default"], files["random"], **asked, engine=engine)
    )
    first, second = one.find("reo_penalty"), other.find("reo_penalty")
    assert second.estimate == first.estimate
    wide, also = (f.interval.high - f.interval.low for f in (first, second))
    assert also == pytest.approx(wide, rel=0.15)
