"""The demo: a synthetic marketplace with planted unfairness, and a plan that audits it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from evenhand.datasets import World, marketplace
from evenhand.datasets.synthetic.answers import AssociationTruth
from evenhand.files import write_together
from evenhand.parameters import writable_folder
from evenhand.report.words.phrases.groups import chosen
from evenhand.results import AuditResult

PLAN = """\
# An audit plan. Paths are relative to this file. `evenhand audit audit.toml --out folder` runs it.

seed = {seed}

[scope]
title = "A marketplace with planted unfairness"
question = "Is opportunity equal, who is served worst, shown to whom, envies whom, and what do vectors know?"
system = "A synthetic marketplace: 2,000 users, 400 items, two weeks of logs"
owner = "Whoever runs the demo"
pipeline = "What is shown in the end: after recall and ranking"
stakeholders = ["creators of posts", "users of the marketplace"]
harm = "Creators whose posts are liked and not shown earn less; users whose lists are worse find less."

# Which attributes are looked at, and why.
[scope.attributes]
creator_age = "Unfairness by the age of creators is planted in the logs"
gender = "Unfairness by gender is planted in lists, exposure and embeddings"
age_band = "Together with gender it makes the group that is served worst"

# Against what is compared.
[identify]
comparison = "Random traffic: pairs of users and items that were drawn at random on the same days"

# Tables: Parquet or CSV, a path or a glob.
[inputs.control]
path = "data/control.parquet"

[inputs.treatment]
path = "data/treatment.parquet"

[inputs.random]
path = "data/random.parquet"

[inputs.recall]
path = "data/recall.parquet"

[inputs.users]
path = "data/users.parquet"

[inputs.candidates]
path = "data/candidates.parquet"

[inputs.items]
path = "data/items.parquet"

[inputs.scores]
path = "data/scores.parquet"

[inputs.relevance]
path = "data/relevance.parquet"

[inputs.preferences]
path = "data/preferences.parquet"

[inputs.policies]
path = "data/policies.parquet"

# What values are called in the report.
[labels]
gender.F = "women"
gender.M = "men"

# Is what users like shown equally often, whoever made it?
[[audits]]
audit = "opportunity"
default = "control"
random = "random"
label = ["liked", "shared"]
group = "creator_age"
cluster = "user_id"
reason = "One ninth, the usual limit: the worst off have at least four fifths of what the best off have"

# Does the treatment of an A/B test change that? It may not make the penalty larger by more than .02.
[[audits]]
audit = "compare"
arms = {{ control = "control", treatment = "treatment" }}
random = "random"
label = ["liked", "shared"]
group = "creator_age"
cluster = "user_id"
tolerance = 0.02

# Where does it arise? What recall lets through against all that there is, and what is shown against that.
[[audits]]
audit = "stages"
stages = {{ recall = "recall", ranking = "control" }}
random = "random"
label = ["liked", "shared"]
group = "creator_age"
cluster = "user_id"

# Does it stay so from day to day? Each is held against random traffic of its own day.
[[audits]]
audit = "series"
default = "control"
random = "random"
label = ["liked", "shared"]
group = "creator_age"
cluster = "user_id"
day = "day"

# Which users get the worst lists, and is that more than chance? Half search, the others confirm.
[[audits]]
audit = "groups"
candidates = "candidates"
users = "users"
attributes = ["gender", "age_band"]
metric = "mrr"
k = 5
tolerance = 0.05
reason = "For the demo: the gap that is planted is several times as large"

# Who is shown to whom, beside what relevance asks for? Exact exposure of a random policy and of the ranking.
[[audits]]
audit = "exposure"
scores = "scores"
relevance = "relevance"
users = "users"
user_group = "gender"
items = "items"
item_group = "genre"
beta = [1.0, "static"]
tradeoff = [8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.125, "static"]
tolerance = 0.3

# Would users be better off with the recommendations of others? At most 5% of them by more than .05.
[[audits]]
audit = "envy"
preferences = "preferences"
policies = "policies"
epsilon = 0.05
gamma = 0.1
tolerance = 0.05

# What do the embeddings know about gender, and which genres go with it? Mean cosines may differ by .1.
# Vectors without ids are in the order of the rows of the table.
[[audits]]
audit = "association"
users = "data/users.npy"
items = "data/items.npy"
attribute = "users:gender"
groups = "items:genre"
tolerance = 0.1
"""


def write_demo(folder: Path, seed: int) -> tuple[Path, World]:
    """Write the marketplace to `folder`/data and the plan beside it; give back both."""
    writable_folder("out", folder)
    world = marketplace(seed=seed)
    world.save(folder / "data")
    written = write_together(folder, {"audit.toml": PLAN.format(seed=seed)})
    return written["audit.toml"], world


def planted_and_found(world: World, result: AuditResult) -> Iterator[str]:
    """A line a question: the truth of the synthetic world beside what the audit says."""
    for arm in ("control", "treatment"):
        finding = result.find("reo_penalty", by="creator_age", arm=arm)
        assert finding.interval is not None
        yield (
            f"REO penalty of the {arm}: planted {world.truth.opportunity[arm].penalty:.3f}, found "
            f"{finding.estimate:.3f} ({finding.interval.low:.3f} to {finding.interval.high:.3f})"
        )
    worst = world.truth.groups.served_worse.values()
    gap = result.find("confirmed_gap", metric="mrr@5")
    assert gap.interval is not None
    yield (
        f"MRR@5 of {', '.join(worst)} below all others': planted {world.truth.groups.gap:.3f}, confirmed "
        f"{gap.estimate:.3f} ({gap.interval.low:.3f} to {gap.interval.high:.3f}) for {chosen(gap)['worst']}"
    )
    gender, genre = world.truth.exposure.pair
    lift = result.find("pair_exposure", beta=1, group=f"{genre} to {gender}")
    assert lift.interval is not None
    yield (
        f"Exposure of {genre} to {gender}: odds planted {np.exp(world.truth.exposure.boost):.1f} times as "
        f"high; found {lift.estimate:+.0%} beside the target ({lift.interval.low:+.0%} to "
        f"{lift.interval.high:+.0%})"
    )
    truth = world.truth.envy
    envious = result.find("envious_users", epsilon=truth.epsilon, gamma=0)
    yield (
        f"Envious users: planted {len(truth.mixed_up) / len(world.users):.1%} who are served by the taste of "
        f"somebody else ({truth.share_before:.1%} before); found {envious.estimate:.1%} who would get more "
        f"than {truth.epsilon:g} more from another's recommendations"
    )
    yield from association_found(world.truth.association, result)


def association_found(truth: AssociationTruth, result: AuditResult) -> Iterator[str]:
    direction = result.find("direction", by=truth.attribute)
    assert direction.estimate is not None
    cosine = float(np.dot(direction.details["vector"], truth.direction))
    yield (
        f"Direction of {truth.attribute} in the embeddings: found at a cosine of {cosine:.3f} with the "
        f"planted one; values are {direction.estimate:.1f} standard deviations apart along it"
    )
    by_size = sorted(truth.mean_eaa, key=lambda genre: truth.mean_eaa[genre])
    for genre in (by_size[-1], by_size[0]):
        found = result.find("geaa", by=truth.attribute, group=genre)
        assert found.interval is not None
        yield (
            f"Association of {genre} with {truth.attribute} (GEAA): planted {truth.mean_eaa[genre]:.3f}, "
            f"found {found.estimate:.3f} ({found.interval.low:.3f} to {found.interval.high:.3f})"
        )
