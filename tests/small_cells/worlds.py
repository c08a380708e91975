"""One small world for every audit, with a group of a handful of people in it.

`few` people are in the group "tiny"; of others like them, up to SPARE in all, the rest is in the smallest of
the other groups. So the totals are the same whatever `few` is, and no count that is published may tell. Where
the group is left out of the audit, the rest is nowhere, and the totals may not tell either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

import evenhand as eh

SPARE = 4
# Groups of fewer users than ten are left out of audits of logs, so that few are more there.
FEW, ENOUGH = (11, 13), 15
ITEMS = np.array(["p", "q", "r"] * 20)


@dataclass(frozen=True)
class World:
    """An audit with `few` people in the small group, and how few are not published."""

    audit: Callable[[int], eh.AuditResult]
    few: tuple[int, int] = (2, 4)
    min_cell: int = 5
    # Whether the second group that is hidden is the same whatever the number.
    same_others: bool = True


def log(seed: int, rows: int, few: int, each: int = 20, spare: int = FEW[1]) -> pd.DataFrame:
    """Rows of 200 users, and `each` of a handful of people who are in a group of their own, or in d."""
    rng = np.random.default_rng(seed)
    usual = pd.DataFrame(
        {
            "user_id": rng.integers(200, size=rows),
            "item_id": rng.integers(60, size=rows),
            "place": rng.choice(list("abcd"), size=rows, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )
    people = np.repeat(np.arange(spare), each)
    handful = pd.DataFrame(
        {
            "user_id": 1_000 + people,
            "item_id": rng.integers(60, size=len(people)),
            "place": np.where(people < few, "tiny", "d"),
        }
    )
    both = pd.concat([usual, handful], ignore_index=True)
    both["liked"] = (rng.random(len(both)) < 0.3).astype(int)
    both["day"] = np.where(both.index % 2, "2024-04-02", "2024-04-01")
    both["arm"] = np.where(both.user_id % 2, "x", "y")
    both["layout"] = np.where(both.user_id // 2 % 2, "p", "q")
    return both


def logs(few: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    return log(1, 3_000, few), log(2, 2_000, few)


ASKED = {"label": "liked", "group": "place", "cluster": "user_id"}


def opportunity(few: int) -> eh.AuditResult:
    return eh.opportunity.audit(*logs(few), **ASKED, item="item_id")


def opportunity_left_out(few: int) -> eh.AuditResult:
    """Of the small group random traffic knows too little, so that it is not compared."""
    made = [log(1, 3_000, few, 20, SPARE), log(2, 2_000, few, 20, SPARE)]
    known = [one[(one.user_id < 1_000) | (one.place == "tiny")] for one in made]
    return eh.opportunity.audit(*known, **ASKED, item="item_id")


def missing_left_out(few: int) -> eh.AuditResult:
    """Those of the small group have no group, and are left out as asked."""
    made = [log(1, 3_000, few, 20, SPARE), log(2, 2_000, few, 20, SPARE)]
    known = [one[(one.user_id < 1_000) | (one.place == "tiny")] for one in made]
    hidden = [one.assign(place=one.place.where(one.place != "tiny", None)) for one in known]
    return eh.opportunity.audit(*hidden, **ASKED, missing="exclude")


def rows_left_out(few: int) -> eh.AuditResult:
    """Those of the small group are not among the rows that are asked for."""
    made = [log(1, 3_000, few, 20, SPARE), log(2, 2_000, few, 20, SPARE)]
    known = [one[(one.user_id < 1_000) | (one.place == "tiny")] for one in made]
    return eh.opportunity.audit(*known, **ASKED, where={"place": list("abcd")})


def compare(few: int) -> eh.AuditResult:
    default, random = logs(few)
    arms = {arm: default[default.arm == arm] for arm in ("x", "y")}
    return eh.opportunity.compare(arms, random, **ASKED)


def experiments(few: int) -> eh.AuditResult:
    return eh.opportunity.experiments(*logs(few), ["arm", "layout"], **ASKED)


def series(few: int) -> eh.AuditResult:
    return eh.opportunity.series(*logs(few), day="day", **ASKED)


def stages(few: int) -> eh.AuditResult:
    default, random = logs(few)
    return eh.opportunity.stages(
        {"random": random, "recall": log(3, 2_000, few), "ranking": default}, **ASKED
    )


def boost(few: int) -> eh.AuditResult:
    weights = {"a": 1.1, "b": 1.2, "c": 1.0, "d": 1.3, "tiny": 1.5}
    return eh.opportunity.boost(*logs(few), weights=weights, **ASKED)


def parity(few: int) -> eh.AuditResult:
    catalogue = {"a": 20, "b": 20, "c": 10, "d": 5, "tiny": 5}
    return eh.opportunity.parity(logs(few)[0], catalogue, "place", cluster="user_id")


def user_precision(few: int) -> eh.AuditResult:
    return eh.opportunity.user_precision(logs(few)[0], **ASKED)


def plan_traffic(few: int) -> eh.AuditResult:
    return eh.opportunity.plan_traffic(
        *logs(few), **ASKED, rows_a_day=5_000, random_share=[0.01, 0.05], half_width=0.3
    )


def users(few: int, count: int = 200, spare: int = SPARE) -> pd.DataFrame:
    """Users with a place; those at the head are in the small group, or in c."""
    rng = np.random.default_rng(0)
    place = rng.choice(["aaaa", "bbbb"], size=count, p=[0.6, 0.4])
    place[: spare + 12] = "c"
    place[:few] = "tiny"
    return pd.DataFrame({"user_id": np.arange(count), "place": place, "sex": rng.choice(["f", "m"], count)})


def _exposed(few: int) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    relevance = (rng.random((200, 60)) < 0.2).astype(int)
    relevance[:, 0] = 1
    groups = {"user_groups": users(few).place.to_numpy(), "item_groups": ITEMS}
    return rng.normal(size=(200, 60)), relevance, groups


def exposure(few: int) -> eh.AuditResult:
    scores, relevance, groups = _exposed(few)
    return eh.exposure.audit(scores, relevance, **groups, beta=[8, 1, "static"], tolerance=0.3)


def exposure_compare(few: int) -> eh.AuditResult:
    scores, relevance, groups = _exposed(few)
    systems = {"one": scores, "two": scores[::-1]}
    return eh.exposure.compare(systems, relevance, **groups, beta=[8, "static"], tradeoff=[8, 1, "static"])


def _candidates() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    listed = pd.DataFrame(
        {
            "user_id": np.repeat(np.arange(200), 20),
            "item_id": np.concatenate([rng.permutation(50)[:20] for _ in range(200)]),
            "score": rng.random(4_000),
            "label": (rng.random(4_000) < 0.2).astype(int),
        }
    )
    listed.loc[::20, "label"] = 1
    return listed


def groups(few: int) -> eh.AuditResult:
    return eh.groups.audit(_candidates(), users(few), ["place"], min_size=2, permutations=100)


def groups_left_out(few: int) -> eh.AuditResult:
    """The small group is below the least size, and so is not compared."""
    people = users(few)
    people = people[(people.index < few) | (people.index >= SPARE)]
    listed = _candidates()
    listed = listed[listed.user_id.isin(people.user_id)]
    return eh.groups.audit(listed, people, ["place"], min_size=6, permutations=100)


def groups_that_overlap(few: int) -> eh.AuditResult:
    people = users(few)
    people.loc[:SPARE, "sex"] = "f"
    return eh.groups.audit(
        _candidates(), people, ["place", "sex"], min_size=2, search="cube", permutations=100
    )


def envy(few: int) -> eh.AuditResult:
    rng = np.random.default_rng(0)
    preferences, policies = rng.random((60, 20)), rng.dirichlet(np.ones(20), 60)
    return eh.envy.audit(preferences, policies, groups=users(few, 60).place.to_numpy(), top=0)


def envy_sample(few: int) -> eh.AuditResult:
    rng = np.random.default_rng(0)
    preferences, policies = rng.random((60, 20)), rng.dirichlet(np.ones(20), 60)
    return eh.envy.audit(
        preferences, policies, groups=users(few, 60).place.to_numpy(), top=0, sample=(40, 20)
    )


def _vectors(seed: int, place: np.ndarray, far: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    people = rng.normal(size=(len(place), 6))
    people[:, 0] += far * (place == "aaaa")
    people[:, 1] += far * (place == "bbbb")
    return rng.normal(size=(60, 6)), people


def association(few: int) -> eh.AuditResult:
    place = users(few, 150, 8).place.to_numpy()
    return eh.association.audit(*_vectors(1, place), place, ITEMS, permutations=100)


def amplification(few: int) -> eh.AuditResult:
    place = users(few, 150, 8).place.to_numpy()
    states = [[_vectors(seed, place, far) for seed in (1, 2, 3)] for far in (2.0, 3.0)]
    for number, training in enumerate(states[1]):
        states[1][number] = training[0] + 0.01 * number, training[1] + 0.01
    return eh.association.amplification(states, place, ITEMS)


def leakage(few: int) -> eh.AuditResult:
    place = users(few, 150, 14).place.to_numpy()
    rng = np.random.default_rng(3)
    taken = pd.DataFrame({"user_id": np.repeat(np.arange(150), 10), "item_id": rng.integers(60, size=1_500)})
    return eh.association.leakage(
        *_vectors(1, place), place, taken.drop_duplicates(), ITEMS, permutations=20, trainings=["balanced"],
        user_ids=np.arange(150), item_ids=np.arange(60),
    )  # fmt: skip


def rerank(few: int) -> eh.AuditResult:
    items = pd.DataFrame({"item_id": np.arange(50), "category": list("xyzuv") * 10})
    return eh.mitigate.rerank_groups(
        _candidates(), users(few), ["place"], items=items, min_size=2, share=0.3
    ).result


def embeddings(few: int) -> eh.AuditResult:
    place = users(few, 150, 8).place.to_numpy()
    before, after = _vectors(1, place)[::-1], _vectors(1, place, 0.5)[::-1]
    return eh.mitigate.compare_embeddings(before, after, place, permutations=100, methods=["centroid"]).result


OF_LOGS = (opportunity, compare, series, stages, boost, parity, user_precision, plan_traffic)
OF_USERS = (
    opportunity_left_out, missing_left_out, rows_left_out, exposure, exposure_compare, groups,
    groups_left_out, envy, rerank,
)  # fmt: skip
WORLDS: dict[str, World] = {
    **{made.__name__: World(made, FEW, ENOUGH) for made in OF_LOGS},
    **{made.__name__: World(made) for made in OF_USERS},
    # So many that some of them can be expected to like something: of fewer nothing is told at all.
    "user_precision": World(user_precision, (14, 16), 18),
    # In both arms of each experiment there is somebody of the small group.
    "experiments": World(experiments, FEW, ENOUGH),
    "envy_sample": World(envy_sample, (3, 4)),
    "groups_that_overlap": World(groups_that_overlap, same_others=False),
    "association": World(association, (6, 8), 10),
    "amplification": World(amplification, (6, 8), 10),
    "embeddings": World(embeddings, (6, 8), 10),
    "leakage": World(leakage, (12, 14), 16),
}
