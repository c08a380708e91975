"""Guo and others (2023): which users are served worst by deep recommenders."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import groups_published as published
import numpy as np
import rerank
import swarm
from swarm_worlds import WORLDS

import evenhand as eh
from evenhand.asked.declared.groups import AskedGroups
from evenhand.groups.measuring import Question, values_of
from evenhand.groups.swarms import search
from evenhand.groups.tables import Tables
from evenhand.recommenders import Features, Interactions
from evenhand.recommenders.stored.storage import describe
from groups import COMBINATIONS, MEASURED
from replications.pages import Line, Part
from replications.steps import Run, say

TITLE = "Which users are served worst by deep recommenders"
PAPER, EVERY = published.PAPER, published.EVERY
STAND_INS = {"Wide&Deep": "widedeep", "DeepFM": "deepfm", "DCN": "dcn", "FGCNN": "fgcnn"}
QUICK = {"Wide&Deep": "puresvd", "DeepFM": "ease", "DCN": "user-knn", "FGCNN": "popularity"}
MINUTES = {
    **{f"gaps of {name}": 0.5 for name in STAND_INS},
    **{f"re-ranking of {name}": 1.0 for name in STAND_INS},
    "swarms": 1.0,
}
TRAINING = {"widedeep": 10, "deepfm": 12, "dcn": 12, "fgcnn": 60}
LEAST = 0.001
SEARCHES = 5
# The published NDCG is over the gain of five liked items, where a user has one.
FIVE_LIKED = float((1 / np.log2(np.arange(2, 7))).sum())
GONE = "LFM-360K, Black Friday and the Amazon reviews are not at hand"
HOW = (
    "MovieLens-1M. Each user's last item is held out where its time is known, and a random one for the half of the users in "
    "this copy that have no times; one sampled negative a positive in training, 49 in the test; groups by gender, age and "
    "occupation with a share of .001 of the users. How the models are trained: [recommenders](../../reference/recommenders.md). What stands "
    "behind such gaps, and what shuffled users give: [groups](../../explain/users.md#why-the-largest-gap-is-mostly-chance).",
)
CHANCE = (
    "the largest gap of some 150 small groups is mostly chance: shuffled users give .80 to .87 of it, and models and test "
    "items differ here"
)


def parts(run: Run) -> list[Part]:
    drawn = [
        Part("Figure 1", "the frame", missing="a drawing, without figures"),
        Part("Figure 2", "two ways to begin a swarm", missing="a drawing, without figures"),
        Part("Figure 5", "seconds against users and groups", missing="drawn, and of models there; here the exhaustive search takes "
             "well below a second at the size of LFM-360K ([benchmarks](../benchmarks.md#groups))"),
        Part("Figure 6", "particles and iterations of the swarm", missing="the swarm here has neither: it has a budget of users "
             "([why](../decisions/0006-swarm.md))"),
        Part("Table 2, the other data sets", "gaps", missing=GONE),
        Part("Table 3, LFM-360K", "gaps in limited time", missing=GONE),
        Part("Table 4 and 6, Amazon", "re-ranking", missing=GONE),
        Part("Table 7", "gaps in limited time, Black Friday and Amazon", missing=GONE),
        swarms(run),
    ]  # fmt: skip
    data = run.folder("ml-1m")
    names = ("Table 1", "Table 2", "Table 3", "Table 4", "Table 5", "Table 6", "Figure 3")
    if data is None:
        return [*drawn, *(Part(name, "", missing="MovieLens-1M is not at hand") for name in names)]
    folders = trained(run, data)
    if not folders:
        why = "no click model is there: training them takes torch, and minutes on a GPU or hours without (--models FOLDER)"
        return _sorted([*drawn, *(Part(name, "", missing=why) for name in names)])
    dataset = eh.datasets.load(data)
    items = dataset.items.rename(columns={"genres": "category"})[["item_id", "category"]]
    found: dict[str, list[dict[str, Any]]] = {}
    moved: dict[str, list[dict[str, Any]]] = {}
    for name, of in folders.items():
        found[name] = run.step(
            f"gaps of {name}", lambda n=name, of=of: [gaps(one, dataset.users, items, n) for one in of]
        )
        if not run.quick or not moved:
            step = f"re-ranking of {name}"
            moved[name] = run.step(step, lambda of=of: [reranked(of[0], dataset.users, items)], MINUTES[step])
    return _sorted([*drawn, *tables(found), *rerankings(moved)])


def _sorted(found: list[Part]) -> list[Part]:
    return sorted(found, key=lambda part: (part.name[0] == "F", part.name))


def trained(run: Run, data: Path) -> dict[str, list[Path]]:
    """The folders of the models, by the paper's name, a seed each; trained where they are not there."""
    found: dict[str, list[Path]] = {}
    parts: tuple[Any, ...] = ()
    for name, model in (QUICK if run.quick else STAND_INS).items():
        if run.models is not None:
            there = sorted(run.models.glob(f"{model}-[0-9]*"))
            found |= {name: there} if there else {}
            continue
        if model in run.leave_out or (model in TRAINING and find_spec("torch") is None):
            continue
        for seed in range(1, 2 if run.quick else run.seeds + 1):
            folder = run.work / "models" / f"{model}-{seed}"
            if not (folder / "model.json").exists():
                say(
                    f"training {model}, seed {seed}: about {TRAINING.get(model, 0)} minutes on one core, one on a GPU ..."
                )
                if not parts:
                    dataset = eh.datasets.load(data)
                    interactions = Interactions.from_frame(dataset.interactions)
                    parts = interactions, Features.of(interactions, dataset.users, dataset.items)
                features = {"features": parts[1]} if model in TRAINING else {}
                eh.recommenders.train_and_save(
                    model, parts[0], folder, split="leave-one-out", seed=seed, progress=say, **features
                )
            found.setdefault(name, []).append(folder)
    return found


class Valued:
    """A model's values of all users by all metrics, once for all searches."""

    def __init__(self, folder: Path, users: Any, items: Any, attributes: Sequence[str]) -> None:
        asked = AskedGroups.checked(
            attributes=list(attributes), metric=list(MEASURED), min_size=LEAST, search="exhaustive"
        )
        tables = Tables.of(None, users, history=None, items=items, recommender=folder, engine=None)
        found = values_of(Question.of(asked, 0), tables, lambda text: None)
        self.cells, self.users = found.population.cells, len(found.population.who)
        self.values = [one.values[found.population.who] for one in found.of_metrics]

    def least(self, share: float) -> int:
        return max(int(np.ceil(share * self.users)), 2)

    def gaps(self, share: float = LEAST) -> list[float]:
        """The largest gap by each metric, over all groups with this share of the users."""
        large = self.cells.sizes >= self.least(share)
        sums = [
            np.bincount(self.cells.of_user, weights=one, minlength=len(self.cells)) for one in self.values
        ]
        return [float(np.ptp((one / self.cells.sizes)[large])) if large.any() else 0.0 for one in sums]

    def swarms(self, budget: float) -> list[float]:
        """The mean of what searches find that may score this share of the users."""
        return [
            float(np.mean([
                np.nan_to_num(search.swarm(self.cells, self.least(LEAST), one.__getitem__, method="dpso",
                              budget=int(budget * self.users), seed=seed).gap)
                for seed in range(SEARCHES)
            ]))
            for one in self.values
        ]  # fmt: skip


def gaps(folder: Path, users: Any, items: Any, name: str) -> dict[str, Any]:
    """AUC, and UF by every metric: of all searches, and of fewer attributes."""
    by = [Valued(folder, users, items, attributes) for attributes in COMBINATIONS]
    whole, short = published.SECONDS[name]
    return {
        "auc": describe(folder)["metrics"]["auc"],
        "exhaustive": by[-1].gaps(),
        "thresholds": {share: by[-1].gaps(share) for share in (0.01, 0.005)},
        "swarm": by[-1].swarms(short / whole),
        "swarm, table 3": by[-1].swarms(published.BUDGET_3 / whole),
        "attributes": [one.gaps() for one in by],
    }


def reranked(folder: Path, users: Any, items: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for metric, result, same in rerank.reranked(folder, users, items):
        main, gap = (
            result.find("rerank_change", who="chosen groups").details,
            result.find("uf_change").details,
        )
        measured = [main["before"], main["after"], gap["before"], gap["after"]]
        told = [same.chosen.before, same.chosen.after, same.gap.before, same.gap.after] if same else measured
        size = FIVE_LIKED if metric == "ndcg" else 1.0
        found[metric] = {
            "same users": [one / size for one in told],
            "measured": [one / size for one in measured],
        }
    return found


def _lines(what: str, told: Sequence[float], values: Any, digits: int = 3) -> list[Line]:
    """A line a metric: the mean over models of other seeds, and how they spread."""
    table = np.array(values, dtype=float).reshape(-1, len(told))
    return [
        Line(
            f"{what}, {metric}", float(one), float(mine.mean()), float(mine.std(ddof=1)) if len(mine) > 1 else None, digits
        )
        for metric, one, mine in zip(MEASURED, told, table.T, strict=True)
    ]  # fmt: skip


def tables(found: dict[str, list[dict[str, Any]]]) -> list[Part]:
    one, two, limited, three = [], [], [], []
    for name, of in found.items():
        areas = [each["auc"] for each in of]
        one.append(Line(f"{name}: AUC", published.TABLE_1[name][1], float(np.mean(areas)),
                        float(np.std(areas, ddof=1)) if len(areas) > 1 else None, 4))  # fmt: skip
        two += _lines(f"{name}: exhaustive", published.TABLE_2[name], [each["exhaustive"] for each in of])
        for share, told in published.THRESHOLDS_2[name].items():
            two += _lines(
                f"{name}: groups of {share} and more", told, [each["thresholds"][str(share)] for each in of]
            )
        two += _lines(f"{name}: swarm", published.FAIRREC_2[name], [each["swarm"] for each in of])
        limited += _lines(
            f"{name}: swarm", published.TABLE_3[name][1], [each["swarm, table 3"] for each in of]
        )
    first = next(iter(found.values()))
    for place, attributes in enumerate(COMBINATIONS):
        three += _lines(
            ", ".join(attributes),
            published.TABLE_5[tuple(attributes)],
            [each["attributes"][place] for each in first],
        )
    return [
        Part("Table 1", "AUC of the models", one, cause="trained again; the log loss is of other negatives and is left out"),
        Part("Table 2", "gaps by four searches", two, cause=CHANCE),
        Part("Table 3", "gaps that the swarm finds in limited time", limited, cause=f"{CHANCE}; time there is a share of users here"),
        Part("Table 5", f"more attributes, {next(iter(found))}", three, cause=f"more attributes make more groups; {CHANCE}"),
        correlation({name: np.mean([each["exhaustive"] for each in of], axis=0) for name, of in found.items()}),
    ]  # fmt: skip


def correlation(gaps: dict[str, Any]) -> Part:
    if len(gaps) < 3:
        return Part(
            "Figure 3", "correlation of the gaps over the models", missing="fewer than three models are there"
        )
    table = np.corrcoef(np.array(list(gaps.values())).T)
    lines = [
        Line(
            f"{one} and {other}",
            "above 0" if sign > 0 else "below 0",
            float(table[MEASURED.index(one), MEASURED.index(other)]),
            digits=2,
        )
        for (one, other), sign in published.CORRELATIONS.items()
    ]
    return Part("Figure 3", "correlation of the gaps over the models", lines,
                cause="drawn, not printed; four models are four points, so that a sign is mostly chance")  # fmt: skip


def rerankings(moved: dict[str, list[dict[str, Any]]]) -> list[Part]:
    four, six = [], []
    for name, of in moved.items():
        for place, metric in enumerate(published.RERANKED):
            for when in (0, 1):
                word = ("before", "after")[when]
                for how in ("same users", "measured"):
                    mine = [each[metric][how] for each in of]
                    what = f"{name}, {metric}, {word}" + (
                        "" if how == "same users" else ", on users who did not choose"
                    )
                    four.append(
                        Line(
                            what,
                            published.TABLE_4[name][when][place],
                            float(np.mean([one[when] for one in mine])),
                            digits=4,
                        )
                    )
                    six.append(
                        Line(
                            what,
                            published.TABLE_6[name][when][place],
                            float(np.mean([one[2 + when] for one in mine])),
                            digits=4,
                        )
                    )
    cause = (
        "which re-ranking it was is not said. Ours reads no labels of the test: it makes the lists of the worst groups more diverse "
        "and nearer in popularity, as theirs, and by MRR and NDCG worse, where theirs gain most. Chosen groups look worse than they "
        "are on the users who chose them ([figures](../../explain/re-ranking.md))"
    )
    return [
        Part("Table 4", "mean of the worst tenth of groups, before and after re-ranking", four, cause=cause),
        Part("Table 6", "the largest gap before and after re-ranking", six, cause=cause),
    ]


def swarms(run: Run) -> Part:
    seeds = range(1 if run.quick else 5)

    def compared() -> dict[str, float]:
        found = {}
        for world in WORLDS:
            size = world.name.split(" ")[0].rstrip(",")
            if size in published.IMPROVED and size not in found and (not run.quick or world.users < 10_000):
                rows = swarm.measure(world, 0.5, seeds, lambda text: None)
                found[size] = float(rows["dpso"][:, 0].mean() / rows["pso"][:, 0].mean() - 1)
        return found

    found = run.step("swarms", compared, 1)
    lines = [
        Line(f"{size} groups: more found than by a plain swarm", published.IMPROVED[size], value)
        for size, value in found.items()
    ]
    return Part("Figure 4", "a double-ended swarm beside a plain one", lines,
                cause="made-up worlds of the sizes of theirs; both swarms are our own, and the plain one has the same memory of "
                "groups ([why](../decisions/0006-swarm.md))")  # fmt: skip
