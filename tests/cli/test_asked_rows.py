"""`--group` several times, `--bins` and `--where`: every command is the call, and what is refused."""

import pandas as pd
import pytest

import evenhand as eh

DEFAULT, RANDOM = ("--default", "default.parquet"), ("--random", "random.parquet")
LABEL = ("--label", "liked")
WORDS = (
    "--group", "creator_age", "--group", "item_id", "--bins", "item_id=21", "--cluster", "user_id",
    "--where", "shared!=1", "--where", "creator_age=old", "--where", "creator_age=young",
)  # fmt: skip
ASKED = {
    "group": ["creator_age", "item_id"],
    "bins": {"item_id": [21]},
    "cluster": "user_id",
    "where": {"shared": {"not": 1}, "creator_age": ["old", "young"]},
}
LOGS = ("default.parquet", "random.parquet", "liked")
ARMS = {"control": "default.parquet", "treatment": "treatment.parquet"}
STAGES = {"random": "random.parquet", "recall": "treatment.parquet", "ranking": "default.parquet"}
PLANNED = ("--rows-a-day", "10000", "--random-share", "0.5", "--half-width", "0.4")


def named(option, paths):
    return tuple(word for name, path in paths.items() for word in (option, f"{name}={path}"))


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (("opportunity", *DEFAULT, *RANDOM, *LABEL), lambda o: o.audit(*LOGS, **ASKED)),
        (
            ("opportunity", *DEFAULT, *RANDOM, *LABEL, "--day", "day"),
            lambda o: o.series(*LOGS, day="day", **ASKED),
        ),
        (("compare", *named("--arm", ARMS), *RANDOM, *LABEL), lambda o: o.compare(ARMS, *LOGS[1:], **ASKED)),
        (
            ("experiments", "--experiment", "arm", *DEFAULT, *RANDOM, *LABEL),
            lambda o: o.experiments(*LOGS[:2], ["arm"], "liked", **ASKED),
        ),
        (
            (
                "stages",
                *named("--stage", {k: v for k, v in STAGES.items() if k != "random"}),
                *RANDOM,
                *LABEL,
            ),
            lambda o: o.stages(STAGES, "liked", **ASKED),
        ),
        (
            ("boost", *DEFAULT, *RANDOM, *LABEL, "--weight", "old, under 21=1.5"),
            lambda o: o.boost(*LOGS, weights={"old, under 21": 1.5}, **ASKED),
        ),
        (
            ("parity", *DEFAULT, "--catalogue", "catalogue.parquet"),
            lambda o: o.parity("default.parquet", "catalogue.parquet", **ASKED),
        ),
        (("user-precision", *DEFAULT, *LABEL), lambda o: o.user_precision(*LOGS[::2], **ASKED)),
        (
            ("plan-traffic", *DEFAULT, *RANDOM, *LABEL, *PLANNED),
            lambda o: o.plan_traffic(*LOGS, rows_a_day=1e4, random_share=0.5, half_width=0.4, **ASKED),
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_the_command_is_the_call(evenhand, logs, frames, words, call):
    for name in ("default", "treatment", "random"):
        log = frames[name].assign(day=[f"2024-04-0{1 + i % 2}" for i in range(len(frames[name]))])
        log.assign(arm=["a" if user % 2 else "b" for user in log["user_id"]]).to_parquet(f"{name}.parquet")
    frames["items"].rename(columns={"age": "creator_age"}).to_parquet("catalogue.parquet", index=False)
    ran = evenhand(*words, *WORDS, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert eh.AuditResult.from_json(ran.out).findings == call(eh.opportunity).findings


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--where", "country"), "--where is 'country', but must be COLUMN=VALUE or COLUMN!=VALUE, such as"),
        (("--where", "a=DE", "--where", "a!=AT"), "--where asks for values of 'a' and for others"),
        (("--where", "=DE"), "--where is '=DE', but must be COLUMN=VALUE"),
        (("--where", "user_id=x"), "where of 'user_id' is 'x', but the column holds numbers"),
        (("--where", "creator_age=elder"), "no row has creator_age = elder. Did you mean 'older'?"),
        (("--where", "country=DE"), "default log: there is no column 'country'."),
        (("--bins", "item_id"), "--bins is 'item_id', but must be COLUMN=EDGES, such as age=18,25,35."),
        (("--bins", "item_id=a"), "--bins is 'item_id=a', but must be COLUMN=EDGES"),
        (("--bins", "item_id=4,2"), "bins of 'item_id' are [4.0, 2.0], but must be edges"),
        (("--bins", "item_id=nan"), "bins of 'item_id' are [nan], but must be edges"),
        (("--bins", "item_id=4", "--bins", "item_id=9"), "--bins names 'item_id' twice"),
        (("--bins", "user_id=4"), "bins has edges for 'user_id', which is no group here"),
        (("--group", "item_id"), "group names a column twice: item_id, item_id."),
    ],
)
def test_what_is_refused(refused, logs, frames, words, said):
    frames["default"].replace({"creator_age": {"old": "older"}}).to_parquet("default.parquet")
    frames["random"].replace({"creator_age": {"old": "older"}}).to_parquet("random.parquet")
    assert said in refused("opportunity", *DEFAULT, *RANDOM, *LABEL, "--group", "item_id", *words)


def test_text_that_looks_like_a_number_stays_text(evenhand, logs, frames):
    for name in ("default", "random"):
        zips = frames[name].assign(zip=["007" if user % 2 else "7" for user in frames[name]["user_id"]])
        zips.to_parquet(f"{name}.parquet")
    words = ("opportunity", *DEFAULT, *RANDOM, *LABEL, "--group", "creator_age", "--where", "zip=7", "--json")
    found = eh.AuditResult.from_json(evenhand(*words).out).find("reo_penalty")
    both = pd.concat([frames["default"], frames["random"]])
    assert found.n.count == int((both["user_id"] % 2 == 0).sum())
